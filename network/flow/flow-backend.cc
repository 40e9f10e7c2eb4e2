// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/flow-backend.h"

#include "common/check.h"
#include "common/unit-parser.h"
#include "network/backend-kind.h"

#include <fmt/format.h>

#include <algorithm>
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
    , m_groups(topology.LinkCount())
    , m_ends(topology.LinkCount())
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
        const uint32_t group = m_shares.GroupOf(crossing.flow);
        if (group == FairShares::NONE)
        {
            continue; // it starts at the end of this instant
        }
        const detail::Wide left =
            std::max(pair.target - m_groups[group].ServiceAt(m_loop.Now()), detail::Wide{0});
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
    TakeLeft();
    // All stops and starts of the instant are known before rates are computed, once.
    for (const uint32_t pair : m_starting)
    {
        m_shares.Start(pair);
    }
    ChangeRates();
    if (!m_ends.IsEmpty())
    {
        m_settling.Request(m_ends.At(m_ends.First()));
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
    for (const Arrival& arrival : m_dueArrivals)
    {
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

/// The first message of the queue pair begins to leave now, at the rate of its flow's group, which
/// has that service.
void
FlowBackend::StartNext(uint32_t pair, detail::Wide service)
{
    const FlowQueuePair& record = m_pairs[pair];
    const MessageCost& cost = CostOf(pair, m_messages[record.first].message.Carried());
    Join(pair, service + m_scale.Work(cost.wire));
}

/// Of the groups whose first end is due.
void
FlowBackend::TakeLeft()
{
    m_ends.FindDue(m_loop.Now(), m_dueGroups);
    for (const uint32_t group : m_dueGroups)
    {
        TakeLeftOf(group);
    }
    for (auto group = m_dueGroups.rbegin(); group != m_dueGroups.rend(); ++group)
    {
        QueueEnd(*group);
    }
}

/// The end of the first of the group is due, or was when its rate was higher.
void
FlowBackend::TakeLeftOf(uint32_t group)
{
    constexpr uint32_t FEW = 4;
    FlowGroup& due = m_groups[group];
    const detail::Wide service = due.ServiceAt(m_loop.Now());
    for (uint32_t one = 0; one < FEW && !due.IsEmpty() && due.First().target <= service; ++one)
    {
        const FlowGroup::Member first = due.First();
        due.RemoveFirst();
        TakeLeftMember(first, service);
    }
    if (!due.IsEmpty() && due.First().target <= service)
    {
        // Many end at once: one pass over the group is less than a search for each.
        due.TakeDue(service, m_dueMembers);
        for (const FlowGroup::Member& member : m_dueMembers)
        {
            TakeLeftMember(member, service);
        }
    }
}

void
FlowBackend::TakeLeftMember(const FlowGroup::Member& member, detail::Wide service)
{
    if (!IsStale(member))
    {
        OnLeft(member.pair, service);
    }
}

/// The first message of the queue pair has left, at the present service of its group.
void
FlowBackend::OnLeft(uint32_t pair, detail::Wide service)
{
    const SimTime now = m_loop.Now();
    FlowQueuePair& record = m_pairs[pair];
    const uint32_t left = record.first;
    // Copied: StartNext may compute the cost of the next message in its place.
    const MessageCost cost = record.cost;
    record.delivered = std::max(now + cost.tail, record.delivered + cost.lastFrame);
    const uint64_t ends = uint64_t{record.name.destination.value} << 32 | record.name.source.value;
    m_arrivals.Add(record.delivered, {ends, left});
    m_tally.Count(m_shares, pair, cost);
    --m_leaving;
    record.first = m_messages[left].next;
    if (record.first != FlowQueuePair::NONE)
    {
        // In the group of before. If the flow changes its group at this same instant, the message
        // takes all its work along.
        StartNext(pair, service);
        return;
    }
    m_shares.Stop(pair);
}

/// After flows have started and stopped.
void
FlowBackend::ChangeRates()
{
    const SimTime now = m_loop.Now();
    const FairShares::Changes& changes = m_shares.Update();
    for (const FairShares::NewRate& change : changes.rates)
    {
        m_groups[change.group].SetRate(now, m_shares.RateOfGroup(change.group));
    }
    for (const FairShares::NewGroup& change : changes.groups)
    {
        ChangeGroup(change);
    }
    for (const uint32_t pair : m_starting)
    {
        StartNext(pair, m_groups[m_shares.GroupOf(pair)].ServiceAt(now));
        QueueEndIfFirst(pair);
    }
    m_starting.clear();
    for (const FairShares::NewRate& change : changes.rates)
    {
        QueueEndIfSooner(change.group);
    }
}

void
FlowBackend::ChangeGroup(const FairShares::NewGroup& change)
{
    const SimTime now = m_loop.Now();
    FlowGroup& before = m_groups[change.before];
    const detail::Wide left = m_pairs[change.flow].target - before.ServiceAt(now);
    Join(change.flow, m_groups[m_shares.GroupOf(change.flow)].ServiceAt(now) + left);
    // Otherwise settling would wake up for a message that is no longer there.
    if (!before.IsEmpty() && IsStale(before.First()))
    {
        QueueEnd(change.before);
    }
    QueueEndIfFirst(change.flow);
}

/// The first message of the queue pair has left when its group's service is `target`.
void
FlowBackend::Join(uint32_t pair, detail::Wide target)
{
    FlowQueuePair& record = m_pairs[pair];
    record.target = target;
    m_groups[m_shares.GroupOf(pair)].Add({target, pair, ++record.stamp});
}

bool
FlowBackend::IsStale(const FlowGroup::Member& member) const
{
    return m_pairs[member.pair].stamp != member.stamp;
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

/// When the first of the group has left, if its rate stays as it is.
void
FlowBackend::QueueEnd(uint32_t group)
{
    FlowGroup& queued = m_groups[group];
    while (!queued.IsEmpty() && IsStale(queued.First()))
    {
        queued.RemoveFirst();
    }
    m_ends.Set(group, queued.IsEmpty() ? SimTime::Max() : queued.EndOf(queued.First().target));
}

/// Where the first message of the queue pair, which has just joined its group, ends first of it.
void
FlowBackend::QueueEndIfFirst(uint32_t pair)
{
    const uint32_t group = m_shares.GroupOf(pair);
    const FlowGroup& joined = m_groups[group];
    if (joined.First().pair != pair)
    {
        return;
    }
    if (m_ends.At(group) == SimTime::Max())
    {
        m_ends.Set(group, joined.EndOf(m_pairs[pair].target));
        return;
    }
    QueueEndIfSooner(group);
}

/// An end that comes later than the entry in the agenda waits for that to come, which spares its
/// computation.
void
FlowBackend::QueueEndIfSooner(uint32_t group)
{
    const FlowGroup& queued = m_groups[group];
    const SimTime at = m_ends.At(group);
    if (at == SimTime::Max() ||
        (!queued.IsEmpty() && queued.First().target <= queued.ServiceAt(at - SimTime::FromPs(1))))
    {
        QueueEnd(group);
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
