// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/program-forecast.h"

#include "common/check.h"

#include <algorithm>
#include <set>

namespace nadi::synthesis
{

namespace
{

constexpr int64_t UNKNOWN = -1;
constexpr int64_t NEVER = INT64_MAX;

/// The entry in m_wayOf of a lane that sends nothing.
constexpr uint32_t NO_WAY = UINT32_MAX;

bool
SendsAnything(const MessageProgram& program, uint32_t rank, uint32_t lane)
{
    const auto steps = program.StepsOf(rank, lane);
    return std::any_of(
        steps.begin(), steps.end(), [](const ProgramStep& step) { return step.Sends(); });
}

int64_t
Later(int64_t time, int64_t by)
{
    return detail::Add(time, by, "a time");
}

} // namespace

std::vector<std::pair<uint32_t, uint32_t>>
FindMessagePairs(const MessageProgram& program)
{
    std::set<std::pair<uint32_t, uint32_t>> pairs;
    for (uint32_t rank = 0; rank < program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < program.LaneCount(rank); ++lane)
        {
            if (SendsAnything(program, rank, lane))
            {
                pairs.emplace(rank, program.LaneAt(rank, lane).sendPeer);
            }
        }
    }
    return {pairs.begin(), pairs.end()};
}

ProgramForecast::ProgramForecast(const MessageProgram& program,
                                 const RouteModel& model,
                                 const MessageCosts& costs,
                                 Bytes size)
    : m_program(program)
    , m_model(model)
    , m_costs(costs)
    , m_size(size)
    , m_channels(program)
    , m_wayOf(program.AllLanes(), NO_WAY)
    , m_posted(program.AllLanes(), 0)
    , m_isBlocked(program.AllLanes(), false)
    , m_next(program.AllLanes(), 0)
    , m_laneFree(program.AllLanes(), 0)
    , m_wakeAt(program.AllLanes(), NEVER)
    , m_arrivals(program.AllLanes())
    , m_complete(program.StepCount(), UNKNOWN)
{
    NADI_CHECK(!program.HasSizes());
    FindWays();
    m_wires.emplace(model, costs, FramesOfPiece());
}

/// So many that all messages together are MOST_PIECES on all their links, or little more.
uint64_t
ProgramForecast::FramesOfPiece() const
{
    uint64_t frames = 0;
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            for (const ProgramStep& step : m_program.StepsOf(rank, lane))
            {
                const uint32_t way = m_wayOf[NumberOf({rank, lane})];
                frames += step.Sends()
                              ? m_model.HopsOf(way).size() *
                                    CutIntoFrames(SizeOf(step.count), m_costs.packet).Count()
                              : 0;
            }
        }
    }
    return 1 + frames / MOST_PIECES;
}

void
ProgramForecast::FindWays()
{
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> wayOf;
    for (uint32_t way = 0; way < m_model.WayCount(); ++way)
    {
        wayOf[{m_model.At(way).from, m_model.At(way).to}] = way;
    }
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            if (SendsAnything(m_program, rank, lane))
            {
                m_wayOf[NumberOf({rank, lane})] =
                    wayOf.at({rank, m_program.LaneAt(rank, lane).sendPeer});
            }
        }
    }
}

// Two queues of events advance together: that of the lanes (m_events), and that of the wires. A
// lane runs until it needs something whose time is not known yet, or has not come. The time of a
// delivery or of a step's end is known in advance, so the wake-up of a lane that waits for it is
// entered at once.

std::optional<SimTime>
ProgramForecast::Run(SimTime most)
{
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            Wake({rank, lane}, 0);
        }
    }
    std::vector<FrameWires::Delivery> delivered;
    while (!m_events.empty() || m_wires->NextTime())
    {
        // m_end includes deliveries that are still ahead of the clock, so the run may stop early.
        if (m_end > most.Ps())
        {
            return std::nullopt;
        }
        const std::optional<int64_t> next = m_wires->NextTime();
        if (next && (m_events.empty() || *next <= m_events.top().time))
        {
            delivered.clear();
            m_wires->Advance(delivered);
            std::ranges::for_each(delivered, [&](const auto& each) { Deliver(each); });
            continue;
        }
        const Event event = m_events.top();
        m_events.pop();
        m_now = event.time;
        int64_t& wake = m_wakeAt[NumberOf(event.lane)];
        if (wake == event.time) // else it was woken before
        {
            wake = NEVER;
            RunLane(event.lane);
        }
    }
    NADI_CHECK(std::find(m_complete.begin(), m_complete.end(), UNKNOWN) == m_complete.end());
    return m_end > most.Ps() ? std::nullopt : std::optional(SimTime::FromPs(m_end));
}

/// Only the earliest wake-up of a lane counts: when the lane goes on, it finds out itself what it
/// still waits for, and asks for the next wake-up. So wake-ups for the same time do not pile up.
void
ProgramForecast::Wake(ProgramLaneId lane, int64_t time)
{
    int64_t& wake = m_wakeAt[NumberOf(lane)];
    if (time < wake)
    {
        wake = time;
        m_events.push({.time = time, .number = m_eventCount++, .lane = lane});
    }
}

/// As far as it comes now; who waits is woken when what it waits for is known.
void
ProgramForecast::RunLane(ProgramLaneId lane)
{
    const auto steps = m_program.StepsOf(lane.rank, lane.lane);
    const uint32_t& next = m_next[NumberOf(lane)];
    while (next < steps.size() && !m_isBlocked[NumberOf(lane)])
    {
        const std::optional<int64_t> begin = FindBegin(lane, steps[next]);
        if (!begin)
        {
            return;
        }
        if (*begin > m_now)
        {
            Wake(lane, *begin);
            return;
        }
        const ProgramStep& step = steps[next];
        if (step.Sends())
        {
            Post(lane, step);
        }
        // A send that waits for its delivery is completed by Deliver. Any other step is complete at
        // a time that is known now; Complete moves `next` on.
        if (!m_isBlocked[NumberOf(lane)])
        {
            Complete(lane, Execute(lane, step));
        }
    }
}

/// The next step of the lane is complete at `time`.
void
ProgramForecast::Complete(ProgramLaneId lane, int64_t time)
{
    const uint32_t firstStep = m_program.LaneAt(lane.rank, lane.lane).firstStep;
    const size_t step = m_program.StepNumber(lane.rank, firstStep + m_next[NumberOf(lane)]++);
    m_complete[step] = time;
    m_laneFree[NumberOf(lane)] = time;
    m_end = std::max(m_end, time);
    if (const auto waiters = m_waiters.extract(step))
    {
        for (const ProgramLaneId waiter : waiters.mapped())
        {
            Wake(waiter, time);
        }
    }
}

/// When the next step of the lane may begin; none: it waits for what nobody knows yet.
std::optional<int64_t>
ProgramForecast::FindBegin(ProgramLaneId lane, const ProgramStep& step)
{
    int64_t begin = m_laneFree[NumberOf(lane)];
    if (step.after != ProgramStep::NONE)
    {
        const size_t after = m_program.StepNumber(lane.rank, step.after);
        if (m_complete[after] == UNKNOWN)
        {
            m_waiters[after].push_back(lane);
            return std::nullopt;
        }
        begin = std::max(begin, m_complete[after]);
    }
    if (step.Receives())
    {
        const std::vector<int64_t>& arrivals = m_arrivals[NumberOf(lane)];
        // Deliveries come in the order of the numbers, and Deliver wakes the lane when this message
        // has come.
        if (step.operand >= arrivals.size())
        {
            return std::nullopt;
        }
        begin = std::max(begin, arrivals[step.operand]);
    }
    return begin;
}

/// When a step is complete that begins now and waits for no delivery.
int64_t
ProgramForecast::Execute(ProgramLaneId lane, const ProgramStep& step) const
{
    switch (step.action)
    {
    case ProgramStep::Action::ReceiveReduce:
        // As in the run (Protocol::EndDelay), a message is reduced from its delivery on, beside
        // others and while the steps before it are still under way.
        return std::max(m_now,
                        Later(m_arrivals[NumberOf(lane)][step.operand], Reduction(step.count)));
    case ProgramStep::Action::Reduce:
        return Later(m_now, Reduction(step.count));
    case ProgramStep::Action::Work:
        return Later(m_now, SimTime::FromNs(step.operand).Ps());
    default:
        return m_now;
    }
}

/// Messages of a lane are posted in the order of their numbers.
void
ProgramForecast::Post(ProgramLaneId lane, const ProgramStep& step)
{
    const ProgramLaneId receiver = m_channels.ReceiverFor(lane.rank, lane.lane);
    NADI_CHECK(m_posted[NumberOf(receiver)]++ == step.operand);
    const bool isAwaited = step.action == ProgramStep::Action::SendAndWait;
    m_isBlocked[NumberOf(lane)] = isAwaited;
    const uint32_t message = m_wires->Post(m_wayOf[NumberOf(lane)], SizeOf(step.count), m_now);
    NADI_CHECK(message == m_messages.size());
    m_messages.push_back({.sender = lane, .receiver = receiver, .isAwaited = isAwaited});
}

/// `delivery.time` may lie ahead: the wires tell of a message when its last piece is put on the
/// last link. So lanes are woken for that time.
void
ProgramForecast::Deliver(const FrameWires::Delivery& delivery)
{
    const Message& message = m_messages[delivery.message];
    m_arrivals[NumberOf(message.receiver)].push_back(delivery.time);
    m_end = std::max(m_end, delivery.time);
    Wake(message.receiver, delivery.time);
    if (message.isAwaited)
    {
        m_isBlocked[NumberOf(message.sender)] = false;
        Complete(message.sender, delivery.time);
        Wake(message.sender, delivery.time);
    }
}

int64_t
ProgramForecast::Reduction(uint32_t count) const
{
    return m_costs.reductionBandwidth ? (SizeOf(count) / *m_costs.reductionBandwidth).Ps() : 0;
}

/// The size of so many chunks, taken as equally long. It is rounded up, so that only an empty
/// buffer has messages without bytes.
Bytes
ProgramForecast::SizeOf(uint32_t count) const
{
    const auto chunks = static_cast<int64_t>(m_program.Buffers().chunks);
    return Bytes(detail::DivideRoundingUp(
        detail::Wide{m_size.Count()} * static_cast<int64_t>(count), chunks));
}

} // namespace nadi::synthesis
