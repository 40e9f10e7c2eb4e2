// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/block-edges.h"

#include "workload/what-if/graph-copy.h"

#include <algorithm>

namespace nadi
{

BlockEdges::BlockEdges(const ExecutionGraph& graph,
                       const RankStructure& rank,
                       const RankMeaning& meaning,
                       const BlockPhases& phases,
                       TensorModes modes)
    : m_graph(graph)
    , m_rank(rank)
    , m_meaning(meaning)
    , m_phases(phases)
    , m_modes(modes)
    , m_edges(graph.NodeCount())
{
    FindEdges();
    if (modes.before == TensorMode::Alone)
    {
        AwaitResults();
    }
}

const BlockWork*
BlockEdges::WorkOf(uint32_t node) const
{
    const auto& work = m_meaning.tasks[node].work;
    return work ? &*work : nullptr;
}

/// Whether the task is a call of the tensor group that others replace.
bool
BlockEdges::IsTaken(uint32_t node) const
{
    const TensorCall call = m_meaning.tasks[node].call;
    return call == TensorCall::Gather || call == TensorCall::Sum ||
           (call == TensorCall::Loss && m_modes.after == TensorMode::Alone);
}

void
BlockEdges::FindEdges()
{
    const std::vector<std::vector<uint32_t>> parents = FindParents(m_graph);
    // Parents come first: what waits for a call that goes takes over the edges of that call.
    for (const uint32_t node : m_graph.TopologicalOrder())
    {
        Edges& edges = m_edges[node];
        for (const uint32_t parent : parents[node])
        {
            // Without recorded calls, dependencies lead to kernels, and what waits for a result has
            // to be told by where it stands.
            const Edges more = m_modes.before == TensorMode::Alone ? EdgesWithoutCalls(parent, node)
                                                                   : EdgesFrom(parent);
            edges.insert(edges.end(), more.begin(), more.end());
        }
        std::ranges::sort(edges);
        edges.erase(std::ranges::unique(edges).begin(), edges.end());
    }
}

/// What a child waits for by a recorded dependency.
BlockEdges::Edges
BlockEdges::EdgesFrom(uint32_t parent) const
{
    if (!IsTaken(parent))
    {
        return {{parent, false}};
    }
    Edges edges = m_edges[parent];
    // What waits for a gather waits for what that waits for. What waits for a sum waits for the
    // results of what that sums.
    if (m_meaning.tasks[parent].call == TensorCall::Sum)
    {
        for (Edge& edge : edges)
        {
            edge.isResult |= m_phases.IsSummed(edge.node);
        }
    }
    return edges;
}

BlockEdges::Edges
BlockEdges::EdgesWithoutCalls(uint32_t parent, uint32_t child) const
{
    Edges edges;
    if (IsLoss(parent, child))
    {
        edges.push_back({parent, true});
        const bool isOther =
            m_meaning.tasks[parent].place.pass != m_meaning.tasks[child].place.pass;
        // The backward pass waits for the loss. Where it follows the head at once, it waits for the
        // kernel, too, whose turn on the stage is over then.
        if (isOther && IsNextInOrder(parent, child))
        {
            edges.push_back({parent, false});
        }
        return edges;
    }
    return {{parent, WaitsForResult(parent, child)}};
}

/// Whether a task waits for what a block gives out, and not for its kernel.
bool
BlockEdges::WaitsForResult(uint32_t parent, uint32_t child) const
{
    return m_phases.IsSummed(parent) &&
           m_meaning.tasks[parent].place.pass == m_meaning.tasks[child].place.pass &&
           !IsOwnWeight(parent, child) && !IsFirstGather(parent, child);
}

/// Whether the child makes the gradient of weights of the block of whose inputs the parent makes
/// it.
bool
BlockEdges::IsOwnWeight(uint32_t parent, uint32_t child) const
{
    const BlockWork* const work = WorkOf(parent);
    const BlockWork* const other = WorkOf(child);
    return work != nullptr && work->work == WorkKind::InputGradient && other != nullptr &&
           other->work == WorkKind::WeightGradient && IsSameBlock(parent, child);
}

void
BlockEdges::AwaitResults()
{
    for (const uint32_t node : m_meaning.works)
    {
        if (m_phases.IsSummed(node) && !IsAwaited(node))
        {
            AwaitResultNext(node);
        }
    }
}

/// Whether a task of its pass waits for the result of a work.
bool
BlockEdges::IsAwaited(uint32_t node) const
{
    const uint32_t pass = m_meaning.tasks[node].place.pass;
    return std::ranges::any_of(m_graph.Children(node),
                               [&](uint32_t child)
                               {
                                   return m_meaning.tasks[child].place.pass == pass &&
                                          std::ranges::find(m_edges[child], Edge{node, true}) !=
                                              m_edges[child].end();
                               });
}

/// Nothing recorded says who uses the result. So it is the next kernel of the pass, or the send to
/// the next stage, but not the kernel of the block's own weights (IsOwnWeight).
void
BlockEdges::AwaitResultNext(uint32_t node)
{
    const TaskPlace& place = m_meaning.tasks[node].place;
    for (size_t order = place.order + 1; order < m_rank.tasks.size(); ++order)
    {
        const uint32_t next = m_rank.tasks[order];
        const NodeType type = m_graph.Node(next).type;
        if (m_meaning.tasks[next].place.pass == place.pass && !IsOwnWeight(node, next) &&
            (type == NodeType::Compute || type == NodeType::Send))
        {
            m_edges[next].push_back({node, true});
            std::ranges::sort(m_edges[next]);
            return;
        }
    }
}

/// The first parameters that are gathered behind an embedding, for the layer after it, come while
/// its outputs are summed. A layer with experts gathers twice: theirs, and the others.
bool
BlockEdges::IsFirstGather(uint32_t parent, uint32_t child) const
{
    const auto isAlike = [&](uint32_t other)
    {
        const Amount& amount = m_meaning.tasks[other].amount;
        return amount.HasParameters() &&
               amount.set.IsOfExperts() == m_meaning.tasks[child].amount.set.IsOfExperts();
    };
    if (WorkOf(parent)->kind != BlockKind::Embedding || !isAlike(child))
    {
        return false;
    }
    return std::ranges::none_of(m_graph.Children(parent),
                                [&](uint32_t other) { return isAlike(other) && other < child; });
}

/// Whether a task waits for the loss of its micro-batch: of the backward pass, or behind the head.
bool
BlockEdges::IsLoss(uint32_t parent, uint32_t child) const
{
    const BlockWork* const work = WorkOf(parent);
    const TaskPlace& from = m_meaning.tasks[parent].place;
    const TaskPlace& to = m_meaning.tasks[child].place;
    return work != nullptr && work->kind == BlockKind::Head && work->work == WorkKind::Forward &&
           to.IsInPass() &&
           (to.pass == from.pass ||
            (!m_rank.passes[to.pass].isForward &&
             m_rank.passes[to.pass].microBatch == m_rank.passes[from.pass].microBatch));
}

/// Whether no work of another pass stands between them.
bool
BlockEdges::IsNextInOrder(uint32_t parent, uint32_t child) const
{
    const uint32_t pass = m_meaning.tasks[child].place.pass;
    const size_t begin = m_meaning.tasks[parent].place.order;
    const size_t end = m_meaning.tasks[child].place.order;
    return std::ranges::none_of(m_meaning.works,
                                [&](uint32_t node)
                                {
                                    const TaskPlace& place = m_meaning.tasks[node].place;
                                    return place.order > begin && place.order < end &&
                                           place.pass != pass;
                                });
}

bool
BlockEdges::IsSameBlock(uint32_t one, uint32_t other) const
{
    const BlockWork* const work = WorkOf(one);
    const BlockWork* const another = WorkOf(other);
    return work != nullptr && another != nullptr && work->kind == another->kind &&
           work->block == another->block &&
           m_meaning.tasks[one].place.segment == m_meaning.tasks[other].place.segment;
}

} // namespace nadi
