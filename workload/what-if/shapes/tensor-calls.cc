// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/tensor-calls.h"

#include "common/error.h"
#include "workload/what-if/shapes/element-bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace nadi
{

TensorCalls::TensorCalls(const ExecutionGraph& graph,
                         const RankStructure& rank,
                         const RankMeaning& meaning,
                         const TensorCallChange& change,
                         uint32_t group)
    : m_graph(graph)
    , m_meaning(meaning)
    , m_change(change)
    , m_group(group)
    , m_phases(graph, meaning)
    , m_edges(graph, rank, meaning, m_phases, change.modes)
    , m_drafts(graph.NodeCount(), 0)
    , m_results(graph.NodeCount(), 0)
{
}

std::vector<DraftTask>
TensorCalls::Run()
{
    m_phases.Check();
    CheckOrder();
    m_elementBytes = FindActivationBytes(m_graph, m_meaning, m_change.part, m_change.byteCounting);
    FindStream();
    // Tasks keep their recorded order, with new calls beside them. Recorded calls that go are left
    // out, and BlockEdges gives what waited for them other tasks to wait for.
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        if (!m_edges.IsTaken(node))
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
TensorCalls::CheckOrder() const
{
    // Calls are written beside the task that needs them, so all that this task waits for has to be
    // written by then.
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        for (const BlockEdges::Edge& edge : m_edges.Of(node))
        {
            if (edge.node > node)
            {
                throw ConfigError(
                    "what-if: sp",
                    fmt::format("{}: task {} (\"{}\") stands before task {}, for which "
                                "it waits; the order of new calls is unknown",
                                m_graph.Source(),
                                node,
                                m_graph.Name(node),
                                edge.node));
            }
        }
    }
}

/// That of recorded calls; else none, so that kernels go on beside a call that they do not wait
/// for.
void
TensorCalls::FindStream()
{
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        if (m_meaning.tasks[node].call != TensorCall::None)
        {
            m_stream = m_graph.Node(node).stream;
            return;
        }
    }
}

bool
TensorCalls::IsRouted(uint32_t node) const
{
    return WorkOf(node)->kind == BlockKind::Experts;
}

/// The drafts that edges lead to: of a result that is summed the sum, else the task itself.
/// Requires: these drafts are there, which CheckOrder makes sure of.
std::vector<uint32_t>
TensorCalls::Resolve(const BlockEdges::Edges& edges) const
{
    std::vector<uint32_t> drafts;
    for (const BlockEdges::Edge& edge : edges)
    {
        const uint32_t draft = edge.isResult ? m_results[edge.node] : m_drafts[edge.node];
        if (std::ranges::find(drafts, draft) == drafts.end())
        {
            drafts.push_back(draft);
        }
    }
    return drafts;
}

/// Returns the draft of a new call that stands where the task `beside` does.
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
    task.meaning.call = type == CollectiveType::AllGather ? TensorCall::Gather
                        : amount == AmountKind::Tokens    ? TensorCall::Loss
                                                          : TensorCall::Sum;
    task.meaning.place = m_meaning.tasks[beside].place;
    // The sums of a loss are of fp32 numbers, whatever type activations have.
    const uint64_t bytes = amount == AmountKind::Tokens ? 4 : m_elementBytes;
    task.copy.node = {.size = bytes * task.meaning.amount.Count(m_change.part, {}),
                      .group = m_group,
                      .stream = m_stream,
                      .type = NodeType::Collective,
                      .collective = type};
    task.parents = parents;
    m_new.push_back(std::move(task));
    return static_cast<uint32_t>(m_new.size() - 1);
}

void
TensorCalls::Write(uint32_t node)
{
    std::vector<uint32_t> parents = Resolve(m_edges.Of(node));
    // Only sequence parallelism gathers what blocks take in.
    if (m_phases.IsBoundary(node) && m_change.modes.after == TensorMode::Scattered)
    {
        WriteInputs(node, parents);
    }
    m_new.push_back({CopyNode(m_graph, node), m_meaning.tasks[node], std::move(parents), node});
    SetMessage(m_new.back());
    SetRegion(m_new.back().meaning);
    m_drafts[node] = static_cast<uint32_t>(m_new.size() - 1);
    m_results[node] = m_drafts[node];
    // A rank alone has no call. Its results are what its kernels make.
    if (WorkOf(node) != nullptr && m_change.modes.after != TensorMode::Alone)
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
    // The bytes of a number stay. Only how many numbers a message has changes.
    const uint64_t factor = node.size / amount.Count(m_change.part, {});
    amount.kind = m_change.modes.after == TensorMode::Scattered ? AmountKind::ActivationShare
                                                                : AmountKind::Activation;
    node.size = factor * amount.Count(m_change.part, {});
}

/// Between blocks ranks have all tokens, or their parts.
void
TensorCalls::SetRegion(TaskMeaning& task) const
{
    if (!task.region.empty() && task.region.back().kind == SizeKind::Hidden)
    {
        task.newRegion = task.region;
        task.newRegion.front().kind =
            m_change.modes.after == TensorMode::Scattered ? SizeKind::TokenShare : SizeKind::Tokens;
    }
}

void
TensorCalls::WriteInputs(uint32_t node, std::vector<uint32_t>& parents)
{
    if (WorkOf(node)->work == WorkKind::Forward)
    {
        return WriteForwardInputs(node, parents);
    }
    if (m_phases.Of(node).first == node)
    {
        WriteGathers(node);
    }
    parents = BackwardInputs(node);
}

/// Products that the hidden width enters, and that wait for the same, wait for one gather.
void
TensorCalls::WriteForwardInputs(uint32_t node, std::vector<uint32_t>& parents)
{
    if (!WorkOf(node)->hasEnter || !IsGathered(WorkOf(node)->kind))
    {
        return;
    }
    const BlockEdges::Edges& edges = m_edges.Of(node);
    if (m_phases.Of(node).firstEnter == node)
    {
        const AmountKind amount =
            IsRouted(node) ? AmountKind::RoutedShare : AmountKind::ActivationShare;
        m_inputs = {edges,
                    {AddCall(std::string(m_graph.Name(node)) + " gather",
                             CollectiveType::AllGather,
                             amount,
                             parents,
                             node)}};
        parents = m_inputs.drafts;
    }
    else if (edges == m_inputs.after)
    {
        parents = m_inputs.drafts;
    }
}

/// The gradient of the weights of the micro-batch before, to which this one is added.
BlockEdges::Edges
TensorCalls::Accumulated(uint32_t node) const
{
    BlockEdges::Edges edges;
    std::ranges::copy_if(m_edges.Of(node),
                         std::back_inserter(edges),
                         [&](const BlockEdges::Edge& edge)
                         {
                             const BlockWork* const work = WorkOf(edge.node);
                             return work != nullptr && work->work == WorkKind::WeightGradient &&
                                    m_edges.IsSameBlock(edge.node, node) &&
                                    m_meaning.tasks[edge.node].place.pass !=
                                        m_meaning.tasks[node].place.pass;
                         });
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
    BlockEdges::Edges outputs = m_edges.Of(node);
    // Gradients that this block adds its own to are neither its inputs nor the gradient of its
    // outputs.
    std::erase_if(outputs,
                  [added = Accumulated(node)](const BlockEdges::Edge& edge)
                  { return std::ranges::find(added, edge) != added.end(); });
    m_outputs = {outputs, Resolve(outputs)};
    if (IsReduced(work.kind))
    {
        m_outputs.drafts = {AddCall(block + " output gradient gather",
                                    CollectiveType::AllGather,
                                    amount,
                                    m_outputs.drafts,
                                    node)};
    }
    m_inputs = m_outputs;
    // Inputs of experts are kept. Others are gathered while the gradient of inputs is computed.
    if (IsGathered(work.kind) && !IsRouted(node))
    {
        m_inputs.drafts = {AddCall(
            block + " input gather", CollectiveType::AllGather, amount, m_outputs.drafts, node)};
    }
}

/// What a product of a block waits for behind the gathers: its gradients of weights, from the first
/// one on, for both.
std::vector<uint32_t>
TensorCalls::BackwardInputs(uint32_t node) const
{
    const bool isFirstWeight = m_phases.Of(node).firstWeight == node;
    bool takesOutputs = m_phases.Of(node).first == node;
    BlockEdges::Edges others;
    for (const BlockEdges::Edge& edge : m_edges.Of(node))
    {
        const bool isOutput = m_outputs.WaitsFor(edge);
        // A later product takes the gradient of outputs in if it waits for what the first one waits
        // for.
        takesOutputs |= isOutput;
        if (!isOutput && !(isFirstWeight && m_inputs.WaitsFor(edge)))
        {
            others.push_back(edge);
        }
    }
    std::vector<uint32_t> parents = Resolve(others);
    const auto add = [&parents](const std::vector<uint32_t>& drafts)
    {
        std::ranges::copy_if(drafts,
                             std::back_inserter(parents),
                             [&](uint32_t draft)
                             { return std::ranges::find(parents, draft) == parents.end(); });
    };
    add(takesOutputs ? m_outputs.drafts : std::vector<uint32_t>{});
    add(isFirstWeight ? m_inputs.drafts : std::vector<uint32_t>{});
    return parents;
}

void
TensorCalls::WriteSum(uint32_t node)
{
    if (!m_phases.IsSummed(node))
    {
        return;
    }
    m_results[node] =
        AddCall(std::string(m_graph.Name(node)) + " sum",
                m_change.modes.after == TensorMode::Scattered ? CollectiveType::ReduceScatter
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
    // A recording with a tensor group has its own calls for the loss, which stay
    // (BlockEdges::IsTaken).
    if (m_change.modes.before != TensorMode::Alone || work.kind != BlockKind::Head ||
        work.work != WorkKind::Forward)
    {
        return;
    }
    const std::string pass = WithoutEnd(m_graph.Name(node), " head");
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
