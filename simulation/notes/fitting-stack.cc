// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/notes/fitting-stack.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Whether `block` successive members at a time stand in one node.
bool
AreInNodes(const CommunicatorLayout& layout, uint32_t block, const NodeOfRank& nodes)
{
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        const RankId first = layout.RankOf(member / block * block);
        if (nodes[layout.RankOf(member).value] != nodes[first.value])
        {
            return false;
        }
    }
    return true;
}

/// How many successive ranks the first node has.
uint32_t
CountFirstRanks(const NodeOfRank& nodes)
{
    const auto end = std::ranges::find_if(nodes, [&](uint32_t n) { return n != nodes.front(); });
    return static_cast<uint32_t>(end - nodes.begin());
}

/// Whether lines of `size` ranks fill both a node and the job.
bool
DividesBoth(uint32_t size, uint32_t ranksOfNode, uint32_t ranks)
{
    return ranksOfNode % size == 0 && ranks % size == 0;
}

/// Stacks of `ranks` whose dimensions but the last lie within nodes; first those that keep most
/// ranks there, and of these the one with the fewest dimensions.
std::vector<std::vector<uint32_t>>
ListStacks(uint32_t ranksOfNode, uint32_t ranks)
{
    std::vector<std::vector<uint32_t>> stacks;
    for (uint32_t inside = ranksOfNode; inside > 1; --inside)
    {
        if (!DividesBoth(inside, ranksOfNode, ranks))
        {
            continue;
        }
        stacks.push_back({inside, ranks / inside});
        for (uint32_t first = inside / 2; first > 1; --first)
        {
            if (inside % first == 0)
            {
                stacks.push_back({first, inside / first, ranks / inside});
            }
        }
    }
    return stacks;
}

bool
Fits(const std::vector<uint32_t>& stack, const CrossingGroup& group, const NodeOfRank& nodes)
{
    const CommunicatorLayout layout(*group.group, RankGrid(stack));
    return CountInside(layout, nodes) >= group.inside + (group.isListed ? 1 : 0);
}

} // namespace

uint32_t
CountInside(const CommunicatorLayout& layout, const NodeOfRank& nodes)
{
    uint32_t inside = 1;
    for (const CommunicatorDimension& dimension : layout.Dimensions())
    {
        if (layout.IsFlat() || !AreInNodes(layout, inside * dimension.size, nodes))
        {
            break;
        }
        inside *= dimension.size;
    }
    return inside;
}

std::optional<std::vector<uint32_t>>
FindFittingStack(const std::vector<CrossingGroup>& groups, const NodeOfRank& nodes)
{
    // Where other nodes have fewer successive ranks, Fits finds that lines do not lie within them.
    const auto stacks = ListStacks(CountFirstRanks(nodes), static_cast<uint32_t>(nodes.size()));
    const auto found =
        std::ranges::find_if(stacks,
                             [&](const std::vector<uint32_t>& stack)
                             {
                                 return std::ranges::all_of(groups,
                                                            [&](const CrossingGroup& group)
                                                            { return Fits(stack, group, nodes); });
                             });
    return found == stacks.end() ? std::nullopt : std::optional(*found);
}

} // namespace nadi
