// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/tree-packing.h"

#include "common/check.h"
#include "network/minimum-cut.h"
#include "network/throughput-cut.h"

#include <algorithm>
#include <utility>

namespace nadi::test
{

namespace
{

using Amount = MinimumCut::Amount;

/// A tree that may not reach all members yet.
struct GrowingTree
{
    PackedTree tree;
    std::vector<uint32_t> reached; ///< members, in the order in which it came to them
    std::vector<bool> isReached;   ///< by member
};

class TreePacker
{
  public:
    explicit TreePacker(const PackingTask& task)
        : m_task(task)
        , m_edgesFrom(task.members)
    {
        for (uint32_t edge = 0; edge < task.edges.size(); ++edge)
        {
            m_room.push_back(task.edges[edge].trees);
            m_edgesFrom[task.edges[edge].from].push_back(edge);
        }
        for (uint32_t root = 0; root < task.members; ++root)
        {
            GrowingTree growing{.tree = {.root = root, .copies = task.treesOfRoot, .edges = {}},
                                .reached = {root},
                                .isReached = std::vector<bool>(task.members, false)};
            growing.isReached[root] = true;
            m_growing.push_back(std::move(growing));
        }
    }

    std::optional<std::vector<PackedTree>> Pack()
    {
        std::vector<PackedTree> packed;
        while (!m_growing.empty())
        {
            GrowingTree growing = std::move(m_growing.back());
            m_growing.pop_back();
            while (growing.reached.size() < m_task.members)
            {
                if (!Extend(growing))
                {
                    return std::nullopt;
                }
            }
            packed.push_back(std::move(growing.tree));
        }
        return packed;
    }

  private:
    /// By the first edge, breadth first, that may go to copies of the tree; those that it may not
    /// go to become a tree of their own.
    bool Extend(GrowingTree& growing)
    {
        for (const uint32_t from : growing.reached)
        {
            for (const uint32_t edge : m_edgesFrom[from])
            {
                const uint32_t to = m_task.edges[edge].to;
                const int64_t copies =
                    growing.isReached[to] ? 0 : CountCopies(edge, growing.tree.copies);
                if (copies > 0)
                {
                    if (copies < growing.tree.copies)
                    {
                        m_growing.push_back(growing);
                        m_growing.back().tree.copies -= copies;
                        growing.tree.copies = copies;
                    }
                    m_room[edge] -= copies;
                    growing.tree.edges.push_back(edge);
                    growing.reached.push_back(to);
                    growing.isReached[to] = true;
                    return true;
                }
            }
        }
        return false;
    }

    /// To how many of `copies` trees the edge may go.
    int64_t CountCopies(uint32_t edge, int64_t copies) const
    {
        const int64_t most = std::min(copies, m_room[edge]);
        if (most == 0)
        {
            return 0;
        }
        const uint32_t from = m_task.edges[edge].from;
        std::vector<MinimumCut::Joint> joints;
        for (uint32_t other = 0; other < m_task.edges.size(); ++other)
        {
            if (m_room[other] > 0)
            {
                joints.push_back({.first = m_task.edges[other].from,
                                  .second = m_task.edges[other].to,
                                  .forth = m_room[other]});
            }
        }
        uint32_t vertices = m_task.members;
        Amount others = 0;
        for (const GrowingTree& growing : m_growing)
        {
            others += growing.tree.copies;
            AddTree(growing, from, vertices, joints);
        }
        MinimumCut flow(vertices, joints);
        const Amount more = flow.Compute(from, m_task.edges[edge].to, others + most) - others;
        return static_cast<int64_t>(std::max<Amount>(more, 0));
    }

    /// A tree that has only its root needs no vertex of its own.
    void AddTree(const GrowingTree& growing,
                 uint32_t from,
                 uint32_t& vertices,
                 std::vector<MinimumCut::Joint>& joints) const
    {
        const Amount copies = growing.tree.copies;
        if (growing.reached.size() == 1 && growing.tree.root != from)
        {
            joints.push_back({.first = from, .second = growing.tree.root, .forth = copies});
            return;
        }
        const uint32_t vertex = vertices++;
        joints.push_back({.first = from, .second = vertex, .forth = copies});
        for (const uint32_t member : growing.reached)
        {
            joints.push_back({.first = vertex, .second = member, .forth = copies});
        }
    }

    const PackingTask& m_task;
    std::vector<std::vector<uint32_t>> m_edgesFrom; // by member
    std::vector<int64_t> m_room;                    // by edge
    std::vector<GrowingTree> m_growing;             // not whole; the one that grows is not there
};

} // namespace

std::optional<PackingTask>
MakePackingTask(const CutGraph& graph, const LoadedCut& limit)
{
    if (graph.VertexCount() != graph.MemberCount())
    {
        return std::nullopt;
    }
    const Amount trees = CountTrees(graph, limit);
    PackingTask task{
        .members = graph.MemberCount(), .edges = {}, .treesOfRoot = static_cast<int64_t>(trees)};
    const auto add = [&](uint32_t from, uint32_t to, Amount rate)
    {
        // A tree has the rate of the bound over the trees of a root.
        const Amount room = rate * limit.load * trees / limit.rate;
        if (room > 0)
        {
            task.edges.push_back({.from = from, .to = to, .trees = static_cast<int64_t>(room)});
        }
    };
    for (const CutGraph::Joint& joint : graph.Joints())
    {
        add(joint.first, joint.second, joint.forth);
        add(joint.second, joint.first, joint.back);
    }
    return task;
}

std::optional<std::vector<PackedTree>>
PackTrees(const PackingTask& task)
{
    NADI_CHECK(task.members > 0 && task.treesOfRoot > 0);
    return TreePacker(task).Pack();
}

} // namespace nadi::test
