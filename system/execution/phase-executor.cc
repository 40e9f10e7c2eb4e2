// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/phase-executor.h"

#include "common/check.h"
#include "system/execution/timer-kind.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr uint32_t LANE_BITS = 24;
constexpr uint32_t STAGE_BITS = 8;

/// A word of the arrival table: a waiting lane, or the time when a message was delivered.
constexpr uint64_t IS_LANE = uint64_t{1} << 63;

/// A message's token: the sender's lane that waits for its delivery, plus one; or this.
constexpr uint64_t NOBODY_WAITS = 0;

MessageName
MakeName(const Message& message)
{
    return {.stream = message.stream,
            .key = message.key,
            .source = message.source,
            .destination = message.destination};
}

MessageKey
MakeKey(const PhaseTask& task, uint32_t stage, uint32_t lane, uint32_t tag)
{
    return {.major = uint64_t{task.chunk} << 32 | task.phase,
            .minor = uint64_t{stage} << (32 + LANE_BITS) | uint64_t{lane} << 32 | tag};
}

} // namespace

Bytes
PhaseTask::SizeOf(const Transfer& transfer) const
{
    const uint64_t elements =
        uneven == nullptr ? transfer.range.Length() : uneven->ElementsOf(chunk, transfer);
    return Bytes(static_cast<int64_t>(elements)) * elementBytes;
}

PhaseExecutor::PhaseExecutor(EventLoop& loop, NetworkBackend& network, uint32_t ranks)
    : m_loop(loop)
    , m_sender(loop, network, MessageSender::Traffic::Collectives)
    , m_bytesSent(ranks)
{
}

std::optional<PhaseTicket>
PhaseExecutor::Start(const PhaseTask& task)
{
    NADI_CHECK(task.plan->StageCount() <= uint32_t{1} << STAGE_BITS);
    const uint32_t phase = m_phases.Make({.task = task});
    if (task.plan->StageCount() > 0)
    {
        EnterStage(m_phases[phase], 0);
        if (RunPhase(phase) == Progress::Waiting)
        {
            return phase;
        }
    }
    m_phases.Free(phase);
    return std::nullopt;
}

void
PhaseExecutor::OnMessageDelivered(const Delivery& delivery)
{
    // The receiver first, then the sender's lane, if that waits for this delivery
    // (`awaitsDelivery`).
    TakeArrival(delivery.message);
    if (delivery.message.token != NOBODY_WAITS)
    {
        Continue(static_cast<uint32_t>(delivery.message.token - 1));
    }
}

/// The receiver's end of a delivery.
void
PhaseExecutor::TakeArrival(const Message& message)
{
    const auto now = static_cast<uint64_t>(m_loop.Now().Ps());
    const std::optional<uint64_t> waiting = m_arrivals.TakeOrLeave(MakeName(message), now);
    if (!waiting)
    {
        return;
    }
    NADI_CHECK((*waiting & IS_LANE) != 0);
    const auto lane = static_cast<uint32_t>(*waiting);
    if (UseWhenReady(lane, m_loop.Now(), message.size) == Progress::Ended)
    {
        Continue(lane);
    }
}

void
PhaseExecutor::ExpectDelivery(const Message& message) const
{
    m_arrivals.Prefetch(MakeName(message));
}

std::vector<PhaseExecutor::Wait>
PhaseExecutor::FindWaits() const
{
    std::vector<Wait> waits;
    for (const LaneRecord& lane : m_lanes.Slots())
    {
        if (lane.isOpen)
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
    if (RunLane(lane) == Progress::Waiting)
    {
        return;
    }
    const uint32_t phase = m_lanes[lane].phase;
    CloseLane(lane);
    if (RunPhase(phase) == Progress::Waiting)
    {
        return;
    }
    // The owner is told last: it may start other phases, which may use this ticket again, or end
    // the run.
    const PhaseTask task = m_phases[phase].task;
    m_phases.Free(phase);
    task.owner->OnPhaseCompleted(task.member, phase);
}

/// Opens lanes, and stages once the one before is through, as far as they go now.
PhaseExecutor::Progress
PhaseExecutor::RunPhase(uint32_t phase)
{
    PhaseRecord& record = m_phases[phase];
    const CollectivePlan& plan = *record.task.plan;
    while (true)
    {
        while (record.nextLane < record.laneCount && record.openLanes < record.task.lanesAtOnce)
        {
            OpenLane(phase);
        }
        if (record.openLanes > 0)
        {
            return Progress::Waiting;
        }
        if (record.stage + 1 >= plan.StageCount())
        {
            return Progress::Ended;
        }
        EnterStage(record, record.stage + 1);
    }
}

void
PhaseExecutor::EnterStage(PhaseRecord& record, uint32_t stage)
{
    record.stage = stage;
    record.nextLane = 0;
    record.laneCount = record.task.plan->LaneCount(record.task.self, stage);
    m_mostLanes = std::max(m_mostLanes, record.laneCount);
}

PhaseExecutor::Progress
PhaseExecutor::OpenLane(uint32_t phase)
{
    PhaseRecord& record = m_phases[phase];
    const uint32_t index = record.nextLane++;
    NADI_CHECK(index < uint32_t{1} << LANE_BITS);
    ++record.openLanes;
    const uint32_t steps = record.task.plan->StepCount(record.task.self, record.stage, index);
    const uint32_t lane =
        m_lanes.Make({.phase = phase, .lane = index, .stepCount = steps, .isOpen = true});
    const Progress progress = RunLane(lane);
    if (progress == Progress::Ended)
    {
        CloseLane(lane);
    }
    return progress;
}

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
    const PhaseTask& task = phase.task;
    while (record.step < record.stepCount)
    {
        const PlanStep step = task.plan->StepAt(task.self, phase.stage, record.lane, record.step);
        ++record.step;
        if (step.receive && step.send)
        {
            m_arrivals.Prefetch(NameOf(record, *step.receive)); // while the send goes on
        }
        if (step.send)
        {
            Send(lane, step);
        }
        if (step.awaitsDelivery)
        {
            record.source = phase.task.RankOf(step.send->peer);
            return Progress::Waiting;
        }
        if (step.receive)
        {
            record.action = step.action;
            if (Receive(lane, *step.receive) == Progress::Waiting)
            {
                return Progress::Waiting;
            }
        }
    }
    return Progress::Ended;
}

void
PhaseExecutor::Send(uint32_t lane, const PlanStep& step)
{
    const LaneRecord& record = m_lanes[lane];
    const PhaseRecord& phase = m_phases[record.phase];
    const PhaseTask& task = phase.task;
    const Transfer& transfer = *step.send;
    Message message{.source = task.RankOf(task.self),
                    .destination = task.RankOf(transfer.peer),
                    .size = task.SizeOf(transfer),
                    .stream = task.stream,
                    .key = MakeKey(task, phase.stage, record.lane, transfer.tag),
                    .token = step.awaitsDelivery ? uint64_t{lane} + 1 : NOBODY_WAITS};
    const SendTerms terms = task.protocol->TermsFor({.source = message.source,
                                                     .destination = message.destination,
                                                     .size = message.size,
                                                     .stream = message.stream,
                                                     .stage = phase.stage,
                                                     .lane = record.lane});
    message.overhead = terms.overhead;
    m_bytesSent[message.source.value] += message.size;
    *task.sentBytes += static_cast<double>(message.size.Count());
    m_sender.Send(message, terms);
}

MessageName
PhaseExecutor::NameOf(const LaneRecord& lane, const Transfer& receive) const
{
    const PhaseRecord& phase = m_phases[lane.phase];
    return {.stream = phase.task.stream,
            .key = MakeKey(phase.task, phase.stage, lane.lane, receive.tag),
            .source = phase.task.RankOf(receive.peer),
            .destination = phase.task.RankOf(phase.task.self)};
}

/// Ended: the message is here and may be used now.
PhaseExecutor::Progress
PhaseExecutor::Receive(uint32_t lane, const Transfer& transfer)
{
    LaneRecord& record = m_lanes[lane];
    const PhaseRecord& phase = m_phases[record.phase];
    const MessageName name = NameOf(record, transfer);
    record.source = name.source;
    const std::optional<uint64_t> delivered = m_arrivals.TakeOrLeave(name, IS_LANE | lane);
    if (!delivered)
    {
        return Progress::Waiting;
    }
    NADI_CHECK((*delivered & IS_LANE) == 0);
    return UseWhenReady(
        lane, SimTime::FromPs(static_cast<int64_t>(*delivered)), phase.task.SizeOf(transfer));
}

/// Ended: the message may be used now; else a timer continues the lane.
PhaseExecutor::Progress
PhaseExecutor::UseWhenReady(uint32_t lane, SimTime delivered, Bytes size)
{
    const LaneRecord& record = m_lanes[lane];
    const PhaseRecord& phase = m_phases[record.phase];
    const LibraryMessage message{.source = record.source,
                                 .destination = phase.task.RankOf(phase.task.self),
                                 .size = size,
                                 .stream = phase.task.stream,
                                 .stage = phase.stage,
                                 .lane = record.lane};
    const Protocol& protocol = *phase.task.protocol;
    m_hasReduced |= record.action == PlanStep::Action::Reduce;
    const SimTime used =
        std::max(delivered + protocol.EndDelay(message, record.action), m_loop.Now());
    m_sender.OnMessageUsed(message, protocol, used);
    return WaitUntil(used, lane);
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
    // The identity orders the timers of a rank within an instant. A lane waits for one thing at a
    // time, so (rank, phase, stream, chunk, lane) names one timer.
    const EventOrder order{.kind = EventOrder::Kind::Timer,
                           .identity = {task.RankOf(task.self).value,
                                        TimerWord(SystemTimer::MessageUsable, task.phase),
                                        task.stream.value,
                                        uint64_t{task.chunk} << 32 | record.lane}};
    m_loop.ScheduleAt(at, order, *this, lane);
    return Progress::Waiting;
}

} // namespace nadi
