// SPDX-License-Identifier: GPL-2.0-only
// What PhaseExecutor does with single messages, at their two ends.
#include "common/check.h"
#include "system/execution/phase-executor.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// A word of the arrival table: a waiting lane, or the time when a message was delivered. Times are
/// not negative, so the highest bit tells the two apart.
constexpr uint64_t IS_LANE = uint64_t{1} << 63;

/// Whom a message's delivery concerns at its sender, as the message's token.
struct SenderToken
{
    /// Who waits for the delivery.
    enum class Waiting : uint8_t
    {
        Nobody,
        Lane,
        Phase,
    };

    static constexpr uint32_t INDEX_BITS = 30;

    uint32_t outbox = Outboxes::NONE;
    Waiting waiting = Waiting::Nobody;
    uint32_t index = 0; ///< of the lane or phase

    static SenderToken Read(uint64_t token)
    {
        const auto word = static_cast<uint32_t>(token);
        return {.outbox = static_cast<uint32_t>(token >> 32),
                .waiting = static_cast<Waiting>(word >> INDEX_BITS),
                .index = word & ((1U << INDEX_BITS) - 1)};
    }

    uint64_t Write() const
    {
        NADI_CHECK(index >> INDEX_BITS == 0);
        return uint64_t{outbox} << 32 | static_cast<uint32_t>(waiting) << INDEX_BITS | index;
    }
};

/// Phases of a chunk where it has several lines: two at most for each dimension.
constexpr uint32_t MOST_PHASES = 1024;

MessageName
MakeName(const Message& message)
{
    return {.stream = message.stream,
            .key = message.key,
            .source = message.source,
            .destination = message.destination};
}

/// Of a message with `transfer.peer`.
MessageKey
MakeKey(const PhaseTask& task, uint32_t stage, uint32_t channel, const Transfer& transfer)
{
    return {.major = uint64_t{task.chunk} << 32 | task.PhaseWith(transfer.peer),
            .minor = uint64_t{stage} << 56 | uint64_t{channel} << 32 | transfer.tag};
}

/// What both ends of a message of this lane say for it.
uint32_t
ChannelOf(uint32_t lane, const Transfer& transfer)
{
    return transfer.channel == Transfer::OF_LANE ? lane : transfer.channel;
}

} // namespace

uint32_t
PhaseTask::PhaseWith(uint32_t peer) const
{
    if (!IsHelper(self) || !IsHelper(peer) || lineBase == 0)
    {
        return phase;
    }
    NADI_CHECK(phase < MOST_PHASES && lineBase < (uint64_t{1} << 32) / MOST_PHASES);
    return lineBase * MOST_PHASES + phase;
}

Bytes
PhaseTask::SizeOf(const Transfer& transfer) const
{
    const uint64_t elements =
        uneven == nullptr ? transfer.range.Length() : uneven->ElementsOf(chunk, transfer);
    return Bytes(static_cast<int64_t>(elements)) * elementBytes;
}

void
PhaseExecutor::OnMessageDelivered(const Delivery& delivery)
{
    // The receiver first, then the sender's lane (`awaitsDelivery`) or phase, if one of them waits
    // for this delivery. Last the outbox, as what it counts may be all that the sender waits for.
    TakeArrival(delivery);
    const SenderToken token = SenderToken::Read(delivery.message.token);
    if (token.waiting == SenderToken::Waiting::Lane)
    {
        Continue(token.index);
    }
    else if (token.waiting == SenderToken::Waiting::Phase)
    {
        OnSendDelivered(token.index);
    }
    m_outboxes.Remove(token.outbox);
}

/// A message that its phase waits for.
void
PhaseExecutor::OnSendDelivered(uint32_t phase)
{
    PhaseRecord& record = m_phases[phase];
    --record.underWay;
    if (record.underWay == 0 && record.openLanes == 0)
    {
        ContinuePhase(phase);
    }
}

/// The receiver's end of a delivery.
void
PhaseExecutor::TakeArrival(const Delivery& delivery)
{
    const auto now = static_cast<uint64_t>(delivery.delivered.Ps());
    const std::optional<uint64_t> waiting = m_arrivals.TakeOrLeave(MakeName(delivery.message), now);
    if (!waiting)
    {
        return;
    }
    NADI_CHECK((*waiting & IS_LANE) != 0);
    const auto lane = static_cast<uint32_t>(*waiting);
    const Arrival arrival{
        .delivered = delivery.delivered, .now = delivery.delivered, .size = delivery.message.size};
    if (UseWhenReady(lane, arrival) == Progress::Ended)
    {
        Continue(lane);
    }
}

void
PhaseExecutor::ExpectDelivery(const Message& message) const
{
    m_arrivals.Prefetch(MakeName(message));
}

void
PhaseExecutor::Send(uint32_t lane, const PlanStep& step)
{
    const LaneRecord& record = m_lanes[lane];
    PhaseRecord& phase = m_phases[record.phase];
    const PhaseTask& task = phase.task;
    const Transfer& transfer = *step.send;
    // No limit counts the phases of switches, so these need not wait.
    const bool isAwaitedByPhase =
        !step.awaitsDelivery && !phase.hasReceived && !task.IsHelper(task.self);
    if (isAwaitedByPhase)
    {
        ++phase.underWay;
        NADI_CHECK(phase.underWay > 0); // it has not wrapped
    }
    const SenderToken token =
        step.awaitsDelivery ? SenderToken{task.outbox, SenderToken::Waiting::Lane, lane}
        : isAwaitedByPhase  ? SenderToken{task.outbox, SenderToken::Waiting::Phase, record.phase}
                            : SenderToken{.outbox = task.outbox};
    const uint32_t channel = ChannelOf(record.lane, transfer);
    const Message message{.source = task.EndpointOf(task.self),
                          .destination = task.EndpointOf(transfer.peer),
                          .size = task.SizeOf(transfer),
                          .stream = task.StreamWith(transfer.peer),
                          .key = MakeKey(task, phase.stage, channel, transfer),
                          .token = token.Write()};
    m_outboxes.Add(task.outbox);
    // CountSent counts by endpoint, for the results. `sentBytes` counts by collective, for the
    // progress of the run.
    CountSent(message);
    *task.sentBytes += static_cast<double>(message.size.Count());
    m_sender.Send(message, {.stage = phase.stage, .channel = channel}, *task.protocol);
}

void
PhaseExecutor::CountSent(const Message& message)
{
    // Endpoints are vertices of the topology. A rank's vertex has the number of the rank; those of
    // switches and memories have larger numbers.
    const bool isRank = message.source.value < m_bytesSent.size();
    (isRank ? m_bytesSent[message.source.value] : m_bytesSentBySwitches) += message.size;
}

/// A step that receives. Ended: the message is here and may be used now.
PhaseExecutor::Progress
PhaseExecutor::Exchange(uint32_t lane, const PlanStep& step)
{
    LaneRecord& record = m_lanes[lane];
    PhaseRecord& phase = m_phases[record.phase];
    phase.hasReceived = 1;
    const PhaseTask& task = phase.task;
    const Transfer& receive = *step.receive;
    record.source = task.EndpointOf(receive.peer);
    record.channel = ChannelOf(record.lane, receive);
    const MessageName name{.stream = task.StreamWith(receive.peer),
                           .key = MakeKey(task, phase.stage, record.channel, receive),
                           .source = record.source,
                           .destination = task.EndpointOf(task.self)};
    if (step.send && !task.IsLeftOut(*step.send))
    {
        m_arrivals.Prefetch(name); // while the send goes on
        Send(lane, step);
    }
    const std::optional<uint64_t> delivered = m_arrivals.TakeOrLeave(name, IS_LANE | lane);
    if (!delivered)
    {
        return Progress::Waiting;
    }
    NADI_CHECK((*delivered & IS_LANE) == 0);
    return UseWhenReady(lane,
                        {.delivered = SimTime::FromPs(static_cast<int64_t>(*delivered)),
                         .now = m_loop.Now(),
                         .size = task.SizeOf(receive)});
}

/// When its receiver may use a message, if it asks for it by then.
SimTime
PhaseExecutor::FindUse(const LaneRecord& record, const LibraryMessage& message, SimTime delivered)
{
    const PhaseTask& task = m_phases[record.phase].task;
    const bool isReduced = m_reducers != nullptr && task.IsHelper(task.self) &&
                           record.action == PlanStep::Action::Reduce;
    const SimTime here =
        isReduced ? m_reducers->Reduce(message.destination, message.source, delivered, message.size)
                  : delivered;
    return here + task.protocol->EndDelay(message, record.action);
}

/// The messages of a barrier are empty, and leave nothing to compute, though its plan adds them.
void
PhaseExecutor::NoteReduction(const LaneRecord& record, Bytes size)
{
    const PhaseTask& task = m_phases[record.phase].task;
    m_hasReduced |=
        record.action == PlanStep::Action::Reduce && size > Bytes() && !task.IsHelper(task.self);
}

/// Ended: the message may be used now; else a timer continues the lane.
PhaseExecutor::Progress
PhaseExecutor::UseWhenReady(uint32_t lane, const Arrival& arrival)
{
    const LaneRecord& record = m_lanes[lane];
    const PhaseRecord& phase = m_phases[record.phase];
    const LibraryMessage message{.source = record.source,
                                 .destination = phase.task.EndpointOf(phase.task.self),
                                 .size = arrival.size,
                                 .stream = phase.task.stream,
                                 .place = {.stage = phase.stage, .channel = record.channel}};
    const Protocol& protocol = *phase.task.protocol;
    NoteReduction(record, arrival.size);
    // A message that waited for its step may have been usable long before. It is used when the step
    // comes.
    const SimTime used = std::max(FindUse(record, message, arrival.delivered), arrival.now);
    // The slot of the message is free only at `used`. The sender is told now, since that time does
    // not depend on anything that is still to come.
    m_sender.OnMessageUsed(message, protocol, used);
    return used == arrival.now ? Progress::Ended : WaitUntil(used, lane);
}

} // namespace nadi
