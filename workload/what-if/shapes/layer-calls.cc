// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/rank-reader.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Tells what the sizes of calls are in proportion to, by the role of their group and the block
/// beside them. ShapeReader checks recorded bytes when all sizes are known.
class LayerCallReader
{
  public:
    LayerCallReader(const RankContext& context, const SizeSightings& sizes, RankMeaning& meaning)
        : m_context(context)
        , m_sizes(sizes)
        , m_meaning(meaning)
    {
    }

    void Read();

  private:
    void ReadCall(uint32_t node);
    void ReadExchange(uint32_t node);
    void ReadTensorCall(uint32_t node);
    void ReadMessage(uint32_t node);
    const BlockWork* WorkBefore(uint32_t node) const;
    const BlockWork* WorkBehind(uint32_t node) const;
    size_t OrderOf(uint32_t node) const;

    const RankContext& m_context;
    const SizeSightings& m_sizes;
    RankMeaning& m_meaning;
};

void
LayerCallReader::Read()
{
    for (const uint32_t node : m_context.rank.tasks)
    {
        switch (m_context.graph.Node(node).type)
        {
        case NodeType::Collective:
            ReadCall(node);
            break;
        case NodeType::Send:
        case NodeType::Receive:
            ReadMessage(node);
            break;
        case NodeType::MemoryLoad:
        case NodeType::MemoryStore:
            m_sizes.Refuse(node, "is an access to memory, whose size nothing explains");
        default:
            break;
        }
    }
}

void
LayerCallReader::ReadCall(uint32_t node)
{
    const ExecutionNode& call = m_context.graph.Node(node);
    const TaskPlace& place = m_meaning.tasks[node].place;
    if (call.collective == CollectiveType::AllToAll &&
        m_context.roles.Has(m_context.rank.rank, call, GroupRole::Expert))
    {
        ReadExchange(node);
    }
    else if (m_context.roles.Has(m_context.rank.rank, call, GroupRole::Tensor) && place.IsInPass())
    {
        ReadTensorCall(node);
    }
    else
    {
        // Calls among copies are read later (ReadCopyCalls).
        const bool isOfCopies =
            m_context.roles.IsOfCopies(m_context.rank.rank, call) ||
            m_context.roles.Has(m_context.rank.rank, call, GroupRole::Embedding);
        if (!isOfCopies && (place.IsInPass() || !TellsFewNumbers(call)))
        {
            m_sizes.Refuse(node, "is a collective of whose group and size nothing is known");
        }
    }
}

void
LayerCallReader::ReadExchange(uint32_t node)
{
    if (m_context.graph.Node(node).hasSplits)
    {
        m_sizes.Refuse(node,
                       "sends its members unequal parts, and which they would be after this edit "
                       "is unknown; edit layers, pp, micro-batches or schedule, which keep them, "
                       "or take a recording in which all experts get as many tokens");
    }
    m_meaning.tasks[node].amount.kind = AmountKind::RoutedShare;
}

void
LayerCallReader::ReadTensorCall(uint32_t node)
{
    TaskMeaning& meaning = m_meaning.tasks[node];
    const bool isGather = m_context.graph.Node(node).collective == CollectiveType::AllGather;
    // A gather is for the block that follows, a sum of the block before.
    const BlockWork* const work = isGather ? WorkBehind(node) : WorkBefore(node);
    if (!isGather && !IsSummingCall(m_context.graph.Node(node)))
    {
        m_sizes.Refuse(node, "is a collective of tensor parallelism that neither gathers nor sums");
    }
    const bool isRouted = work != nullptr && work->kind == BlockKind::Experts;
    if (isGather)
    {
        meaning.call = TensorCall::Gather;
        meaning.amount.kind = isRouted ? AmountKind::RoutedShare : AmountKind::ActivationShare;
        return;
    }
    // Forward, what is summed behind a head is the loss. Backward it is the gradient of what the
    // head takes in, as of any other block.
    const bool isLoss =
        work != nullptr && work->kind == BlockKind::Head && work->work == WorkKind::Forward;
    meaning.call = isLoss ? TensorCall::Loss : TensorCall::Sum;
    meaning.amount.kind = isLoss     ? AmountKind::Tokens
                          : isRouted ? AmountKind::Routed
                                     : AmountKind::Activation;
}

void
LayerCallReader::ReadMessage(uint32_t node)
{
    // Messages between stages stand before or behind all layers of a pass.
    const TaskPlace& place = m_meaning.tasks[node].place;
    const size_t layers = place.IsInPass() ? m_context.rank.passes[place.pass].layers.size() : 0;
    if (place.segment > 0 && place.segment <= layers)
    {
        m_sizes.Refuse(node,
                       "is a message within a layer: sequences are cut over ranks, and sizes of "
                       "their parts are not changed yet");
    }
    m_meaning.tasks[node].amount.kind = m_context.structure.hasSequenceParallelism
                                            ? AmountKind::ActivationShare
                                            : AmountKind::Activation;
}

const BlockWork*
LayerCallReader::WorkBefore(uint32_t node) const
{
    // Works are in the order of the rank, so the neighbours of a call are found by bisection.
    const auto next = std::ranges::lower_bound(
        m_meaning.works, OrderOf(node), {}, [this](uint32_t work) { return OrderOf(work); });
    return next == m_meaning.works.begin() ? nullptr : &*m_meaning.tasks[*std::prev(next)].work;
}

const BlockWork*
LayerCallReader::WorkBehind(uint32_t node) const
{
    const auto next = std::ranges::lower_bound(
        m_meaning.works, OrderOf(node), {}, [this](uint32_t work) { return OrderOf(work); });
    return next == m_meaning.works.end() ? nullptr : &*m_meaning.tasks[*next].work;
}

size_t
LayerCallReader::OrderOf(uint32_t node) const
{
    return m_meaning.tasks[node].place.order;
}

} // namespace

void
ReadLayerCalls(const RankContext& context, const SizeSightings& sizes, RankMeaning& meaning)
{
    LayerCallReader(context, sizes, meaning).Read();
}

} // namespace nadi
