// SPDX-License-Identifier: GPL-2.0-only
#include "system/system-options.h"

namespace nadi
{

std::string
DefaultAlgorithm(CollectiveType type, const std::string& shape)
{
    switch (type)
    {
    case CollectiveType::AllToAll:
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return "direct";
    default:
        break;
    }
    if (shape == "ring")
    {
        return "bidirectional-ring";
    }
    if (shape == "switch")
    {
        return "halving-doubling";
    }
    if (shape == "fully-connected")
    {
        return "direct";
    }
    return "ring";
}

} // namespace nadi
