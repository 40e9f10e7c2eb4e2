// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/flow-backend.h"

#include "common/check.h"
#include "common/error.h"
#include "network/backend-kind.h"
#include "network/late-message.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

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
                         EventLoop& loop,
                         SimTime rateInterval)
    : m_topology(topology)
    , m_routes(topology, routing, options)
    , m_options(options)
    , m_loop(loop)
    , m_scale(topology)
    , m_shares(m_scale.Capacities(topology))
    , m_manyPairs(std::max<uint32_t>(4 * topology.NpuCount(), 1024))
    , m_rateInterval(rateInterval)
    , m_drains(topology.LinkCount())
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
    NADI_CHECK(message.source.value < m_topology.VertexCount());
    NADI_CHECK(message.destination.value < m_topology.VertexCount());
    NADI_CHECK(message.size >= Bytes(0));
    const uint32_t place = m_messages.Make({.message = message, .sent = m_loop.Now()});
    const uint32_t pair = TakeQueuePair(message);
    m_messages[place].pair = pair;
    FlowQueuePair& record = m_pairs[pair];
    ++record.undelivered;
    // Only the first message of a queue pair starts the flow. Those behind it leave one after the
    // other without a further start: OnLeft takes up the next one.
    if (record.first == FlowQueuePair::NONE)
    {
        record.first = place;
        m_starting.push_back(pair);
        m_areRatesOld = true;
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
            continue; // it is yet to start
        }
        const detail::Wide left = m_drains.LeftAt(m_loop.Now(), crossing.flow, group);
        // `pair.cost` is that of the message that is leaving: FirstWorkOf computed it when that
        // message began to leave.
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

/// In the order of docs/semantics.md 1, T4: the backend hands over all deliveries of the instant in
/// one event of the loop, so it sorts them itself.
void
FlowBackend::Deliver()
{
    const SimTime now = m_loop.Now();
    const std::vector<ArrivalQueue::Arrival>& due = m_arrivals.TakeDue(now, m_messages);
    // Asked for before the listener is called: what it sends may add arrivals and ask by itself.
    if (!m_arrivals.IsEmpty())
    {
        m_delivering.Request(m_arrivals.Next());
    }
    for (size_t next = 0; next < due.size(); ++next)
    {
        const ArrivalQueue::Arrival& arrival = due[next];
        if (next + EXPECTED_AHEAD < due.size())
        {
            m_listener->ExpectDelivery(m_messages[due[next + EXPECTED_AHEAD].place].message);
        }
        const FlowMessage delivered = m_messages.Take(arrival.place);
        // Before the listener is called: if it sends over this queue pair again, TakeQueuePair must
        // find it in the list of idle ones.
        if (--m_pairs[delivered.pair].undelivered == 0)
        {
            m_pairs.SetIdle(delivered.pair);
        }
        m_tally.CountDelivery(now - delivered.sent);
        m_listener->OnMessageDelivered({delivered.message, delivered.sent, now, 0});
    }
}

/// \return The place of the message's queue pair, which is not in the list of idle ones from now
/// on.
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
        // m_shares has kept the path of the flow, so the routing need not be asked again.
        m_path.clear();
        for (const CrossingTable::Hop& hop : m_shares.HopsOf(pair))
        {
            m_path.push_back(LinkId{hop.link});
        }
        // Set first, as ThrowTooLate takes the size from the record.
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

/// Of the message that leaves.
void
FlowBackend::ThrowTooLate(const FlowQueuePair& pair) const
{
    nadi::ThrowTooLate(m_topology,
                       {.source = pair.name.source,
                        .destination = pair.name.destination,
                        .size = pair.costed,
                        .stream = pair.name.stream,
                        .key = {}});
}

namespace
{

constexpr SimTime LONGEST_RATE_INTERVAL = SimTime::FromPs(1'000'000'000);

class FlowKind : public BackendKind
{
  public:
    static constexpr const char* Help =
        "Messages are flows that share the links at max-min fair rates.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {{"rate-interval",
                 ParameterKind::Duration,
                 "0 s",
                 "Rates change at most once in so long: for large irregular exchanges, in which "
                 "flows end one by one. 0: at each instant at which a flow starts or ends."}};
    }

    explicit FlowKind(const Parameters& values)
        : m_rateInterval(values.Get<SimTime>("rate-interval"))
    {
        if (m_rateInterval > LONGEST_RATE_INTERVAL)
        {
            throw ConfigError(
                "rate-interval",
                "is longer than 1 ms, in which whole collectives pass; a hundredth of "
                "the time of a collective is enough");
        }
    }

    std::unique_ptr<NetworkBackend> Make(const BackendSurroundings& from) const override
    {
        return std::make_unique<FlowBackend>(
            from.topology, from.routing, from.options, from.loop, m_rateInterval);
    }

  private:
    SimTime m_rateInterval;
};

NADI_REGISTER(BackendKind, FlowKind, "flow");

} // namespace

} // namespace nadi
