// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/node-switches.h"

#include <cstdint>

namespace nadi::nccl
{

bool
NodeSwitches::Serve(const std::vector<RankId>& ranks, const Placement& placement) const
{
    if (m_trees == nullptr)
    {
        return true;
    }
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        std::vector<RankId> together;
        for (const uint32_t member : placement.MembersOf(node))
        {
            together.push_back(ranks[member]);
        }
        // A rank alone in its node needs no switch.
        if (together.size() > 1 && !ServeNode(together))
        {
            return false;
        }
    }
    return true;
}

bool
NodeSwitches::ServeNode(const std::vector<RankId>& ranks) const
{
    const TreeGroup* const group = m_trees->Find(ranks, {.isFlat = true});
    return group != nullptr && group->Trees().memberRate == m_npuRate;
}

} // namespace nadi::nccl
