// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-port-trains.h"

#include "fabric-output.h"
#include "fabric-port.h"

#include "ns3/abort.h"
#include "ns3/fabric-node.h"
#include "ns3/fabric-routing.h"
#include "ns3/fabric.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// How many waiting frames a port looks at to find the next one that must be seen. Its event may
/// come too early, but a long queue is not walked at each touch.
constexpr std::size_t MOST_LOOKED_AT = 256;

/// How many of the times first, first + gap, ... lie before `end`. Requires: first < end.
uint64_t
CountBefore(int64_t first, int64_t gap, int64_t end)
{
    return static_cast<uint64_t>((end - first - 1) / gap) + 1;
}

} // namespace

FabricPortTrains::FabricPortTrains(FabricPort& link, FabricOutput& output)
    : m_link(link)
    , m_times(link.GetTimes())
    , m_output(output)
{
}

void
FabricPortTrains::Prepare()
{
    // The node at the far end may be calm again while its resume is still on the way here.
    m_mayFormTrains = m_link.GetFabricNode().GetFabric().FormsTrains() &&
                      !m_output.GetArbiter().IsPaused() && m_output.FindIdleQueue().has_value() &&
                      m_link.IsLinkUp() && m_link.GetPeer().GetFabricNode().PassesTrains() &&
                      !m_link.IsTraced();
    m_formsTrains = m_mayFormTrains;
}

void
FabricPortTrains::Expect(const FabricTrain& train, int64_t now)
{
    m_output.Settle(now);
    // What this port has promised supposed that nothing else arrives here.
    BreakPromises(now);
    m_expected.Add(train);
}

void
FabricPortTrains::Cut(uint32_t ingress, uint32_t flow, uint64_t end, int64_t now)
{
    m_output.Settle(now);
    // By settling first, the port takes in the frames that have arrived by `now`. Those started
    // elsewhere before the cut, so they are not among the frames taken back.
    m_expected.Cut(ingress, flow, end);
    // If this port has passed the announcement on, it takes that back too: the recursion follows
    // the path of the flow as far as it was promised.
    if (FabricPort* const egress = m_promises.Shorten(flow, end))
    {
        m_seenSlot = {};
        egress->CutTrain(m_link.GetPeer().GetIndex(), flow, end, now);
    }
}

void
FabricPortTrains::TakeInExpected(int64_t now)
{
    while (m_expected.FindNext() <= now)
    {
        // Arrivals come in one by one, in the order of time and ingress port. What starts before an
        // arrival must not see it.
        const int64_t arrival = m_expected.FindNext();
        m_output.SettleWaiting(arrival);
        if (!PassTrain(now))
        {
            m_output.Insert(m_expected.Front().next, arrival);
            m_expected.Advance(1);
        }
    }
}

uint64_t
FabricPortTrains::CountSteps() const
{
    return m_steps + m_output.GetArbiter().CountSteps();
}

bool
FabricPortTrains::PassTrain(int64_t now)
{
    // Commits as many frames as possible in one step. This is the only train, and it comes to an
    // idle port. Either the port is free when the first frame comes, and a frame leaves (t =
    // `time`) before the next one comes (t <= gap). Or it comes exactly as fast as it leaves (t =
    // gap), and the port is less than a frame late, for instance after an acknowledgement. So every
    // frame starts before the next one arrives. With t = 10 and a port that is 3 late, frames that
    // arrive at 0, 10, 20 start at 3, 13, 23, and a queue of one frame is all that ever waits.
    if (!m_formsTrains || m_expected.GetSize() != 1 || !m_output.GetArbiter().IsEmpty() ||
        m_output.GetFree() >= now)
    {
        return false;
    }
    const FabricTrain& train = m_expected.Front();
    const int64_t time = m_times.ComputeTransmitTime(train.next.wireBytes);
    const int64_t lateness = m_output.GetFree() - train.arrival;
    const bool keepsPace = lateness == 0 ? time <= train.gap : time == train.gap && lateness < time;
    if (!keepsPace)
    {
        return false;
    }
    const uint64_t started = std::min(train.count, CountBefore(m_output.GetFree(), train.gap, now));
    // Frames beyond the promise to the next port need an event there, so they take the ordinary
    // way.
    const uint64_t count = CountForetold(train.next, started);
    if (count == 0)
    {
        return false;
    }
    KeepPromises(train.next, count);
    m_output.PassTrain(train.next, count, train.gap, lateness > 0 ? train.next.wireBytes : 0);
    m_expected.Advance(count);
    return true;
}

bool
FabricPortTrains::StartLocalTrain(const FabricQueuePair& sender, int64_t now)
{
    const bool areForetold = sender.EndsAtPeer() || !m_promises.IsEmpty();
    if (!areForetold || !sender.FormsTrains())
    {
        return false;
    }
    // What TakeFrame would give for each of them; only the number differs.
    FabricFrame frame;
    frame.flow = sender.GetFlow();
    frame.sequence = sender.GetNext();
    frame.wireBytes = sender.PeekBytes();
    frame.priority = m_output.GetArbiter().GetOnlyPriority();
    frame.isTrainable = true;
    frame.endsUnseen = sender.EndsAtPeer();
    const FabricPace pace =
        sender.FindPace(m_output.GetFree(), m_times.ComputeTransmitTime(frame.wireBytes));
    if (pace.first >= now)
    {
        return false;
    }
    // A frame that is answered is never part of a train, nor is the last one of a message, whose
    // arrival is the message's delivery.
    const uint64_t started = std::min(
        {sender.CountBeforeAnswered(), pace.count, CountBefore(pace.first, pace.gap, now)});
    const uint64_t count = CountForetold(frame, started);
    if (count == 0)
    {
        return false;
    }
    KeepPromises(frame, count);
    m_output.StartLocalTrain(frame, count, pace);
    return true;
}

uint64_t
FabricPortTrains::CountForetold(const FabricFrame& frame, uint64_t most)
{
    // How many of the next `most` frames need no event at the peer: all whose arrival nobody acts
    // on, or else those that were promised to the next port.
    if (frame.endsUnseen)
    {
        return most;
    }
    const FabricPromise* promise = m_promises.Find(frame.flow);
    return promise ? std::min(most, promise->end - promise->next) : 0;
}

/// `count` frames start: they are among those that were promised, unless they end unseen.
void
FabricPortTrains::KeepPromises(const FabricFrame& first, uint64_t count)
{
    if (!first.endsUnseen)
    {
        m_promises.Keep(first.flow, first.sequence, count);
        m_thrift.CountKept(count);
    }
}

int64_t
FabricPortTrains::PredictSeenArrival()
{
    // A bound from below for the next arrival that the peer's node must see. It may be too early:
    // the event then settles and looks again. It must never be too late, or the arrival would be
    // missed.
    const FabricRoundRobin* local = m_output.GetArbiter().GetOnlyLocal();
    // While a promise is in force it covers every frame that waits here (ForetellTransit makes sure
    // of it), so none of them needs an event.
    const bool isTurnSeen = m_output.GetArbiter().GetNSeen() > 0 && m_promises.IsEmpty();
    if (isTurnSeen && m_formsTrains && IsOnlyTransit())
    {
        return std::min(PredictExpected(), PredictTransit());
    }
    if (!isTurnSeen && m_formsTrains && local && local->IsPaced() && IsOnlyLocal(*local))
    {
        return PredictPaced(local->Get(0));
    }
    if (isTurnSeen || !m_formsTrains || !local || local->IsPaced())
    {
        return std::min(PredictExpected(), m_output.PredictArrival());
    }
    return std::min(PredictExpected(), PredictLocal(*local));
}

int64_t
FabricPortTrains::PredictTransit()
{
    // Only frames in transit wait, so they start back to back. Those that end unseen are stepped
    // over.
    const FabricFrameQueue& transit = m_output.GetArbiter().GetOnlyTransit();
    const std::size_t most = std::min(transit.GetSize(), MOST_LOOKED_AT);
    int64_t start = m_output.GetFree();
    std::size_t i = 0;
    for (; i + 1 < most && transit[i].endsUnseen; ++i)
    {
        start = m_times.Add(start, m_times.ComputeTransmitTime(transit[i].wireBytes));
    }
    return m_times.ComputeArrival(transit[i].wireBytes, start);
}

int64_t
FabricPortTrains::PredictExpected()
{
    if (m_expected.IsEmpty() || !m_promises.IsEmpty())
    {
        return NEVER; // a promise covers all that is expected
    }
    // Nothing starts until the resume, which touches the port. Of several priorities one may.
    if (m_output.GetArbiter().IsPaused() &&
        m_link.GetFabricNode().GetFabric().GetRouting().GetNPriorities() == 1)
    {
        return NEVER;
    }
    // Where no trains are formed, each start needs an event, even that of a frame that could end
    // unseen.
    const FabricTrain* train = m_formsTrains ? m_expected.FindSeen() : m_expected.FindFirst();
    return train ? m_times.ComputeArrival(train->next.wireBytes,
                                          std::max(m_output.GetFree(), train->arrival))
                 : NEVER;
}

int64_t
FabricPortTrains::PredictLocal(const FabricRoundRobin& local)
{
    if (local.IsEmpty())
    {
        return NEVER;
    }
    // The slot keeps its number while frames start in turn, and promises and turns stay.
    if (m_seenSlot.bytes == 0 || m_seenSlot.number < local.GetServed())
    {
        m_seenSlot = FindSeenSlot(local);
    }
    const int64_t time = m_times.ComputeTransmitTime(
        m_link.GetFabricNode().GetFabric().GetProtocol().GetFullFrame());
    const uint64_t ahead = m_seenSlot.number - local.GetServed();
    return m_times.ComputeArrival(m_seenSlot.bytes,
                                  m_times.Add(m_output.GetFree(), FabricMultiplyTime(ahead, time)));
}

int64_t
FabricPortTrains::PredictPaced(const FabricQueuePair& queuePair)
{
    // Nothing delays its starts. Behind those that are certain, none comes before the last of them.
    const uint64_t unseen = CountUnseen(queuePair);
    const FabricPace pace = FindPace(queuePair);
    const uint64_t ahead = std::min(unseen, pace.count - 1);
    return m_times.ComputeArrival(queuePair.PeekBytes(unseen),
                                  m_times.Add(pace.first, FabricMultiplyTime(ahead, pace.gap)));
}

FabricPace
FabricPortTrains::FindPace(const FabricQueuePair& queuePair) const
{
    const uint32_t full = m_link.GetFabricNode().GetFabric().GetProtocol().GetFullFrame();
    return queuePair.FindPace(m_output.GetFree(), m_times.ComputeTransmitTime(full));
}

FabricPortTrains::Slot
FabricPortTrains::FindSeenSlot(const FabricRoundRobin& local)
{
    // The queue pairs take turns, so the one whose turn is number `turn` has the slots turn, turn +
    // size, turn + 2 size, ... Until the first frame that must be seen, all frames are full. With
    // two queue pairs of 3 and 1 unseen frames the first seen frames are in the slots 0 + 3 x 2 = 6
    // and 1 + 1 x 2 = 3, so slot 3 is the first. No queue pair behind it can have an earlier one.
    const std::size_t size = local.GetSize();
    uint64_t ahead = std::numeric_limits<uint64_t>::max();
    Slot slot;
    for (std::size_t turn = 0; turn < size && turn < ahead; ++turn)
    {
        const FabricQueuePair& queuePair = local.Get(turn);
        const uint64_t unseen = CountUnseen(queuePair);
        if (turn + unseen * size < ahead)
        {
            ahead = turn + unseen * size;
            slot.bytes = queuePair.PeekBytes(unseen);
        }
        ++m_steps;
    }
    slot.number = local.GetServed() + ahead;
    return slot;
}

uint64_t
FabricPortTrains::CountUnseen(const FabricQueuePair& queuePair)
{
    if (!queuePair.FormsTrains())
    {
        return 0;
    }
    if (queuePair.EndsAtPeer())
    {
        return queuePair.AwaitsTimer()
                   ? 0
                   : std::min(queuePair.CountBeforeAnswered(), FabricPromiseThrift::MOST_TRAIN);
    }
    const FabricPromise* promise = m_promises.Find(queuePair.GetFlow());
    return promise ? promise->end - promise->next : 0;
}

void
FabricPortTrains::Promise(const FabricFrame& head, int64_t now)
{
    // A frame that was on the wire when an earlier promise was made may still arrive by its event.
    if (m_promises.Find(head.flow) != nullptr || !m_thrift.MayPromise())
    {
        return;
    }
    std::optional<FabricTrain> train = head.hop == 0 ? ForetellLocal(head) : ForetellTransit(head);
    if (!train || train->count < FabricPromiseThrift::LEAST_TRAIN)
    {
        return;
    }
    FabricPromise promise;
    promise.flow = head.flow;
    // The promise is about frames that have not started here, so that it can be taken back. The
    // train is about frames that have not arrived there. Those on the wire are in the train only.
    promise.next = train->next.sequence;
    promise.end = train->GetEnd();
    TakeInFlight(*train);
    train->next.ArriveBy(m_link.GetPeer().GetIndex());
    promise.egress = m_link.GetPeer().GetFabricNode().Expect(*train, now);
    // There is an egress, because frames that end at the next node are unseen there and make no
    // promise (FabricPort::HandOver).
    NS_ABORT_MSG_IF(!promise.egress, "a train was promised to its end");
    m_promises.Add(promise);
    m_thrift.CountPromise();
    m_seenSlot = {};
    m_link.GetFabricNode().GetFabric().CountTrain();
}

std::optional<FabricTrain>
FabricPortTrains::ForetellLocal(const FabricFrame& head)
{
    // All queue pairs have full frames for the next `slots` slots, and the one of the head takes
    // every size-th of them. Three queue pairs in turn with 5, 2 and 9 full frames: the second runs
    // out first, in slot 1 + 2 x 3 = 7. The third then surely has the slots 2 and 5, so its train
    // has two frames at a distance of three frame times.
    FabricRoundRobin* local = m_output.GetArbiter().GetOnlyLocal();
    if (!local || local->IsEmpty() || m_output.GetArbiter().GetWaitingBytes() != 0 ||
        !m_expected.IsEmpty())
    {
        return {};
    }
    if (local->IsPaced())
    {
        return ForetellPaced(head, *local);
    }
    const FabricQueuePair& sender =
        *m_link.GetFabricNode().GetFabric().GetFlow(head.flow).queuePair;
    if (!sender.HasFrame() || !sender.FormsTrains() ||
        sender.CountBeforeAnswered() < FabricPromiseThrift::LEAST_TRAIN)
    {
        return {}; // as where all messages are short; the turns need not be looked at
    }
    const std::size_t size = local->GetSize();
    const std::size_t own = local->FindTurnOf(sender);
    const uint64_t slots = local->CountFullSlots();
    if (own == size || slots <= own)
    {
        return {};
    }
    const int64_t time = m_times.ComputeTransmitTime(head.wireBytes);
    FabricTrain train;
    train.next = head;
    train.next.sequence = local->Get(own).GetNext();
    const int64_t start = m_times.Add(m_output.GetFree(), FabricMultiplyTime(own, time));
    train.arrival = m_times.ComputeArrival(head.wireBytes, start);
    train.gap = FabricMultiplyTime(size, time);
    train.count = std::min((slots - own + size - 1) / size, FabricPromiseThrift::MOST_TRAIN);
    return train;
}

/// Requires: nothing waits or is expected.
std::optional<FabricTrain>
FabricPortTrains::ForetellPaced(const FabricFrame& head, const FabricRoundRobin& local)
{
    const FabricQueuePair& queuePair = local.Get(0);
    if (local.GetSize() != 1 || queuePair.GetFlow() != head.flow || !queuePair.FormsTrains())
    {
        return {}; // several take their turns when their rates allow, at no equal distances
    }
    const FabricPace pace = FindPace(queuePair);
    FabricTrain train;
    train.next = head;
    train.next.sequence = queuePair.GetNext();
    train.arrival = m_times.ComputeArrival(head.wireBytes, pace.first);
    train.gap = pace.gap;
    train.count =
        std::min({queuePair.CountBeforeAnswered(), pace.count, FabricPromiseThrift::MOST_TRAIN});
    return train;
}

std::optional<FabricTrain>
FabricPortTrains::ForetellTransit(const FabricFrame& head)
{
    // Only frames of this flow wait or are expected, and they leave at equal distances: at those of
    // their arrivals if the port is free whenever one comes, or back to back if none finds it free.
    if (m_expected.GetSize() != 1 || m_expected.Front().next.flow != head.flow || !IsOnlyFlow(head))
    {
        return {};
    }
    FabricTrain train = m_expected.Front();
    const FabricFrameQueue& transit = m_output.GetArbiter().GetOnlyTransit();
    const std::size_t waiting = transit.GetSize();
    const FabricFrame& latest = waiting > 0 ? transit[waiting - 1] : m_output.GetCurrent();
    if (latest.flow != head.flow || latest.sequence + 1 != train.next.sequence)
    {
        return {}; // frames between them are on their way, to arrive by events
    }
    // `free` is when the port has sent what waits now. If that is before the next arrival, there is
    // a gap; if frames leave faster than they come, the queue runs dry after a while. In both cases
    // the distances change on the way, so this is no train.
    const int64_t time = m_times.ComputeTransmitTime(head.wireBytes);
    const int64_t free = m_times.Add(m_output.GetFree(), FabricMultiplyTime(waiting, time));
    const bool waits = waiting > 0 || free > train.arrival;
    if ((waiting > 0 && free < train.arrival) || (waits && time < train.gap))
    {
        return {};
    }
    const int64_t start = waiting > 0 ? m_output.GetFree() : std::max(free, train.arrival);
    train.next.sequence -= waiting;
    train.arrival = m_times.ComputeArrival(head.wireBytes, start);
    train.gap = std::max(time, train.gap);
    train.count += waiting;
    return train;
}

bool
FabricPortTrains::IsOnlyLocal(const FabricRoundRobin& local) const
{
    return local.GetSize() == 1 && local.Get(0).FormsTrains() &&
           m_output.GetArbiter().GetWaitingBytes() == 0 && m_expected.IsEmpty();
}

bool
FabricPortTrains::IsOnlyTransit() const
{
    const FabricRoundRobin* local = m_output.GetArbiter().GetOnlyLocal();
    // All waiting bytes are data in transit: no control frame waits among them.
    return local && local->IsEmpty() &&
           m_output.GetArbiter().GetWaitingBytes() ==
               m_output.GetArbiter().GetOnlyTransit().GetBytes();
}

bool
FabricPortTrains::IsOnlyFlow(const FabricFrame& head) const
{
    if (!IsOnlyTransit())
    {
        return false;
    }
    const FabricFrameQueue& transit = m_output.GetArbiter().GetOnlyTransit();
    bool isOnly = true;
    for (std::size_t i = 0; i < transit.GetSize() && isOnly; ++i)
    {
        isOnly = transit[i].flow == head.flow && transit[i].isTrainable;
    }
    return isOnly;
}

void
FabricPortTrains::TakeInFlight(FabricTrain& train)
{
    // Frames on the wire need no event of their own if they arrive at the train's distances before
    // its first frame. It is all or none: if one does not fit, the pending event, which stands for
    // the first of them, is still needed.
    FabricRingBuffer<FabricFlyingFrame>& inFlight = m_link.GetInFlight();
    const std::size_t size = inFlight.GetSize();
    for (std::size_t i = 0; i < size; ++i)
    {
        const FabricFlyingFrame& flying = inFlight[i];
        const int64_t ahead = FabricMultiplyTime(size - i, train.gap);
        if (flying.frame.flow != train.next.flow || !flying.frame.isTrainable ||
            flying.arrival != train.arrival - ahead)
        {
            return;
        }
    }
    train.next.sequence -= size;
    train.arrival -= static_cast<int64_t>(size) * train.gap;
    train.count += size;
    while (!inFlight.IsEmpty())
    {
        m_output.CountHandedOver(inFlight.Front().frame.wireBytes);
        inFlight.PopFront();
    }
}

void
FabricPortTrains::BreakPromises(int64_t now)
{
    m_seenSlot = {};
    if (m_promises.IsEmpty())
    {
        return;
    }
    // Frames below promise.next have started, and arrive as promised whatever happens now.
    for (const FabricPromise& promise : m_promises.GetAll())
    {
        promise.egress->CutTrain(m_link.GetPeer().GetIndex(), promise.flow, promise.next, now);
    }
    m_link.GetFabricNode().GetFabric().CountCutTrains(m_promises.GetAll().size());
    m_promises.Clear();
    m_thrift.Judge();
}

} // namespace ns3
