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
        // Read with a sign, as a stream takes "-1" for an unsigned number and makes it 2^32 - 1.
        int64_t number = 0;
        text >> number;
        if (number < 0 || number > FabricPriorityWeights::MOST)
        {
            text.setstate(std::ios::failbit);
        }
        weight = static_cast<uint32_t>(number);
    }
    return text;
}

} // namespace ns3
