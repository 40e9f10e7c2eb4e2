// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/run-plans.h"

#include "common/check.h"

#include <algorithm>
#include <vector>

namespace nadi
{

RunPlans::RunPlans(const Context& context)
    : m_context(context)
    , m_hasTrees(context.program.NeedsTrees())
    , m_hasStoredPrograms(context.program.HasStoredPrograms())
{
    NADI_CHECK(!m_hasTrees || context.trees != nullptr);
    NADI_CHECK(!m_hasStoredPrograms || context.programs != nullptr);
}

/// Equal requests get the same plan, whichever run they come from. Requests name no line, so
/// without trees and stored programs all lines of a dimension share plans.
PlanCache::Entry&
RunPlans::Acquire(const Phase& phase, const PhaseShape& shape, uint32_t lineBase)
{
    return m_context.cache.Acquire(AlgorithmOf(phase), MakeRequest(phase, shape, lineBase));
}

void
RunPlans::Release(PlanCache::Entry& plan)
{
    m_context.cache.Release(plan);
}

uint64_t
RunPlans::OwnedLength(uint32_t dimension, uint64_t elements, uint32_t coordinate)
{
    // The plan of the first line stands for all lines of the dimension: what a coordinate owns does
    // not depend on the line.
    PlanCache::Entry& plan =
        Acquire({.dimension = dimension, .type = CollectiveType::ReduceScatter},
                {.takesPart = true, .elements = elements, .root = 0},
                0);
    uint64_t length = 0;
    for (const Interval& range : plan.value->OwnedRanges(coordinate))
    {
        length += range.Length();
    }
    Release(plan);
    return length;
}

PlanRequest
RunPlans::MakeRequest(const Phase& phase, const PhaseShape& shape, uint32_t lineBase)
{
    const uint32_t ranks = m_context.layout.Members().Size(phase.dimension);
    const TreeGroup* const trees = TreesOf(phase, lineBase);
    const StoredProgram* const stored = StoredProgramOf(phase, shape, lineBase);
    // A plan of uneven sizes has one element for each member's part; UnevenSizes knows how large a
    // part is.
    return {.type = phase.type,
            .ranks = ranks,
            .elements = m_context.isUneven ? ranks : shape.elements,
            .elementBytes = m_context.elementBytes,
            .root = shape.root,
            .line = m_context.program.lines[phase.dimension],
            .trees = trees != nullptr ? &trees->Trees() : nullptr,
            .program = stored != nullptr ? &stored->program : nullptr,
            .sendsAtOnce = m_context.program.sendsAtOnce};
}

const StoredProgram*
RunPlans::StoredProgramOf(const Phase& phase, const PhaseShape& shape, uint32_t lineBase)
{
    // All members ask for the same program, so it is looked up once.
    if (m_hasStoredPrograms && m_stored == nullptr)
    {
        const auto size = Bytes(static_cast<int64_t>(shape.elements)) * m_context.elementBytes;
        m_stored = &m_context.programs->Require(
            AlgorithmOf(phase),
            {.type = phase.type,
             .ranks = FindLine(m_context.layout, phase.dimension, lineBase),
             .root = shape.root,
             .size = size,
             .communicator = m_context.communicator});
    }
    return m_stored;
}

const TreeGroup*
RunPlans::TreesOf(const Phase& phase, uint32_t lineBase)
{
    if (!m_hasTrees)
    {
        return nullptr;
    }
    // Where the algorithm needs no trees, null stays in the table, so that the algorithm is asked
    // only once.
    const auto [place, isNew] = m_trees.try_emplace({phase.dimension, phase.type, lineBase});
    if (!isNew)
    {
        return place->second;
    }
    const ChosenAlgorithm& chosen = AlgorithmOf(phase);
    if (const auto demand = chosen.algorithm->NeedsTrees())
    {
        const std::vector<RankId> line = FindLine(m_context.layout, phase.dimension, lineBase);
        place->second = &m_context.trees->Require(chosen.name, line, *demand);
    }
    return place->second;
}

uint32_t
RunPlans::TreeStreams() const
{
    uint32_t streams = 0;
    for (const auto& [place, group] : m_trees)
    {
        streams = std::max(streams, group != nullptr ? group->StreamCount() : 0);
    }
    return streams;
}

const ChosenAlgorithm&
RunPlans::AlgorithmOf(const Phase& phase) const
{
    return *m_context.program.algorithms.at({phase.dimension, phase.type});
}

} // namespace nadi
