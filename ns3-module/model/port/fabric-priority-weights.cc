// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-priority-weights.h"

namespace ns3
{

ATTRIBUTE_HELPER_CPP(FabricPriorityWeights);

std::ostream&
operator<<(std::ostream& text, const FabricPriorityWeights& weights)
{
    const char* gap = "";
    for (const uint32_t weight : weights.m_weights)
    {
        text << gap << weight;
        gap = " ";
    }
    return text;
}

std::istream&
operator>>(std::istream& text, FabricPriorityWeights& weights)
{
    for (uint32_t& weight : weights.m_weights)
    {
        text >> weight;
    }
    return text;
}

} // namespace ns3
