// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-output.h"

#include "fabric-port-trains.h"
#include "fabric-port.h"

#include "ns3/abort.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric-shared-buffer.h"
#include "ns3/fabric.h"

#include <algorithm>
#include <limits>

namespace ns3
{

FabricOutput::FabricOutput(FabricPort& link, FabricPortTrains& trains)
    : m_link(link)
    , m_times(link.GetTimes())
    , m_trains(trains)
{
}

void
FabricOutput::Prepare(FabricSharedBuffer* buffer)
{
    m_buffer = buffer;
    m_isPlain = !m_buffer && m_actions.empty();
}

void
FabricOutput::StoreWaiting(FabricSharedBuffer& buffer, int64_t now)
{
    Prepare(&buffer);
    // 0 bytes at the egress: a memory that drops then only asks whether the frame fits.
    const auto store = [&buffer](const FabricFrame& frame)
    {
        const bool isStored =
            buffer.Store({frame.ingress, frame.ingressPriority}, frame.wireBytes, 0);
        NS_ABORT_MSG_IF(!isStored, "a buffer that was surely calm is full");
    };
    m_arbiter.VisitTransit(store);
    // A frame holds its memory until its transmission ends. Frames that this node sends itself (hop
    // 0) hold none.
    m_currentStored = m_currentEnd > now && m_current.IsData() && m_current.hop > 0;
    if (m_currentStored)
    {
        store(m_current);
    }
}

void
FabricOutput::StoreNowhere()
{
    const auto release = [this](const FabricFrame& frame) {
        m_buffer->Release({frame.ingress, frame.ingressPriority}, frame.wireBytes);
    };
    if (m_buffer)
    {
        m_arbiter.VisitTransit(release);
    }
    if (m_currentStored)
    {
        release(m_current);
        m_currentStored = false;
    }
    Prepare(nullptr);
}

std::optional<uint64_t>
FabricOutput::FindIdleQueue() const
{
    if (m_buffer)
    {
        return {}; // each frame gives its memory back when it has left
    }
    // A frame surely passes untouched only while the queue is short enough for every action.
    std::optional<uint64_t> least = std::numeric_limits<uint64_t>::max();
    for (const Ptr<FabricStartAction>& action : m_actions)
    {
        least = std::min(least, action->GetIdleQueue()); // no value is the least
    }
    return least;
}

void
FabricOutput::Dispose()
{
    m_departure.Cancel();
    m_actions.clear();
}

void
FabricOutput::AddStartAction(Ptr<FabricStartAction> action)
{
    m_actions.push_back(action);
    m_isPlain = false;
}

bool
FabricOutput::CanLose() const
{
    return std::any_of(m_actions.begin(),
                       m_actions.end(),
                       [this](const Ptr<FabricStartAction>& action)
                       { return action->CanLose(m_link); });
}

void
FabricOutput::Settle(int64_t now)
{
    // What is expected comes in first, up to `now` itself: a start before `now` chooses among all
    // frames that arrived until then, with or without an event.
    if (m_trains.IsExpecting())
    {
        m_trains.TakeInExpected(now);
    }
    SettleWaiting(now);
}

void
FabricOutput::SettleWaiting(int64_t now)
{
    // The queue is sampled for its maximum once for each instant of arrivals, and before a later
    // start takes a frame away.
    if (m_unsampled < now)
    {
        SampleQueue();
    }
    while (m_free < now)
    {
        const FabricQueuePair* const sender =
            m_trains.FormsTrains() ? m_arbiter.FindOnlySender() : nullptr;
        if (sender && m_trains.StartLocalTrain(*sender, now))
        {
            continue;
        }
        // A start at `now` stays open (T1 of docs/semantics.md): whatever else happens at this
        // instant may still change which frame it is.
        const int64_t start = FindStart();
        if (start >= now)
        {
            break;
        }
        Commit(start);
    }
    // All starts before `now` are decided. So a frame that arrives from now on cannot start in a
    // gap of the past in which the link was free.
    m_free = std::max(m_free, now);
    ReleaseLeft(now);
}

int64_t
FabricOutput::PredictArrival() const
{
    const int64_t start = FindStart();
    return start == NEVER ? NEVER : m_times.ComputeArrival(m_arbiter.PeekBytes(start), start);
}

void
FabricOutput::Enqueue(const FabricFrame& frame, int64_t now)
{
    Settle(now);
    if (frame.IsLinkLocal() && CancelsWaiting(frame))
    {
        return;
    }
    m_trains.BreakPromises(now);
    Insert(frame, now);
}

/// Withdraws the pauses or resumes that wait and that `frame` would undo. \return Whether `frame`
/// need not be sent either.
bool
FabricOutput::CancelsWaiting(const FabricFrame& frame)
{
    const FabricArbiter::Cancelled cancelled = m_arbiter.CancelOpposite(frame);
    m_ledger.withdrawn += cancelled.count * frame.wireBytes; // pause frames all have one size
    // A pause and a resume that would leave one after the other change nothing at a peer that has
    // neither. A repeated pause may be in force there already.
    return cancelled.count > 0 && !cancelled.isSomeRepeated;
}

void
FabricOutput::Insert(const FabricFrame& frame, int64_t now)
{
    ForgetTurnsIfIdle(now);
    m_arbiter.Insert(frame, now);
    m_ledger.enqueued += frame.wireBytes;
    m_unsampled = now;
    // Before the memory decides, the node settles only the ports that are listed as holders.
    if (m_buffer && !m_link.isListedHolder)
    {
        m_link.GetFabricNode().ListHolder(m_link);
    }
}

void
FabricOutput::Update(FabricQueuePair& queuePair, FabricPriority priority, int64_t now)
{
    ForgetTurnsIfIdle(now);
    if (queuePair.GetRetryTimer())
    {
        m_trains.ForgetSeenSlot(); // an answer may have ended the wait for others
    }
    // A promise reaches no further than the last frame of the message under way. So a queue pair
    // that gets one more message keeps it; only another number of queue pairs in the turns breaks
    // it.
    if (m_arbiter.Update(queuePair, priority))
    {
        m_trains.BreakPromises(now);
    }
}

void
FabricOutput::Remove(const FabricQueuePair& queuePair, FabricPriority priority, int64_t now)
{
    Settle(now);
    m_trains.BreakPromises(now);
    m_arbiter.Remove(queuePair, priority);
}

std::vector<FabricFrame>
FabricOutput::WithdrawFrames(int64_t now)
{
    Settle(now);
    m_trains.BreakPromises(now);
    std::vector<FabricFrame> frames = m_arbiter.TakeFrames();
    for (const FabricFrame& frame : frames)
    {
        m_ledger.withdrawn += frame.wireBytes;
    }
    return frames;
}

void
FabricOutput::PassTrain(const FabricFrame& first, uint64_t count, int64_t gap, uint64_t mostWaiting)
{
    m_started.maxQueueBytes = std::max(m_started.maxQueueBytes, mostWaiting);
    m_ledger.enqueued += count * first.wireBytes;
    const bool findsIdle = mostWaiting == 0;
    if (findsIdle)
    {
        m_arbiter.ForgetTurns(); // at each of the frames, so that the last one's turn is the first
    }
    m_arbiter.PassTrain(first.priority, findsIdle ? 1 : count);
    CommitTrain(first, count, gap);
}

void
FabricOutput::StartLocalTrain(const FabricFrame& first, uint64_t count, const FabricPace& pace)
{
    // The first frame may have to wait for the rate of its queue pair although the port is free.
    m_free = pace.first;
    m_arbiter.TakeLocalTrain(count, m_free + static_cast<int64_t>(count - 1) * pace.gap);
    m_ledger.own += count * first.wireBytes;
    CommitTrain(first, count, pace.gap);
}

void
FabricOutput::WatchDepartures(int64_t now)
{
    // Each end of transmission frees memory, and with it may end a pause. Without an event the node
    // would settle this port at the next touch only, which may never come: the paused peer sends
    // nothing.
    if (!m_watchesDepartures)
    {
        m_watchesDepartures = true;
        ScheduleDeparture(now);
    }
}

FabricPortCounters
FabricOutput::ReadCounters(int64_t now)
{
    Settle(now);
    FabricPortCounters ended = m_started;
    // Results count a frame at the end of its transmission, and m_started counts it at its start.
    // At most one frame is between the two.
    if (m_currentEnd > now)
    {
        ended.Subtract(m_current);
    }
    return ended;
}

void
FabricOutput::AddCounters(const FabricPortCounters& counters)
{
    // Marks, pauses, drops and retransmissions are left out, because periods that have any are not
    // kept (FabricPortCounters::IsPlain). The ledger only has to balance, so it counts all frames
    // as if this node had sent them.
    m_started.wireBytes += counters.wireBytes;
    m_started.dataFrames += counters.dataFrames;
    m_started.ownDataFrames += counters.ownDataFrames;
    m_started.maxQueueBytes = std::max(m_started.maxQueueBytes, counters.maxQueueBytes);
    m_ledger.own += counters.wireBytes;
    m_ledger.handedOver += counters.wireBytes;
}

void
FabricOutput::CheckConservation(uint64_t inFlightBytes) const
{
    NS_ABORT_MSG_IF(m_started.wireBytes != inFlightBytes + m_ledger.handedOver,
                    "started bytes are not in flight plus handed over");
    NS_ABORT_MSG_IF(m_ledger.enqueued + m_ledger.own !=
                        m_arbiter.GetWaitingBytes() + m_started.wireBytes + m_ledger.withdrawn,
                    "arrived bytes are not waiting plus started plus withdrawn");
}

/// Requires: settled up to `now`, when something comes.
void
FabricOutput::ForgetTurnsIfIdle(int64_t now)
{
    if (m_currentEnd <= now && m_arbiter.IsEmpty())
    {
        m_arbiter.ForgetTurns();
    }
}

/// When the next frame starts, as things are now. NEVER: none does. Frames that are only expected
/// do not count (Settle takes them in).
int64_t
FabricOutput::FindStart() const
{
    // A start needs the arbiter's consent (a rate, a pause) and a link that is up. Each may move
    // the time on, so the two are asked in turn until both agree.
    int64_t start = m_arbiter.FindStart(m_free);
    const FabricLinkPlan* plan = m_times.GetPlan();
    while (plan && start != NEVER)
    {
        const int64_t up = plan->FindUp(start);
        if (up == start || up == FabricLinkFault::FOREVER)
        {
            return up;
        }
        start = m_arbiter.FindStart(up);
    }
    return start;
}

void
FabricOutput::SampleQueue()
{
    // Arrivals of that instant are complete, and its start, if any, is final. That frame did not
    // wait, so it starts first. What then still waits is the largest queue until the next arrival.
    if (FindStart() == m_unsampled)
    {
        Commit(m_unsampled);
    }
    m_started.maxQueueBytes = std::max(m_started.maxQueueBytes, m_arbiter.GetWaitingBytes());
    m_unsampled = NEVER;
}

/// Starts the frame that the arbiter chooses at `start`. Requires: FindStart() == start.
void
FabricOutput::Commit(int64_t start)
{
    // The order of these steps is part of the model. The frame before has left by `start`, so it
    // gives its memory back before m_current is overwritten. A mark and a telemetry record read the
    // queue that the frame leaves behind, so Take comes before them. The record tells the bytes of
    // the frames before this one, so m_started counts it after them.
    ReleaseLeft(start);
    FabricFrame frame = m_arbiter.Take(start);
    m_free = m_times.ComputeEnd(frame.wireBytes, start);
    const int64_t arrival = m_times.ComputeArrival(frame.wireBytes, start, m_free);
    if (!m_isPlain)
    {
        Act(frame, start, arrival);
    }
    m_link.ReportTransmit(frame, start);
    m_started.Add(frame, 1);
    // Data of hop 0 comes from a queue pair of this node, and was never enqueued here.
    m_ledger.own += frame.IsData() && frame.hop == 0 ? frame.wireBytes : 0;
    Launch(frame, arrival);
    m_current = frame;
    m_currentEnd = m_free;
}

/// What Commit does, at once for `count` frames, the first of which starts at m_free. Requires: no
/// action does anything to these frames, and none of them is stored here.
void
FabricOutput::CommitTrain(const FabricFrame& first, uint64_t count, int64_t gap)
{
    m_started.Add(first, count);
    // None of these frames gets an event, so each counts as handed over when it starts, as in
    // Launch.
    m_ledger.handedOver += count * first.wireBytes;
    m_current = first;
    m_current.sequence += count - 1;                 // all are alike but for their numbers
    m_free += static_cast<int64_t>(count - 1) * gap; // the last start, which is past
    m_free = m_times.Add(m_free, m_times.ComputeTransmitTime(first.wireBytes));
    m_currentEnd = m_free;
}

void
FabricOutput::Launch(const FabricFrame& frame, int64_t arrival)
{
    // Nobody needs an event for a frame that was foretold. For the ledger it has then been handed
    // over, as nothing will count it at its arrival.
    if (m_trains.KeepPromise(frame))
    {
        m_ledger.handedOver += frame.wireBytes;
        return;
    }
    m_link.Launch(frame, arrival);
}

/// What happens to a frame at its start, beside the start itself.
void
FabricOutput::Act(FabricFrame& frame, int64_t start, int64_t arrival)
{
    // A port with faults has an action for them, and forms no trains: all its starts come by here.
    m_hasAlteredRate |= m_times.GetRateAt(start) != m_times.GetUsualRate();
    // Frames that this node sends itself were never stored here.
    m_currentStored = m_buffer && frame.IsData() && frame.hop > 0;
    const bool wasMarked = frame.isMarked;
    const FabricStartAction::Start view{m_link, start, arrival, m_started.wireBytes, m_arbiter};
    for (const Ptr<FabricStartAction>& action : m_actions)
    {
        action->OnStart(frame, view);
    }
    m_started.marks += frame.isMarked && !wasMarked;
    if (frame.isMarked)
    {
        // Whoever receives it acts on the mark, so each node on the way must see it arrive.
        NS_ABORT_MSG_IF(m_trains.FormsTrains() && !wasMarked, "a port that marks forms trains");
        frame.isTrainable = false;
    }
}

void
FabricOutput::ReleaseLeft(int64_t now)
{
    if (m_currentStored && m_currentEnd <= now)
    {
        m_currentStored = false;
        m_buffer->Release({m_current.ingress, m_current.ingressPriority}, m_current.wireBytes);
    }
}

void
FabricOutput::ScheduleDeparture(int64_t now)
{
    if (m_expectedDeparture == now)
    {
        return; // an end of this very instant, which is yet to be told
    }
    const int64_t end = FindDeparture(now);
    if (end == m_expectedDeparture)
    {
        return;
    }
    m_expectedDeparture = end;
    if (end == NEVER)
    {
        m_departure.Cancel();
        m_watchesDepartures = m_arbiter.GetWaitingBytes() > 0; // of paused priorities, or none
        return;
    }
    m_departure.ScheduleAt(end, m_link.GetContext());
}

/// The present transmission ends next, or, if the link is free, that of the frame that starts next.
/// If nothing can start, the port stops watching, unless paused frames wait: their resume starts
/// them again.
int64_t
FabricOutput::FindDeparture(int64_t now) const
{
    if (m_currentEnd > now)
    {
        return m_currentEnd;
    }
    const int64_t start = FindStart();
    return start == NEVER ? NEVER : m_times.ComputeEnd(m_arbiter.PeekBytes(start), start);
}

void
FabricOutput::OnDeparture()
{
    const int64_t now = FabricNow();
    m_expectedDeparture = NEVER;
    Settle(now);
    m_watchesDepartures = false; // the node asks again if it still pauses somebody
    m_link.GetFabricNode().RequestFinishArrivals();
}

} // namespace ns3
