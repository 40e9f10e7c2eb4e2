// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/flow-backend.h"

#include "common/check.h"
#include "common/unit-parser.h"
#include "network/backend-kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>

namespace nadi
{

namespace
{

constexpr uint64_t SETTLE = 0;
constexpr uint64_t DELIVER = 1;

/// After everything else of its round, so that all that is sent there is settled together.
constexpr EventOrder SETTLE_ORDER{EventOrder::Kind::Timer, {std::numeric_limits<uint64_t>::max()}};
constexpr EventOrder DELIVER_ORDER{EventOrder::Kind::Delivery, {}};

/// How many deliveries before its own one the listener is told of a message.
constexpr size_t EXPECTED_AHEAD = 3;

} // namespace

FlowBackend::FlowBackend(const Topology& topology,
                         const Routing& routing,
                         const PacketOptions& options,
                         EventLoop& loop)
    : m_topology(topology)
    , m_routes(topology, routing, options)
    , m_options(options)
    , m_loop(loop)
    , m_scale(topology)
    , m_shares(m_scale.Capacities(topology))
    , m_manyPairs(std::max<uint32_t>(4 * topology.NpuCount(), 1024))
    , m_settling(loop, *this, {SETTLE_ORDER, SETTLE})
    , m_delivering(loop, *this, {DELIVER_ORDER, DELIVER})
    , m_tally(topology.LinkCount())
{
}

void
FlowBackend::SetListener(DeliveryListener& listener)
{
    m_listener = &listener;
}

void
FlowBackend::Send(const Message& message)
{
    NADI_CHECK(m_listener != nullptr);
    NADI_CHECK(message.source != message.destination);
    NADI_CHECK(message.source.value < m_topology.NpuCount());
    NADI_CHECK(message.destination.value < m_topology.NpuCount());
    NADI_CHECK(message.size >= Bytes(0));
    const uint32_t place = m_messages.Make({.message = message, .sent = m_loop.Now()});
    const uint32_t pair = TakeQueuePair(message);
    m_messages[place].pair = pair;
    FlowQueuePair& record = m_pairs[pair];
    ++record.undelivered;
    if (record.first == FlowQueuePair::NONE)
    {
        record.first = place;
        m_starting.push_back(pair);
        m_settling.Request(m_loop.Now());
    }
    else
    {
        m_messages[record.last].next = place;
    }
    record.last = place;
    ++m_leaving;
}

void
FlowBackend::CloseStream(StreamId)
{
}

LinkCounters
FlowBackend::ReadLink(LinkId link) const
{
    LinkCounters counters = m_tally.ReadLink(link);
    const Bytes fullFrame = m_options.payload + m_options.header;
    // Messages that are leaving now: their full frames that have left so far.
    for (const FairShares::Crossing& crossing : m_shares.FlowsOn(link))
    {
        const FlowQueuePair& pair = m_pairs[crossing.flow];
        const detail::Wide left = pair.drain.LeftAt(m_loop.Now(), m_shares.Rate(crossing.flow));
        const Bytes gone = m_scale.WireOf(m_scale.Work(pair.cost.wire) - left);
        const int64_t frames = gone.Count() / fullFrame.Count();
        counters.packets += static_cast<uint64_t>(frames);
        counters.bytes += fullFrame * frames;
    }
    return counters;
}

NetworkTotals
FlowBackend::ReadTotals() const
{
    return m_tally.Totals();
}

void
FlowBackend::OnEvent(uint64_t token)
{
    if (token == SETTLE)
    {
        m_settling.OnCalled();
        Settle();
    }
    else
    {
        m_delivering.OnCalled();
        Deliver();
    }
}

/// The end of an instant, as far as flows are concerned.
void
FlowBackend::Settle()
{
    const SimTime now = m_loop.Now();
    m_dueEnds.clear();
    m_ends.TakeDue(now, m_dueEnds);
    for (const End& end : m_dueEnds)
    {
        if (m_pairs[end.pair].queued == end.queued)
        {
            OnLeft(end.pair);
        }
    }
    // All stops and starts of the instant are known before rates are computed, once.
    for (const uint32_t pair : m_starting)
    {
        m_shares.Start(pair);
    }
    for (const FairShares::Change& change : m_shares.Update())
    {
        const uint64_t rate = m_shares.Rate(change.flow);
        if (change.before == 0)
        {
            continue; // starts, see below
        }
        m_pairs[change.flow].drain.ChangeRate(now, change.before, rate);
        QueueEnd(change.flow);
    }
    for (const uint32_t pair : m_starting)
    {
        StartNext(pair);
    }
    m_starting.clear();
    // Otherwise settling would wake up at instants at which nothing ends.
    m_ends.DropStale([this](const End& end) { return m_pairs[end.pair].queued != end.queued; });
    if (!m_ends.IsEmpty())
    {
        m_settling.Request(m_ends.Next());
    }
    else if (m_leaving > 0)
    {
        ThrowClockEnd(); // nothing is left that could make any of them faster
    }
    if (!m_arrivals.IsEmpty())
    {
        m_delivering.Request(m_arrivals.Next());
    }
}

/// In the order of docs/semantics.md 1, T4: the backend hands over all deliveries of the instant in
/// one event of the loop, so it sorts them itself.
void
FlowBackend::Deliver()
{
    const SimTime now = m_loop.Now();
    m_dueArrivals.clear();
    m_arrivals.TakeDue(now, m_dueArrivals);
    SortArrivals();
    // Asked for before the listener is called: what it sends may add arrivals and ask by itself.
    if (!m_arrivals.IsEmpty())
    {
        m_delivering.Request(m_arrivals.Next());
    }
    for (size_t next = 0; next < m_dueArrivals.size(); ++next)
    {
        const Arrival& arrival = m_dueArrivals[next];
        if (next + EXPECTED_AHEAD < m_dueArrivals.size())
        {
            m_listener->ExpectDelivery(
                m_messages[m_dueArrivals[next + EXPECTED_AHEAD].place].message);
        }
        const FlowMessage delivered = m_messages.Take(arrival.place);
        if (--m_pairs[delivered.pair].undelivered == 0)
        {
            m_pairs.SetIdle(delivered.pair);
        }
        m_listener->OnMessageDelivered({delivered.message, delivered.sent, now, 0});
    }
}

/// Messages mostly leave in the order of their sources. On a ring that is the order of the
/// destinations, but for the last rank, which sends to rank 0: its arrival comes last and belongs
/// first. Such a rotated order is recognised, which spares a full sort at each step of a ring.
void
FlowBackend::SortArrivals()
{
    const auto isBefore = [this](const Arrival& a, const Arrival& b)
    { return a.ends != b.ends ? a.ends < b.ends : m_messages.IsBefore(a.place, b.place); };
    const auto begin = m_dueArrivals.begin();
    const auto end = m_dueArrivals.end();
    const auto firstEnd = std::is_sorted_until(begin, end, isBefore);
    if (firstEnd == end)
    {
        return;
    }
    if (isBefore(m_dueArrivals.back(), *begin) && std::is_sorted(firstEnd, end, isBefore))
    {
        std::rotate(begin, firstEnd, end);
        return;
    }
    std::sort(begin, end, isBefore);
}

uint32_t
FlowBackend::TakeQueuePair(const Message& message)
{
    const QueuePairName name{message.source, message.destination, message.stream};
    const uint32_t found = m_pairs.Find(name);
    if (found != FlowQueuePair::NONE)
    {
        if (m_pairs[found].undelivered == 0)
        {
            m_pairs.SetBusy(found);
        }
        return found;
    }
    // Each collective has queue pairs of its own. The old ones are idle and can be found anew; so a
    // new one replaces the one that has been idle longest, and memory follows the queue pairs in
    // use.
    if (m_pairs.Size() >= m_manyPairs)
    {
        const uint32_t old = m_pairs.RemoveOldestIdle();
        if (old != FlowQueuePair::NONE)
        {
            m_shares.RemoveFlow(old);
        }
    }
    const uint32_t made = m_shares.AddFlow(m_routes.Find(message).links);
    m_pairs.Add(made, name);
    return made;
}

/// Messages of a queue pair are mostly of one size.
const MessageCost&
FlowBackend::CostOf(uint32_t pair, Bytes size)
{
    FlowQueuePair& record = m_pairs[pair];
    if (record.costed != size)
    {
        m_path.clear();
        for (uint32_t hop = 0; hop < m_shares.HopCount(pair); ++hop)
        {
            m_path.push_back(m_shares.LinkAt(pair, hop));
        }
        record.costed = size;
        try
        {
            record.cost = ComputeMessageCost(m_topology, m_path, size, m_options);
        }
        catch (const std::overflow_error&)
        {
            ThrowTooLate(record);
        }
    }
    return record.cost;
}

/// The first message of the queue pair begins to leave now, at the flow's rate.
void
FlowBackend::StartNext(uint32_t pair)
{
    FlowQueuePair& record = m_pairs[pair];
    const MessageCost& cost = CostOf(pair, m_messages[record.first].message.Carried());
    record.drain = Drain(m_loop.Now(), m_scale.Work(cost.wire), m_shares.Rate(pair));
    QueueEnd(pair);
}

/// An end in the queue is due, and is valid: unless the rate has shrunk since, the first message
/// has left.
void
FlowBackend::OnLeft(uint32_t pair)
{
    const SimTime now = m_loop.Now();
    FlowQueuePair& record = m_pairs[pair];
    // The entry was taken from the queue, so none is valid until another one is added.
    ++record.queued;
    // The rate has shrunk since the entry was made; the end now is later.
    if (record.drain.End() > now)
    {
        record.queuedAt = SimTime::Max();
        QueueEnd(pair);
        return;
    }
    const uint32_t left = record.first;
    // Copied: StartNext may compute the cost of the next message in its place.
    const MessageCost cost = record.cost;
    record.delivered = std::max(now + cost.tail, record.delivered + cost.lastFrame);
    const uint64_t ends = uint64_t{record.name.destination.value} << 32 | record.name.source.value;
    m_arrivals.Add(record.delivered, {ends, left});
    m_tally.Count(m_shares, pair, cost);
    --m_leaving;
    record.first = m_messages[left].next;
    record.queuedAt = SimTime::Max();
    if (record.first != FlowQueuePair::NONE)
    {
        // At the rate of before. If settling gives the flow another one, the drain changes its rate
        // at this same instant, when nothing has left at the old one.
        StartNext(pair);
        return;
    }
    m_shares.Stop(pair);
}

/// Names one of the messages that leave after the end of the clock.
void
FlowBackend::ThrowClockEnd() const
{
    for (LinkId link{0}; link.value < m_topology.LinkCount(); ++link.value)
    {
        for (const FairShares::Crossing& crossing : m_shares.FlowsOn(link))
        {
            ThrowTooLate(m_pairs[crossing.flow]);
        }
    }
    NADI_CHECK(false);
}

/// Of the message that leaves.
void
FlowBackend::ThrowTooLate(const FlowQueuePair& pair) const
{
    throw std::overflow_error(
        fmt::format("a message of {} from {} to {} arrives too late",
                    ToText(pair.costed),
                    m_topology.Vertex(VertexId{pair.name.source.value}).name,
                    m_topology.Vertex(VertexId{pair.name.destination.value}).name));
}

/// An end that comes later than the entry in the queue waits for that to come; one that comes
/// sooner replaces it.
void
FlowBackend::QueueEnd(uint32_t pair)
{
    FlowQueuePair& record = m_pairs[pair];
    const SimTime end = record.drain.End();
    if (end < record.queuedAt)
    {
        record.queuedAt = end;
        m_ends.Add(end, {pair, ++record.queued});
    }
}

namespace
{

class FlowKind : public BackendKind
{
  public:
    static constexpr const char* Help =
        "Messages are flows that share the links at max-min fair rates.";

    std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& from) const override
    {
        return std::make_unique<FlowBackend>(from.topology, from.routing, from.options, from.loop);
    }
};

NADI_REGISTER(BackendKind, FlowKind, "flow");

} // namespace

} // namespace nadi
