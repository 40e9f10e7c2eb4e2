// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/phase-executor.h"

#include "common/check.h"
#include "system/execution/timer-kind.h"

#include <algorithm>

namespace nadi
{

namespace
{

// What a MessageKey has room for.
constexpr uint32_t MOST_LANES = uint32_t{1} << 24;
constexpr uint32_t MOST_STAGES = uint32_t{1} << 8;

} // namespace

PhaseExecutor::PhaseExecutor(EventLoop& loop,
                             NetworkBackend& network,
                             uint32_t ranks,
                             SwitchReducers* reducers)
    : m_loop(loop)
    , m_sender(loop, network, MessageSender::Traffic::Collectives)
    , m_reducers(reducers)
    , m_bytesSent(ranks)
{
}

std::optional<PhaseTicket>
PhaseExecutor::Start(const PhaseTask& task)
{
    NADI_CHECK(task.plan->StageCount() <= MOST_STAGES);
    const uint32_t phase = m_phases.Make({.task = task});
    if (task.plan->StageCount() > 0)
    {
        EnterStage(m_phases[phase], 0);
        if (RunPhase(phase) == Progress::Waiting)
        {
            return phase;
        }
    }
    FreePhase(phase);
    return std::nullopt;
}

std::vector<PhaseExecutor::Wait>
PhaseExecutor::FindWaits() const
{
    std::vector<Wait> waits;
    for (const LaneRecord& lane : m_lanes.Slots())
    {
        // A lane that waits for a lane of its own rank adds nothing: that one is in the list.
        if (lane.isOpen && lane.source != NOBODY)
        {
            waits.push_back({.ticket = lane.phase, .source = lane.source});
        }
    }
    std::sort(waits.begin(), waits.end());
    return waits;
}

/// What the lane waited for may be used now.
void
PhaseExecutor::OnEvent(uint64_t lane)
{
    Continue(static_cast<uint32_t>(lane));
}

void
PhaseExecutor::Continue(uint32_t lane)
{
    const uint32_t phase = m_lanes[lane].phase;
    if (RunLane(lane) == Progress::Ended)
    {
        CloseLane(lane);
    }
    else if (!m_phases[phase].joined)
    {
        return; // nothing has ended, and nobody was woken
    }
    ContinuePhase(phase);
}

/// Runs the phase on, and tells its owner if it has ended.
void
PhaseExecutor::ContinuePhase(uint32_t phase)
{
    if (RunPhase(phase) == Progress::Waiting)
    {
        return;
    }
    // The owner is told last: it may start other phases, which may use this ticket again, or end
    // the run.
    PhaseOwner* const owner = m_phases[phase].task.owner;
    const uint32_t member = m_phases[phase].task.member;
    FreePhase(phase);
    owner->OnPhaseCompleted(member, phase);
}

void
PhaseExecutor::FreePhase(uint32_t phase)
{
    // The pool keeps the record of a freed phase until the slot is used again, so the memory that
    // the record owns is given up here.
    m_phases[phase].joined.reset();
    m_phases.Free(phase);
}

/// Opens lanes, and stages once the one before is through, as far as they go now.
PhaseExecutor::Progress
PhaseExecutor::RunPhase(uint32_t phase)
{
    PhaseRecord& record = m_phases[phase];
    const CollectivePlan& plan = *record.task.plan;
    while (true)
    {
        // Where lanes wait for each other, all of them are open at once. With a limit, the open
        // lanes could wait for one that is not allowed to open.
        const uint32_t most = record.joined ? record.laneCount : record.task.lanesAtOnce;
        while (record.nextLane < record.laneCount && record.openLanes < most)
        {
            OpenLane(phase);
        }
        // Lanes may end here too. None is left to open in their place: only plans with waits wake
        // lanes, and these plans have opened all lanes above.
        RunWoken(record);
        if (record.openLanes > 0)
        {
            return Progress::Waiting;
        }
        if (record.stage + 1U >= plan.StageCount())
        {
            return record.underWay > 0 ? Progress::Waiting : Progress::Ended;
        }
        EnterStage(record, record.stage + 1U);
    }
}

void
PhaseExecutor::EnterStage(PhaseRecord& record, uint32_t stage)
{
    record.stage = static_cast<uint8_t>(stage);
    record.nextLane = 0;
    record.laneCount = record.task.plan->LaneCount(record.task.self, stage);
    if (record.task.plan->HasWaits())
    {
        record.joined = std::make_unique<JoinedLanes>(record.laneCount);
    }
    if (!record.joined && !record.task.plan->LanesAtOnce())
    {
        CountSideBySide(record);
    }
}

/// A lane sends one message at a time. But it stands for as many as it serves one after the other,
/// each once the one before is delivered: with a higher limit these had lanes of their own.
void
PhaseExecutor::CountSideBySide(const PhaseRecord& record)
{
    // The lanes are looked at only where they could raise the number: none stands for more messages
    // than there are lanes to serve them.
    if (record.laneCount <= m_mostSends)
    {
        return;
    }
    const PhaseTask& task = record.task;
    uint32_t sends = 0;
    for (uint32_t lane = 0; lane < record.laneCount; ++lane)
    {
        const uint32_t steps = task.plan->StepCount(task.self, record.stage, lane);
        bool hasSent = false;
        for (uint32_t index = 0; index < steps; ++index)
        {
            const PlanStep step = task.plan->StepAt(task.self, record.stage, lane, index);
            sends += (step.send && !hasSent ? 1 : 0) + (step.awaitsDelivery ? 1 : 0);
            hasSent = hasSent || step.send;
        }
    }
    m_mostSends = std::max(m_mostSends, std::min(sends, record.laneCount));
}

/// Lanes wake each other, so it goes on until nobody is woken. It is a loop and no recursion: a
/// chain of lanes may be as long as the stage is wide.
void
PhaseExecutor::RunWoken(PhaseRecord& record)
{
    while (const auto lane = record.joined ? record.joined->TakeWoken() : std::nullopt)
    {
        if (RunLane(*lane) == Progress::Ended)
        {
            CloseLane(*lane);
        }
    }
}

void
PhaseExecutor::OpenLane(uint32_t phase)
{
    PhaseRecord& record = m_phases[phase];
    const uint32_t index = record.nextLane++;
    NADI_CHECK(index < MOST_LANES);
    ++record.openLanes;
    const uint32_t steps = record.task.plan->StepCount(record.task.self, record.stage, index);
    const uint32_t lane =
        m_lanes.Make({.phase = phase, .lane = index, .stepCount = steps, .isOpen = true});
    if (RunLane(lane) == Progress::Ended)
    {
        CloseLane(lane);
    }
}

/// The pool keeps the records of freed slots, and FindWaits goes through all of them. So a closed
/// lane is marked as such.
void
PhaseExecutor::CloseLane(uint32_t lane)
{
    --m_phases[m_lanes[lane].phase].openLanes;
    m_lanes[lane].isOpen = false;
    m_lanes.Free(lane);
}

PhaseExecutor::Progress
PhaseExecutor::RunLane(uint32_t lane)
{
    LaneRecord& record = m_lanes[lane];
    const PhaseRecord& phase = m_phases[record.phase];
    while (true)
    {
        if (phase.joined)
        {
            // All steps before `record.step` are complete here. Other lanes are told before the
            // next step, in which this lane may have to wait. A lane that waits for another lane
            // has no source, so that FindWaits leaves it out.
            phase.joined->Complete(record.lane, record.step);
            record.source = NOBODY;
        }
        if (record.step == record.stepCount)
        {
            return Progress::Ended;
        }
        const PlanStep step =
            phase.task.plan->StepAt(phase.task.self, phase.stage, record.lane, record.step);
        if (step.after && !phase.joined->IsCompleteFor(lane, *step.after))
        {
            return Progress::Waiting;
        }
        // The step is counted before it runs: when the lane is continued, the step that it waited
        // for is done, and the lane goes on with the next one.
        ++record.step;
        if (RunStep(lane, step) == Progress::Waiting)
        {
            return Progress::Waiting;
        }
    }
}

/// All of a step but what it comes after.
PhaseExecutor::Progress
PhaseExecutor::RunStep(uint32_t lane, const PlanStep& step)
{
    LaneRecord& record = m_lanes[lane];
    const PhaseTask& task = m_phases[record.phase].task;
    // A message that is left out is skipped at both its ends. The rest of the step still runs.
    const bool sends = step.send && !task.IsLeftOut(*step.send);
    record.action = step.action;
    if (task.Receives(step))
    {
        return Exchange(lane, step);
    }
    if (sends)
    {
        Send(lane, step);
    }
    if (sends && step.awaitsDelivery)
    {
        record.source = m_phases[record.phase].task.EndpointOf(step.send->peer);
        return Progress::Waiting;
    }
    return step.local ? WorkLocally(lane, *step.local) : Progress::Ended;
}

PhaseExecutor::Progress
PhaseExecutor::WorkLocally(uint32_t lane, const LocalWork& work)
{
    const LaneRecord& record = m_lanes[lane];
    const PhaseTask& task = m_phases[record.phase].task;
    // The ranges in plans of uneven sizes count members' parts, so their length is no number of
    // elements.
    NADI_CHECK(task.uneven == nullptr);
    const Bytes size = Bytes(static_cast<int64_t>(work.into.Length())) * task.elementBytes;
    NoteReduction(record, size);
    if (work.lasts)
    {
        return WaitUntil(m_loop.Now() + *work.lasts, lane);
    }
    const LocalTask local{.at = task.EndpointOf(task.self),
                          .begin = m_loop.Now(),
                          .action = record.action,
                          .size = size,
                          .stream = task.stream,
                          .layout = task.layout};
    return WaitUntil(task.protocol->EndOfLocalWork(local), lane);
}

/// Ended: it is that time already; else a timer continues the lane.
PhaseExecutor::Progress
PhaseExecutor::WaitUntil(SimTime at, uint32_t lane)
{
    if (at <= m_loop.Now())
    {
        return Progress::Ended;
    }
    const LaneRecord& record = m_lanes[lane];
    const PhaseTask& task = m_phases[record.phase].task;
    // The identity orders the timers of an endpoint within an instant. A lane waits for one thing
    // at a time, so (endpoint, phase, stream, chunk, lane) names one timer; two trees may share a
    // switch, and their lanes are told apart by their streams, those of two lines by the phase.
    const EventOrder order{
        .kind = EventOrder::Kind::Timer,
        .identity = {task.EndpointOf(task.self).value,
                     TimerWord(SystemTimer::MessageUsable, task.PhaseWith(task.self)),
                     task.StreamWith(task.self).value,
                     uint64_t{task.chunk} << 32 | record.lane}};
    m_loop.ScheduleAt(at, order, *this, lane);
    return Progress::Waiting;
}

} // namespace nadi
