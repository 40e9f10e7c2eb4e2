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
    , m_sizes(parts.layout.Members(),
              parts.root,
              [this](uint32_t dimension, uint64_t elements, uint32_t coordinate)
              { return OwnedLength(dimension, elements, coordinate); })
    , m_gates(parts.program.schedule, parts.layout.Size(), shared.chunksInFlight)
    , m_isEarlyScheduled(parts.layout.Size())
    , m_actives(parts.layout.Size())
{
    if (parts.unevenSizes)
    {
        NADI_CHECK(parts.program.DimensionCount() == 1);
        m_uneven.emplace(parts.program.type,
                         *parts.unevenSizes,
                         static_cast<uint32_t>(parts.program.schedule.chunks.size()));
    }
    m_hasProgram = parts.program.HasStoredPrograms();
    if (parts.program.NeedsTrees())
    {
        NADI_CHECK(shared.trees != nullptr);
        m_helpers.emplace(shared.executor, shared.plans, *shared.switchProtocol);
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
    // A pending event refers to this run, so the member counts as under way until it has come.
    return m_gates.IsComplete(member) && !m_isEarlyScheduled[member];
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
    PlanCache::Entry& plan = AcquirePlan(phase, shape, lineBase);
    const bool goesOn = visit(MakeTask(member, at, plan));
    m_shared.plans.Release(plan);
    return goesOn;
}

double
CollectiveRun::PlannedBytes() const
{
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
    if (m_shared.observer != nullptr)
    {
        Report(member, *ended);
    }
    m_gates.End(member, ended->at);
    m_shared.plans.Release(*ended->plan);
    // The order of the list does not matter: ActivePhases sorts.
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

/// Begins the phases whose turn it is, and schedules the event that lets others go early. A phase
/// that ends at once may let another begin, so it asks until nothing begins.
void
CollectiveRun::Advance(uint32_t member)
{
    while (BeginAll(member, &AdmissionGates::FindNext))
    {
    }
    if (m_isEarlyScheduled[member] || !HasEarly(member))
    {
        return;
    }
    m_isEarlyScheduled[member] = true;
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
    while (BeginAll(member, &AdmissionGates::FindEarly) ||
           BeginAll(member, &AdmissionGates::FindNext))
    {
    }
    if (IsComplete(member))
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
    const auto acquire = [&]() -> PlanCache::Entry&
    { return AcquirePlan(phase, shape, LineBaseOf(member, phase.dimension)); };
    PlanCache::Entry& plan = acquire();
    const PhaseTask task = MakeTask(member, at, plan);
    if (task.trees != nullptr)
    {
        m_helpers->Join(task, acquire);
    }
    const std::optional<PhaseTicket> ticket = m_shared.executor.Start(task);
    if (!ticket)
    {
        m_shared.plans.Release(plan);
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
            .trees = FindTrees(phase, lineBase)};
}

uint32_t
CollectiveRun::LineBaseOf(uint32_t member, uint32_t dimension) const
{
    return m_parts.layout.Members().WithCoordinate(member, dimension, 0);
}

PlanCache::Entry&
CollectiveRun::AcquirePlan(const Phase& phase, const PhaseShape& shape, uint32_t lineBase)
{
    return m_shared.plans.Acquire(AlgorithmOf(phase), MakeRequest(phase, shape, lineBase));
}

PlanRequest
CollectiveRun::MakeRequest(const Phase& phase, const PhaseShape& shape, uint32_t lineBase)
{
    const uint32_t ranks = m_parts.layout.Members().Size(phase.dimension);
    const TreeGroup* const trees = FindTrees(phase, lineBase);
    // Uneven sizes use a plan in units, one for each member's part (UnevenSizes).
    return {.type = phase.type,
            .ranks = ranks,
            .elements = m_uneven ? ranks : shape.elements,
            .elementBytes = m_shared.elementBytes,
            .root = shape.root,
            .line = m_parts.program.lines[phase.dimension],
            .trees = trees != nullptr ? &trees->Trees() : nullptr,
            .program = FindProgram(phase, shape, lineBase)};
}

/// Null: the algorithm has no stored programs.
const MessageProgram*
CollectiveRun::FindProgram(const Phase& phase, const PhaseShape& shape, uint32_t lineBase)
{
    // Such a collective has one chunk and one phase, and so one program.
    if (!m_hasProgram)
    {
        return nullptr;
    }
    if (m_program != nullptr)
    {
        return &m_program->program;
    }
    NADI_CHECK(m_shared.programs != nullptr);
    const ChosenAlgorithm& chosen = AlgorithmOf(phase);
    const auto size = Bytes(static_cast<int64_t>(shape.elements)) * m_shared.elementBytes;
    m_program =
        &m_shared.programs->Require(chosen,
                                    {.type = phase.type,
                                     .ranks = FindLine(m_parts.layout, phase.dimension, lineBase),
                                     .root = shape.root,
                                     .size = size});
    return &m_program->program;
}

const StoredProgram*
CollectiveRun::Program()
{
    if (m_hasProgram && m_program == nullptr)
    {
        const ChunkSchedule& chunk = m_parts.program.schedule.chunks.front();
        FindProgram(chunk.phases.front(), m_sizes.ShapeOf(chunk, 0, 0), 0);
    }
    return m_program;
}

const ChosenAlgorithm&
CollectiveRun::AlgorithmOf(const Phase& phase) const
{
    return *m_parts.program.algorithms.at({phase.dimension, phase.type});
}

/// Null: no switch helps in the phase.
const TreeGroup*
CollectiveRun::FindTrees(const Phase& phase, uint32_t lineBase)
{
    if (!m_helpers)
    {
        return nullptr;
    }
    const auto [place, isNew] = m_trees.try_emplace({phase.dimension, phase.type, lineBase});
    if (!isNew)
    {
        return place->second;
    }
    const ChosenAlgorithm& chosen = AlgorithmOf(phase);
    if (const auto demand = chosen.algorithm->NeedsTrees())
    {
        const std::vector<RankId> line = FindLine(m_parts.layout, phase.dimension, lineBase);
        place->second = &m_shared.trees->Require(chosen.name, line, *demand);
    }
    return place->second;
}

uint64_t
CollectiveRun::OwnedLength(uint32_t dimension, uint64_t elements, uint32_t coordinate)
{
    PlanCache::Entry& plan =
        AcquirePlan({.dimension = dimension, .type = CollectiveType::ReduceScatter},
                    {.takesPart = true, .elements = elements, .root = 0},
                    0);
    uint64_t length = 0;
    for (const Interval& range : plan.value->OwnedRanges(coordinate))
    {
        length += range.Length();
    }
    m_shared.plans.Release(plan);
    return length;
}

std::vector<StreamId>
CollectiveRun::FindStreams() const
{
    uint32_t trees = 0;
    for (const auto& [place, group] : m_trees)
    {
        trees = std::max(trees, group != nullptr ? group->StreamCount() : 0);
    }
    std::vector<StreamId> streams{Stream()};
    for (uint32_t tree = 0; tree < trees; ++tree)
    {
        streams.push_back(MakeTreeStream(Stream(), tree));
    }
    return streams;
}

} // namespace nadi
