// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/node-trees.h"

#include "system/algorithms/twin-tree.h"

namespace nadi::nccl
{

namespace
{

/// Joins the members that stand at `place` of each node as `twin` says.
void
JoinHeads(const Placement& placement, TwinTree::Twin twin, uint32_t place, MemberTree& tree)
{
    const TwinTree nodes(twin, placement.NodeCount(), 0);
    const auto headOf = [&](uint32_t node)
    {
        const std::vector<uint32_t>& members = placement.MembersOf(node);
        // Nodes may have different numbers of members. In those with fewer, a member heads several
        // trees.
        return members[place % members.size()];
    };
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        for (uint32_t child = 0; child < nodes.ChildCount(node); ++child)
        {
            tree.Join(headOf(node), headOf(nodes.ChildOf(node, child)));
        }
    }
}

/// Inside each node: along its path from the member at `place`.
void
JoinChains(const Placement& placement, NodeWiring wiring, uint32_t place, MemberTree& tree)
{
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        const std::vector<uint32_t> path =
            PathThroughNode(placement.MembersOf(node), wiring, place);
        // The path begins at the member that JoinHeads takes for the head of the node, so the chain
        // hangs on the tree of the heads.
        for (size_t step = 0; step + 1 < path.size(); ++step)
        {
            tree.Join(path[step], path[step + 1]);
        }
    }
}

/// Over a single node both twins are that node alone, so there is one tree.
std::vector<TwinTree::Twin>
TwinsFor(const Placement& placement)
{
    if (placement.NodeCount() == 1)
    {
        return {TwinTree::Twin::First};
    }
    return {TwinTree::Twin::First, TwinTree::Twin::Second};
}

} // namespace

std::vector<MemberTree>
LayNodeTrees(const Placement& placement, const NodeLinks& links)
{
    const auto local = static_cast<uint32_t>(placement.MembersOf(0).size());
    const uint32_t alone = links.wiring == NodeWiring::Switch ? 1 : local;
    const uint32_t places = placement.NodeCount() == 1 ? alone : links.nics;
    std::vector<MemberTree> trees;
    for (uint32_t index = 0; index < places; ++index)
    {
        // Over several nodes there is a place for each NIC. Neighbouring members share a NIC, whose
        // trees begin at the first of them.
        const uint32_t place = local * index / places;
        for (const TwinTree::Twin twin : TwinsFor(placement))
        {
            MemberTree& tree = trees.emplace_back(placement.Size());
            JoinHeads(placement, twin, place, tree);
            JoinChains(placement, links.wiring, place, tree);
        }
    }
    return trees;
}

std::vector<MemberTree>
LayHeadTrees(const Placement& placement)
{
    std::vector<MemberTree> trees;
    for (uint32_t place = 0; place < placement.MembersOf(0).size(); ++place)
    {
        for (const TwinTree::Twin twin : TwinsFor(placement))
        {
            JoinHeads(placement, twin, place, trees.emplace_back(placement.Size()));
        }
    }
    return trees;
}

MemberTree
ChainAlong(const RingWay& ring, uint32_t root)
{
    MemberTree chain(ring.Size());
    for (uint32_t step = 0; step + 1 < ring.Size(); ++step)
    {
        chain.Join(ring.Ahead(root, step), ring.Ahead(root, step + 1));
    }
    return chain;
}

} // namespace nadi::nccl
