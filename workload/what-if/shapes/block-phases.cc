// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/block-phases.h"

#include "common/error.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

void
NoteFirst(std::optional<uint32_t>& first, uint32_t node)
{
    first = first ? first : node;
}

} // namespace

/// An embedding takes in no hidden width.
bool
IsGathered(BlockKind kind)
{
    return kind != BlockKind::Router && kind != BlockKind::Embedding;
}

/// A router gives out whole results of its rank's tokens, and a head those of its rank's part of
/// the vocabulary. Neither has to be summed.
bool
IsReduced(BlockKind kind)
{
    return kind != BlockKind::Router && kind != BlockKind::Head;
}

BlockPhases::BlockPhases(const ExecutionGraph& graph, const RankMeaning& meaning)
    : m_graph(graph)
    , m_meaning(meaning)
{
    for (const uint32_t node : meaning.works)
    {
        if (IsBoundary(node))
        {
            Add(node);
        }
    }
}

BlockPhases::Key
BlockPhases::KeyOf(uint32_t node) const
{
    const TaskMeaning& task = m_meaning.tasks[node];
    // With recomputation a backward pass has forward works, too. They are a phase of their own,
    // apart from both kinds of gradients.
    return {task.place.pass,
            task.place.segment,
            task.work->block,
            task.work->work == WorkKind::Forward};
}

bool
BlockPhases::IsBoundary(uint32_t node) const
{
    const auto& work = m_meaning.tasks[node].work;
    return work && (work->hasEnter || work->hasLast);
}

void
BlockPhases::Add(uint32_t node)
{
    BlockPhase& phase = m_phases[KeyOf(node)];
    const BlockWork& work = *m_meaning.tasks[node].work;
    NoteFirst(phase.first, node);
    // Nothing is communicated beside gradients of weights, so they neither enter nor leave.
    if (work.work == WorkKind::WeightGradient)
    {
        return NoteFirst(phase.firstWeight, node);
    }
    if (work.hasEnter)
    {
        NoteFirst(phase.firstEnter, node);
        phase.lastEnter = node;
    }
    if (work.hasLast)
    {
        NoteFirst(phase.leave, node);
    }
}

const BlockPhase&
BlockPhases::Of(uint32_t node) const
{
    return m_phases.at(KeyOf(node));
}

bool
BlockPhases::IsSummed(uint32_t node) const
{
    if (!IsBoundary(node))
    {
        return false;
    }
    const BlockWork& work = *m_meaning.tasks[node].work;
    const BlockPhase& phase = Of(node);
    // Several products may enter a block, as those of queries, keys and values do. Backward each of
    // them makes a part of the gradient of the inputs, so the sum stands behind the last one.
    return (work.work == WorkKind::Forward && IsReduced(work.kind) && phase.leave == node) ||
           (work.work == WorkKind::InputGradient && IsGathered(work.kind) &&
            phase.lastEnter == node);
}

void
BlockPhases::Check() const
{
    for (const auto& [key, phase] : m_phases)
    {
        if (!IsInOrder(phase))
        {
            throw ConfigError(
                "what-if: sp",
                fmt::format("{}: task {} (\"{}\") is of a block whose products stand in another "
                            "order than its layers have, so where its communication would stand is "
                            "unknown; a recording of two or more tensor-parallel ranks shows it",
                            m_graph.Source(),
                            *phase.first,
                            m_graph.Name(*phase.first)));
        }
    }
}

bool
BlockPhases::IsInOrder(const BlockPhase& phase) const
{
    const BlockWork& work = *m_meaning.tasks[*phase.first].work;
    // A lookup has a single task in each direction.
    if (work.kind == BlockKind::Embedding)
    {
        return true;
    }
    const auto orderOf = [this](uint32_t node) { return m_meaning.tasks[node].place.order; };
    const bool hasBoth = phase.firstEnter && phase.leave;
    return hasBoth &&
           (work.work == WorkKind::Forward ? orderOf(*phase.lastEnter) <= orderOf(*phase.leave)
                                           : orderOf(*phase.leave) <= orderOf(*phase.firstEnter));
}

} // namespace nadi
