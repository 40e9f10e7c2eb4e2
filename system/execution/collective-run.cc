// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-run.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

CollectiveRun::CollectiveRun(const Shared& shared, const Parts& parts)
    : m_shared(shared)
    , m_parts(parts)
    , m_sizes(parts.layout.Members(),
              parts.root,
              [this](uint32_t dimension, uint64_t elements, uint32_t coordinate)
              { return OwnedLength(dimension, elements, coordinate); })
    , m_gates(size_t{parts.layout.Size()} * parts.program.DimensionCount())
    , m_actives(parts.layout.Size())
{
    NADI_CHECK(shared.chunksInFlight > 0);
    if (parts.unevenElements)
    {
        NADI_CHECK(parts.program.DimensionCount() == 1);
        m_uneven.emplace(parts.program.type,
                         *parts.unevenElements,
                         static_cast<uint32_t>(parts.program.schedule.chunks.size()));
    }
}

std::vector<uint32_t>
CollectiveRun::Start()
{
    std::vector<uint32_t> completed;
    for (uint32_t member = 0; member < m_parts.layout.Size(); ++member)
    {
        Advance(member);
        if (IsComplete(member))
        {
            completed.push_back(member);
        }
    }
    return completed;
}

bool
CollectiveRun::IsComplete(uint32_t member) const
{
    if (!m_actives[member].empty())
    {
        return false;
    }
    const auto& admission = m_parts.program.schedule.admission;
    for (uint32_t dimension = 0; dimension < admission.size(); ++dimension)
    {
        if (GateOf(member, dimension).next < admission[dimension].size())
        {
            return false;
        }
    }
    return true;
}

std::vector<CollectiveRun::ActivePhase>
CollectiveRun::ActivePhases(uint32_t member) const
{
    std::vector<ActivePhase> phases = m_actives[member];
    std::sort(phases.begin(),
              phases.end(),
              [](const ActivePhase& a, const ActivePhase& b)
              { return std::pair(a.at.chunk, a.at.phase) < std::pair(b.at.chunk, b.at.phase); });
    return phases;
}

void
CollectiveRun::OnPhaseCompleted(uint32_t member, PhaseTicket ticket)
{
    std::vector<ActivePhase>& actives = m_actives[member];
    const auto ended =
        std::find_if(actives.begin(),
                     actives.end(),
                     [&](const ActivePhase& phase) { return phase.ticket == ticket; });
    NADI_CHECK(ended != actives.end());
    if (m_shared.observer != nullptr)
    {
        Report(member, *ended);
    }
    --GateOf(member, m_parts.program.PhaseAt(ended->at).dimension).unfinished;
    m_shared.plans.Release(*ended->plan);
    *ended = actives.back();
    actives.pop_back();
    Advance(member);
    if (IsComplete(member))
    {
        m_shared.owner.OnMemberCompleted(*this, member);
    }
}

void
CollectiveRun::Report(uint32_t member, const ActivePhase& ended) const
{
    const Phase& phase = m_parts.program.PhaseAt(ended.at);
    m_shared.observer->OnPhaseCompleted(
        {.rank = m_parts.layout.RankOf(member),
         .communicator = m_parts.id.communicator,
         .call = m_parts.id.call,
         .chunk = ended.at.chunk,
         .phase = ended.at.phase,
         .dimension = m_parts.layout.Dimensions()[phase.dimension].stackDimension,
         .type = phase.type,
         .size = Bytes(static_cast<int64_t>(ended.elements)) * m_shared.elementBytes,
         .start = ended.start,
         .end = m_shared.executor.Now()});
}

/// Admits until no dimension can: a phase that ends at once may make another dimension's ready.
void
CollectiveRun::Advance(uint32_t member)
{
    bool hasProgressed = true;
    while (hasProgressed)
    {
        hasProgressed = false;
        for (uint32_t dimension = 0; dimension < m_parts.program.DimensionCount(); ++dimension)
        {
            while (Admit(member, dimension))
            {
                hasProgressed = true;
            }
        }
    }
}

/// Whether the next phase of the dimension was admitted.
bool
CollectiveRun::Admit(uint32_t member, uint32_t dimension)
{
    Gate& gate = GateOf(member, dimension);
    const auto& admission = m_parts.program.schedule.admission[dimension];
    if (gate.next == admission.size() || gate.unfinished == m_shared.chunksInFlight ||
        !IsReady(member, admission[gate.next]))
    {
        return false;
    }
    Begin(member, admission[gate.next++]);
    return true;
}

/// Whether the chunk's phase before has ended on the member: it was admitted and is not active.
bool
CollectiveRun::IsReady(uint32_t member, PhaseReference at) const
{
    if (at.phase == 0)
    {
        return true;
    }
    const PhaseReference before{.chunk = at.chunk, .phase = at.phase - 1};
    const uint32_t dimension = m_parts.program.PhaseAt(before).dimension;
    if (m_parts.program.positions[before.chunk][before.phase] >= GateOf(member, dimension).next)
    {
        return false;
    }
    const std::vector<ActivePhase>& actives = m_actives[member];
    return std::none_of(actives.begin(),
                        actives.end(),
                        [&](const ActivePhase& phase) { return phase.at == before; });
}

void
CollectiveRun::Begin(uint32_t member, PhaseReference at)
{
    const ChunkSchedule& chunk = m_parts.program.schedule.chunks[at.chunk];
    const PhaseShape shape = m_sizes.ShapeOf(chunk, at.phase, member);
    if (!shape.takesPart)
    {
        return;
    }
    const Phase& phase = chunk.phases[at.phase];
    PlanCache::Entry& plan = AcquirePlan(phase, shape);
    const std::optional<PhaseTicket> ticket = m_shared.executor.Start(MakeTask(member, at, plan));
    if (!ticket)
    {
        m_shared.plans.Release(plan);
        return;
    }
    ++GateOf(member, phase.dimension).unfinished;
    m_actives[member].push_back({.at = at,
                                 .ticket = *ticket,
                                 .plan = &plan,
                                 .elements = shape.elements,
                                 .start = m_shared.executor.Now()});
}

PhaseTask
CollectiveRun::MakeTask(uint32_t member, PhaseReference at, PlanCache::Entry& plan)
{
    const RankGrid& grid = m_parts.layout.Members();
    const uint32_t dimension = m_parts.program.PhaseAt(at).dimension;
    return {.owner = this,
            .member = member,
            .stream = Stream(),
            .chunk = at.chunk,
            .phase = at.phase,
            .plan = plan.value.get(),
            .self = grid.Coordinate(member, dimension),
            .layout = &m_parts.layout,
            .lineBase = grid.WithCoordinate(member, dimension, 0),
            .lineStride = grid.Stride(dimension),
            .elementBytes = m_shared.elementBytes,
            .uneven = m_uneven ? &*m_uneven : nullptr};
}

PlanCache::Entry&
CollectiveRun::AcquirePlan(const Phase& phase, const PhaseShape& shape) const
{
    const CollectiveProgram& program = m_parts.program;
    const uint32_t ranks = m_parts.layout.Members().Size(phase.dimension);
    return m_shared.plans.Acquire(*program.algorithms.at({phase.dimension, phase.type}),
                                  {.type = phase.type,
                                   .ranks = ranks,
                                   .elements = m_uneven ? ranks : shape.elements,
                                   .elementBytes = m_shared.elementBytes,
                                   .root = shape.root,
                                   .line = program.lines[phase.dimension]});
}

uint64_t
CollectiveRun::OwnedLength(uint32_t dimension, uint64_t elements, uint32_t coordinate) const
{
    PlanCache::Entry& plan =
        AcquirePlan({.dimension = dimension, .type = CollectiveType::ReduceScatter},
                    {.takesPart = true, .elements = elements, .root = 0});
    uint64_t length = 0;
    for (const Interval& range : plan.value->OwnedRanges(coordinate))
    {
        length += range.Length();
    }
    m_shared.plans.Release(plan);
    return length;
}

} // namespace nadi
