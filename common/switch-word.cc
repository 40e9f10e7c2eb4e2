// SPDX-License-Identifier: GPL-2.0-only
#include "common/switch-word.h"

namespace nadi
{

std::optional<bool>
FindSwitch(std::string_view text)
{
    if (text == "on" || text == "true" || text == "yes")
    {
        return true;
    }
    if (text == "off" || text == "false" || text == "no")
    {
        return false;
    }
    return std::nullopt;
}

} // namespace nadi
