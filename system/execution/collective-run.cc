// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-run.h"

#include "common/check.h"
#include "system/execution/timer-kind.h"

#include <algorithm>

namespace nadi
{

CollectiveRun::CollectiveRun(const Shared& shared, const Parts& parts)
    : m_shared(shared)
    , m_parts(parts)
    , m_plans({.cache = shared.plans,
               .layout = parts.layout,
               .program = parts.program,
               .trees = shared.trees,
               .programs = shared.programs,
               .communicator = parts.id.communicator,
               .elementBytes = shared.elementBytes,
               .isUneven = parts.unevenSizes.has_value()})
    , m_sizes(parts.layout.Members(),
              parts.root,
              [this](uint32_t dimension, uint64_t elements, uint32_t coordinate)
              { return m_plans.OwnedLength(dimension, elements, coordinate); })
    , m_gates(parts.program.schedule, parts.layout.Size(), shared.chunksInFlight)
    , m_isEarlyScheduled(parts.layout.Size())
    , m_actives(parts.layout.Size())
{
    m_outboxes.reserve(parts.layout.Size());
    for (uint32_t member = 0; member < parts.layout.Size(); ++member)
    {
        m_outboxes.push_back(shared.executor.MessagesUnderWay().Open(*this, member));
    }
    if (parts.unevenSizes)
    {
        NADI_CHECK(parts.program.DimensionCount() == 1);
        // The program was made for the largest size. Each member's size is cut into the same number
        // of chunks, so the schedule fits all members.
        m_uneven.emplace(parts.program.type,
                         *parts.unevenSizes,
                         static_cast<uint32_t>(parts.program.schedule.chunks.size()));
    }
    if (parts.program.NeedsTrees())
    {
        m_helpers.emplace(shared.executor, shared.plans, *shared.switchProtocol);
    }
}

CollectiveRun::~CollectiveRun()
{
    for (const uint32_t outbox : m_outboxes)
    {
        m_shared.executor.MessagesUnderWay().Close(outbox);
    }
}

std::vector<uint32_t>
CollectiveRun::Start()
{
    std::vector<uint32_t> completed;
    for (uint32_t member = 0; member < m_parts.layout.Size(); ++member)
    {
        Advance(member);
        if (Completes(member))
        {
            completed.push_back(member);
        }
    }
    return completed;
}

/// All phases of the member.
bool
CollectiveRun::HaveEnded(uint32_t member) const
{
    // A pending event refers to this run, so the member counts as under way until it has come.
    return m_gates.IsComplete(member) && !m_isEarlyScheduled[member];
}

bool
CollectiveRun::IsComplete(uint32_t member) const
{
    return HaveEnded(member) && m_shared.executor.MessagesUnderWay().IsEmpty(m_outboxes[member]);
}

bool
CollectiveRun::AwaitsDeliveries(uint32_t member) const
{
    return HaveEnded(member) && !IsComplete(member);
}

/// Whether the member is complete. If only deliveries are missing, OnAllDelivered will be called.
bool
CollectiveRun::Completes(uint32_t member) const
{
    return HaveEnded(member) &&
           m_shared.executor.MessagesUnderWay().IsEmptyOrWatched(m_outboxes[member]);
}

void
CollectiveRun::OnAllDelivered(uint32_t member)
{
    m_shared.owner.OnMemberCompleted(*this, member);
}

void
CollectiveRun::VisitTasks(const std::function<bool(const PhaseTask&)>& visit)
{
    bool goesOn = true;
    const std::vector<ChunkSchedule>& chunks = m_parts.program.schedule.chunks;
    for (PhaseReference at{}; goesOn && at.chunk < chunks.size(); ++at.chunk)
    {
        for (at.phase = 0; at.phase < chunks[at.chunk].phases.size(); ++at.phase)
        {
            for (uint32_t member = 0; goesOn && member < m_parts.layout.Size(); ++member)
            {
                goesOn = VisitTask(member, at, visit);
            }
        }
    }
}

/// The plan is acquired for this one visit, so a look at all tasks of a collective holds one plan
/// at a time.
bool
CollectiveRun::VisitTask(uint32_t member,
                         PhaseReference at,
                         const std::function<bool(const PhaseTask&)>& visit)
{
    const ChunkSchedule& chunk = m_parts.program.schedule.chunks[at.chunk];
    const PhaseShape shape = m_sizes.ShapeOf(chunk, at.phase, member);
    if (!shape.takesPart)
    {
        return true;
    }
    const Phase& phase = chunk.phases[at.phase];
    const uint32_t lineBase = LineBaseOf(member, phase.dimension);
    PlanCache::Entry& plan = m_plans.Acquire(phase, shape, lineBase);
    const bool goesOn = visit(MakeTask(member, at, plan));
    m_plans.Release(plan);
    return goesOn;
}

double
CollectiveRun::PlannedBytes() const
{
    // The schedule counts the largest size for every member.
    return m_parts.program.schedule.trafficBytes *
           (m_uneven ? m_uneven->ShareOfLargest(m_parts.root) : 1);
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
    // The observer hears of the phase first, while its record is still in the list.
    if (m_shared.observer != nullptr)
    {
        Report(member, *ended);
    }
    m_gates.End(member, ended->at);
    m_plans.Release(*ended->plan);
    // The order of the list does not matter: ActivePhases sorts.
    *ended = actives.back();
    actives.pop_back();
    Advance(member);
    // Only now is it known whether this was the last phase: others may have begun and ended in
    // Advance. Nothing may follow the call, as the owner may destroy the run.
    if (Completes(member))
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

/// Begins the phases whose turn it is, and schedules the event that lets others go early. A phase
/// that ends at once may let another begin, so it asks until nothing begins.
void
CollectiveRun::Advance(uint32_t member)
{
    while (BeginAll(member, &AdmissionGates::FindNext))
    {
    }
    // One event serves all dimensions of the member: it looks at all of them when it comes.
    if (m_isEarlyScheduled[member] || !HasEarly(member))
    {
        return;
    }
    m_isEarlyScheduled[member] = true;
    // A member has one such event at a time, and the stream names the collective. So rank and
    // stream identify the event.
    const EventOrder order{.kind = EventOrder::Kind::Timer,
                           .identity = {m_parts.layout.RankOf(member).value,
                                        TimerWord(SystemTimer::EarlyPhase),
                                        Stream().value,
                                        0}};
    m_shared.loop.ScheduleAt(m_shared.loop.Now(), order, *this, member);
}

/// The event for early phases. It comes behind all deliveries and timers of the round, so whatever
/// ends with them has ended.
void
CollectiveRun::OnEvent(uint64_t token)
{
    const auto member = static_cast<uint32_t>(token);
    m_isEarlyScheduled[member] = false;
    // A phase that ends as it begins frees its slot and makes the next phase of its chunk ready. So
    // an early phase may let a phase in its turn begin, and the reverse, until neither is found.
    while (BeginAll(member, &AdmissionGates::FindEarly) ||
           BeginAll(member, &AdmissionGates::FindNext))
    {
    }
    if (Completes(member))
    {
        m_shared.owner.OnMemberCompleted(*this, member);
    }
}

/// Begins the phases that `find` finds, in each dimension. Returns whether there were any.
bool
CollectiveRun::BeginAll(uint32_t member, Find find)
{
    bool hasBegun = false;
    for (uint32_t dimension = 0; dimension < m_parts.program.DimensionCount(); ++dimension)
    {
        while (const std::optional<PhaseReference> found = (m_gates.*find)(member, dimension))
        {
            Begin(member, *found);
            hasBegun = true;
        }
    }
    return hasBegun;
}

bool
CollectiveRun::HasEarly(uint32_t member) const
{
    for (uint32_t dimension = 0; dimension < m_parts.program.DimensionCount(); ++dimension)
    {
        if (m_gates.FindEarly(member, dimension))
        {
            return true;
        }
    }
    return false;
}

void
CollectiveRun::Begin(uint32_t member, PhaseReference at)
{
    m_gates.Begin(member, at);
    const uint32_t dimension = m_parts.program.PhaseAt(at).dimension;
    m_shared.leastInFlight =
        std::max(m_shared.leastInFlight, m_gates.LeastLimit(member, dimension));
    if (!StartPhase(member, at))
    {
        m_gates.End(member, at);
    }
}

/// Whether the phase takes time on the member.
bool
CollectiveRun::StartPhase(uint32_t member, PhaseReference at)
{
    const ChunkSchedule& chunk = m_parts.program.schedule.chunks[at.chunk];
    const PhaseShape shape = m_sizes.ShapeOf(chunk, at.phase, member);
    if (!shape.takesPart)
    {
        return false;
    }
    const Phase& phase = chunk.phases[at.phase];
    // The switches of a line acquire the plan for themselves: they may still run the plan when this
    // member has ended its phase and released the plan.
    const auto acquire = [&]() -> PlanCache::Entry&
    { return m_plans.Acquire(phase, shape, LineBaseOf(member, phase.dimension)); };
    PlanCache::Entry& plan = acquire();
    const PhaseTask task = MakeTask(member, at, plan);
    if (task.trees != nullptr)
    {
        m_helpers->Join(task, acquire);
    }
    const std::optional<PhaseTicket> ticket = m_shared.executor.Start(task);
    // Without a ticket the phase ended as it began. Nobody will be called back, so the plan is
    // released here.
    if (!ticket)
    {
        m_plans.Release(plan);
        return false;
    }
    m_actives[member].push_back({.at = at,
                                 .ticket = *ticket,
                                 .plan = &plan,
                                 .elements = shape.elements,
                                 .start = m_shared.executor.Now()});
    return true;
}

PhaseTask
CollectiveRun::MakeTask(uint32_t member, PhaseReference at, const PlanCache::Entry& plan)
{
    const RankGrid& grid = m_parts.layout.Members();
    const Phase& phase = m_parts.program.PhaseAt(at);
    const uint32_t lineBase = LineBaseOf(member, phase.dimension);
    return {.owner = this,
            .member = member,
            .outbox = m_outboxes[member],
            .stream = Stream(),
            .chunk = at.chunk,
            .phase = at.phase,
            .plan = plan.value.get(),
            .self = grid.Coordinate(member, phase.dimension),
            .layout = &m_parts.layout,
            .lineBase = lineBase,
            .lineStride = grid.Stride(phase.dimension),
            .elementBytes = m_shared.elementBytes,
            .lanesAtOnce = plan.value->LanesAtOnce().value_or(m_parts.program.lanesAtOnce),
            .protocol = m_parts.program.protocol,
            .uneven = m_uneven ? &*m_uneven : nullptr,
            .sentBytes = &m_sentBytes,
            .trees = m_plans.TreesOf(phase, lineBase)};
}

/// The member of the same line with coordinate 0, which names the line.
uint32_t
CollectiveRun::LineBaseOf(uint32_t member, uint32_t dimension) const
{
    return m_parts.layout.Members().WithCoordinate(member, dimension, 0);
}

std::vector<StreamId>
CollectiveRun::FindStreams() const
{
    std::vector<StreamId> streams{Stream()};
    for (uint32_t tree = 0; tree < m_plans.TreeStreams(); ++tree)
    {
        streams.push_back(MakeTreeStream(Stream(), tree));
    }
    return streams;
}

const StoredProgram*
CollectiveRun::Stored()
{
    const std::vector<ChunkSchedule>& chunks = m_parts.program.schedule.chunks;
    if (chunks.empty() || chunks.front().phases.empty())
    {
        return nullptr;
    }
    // A collective with a stored program has one chunk and one phase, over the whole group. So the
    // first phase of the first member finds the program of all members.
    return m_plans.StoredProgramOf(
        chunks.front().phases.front(), m_sizes.ShapeOf(chunks.front(), 0, 0), 0);
}

} // namespace nadi
