// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/tensor-calls.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// Whether the ranks of a tensor group have parts of what a block takes in, with sequence
/// parallelism. A router works on its part.
bool
IsGathered(BlockKind kind)
{
    return kind != BlockKind::Router && kind != BlockKind::Embedding;
}

/// Whether each of them has a part of the sum that a block gives out.
bool
IsReduced(BlockKind kind)
{
    return kind != BlockKind::Router && kind != BlockKind::Head;
}

/// Whether the sum of what a work makes is wanted.
bool
IsSummed(const BlockWork& work)
{
    return (work.work == WorkKind::Forward && IsReduced(work.kind)) ||
           (work.work == WorkKind::InputGradient && IsGathered(work.kind));
}

std::string
Without(std::string_view name, std::string_view end)
{
    return std::string(name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name);
}

/// A name that follows that of a gradient.
std::string
NameOfBlock(std::string_view name)
{
    return Without(Without(name, " input gradient"), " weight gradient");
}

} // namespace

TensorCalls::TensorCalls(const ExecutionGraph& graph,
                         const RankStructure& rank,
                         const RankMeaning& meaning,
                         const TensorCallChange& change,
                         uint32_t group)
    : m_graph(graph)
    , m_rank(rank)
    , m_meaning(meaning)
    , m_change(change)
    , m_group(group)
    , m_parents(FindParents(graph))
    , m_edges(graph.NodeCount())
    , m_drafts(graph.NodeCount(), 0)
    , m_results(graph.NodeCount(), 0)
{
}

std::vector<DraftTask>
TensorCalls::Run()
{
    CheckBlocks();
    FindElementBytes();
    FindEdges();
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        if (!IsTaken(node))
        {
            Write(node);
        }
    }
    return std::move(m_new);
}

const BlockWork*
TensorCalls::WorkOf(uint32_t node) const
{
    const auto& work = m_meaning.tasks[node].work;
    return work ? &*work : nullptr;
}

void
TensorCalls::CheckBlocks() const
{
    std::map<std::tuple<uint32_t, uint32_t, uint32_t, WorkKind>, uint32_t> known;
    for (const uint32_t node : m_meaning.works)
    {
        const TaskPlace& place = m_meaning.tasks[node].place;
        const BlockWork& work = *WorkOf(node);
        const auto [other, isNew] =
            known.emplace(std::tuple(place.pass, place.segment, work.block, work.work), node);
        if (!isNew)
        {
            throw ConfigError("what-if: sp",
                              fmt::format("{}: task {} (\"{}\") is of a block of several tasks, as "
                                          "task {} is; where its communication would stand is "
                                          "unknown",
                                          m_graph.Source(),
                                          node,
                                          m_graph.Name(node),
                                          other->second));
        }
    }
}

/// Of activations: as in recorded calls and messages, else as in the first kernel of a block.
void
TensorCalls::FindElementBytes()
{
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        const Amount& amount = m_meaning.tasks[node].amount;
        if (amount.kind == AmountKind::Activation || amount.kind == AmountKind::ActivationShare)
        {
            m_elementBytes = m_graph.Node(node).size / amount.Count(m_change.part, {});
            return;
        }
    }
    for (const uint32_t node : m_meaning.works)
    {
        const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(m_graph.Node(node));
        const auto product = std::ranges::find_if(kernels, IsProduct);
        if (product != kernels.end())
        {
            const auto index = static_cast<size_t>(product - kernels.begin());
            m_elementBytes = FindElementBytesOf(*product, WorkOf(node)->kernels[index]);
            return;
        }
    }
}

/// Whether the task is a call of the tensor group that others replace.
bool
TensorCalls::IsTaken(uint32_t node) const
{
    const TensorCall call = m_meaning.tasks[node].call;
    return call == TensorCall::Gather || call == TensorCall::Sum ||
           (call == TensorCall::Loss && m_change.after == TensorMode::Alone);
}

void
TensorCalls::FindEdges()
{
    for (const uint32_t node : m_graph.TopologicalOrder())
    {
        Edges& edges = m_edges[node];
        for (const uint32_t parent : m_parents[node])
        {
            const Edges more = m_change.before == TensorMode::Alone
                                   ? EdgesWithoutCalls(parent, node)
                                   : EdgesFrom(parent, node);
            edges.insert(edges.end(), more.begin(), more.end());
        }
        std::ranges::sort(edges);
        edges.erase(std::ranges::unique(edges).begin(), edges.end());
    }
}

/// What a child waits for by a recorded dependency.
TensorCalls::Edges
TensorCalls::EdgesFrom(uint32_t parent, uint32_t child) const
{
    (void)child;
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

TensorCalls::Edges
TensorCalls::EdgesWithoutCalls(uint32_t parent, uint32_t child) const
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
TensorCalls::WaitsForResult(uint32_t parent, uint32_t child) const
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
TensorCalls::IsFirstGather(uint32_t parent, uint32_t child) const
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
TensorCalls::IsLoss(uint32_t parent, uint32_t child) const
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
TensorCalls::IsNextInOrder(uint32_t parent, uint32_t child) const
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
TensorCalls::IsSameBlock(uint32_t one, uint32_t other) const
{
    const BlockWork* const work = WorkOf(one);
    const BlockWork* const another = WorkOf(other);
    return work != nullptr && another != nullptr && work->kind == another->kind &&
           work->block == another->block &&
           m_meaning.tasks[one].place.segment == m_meaning.tasks[other].place.segment;
}

bool
TensorCalls::IsRouted(uint32_t node) const
{
    return WorkOf(node)->kind == BlockKind::Experts && m_change.part.expert > 1;
}

std::vector<uint32_t>
TensorCalls::Resolve(const Edges& edges) const
{
    std::vector<uint32_t> drafts;
    for (const Edge& edge : edges)
    {
        const uint32_t draft = edge.isResult ? m_results[edge.node] : m_drafts[edge.node];
        if (std::ranges::find(drafts, draft) == drafts.end())
        {
            drafts.push_back(draft);
        }
    }
    return drafts;
}

uint32_t
TensorCalls::AddCall(const std::string& name,
                     CollectiveType type,
                     AmountKind amount,
                     const std::vector<uint32_t>& parents,
                     uint32_t beside)
{
    DraftTask task;
    task.copy.name = name;
    task.meaning.amount.kind = amount;
    task.meaning.place = m_meaning.tasks[beside].place;
    const uint64_t bytes = amount == AmountKind::Tokens ? 4 : m_elementBytes;
    task.copy.node = {.size = bytes * task.meaning.amount.Count(m_change.part, {}),
                      .group = m_group,
                      .stream = m_graph.Node(beside).stream,
                      .type = NodeType::Collective,
                      .collective = type};
    task.parents = parents;
    m_new.push_back(std::move(task));
    return static_cast<uint32_t>(m_new.size() - 1);
}

void
TensorCalls::Write(uint32_t node)
{
    std::vector<uint32_t> parents = Resolve(m_edges[node]);
    if (WorkOf(node) != nullptr && m_change.after == TensorMode::Scattered)
    {
        WriteInputs(node, parents);
    }
    m_new.push_back({CopyNode(m_graph, node), m_meaning.tasks[node], std::move(parents)});
    SetMessage(m_new.back());
    m_drafts[node] = static_cast<uint32_t>(m_new.size() - 1);
    m_results[node] = m_drafts[node];
    if (WorkOf(node) != nullptr && m_change.after != TensorMode::Alone)
    {
        WriteSum(node);
        WriteLoss(node);
    }
}

/// Stages send each other what ranks have between blocks: with sequence parallelism their parts.
void
TensorCalls::SetMessage(DraftTask& task) const
{
    ExecutionNode& node = task.copy.node;
    if (node.type != NodeType::Send && node.type != NodeType::Receive)
    {
        return;
    }
    Amount& amount = task.meaning.amount;
    const uint64_t factor = node.size / amount.Count(m_change.part, {});
    amount.kind = m_change.after == TensorMode::Scattered ? AmountKind::ActivationShare
                                                          : AmountKind::Activation;
    node.size = factor * amount.Count(m_change.part, {});
}

void
TensorCalls::WriteInputs(uint32_t node, std::vector<uint32_t>& parents)
{
    const BlockWork& work = *WorkOf(node);
    if (work.work == WorkKind::Forward)
    {
        return WriteForwardInputs(node, parents);
    }
    const bool isFirst = work.work == WorkKind::InputGradient || work.kind == BlockKind::Embedding;
    if (isFirst)
    {
        WriteGathers(node);
    }
    if (work.work == WorkKind::InputGradient)
    {
        parents = m_gathers.outputs;
    }
    else
    {
        SetWeightInputs(node, parents);
    }
}

void
TensorCalls::WriteForwardInputs(uint32_t node, std::vector<uint32_t>& parents)
{
    if (IsGathered(WorkOf(node)->kind))
    {
        parents = {AddCall(std::string(m_graph.Name(node)) + " gather",
                           CollectiveType::AllGather,
                           IsRouted(node) ? AmountKind::RoutedShare : AmountKind::ActivationShare,
                           parents,
                           node)};
    }
}

/// The gradient of the weights of the micro-batch before, to which this one is added.
TensorCalls::Edges
TensorCalls::Accumulated(uint32_t node) const
{
    Edges edges;
    std::ranges::copy_if(m_edges[node],
                         std::back_inserter(edges),
                         [&](const Edge& edge)
                         {
                             const BlockWork* const work = WorkOf(edge.node);
                             return work != nullptr && work->work == WorkKind::WeightGradient &&
                                    IsSameBlock(edge.node, node) &&
                                    m_meaning.tasks[edge.node].place.pass !=
                                        m_meaning.tasks[node].place.pass;
                         });
    return edges;
}

/// What a backward work waits for, before all-to-alls that bring it the gradient of its outputs.
TensorCalls::Edges
TensorCalls::InputsOf(uint32_t node) const
{
    const Edges& edges = m_edges[node];
    if (edges.size() == 1 &&
        m_meaning.tasks[edges.front().node].amount.kind == AmountKind::RoutedShare)
    {
        return m_edges[edges.front().node];
    }
    return edges;
}

/// Before the first backward work of a block.
void
TensorCalls::WriteGathers(uint32_t node)
{
    const BlockWork& work = *WorkOf(node);
    const std::string block = NameOfBlock(m_graph.Name(node));
    const AmountKind amount =
        IsRouted(node) ? AmountKind::RoutedShare : AmountKind::ActivationShare;
    Edges outputs = m_edges[node];
    std::erase_if(outputs,
                  [added = Accumulated(node)](const Edge& edge)
                  { return std::ranges::find(added, edge) != added.end(); });
    m_gathers = {node, Resolve(outputs), Resolve(InputsOf(node))};
    if (IsReduced(work.kind))
    {
        m_gathers.outputs = {AddCall(block + " output gradient gather",
                                     CollectiveType::AllGather,
                                     amount,
                                     m_gathers.outputs,
                                     node)};
    }
    if (IsGathered(work.kind))
    {
        m_gathers.inputs = {AddCall(
            block + " input gather", CollectiveType::AllGather, amount, m_gathers.inputs, node)};
    }
    else if (work.kind == BlockKind::Embedding)
    {
        m_gathers.inputs = Resolve(outputs);
    }
}

/// Of the gradient of weights: both gathers, the gradient of inputs, and what it is added to.
void
TensorCalls::SetWeightInputs(uint32_t node, std::vector<uint32_t>& parents)
{
    parents = m_gathers.inputs;
    parents.insert(parents.end(), m_gathers.outputs.begin(), m_gathers.outputs.end());
    if (m_gathers.inputGradient != node)
    {
        parents.push_back(m_drafts[m_gathers.inputGradient]);
    }
    const std::vector<uint32_t> added = Resolve(Accumulated(node));
    parents.insert(parents.end(), added.begin(), added.end());
}

void
TensorCalls::WriteSum(uint32_t node)
{
    if (!IsSummed(*WorkOf(node)))
    {
        return;
    }
    m_results[node] =
        AddCall(std::string(m_graph.Name(node)) + " sum",
                m_change.after == TensorMode::Scattered ? CollectiveType::ReduceScatter
                                                        : CollectiveType::AllReduce,
                IsRouted(node) ? AmountKind::Routed : AmountKind::Activation,
                {m_drafts[node]},
                node);
}

/// Where there was none. What waits for the loss waits for the last of its three sums.
void
TensorCalls::WriteLoss(uint32_t node)
{
    const BlockWork& work = *WorkOf(node);
    if (m_change.before != TensorMode::Alone || work.kind != BlockKind::Head ||
        work.work != WorkKind::Forward)
    {
        return;
    }
    const std::string pass = Without(m_graph.Name(node), " head");
    uint32_t last = m_drafts[node];
    for (const char* what : {"maximum", "sum", "target"})
    {
        last = AddCall(fmt::format("{} loss {}", pass, what),
                       CollectiveType::AllReduce,
                       AmountKind::Tokens,
                       {last},
                       node);
    }
    m_results[node] = last;
}

} // namespace nadi
