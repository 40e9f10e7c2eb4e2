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
        m_second = phase.leave ? node : m_second;
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
    return (work.work == WorkKind::Forward && IsReduced(work.kind) && phase.leave == node) ||
           (work.work == WorkKind::InputGradient && IsGathered(work.kind) &&
            phase.lastEnter == node);
}

void
BlockPhases::Check() const
{
    if (m_second)
    {
        Refuse(*m_second, "is the second product that the hidden width leaves its block by");
    }
    for (const auto& [key, phase] : m_phases)
    {
        CheckEnds(phase);
    }
}

void
BlockPhases::CheckEnds(const BlockPhase& phase) const
{
    const BlockWork& work = *m_meaning.tasks[*phase.first].work;
    if (work.kind == BlockKind::Embedding)
    {
        return;
    }
    if (!phase.firstEnter || !phase.leave)
    {
        Refuse(*phase.first, "is of a block without products on both of its sides");
    }
    const auto orderOf = [this](uint32_t node) { return m_meaning.tasks[node].place.order; };
    const bool isInOrder = work.work == WorkKind::Forward
                               ? orderOf(*phase.lastEnter) <= orderOf(*phase.leave)
                               : orderOf(*phase.leave) <= orderOf(*phase.firstEnter);
    if (!isInOrder)
    {
        Refuse(*phase.leave, "stands in another order than the products of its block do");
    }
}

void
BlockPhases::Refuse(uint32_t node, const char* why) const
{
    throw ConfigError("what-if: sp",
                      fmt::format("{}: task {} (\"{}\") {}, so where communication of its block "
                                  "would stand is unknown",
                                  m_graph.Source(),
                                  node,
                                  m_graph.Name(node),
                                  why));
}

} // namespace nadi
