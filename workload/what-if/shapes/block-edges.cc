// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/block-edges.h"

#include "workload/what-if/graph-copy.h"

#include <algorithm>

namespace nadi
{

bool
IsGathered(BlockKind kind)
{
    return kind != BlockKind::Router && kind != BlockKind::Embedding;
}

bool
IsReduced(BlockKind kind)
{
    return kind != BlockKind::Router && kind != BlockKind::Head;
}

bool
IsSummed(const BlockWork& work)
{
    return (work.work == WorkKind::Forward && IsReduced(work.kind)) ||
           (work.work == WorkKind::InputGradient && IsGathered(work.kind));
}

BlockEdges::BlockEdges(const ExecutionGraph& graph,
                       const RankStructure& rank,
                       const RankMeaning& meaning,
                       TensorMode before,
                       TensorMode after)
    : m_graph(graph)
    , m_rank(rank)
    , m_meaning(meaning)
    , m_before(before)
    , m_after(after)
    , m_edges(graph.NodeCount())
{
    FindEdges();
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
           (call == TensorCall::Loss && m_after == TensorMode::Alone);
}

void
BlockEdges::FindEdges()
{
    const std::vector<std::vector<uint32_t>> parents = FindParents(m_graph);
    for (const uint32_t node : m_graph.TopologicalOrder())
    {
        Edges& edges = m_edges[node];
        for (const uint32_t parent : parents[node])
        {
            const Edges more =
                m_before == TensorMode::Alone ? EdgesWithoutCalls(parent, node) : EdgesFrom(parent);
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
    if (m_meaning.tasks[parent].call == TensorCall::Sum)
    {
        for (Edge& edge : edges)
        {
            edge.isResult |= WorkOf(edge.node) != nullptr && IsSummed(*WorkOf(edge.node));
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
        if (IsNextInOrder(parent, child))
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
    const BlockWork* const work = WorkOf(parent);
    if (work == nullptr || !IsSummed(*work) ||
        m_meaning.tasks[parent].place.pass != m_meaning.tasks[child].place.pass)
    {
        return false;
    }
    const BlockWork* const other = WorkOf(child);
    const bool isOwnGradient = work->work == WorkKind::InputGradient && other != nullptr &&
                               other->work == WorkKind::WeightGradient &&
                               IsSameBlock(parent, child);
    return !isOwnGradient && !IsFirstGather(parent, child);
}

/// The first parameters that are gathered behind an embedding, for the layer after it, come while
/// its outputs are summed.
bool
BlockEdges::IsFirstGather(uint32_t parent, uint32_t child) const
{
    const auto isGather = [this](uint32_t node)
    { return m_meaning.tasks[node].amount.HasParameters(); };
    if (WorkOf(parent)->kind != BlockKind::Embedding || !isGather(child))
    {
        return false;
    }
    return std::ranges::none_of(m_graph.Children(parent),
                                [&](uint32_t other) { return isGather(other) && other < child; });
}

/// Whether a task of a backward pass waits for the loss of its micro-batch.
bool
BlockEdges::IsLoss(uint32_t parent, uint32_t child) const
{
    const BlockWork* const work = WorkOf(parent);
    const TaskPlace& from = m_meaning.tasks[parent].place;
    const TaskPlace& to = m_meaning.tasks[child].place;
    return work != nullptr && work->kind == BlockKind::Head && work->work == WorkKind::Forward &&
           to.IsInPass() && !m_rank.passes[to.pass].isForward &&
           m_rank.passes[to.pass].microBatch == m_rank.passes[from.pass].microBatch;
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
