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

/// As Way's, the lane's own.
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
    , m_linkFree(model.LinkCount(), 0)
    , m_wayFree(model.WayCount(), 0)
    , m_next(program.AllLanes(), 0)
    , m_laneFree(program.AllLanes(), 0)
    , m_arrivals(program.AllLanes())
    , m_complete(program.StepCount(), UNKNOWN)
{
    NADI_CHECK(!program.HasSizes());
    FindWays();
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

SimTime
ProgramForecast::Run()
{
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            Wake({rank, lane}, 0);
        }
    }
    while (!m_events.empty())
    {
        const Event event = m_events.top();
        m_events.pop();
        m_now = event.time;
        RunLane(event.lane);
    }
    NADI_CHECK(std::find(m_complete.begin(), m_complete.end(), UNKNOWN) == m_complete.end());
    return SimTime::FromPs(m_end);
}

void
ProgramForecast::Wake(ProgramLaneId lane, int64_t time)
{
    m_events.push({.time = time, .number = m_eventCount++, .lane = lane});
}

/// As far as it comes now; who waits is woken when what it waits for is known.
void
ProgramForecast::RunLane(ProgramLaneId lane)
{
    const auto steps = m_program.StepsOf(lane.rank, lane.lane);
    const uint32_t firstStep = m_program.LaneAt(lane.rank, lane.lane).firstStep;
    uint32_t& next = m_next[NumberOf(lane)];
    while (next < steps.size())
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
        const int64_t complete = Execute(lane, steps[next]);
        const size_t step = m_program.StepNumber(lane.rank, firstStep + next);
        m_complete[step] = complete;
        m_laneFree[NumberOf(lane)] = complete;
        m_end = std::max(m_end, complete);
        if (const auto waiters = m_waiters.extract(step))
        {
            for (const ProgramLaneId waiter : waiters.mapped())
            {
                Wake(waiter, complete);
            }
        }
        ++next;
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
        if (step.operand >= arrivals.size())
        {
            return std::nullopt;
        }
        begin = std::max(begin, arrivals[step.operand]);
    }
    return begin;
}

/// When the step is complete.
int64_t
ProgramForecast::Execute(ProgramLaneId lane, const ProgramStep& step)
{
    switch (step.action)
    {
    case ProgramStep::Action::Send:
        Post(lane, step);
        return m_now;
    case ProgramStep::Action::SendAndWait:
        return Post(lane, step);
    case ProgramStep::Action::ReceiveReduce:
    case ProgramStep::Action::Reduce:
        return Later(m_now, TimesFor(step.count).Reduction());
    case ProgramStep::Action::Work:
        return Later(m_now, SimTime::FromNs(step.operand).Ps());
    default:
        return m_now;
    }
}

/// When the message may be used. Messages of a lane are posted in the order of their numbers.
int64_t
ProgramForecast::Post(ProgramLaneId lane, const ProgramStep& step)
{
    const int64_t arrival = TravelOver(m_wayOf[NumberOf(lane)], TimesFor(step.count));
    const ProgramLaneId receiver = m_channels.ReceiverFor(lane.rank, lane.lane);
    std::vector<int64_t>& arrivals = m_arrivals[NumberOf(receiver)];
    NADI_CHECK(arrivals.size() == step.operand);
    arrivals.push_back(arrival);
    m_end = std::max(m_end, arrival);
    Wake(receiver, arrival);
    return arrival;
}

int64_t
ProgramForecast::TravelOver(uint32_t way, const MessageTimes& times)
{
    int64_t begin = std::max(m_now, m_wayFree[way]);
    m_wayFree[way] = Later(begin, times.Busy(way));
    size_t hop = m_model.At(way).firstHop;
    for (const WayHop& at : m_model.HopsOf(way))
    {
        begin = std::max(begin, m_linkFree[at.link]);
        m_linkFree[at.link] = Later(begin, times.OnHop(hop++));
    }
    return Later(begin, times.ToUse(way));
}

const MessageTimes&
ProgramForecast::TimesFor(uint32_t count)
{
    const auto known = m_times.find(count);
    if (known != m_times.end())
    {
        return known->second;
    }
    const auto chunks = static_cast<int64_t>(m_program.Buffers().chunks);
    const int64_t bytes = detail::DivideRoundingUp(
        detail::Wide{m_size.Count()} * static_cast<int64_t>(count), chunks);
    return m_times.emplace(count, MessageTimes(m_model, m_costs, Bytes(bytes))).first->second;
}

} // namespace nadi::synthesis
