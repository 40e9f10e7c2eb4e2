// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <string>
#include <vector>

namespace nadi::test
{

/// Those of `names` that run on any topology and group: no switch has to compute, and no program is
/// made for the group.
inline std::vector<std::string>
LeaveOutTrees(const std::vector<std::string>& names)
{
    std::vector<std::string> left;
    for (const std::string& name : names)
    {
        const auto algorithm = Registry<CollectiveAlgorithm>::Instance().Make(name);
        if (!algorithm->NeedsTrees() && algorithm->Programs() == nullptr)
        {
            left.push_back(name);
        }
    }
    return left;
}

inline std::vector<std::string>
EndpointAlgorithms()
{
    return LeaveOutTrees(Registry<CollectiveAlgorithm>::Instance().Names());
}

inline std::vector<std::string>
EndpointAlgorithmsFor(CollectiveType type)
{
    return LeaveOutTrees(AlgorithmsFor(type));
}

} // namespace nadi::test
