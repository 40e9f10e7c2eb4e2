// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/attempt-rules.h"

namespace nadi::synthesis
{

std::string
DescribeRule(AttemptRule rule)
{
    switch (rule)
    {
    case AttemptRule::PreferNew:
        return "links between groups prefer chunks that are new there";
    case AttemptRule::RequireNew:
        return "links between groups take only chunks that are new there";
    case AttemptRule::QuickPaths:
        return "quickest paths";
    case AttemptRule::OneRoot:
        return "one root";
    case AttemptRule::FreeRoots:
        return "trees with free roots";
    default:
        return "plain";
    }
}

bool
IsMoving(CollectiveType type)
{
    return type == CollectiveType::AllToAll || type == CollectiveType::Gather ||
           type == CollectiveType::Scatter;
}

bool
IsAllReduce(CollectiveType type)
{
    return type == CollectiveType::AllReduce || type == CollectiveType::Barrier;
}

bool
HasShards(CollectiveType type, AttemptRule rule)
{
    switch (type)
    {
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
    case CollectiveType::Barrier:
        return false;
    case CollectiveType::AllReduce:
        // By these rules the sum of a chunk is made at the root of a tree, and not at a rank that
        // owns the chunk. So the number of chunks need not be a multiple of the ranks.
        return rule != AttemptRule::OneRoot && rule != AttemptRule::FreeRoots;
    default:
        return true;
    }
}

GroupRule
GroupRuleOf(AttemptRule rule)
{
    switch (rule)
    {
    case AttemptRule::PreferNew:
        return GroupRule::Prefer;
    case AttemptRule::RequireNew:
        return GroupRule::Require;
    default:
        return GroupRule::Ignore;
    }
}

} // namespace nadi::synthesis
