// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/serving-groups.h"

#include "workload/models/forward-pass.h"

namespace nadi
{

std::set<CommunicatorId>
FindSummingGroups(const ServingInput& serving)
{
    std::set<CommunicatorId> groups;
    for (const ServingInstance& instance : serving.instances)
    {
        if (instance.Model().tensor == 1 || instance.Role() == ServingRole::Ffn)
        {
            continue;
        }
        for (uint32_t stage = 0; stage < instance.Model().pipeline; ++stage)
        {
            for (uint32_t replica = 0; replica < instance.Replicas(); ++replica)
            {
                const RankId first = instance.RankAt(stage, replica, 0);
                const auto group = static_cast<size_t>(PassGroup::Tensor);
                groups.insert(serving.names->communicatorOfGroup[first.value][group]);
            }
        }
    }
    return groups;
}

} // namespace nadi
