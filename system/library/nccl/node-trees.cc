// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/node-trees.h"

#include "system/algorithms/twin-tree.h"

namespace nadi::nccl
{

namespace
{

/// Where the head of each node stands among its members.
using HeadPlaces = std::vector<uint32_t>;

/// Joins the heads of the nodes as `twin` says.
void
JoinHeads(const Placement& placement,
          TwinTree::Twin twin,
          const HeadPlaces& heads,
          MemberTree& tree)
{
    const TwinTree nodes(twin, placement.NodeCount(), 0);
    const auto headOf = [&](uint32_t node) { return placement.MembersOf(node)[heads[node]]; };
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        for (uint32_t child = 0; child < nodes.ChildCount(node); ++child)
        {
            tree.Join(headOf(node), headOf(nodes.ChildOf(node, child)));
        }
    }
}

/// Inside each node: along its path from the head.
void
JoinChains(const Placement& placement, NodeWiring wiring, const HeadPlaces& heads, MemberTree& tree)
{
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        const std::vector<uint32_t> path =
            PathThroughNode(placement.MembersOf(node), wiring, heads[node]);
        // The path begins at the head, so the chain hangs on the tree of the heads.
        for (size_t step = 0; step + 1 < path.size(); ++step)
        {
            tree.Join(path[step], path[step + 1]);
        }
    }
}

/// Where trees begin. Over several nodes, at the first member of each NIC, of as many NICs as the
/// node has that uses the fewest. In one node with a switch all members are alike; without one,
/// each heads a tree.
std::vector<HeadPlaces>
FindHeads(const Placement& placement, const NodeLinks& links)
{
    const auto local = static_cast<uint32_t>(placement.MembersOf(0).size());
    std::vector<HeadPlaces> found;
    if (placement.NodeCount() == 1)
    {
        const uint32_t trees = links.wiring == NodeWiring::Switch ? 1 : local;
        for (uint32_t place = 0; place < trees; ++place)
        {
            found.push_back({place});
        }
        return found;
    }
    found.resize(placement.CountNics(links.npusPerNic));
    for (uint32_t node = 0; node < placement.NodeCount(); ++node)
    {
        const std::vector<uint32_t> first = placement.FirstOfNics(node, links.npusPerNic);
        for (size_t nic = 0; nic < found.size(); ++nic)
        {
            found[nic].push_back(first[nic]);
        }
    }
    return found;
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
    std::vector<MemberTree> trees;
    for (const HeadPlaces& heads : FindHeads(placement, links))
    {
        for (const TwinTree::Twin twin : TwinsFor(placement))
        {
            MemberTree& tree = trees.emplace_back(placement.Size());
            JoinHeads(placement, twin, heads, tree);
            JoinChains(placement, links.wiring, heads, tree);
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
            const HeadPlaces heads(placement.NodeCount(), place);
            JoinHeads(placement, twin, heads, trees.emplace_back(placement.Size()));
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
