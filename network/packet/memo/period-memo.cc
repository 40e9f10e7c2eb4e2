// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-memo.h"

#include "common/check.h"
#include "network/delivery-order.h"

#include <ns3/fabric-event.h>
#include <ns3/fabric-port.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// 1 GiB.
constexpr uint64_t MOST_WORDS = uint64_t{1} << 27;

} // namespace

PeriodMemo::PeriodMemo(const Surroundings& surroundings)
    : m_topology(surroundings.topology)
    , m_built(surroundings.built)
    , m_loop(surroundings.loop)
    , m_host(surroundings.host)
    , m_classes(FindNetworkClasses(surroundings.topology, surroundings.built))
    , m_ways(surroundings.topology,
             surroundings.routing,
             surroundings.options.seed,
             FindMemory(surroundings.topology, *surroundings.built.fabric))
    , m_trie(MOST_WORDS)
    , m_hasControl(surroundings.options.congestionControl.name != "none")
    , m_learns(LearnsFromAnswers(*surroundings.built.fabric))
    , m_drawsFrames(surroundings.options.ecn.has_value())
    , m_periods(PeriodLabels(m_topology, m_classes), m_ways.ResourceCount())
    , m_parts(surroundings.topology,
              surroundings.built,
              surroundings.pairs,
              surroundings.options.payload)
{
    m_built.fabric->SetActivityListener(this);
}

PeriodMemo::~PeriodMemo()
{
    m_built.fabric->SetActivityListener(nullptr);
}

void
PeriodMemo::Send(const Message& message, uint32_t place)
{
    ++m_messageCount;
    m_parts.OpenStream(message.stream);
    m_sent.push_back({message, m_ways.Find(message), place, PeriodInput::NOT_GIVEN});
    if (place >= m_posted.size())
    {
        m_posted.resize(place + 1);
    }
}

bool
PeriodMemo::OnArrived(uint64_t cookie)
{
    const int64_t now = ns3::FabricNow();
    if ((cookie & PartSimulator::GIVEN) != 0)
    {
        const PeriodInput& given = m_periods[m_catchingUp].inputs[static_cast<uint32_t>(cookie)];
        NADI_CHECK(given.delivered == now);
        return false;
    }
    const Posted posted = m_posted[cookie];
    Period& period = m_periods[m_periods.Find(posted.period)];
    if (period.isRecorded && m_catchingUp == NONE)
    {
        period.inputs[posted.input].delivered = now;
        const int64_t after = now - period.begin;
        if (after > m_trie[period.node].knownUntil)
        {
            m_trie.AddOutput(period.node, {after, posted.input});
            for (const uint32_t follower : m_trie[period.node].followers)
            {
                Schedule(follower, after, posted.input);
            }
        }
    }
    return true;
}

void
PeriodMemo::CloseStream(StreamId stream)
{
    m_parts.CloseStream(stream);
}

void
PeriodMemo::OnEndOfInstant()
{
    m_isEnding = true;
    CloseRested();
    Group();
    // What is live first: others may follow it into what is recorded now.
    const auto isLive = [this](uint32_t index)
    { return m_periods[index].state == Period::State::Live; };
    std::stable_partition(m_touched.begin(), m_touched.end(), isLive);
    for (const uint32_t index : m_touched)
    {
        EnterInputs(index);
    }
    m_touched.clear();
    CheckPending();
    m_isEnding = false;
}

void
PeriodMemo::BringUpToDate()
{
    CloseRested();
    for (uint32_t index = 0; index < m_periods.Size(); ++index)
    {
        Period& period = m_periods[index];
        if (period.root != NONE)
        {
            continue;
        }
        if (period.state == Period::State::Live)
        {
            StopRecording(index);
        }
        if (period.state == Period::State::Answered)
        {
            if (IsOver(period, Now()))
            {
                CloseAnswered(index);
            }
            else
            {
                CatchUp(index, false);
            }
        }
    }
}

void
PeriodMemo::OnEvent(uint64_t due)
{
    const Due now = m_dues.Take(static_cast<uint32_t>(due));
    Period& period = m_periods[now.period];
    if (period.generation != now.generation)
    {
        return;
    }
    if (now.input == WAKE)
    {
        Await(now.period);
        return;
    }
    PeriodInput& input = period.inputs[now.input];
    input.delivered = Now();
    if (input.delivered >= period.horizon)
    {
        Await(now.period);
    }
    m_host.Deliver(input.place);
}

void
PeriodMemo::OnIdle(uint32_t index, uint64_t slowdowns)
{
    // A member of a union that catches up has a root already, but its own counts still.
    const uint32_t root = m_catchingUp == NONE ? m_periods.Find(index) : m_catchingUp;
    Period& period = m_periods[root];
    period.slowdowns += slowdowns;
    NADI_CHECK(period.busyPairs > 0);
    if (--period.busyPairs > 0)
    {
        return;
    }
    period.idleSince = ns3::FabricNow();
    m_rested.push_back(root);
    const bool isAwaited = period.isRecorded && !m_trie[period.node].followers.empty();
    if (isAwaited && m_catchingUp == NONE)
    {
        Schedule(root, Now() - period.begin, WAKE);
    }
}

void
PeriodMemo::OnDraw(const ns3::FabricPort& port)
{
    if (m_catchingUp != NONE)
    {
        m_hasDrawn = true;
        return;
    }
    const VertexId vertex{port.GetFabricNode().GetIndex()};
    const LinkId link = m_topology.LinksFrom(vertex)[port.GetIndex()];
    const uint32_t owner = m_periods.FindOwner(link.value);
    if (owner != NONE && m_periods[owner].isRecorded)
    {
        m_trie[m_periods[owner].node].isVoid = true;
        StopRecording(owner);
    }
}

/// Finds the periods that what was sent at this instant belongs to.
void
PeriodMemo::Group()
{
    for (const PeriodInput& input : m_sent)
    {
        const uint32_t index = Join(m_ways[input.way]);
        Period& period = m_periods[index];
        if (period.state == Period::State::New && period.fresh.empty())
        {
            period.labels.Reset(++m_stamps);
        }
        period.fresh.push_back(input);
        m_touched.push_back(index);
    }
    m_sent.clear();
    for (uint32_t& index : m_touched)
    {
        index = m_periods.Find(index);
    }
    std::sort(m_touched.begin(), m_touched.end());
    m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
}

void
PeriodMemo::Schedule(uint32_t index, int64_t after, uint32_t input)
{
    const Period& period = m_periods[index];
    const uint32_t due = m_dues.Make({index, period.generation, input});
    const EventOrder order = input == WAKE ? EventOrder{EventOrder::Kind::Timer, {~uint64_t{0}}}
                                           : MakeDeliveryOrder(period.inputs[input].message);
    m_loop.ScheduleAt(SimTime::FromPs(period.begin + after), order, *this, due);
}

/// Simulates what entered so far, in private time, and the period is live. What enters now does so
/// after that.
void
PeriodMemo::CatchUp(uint32_t index, bool isRecorded)
{
    Period& period = m_periods[index];
    if (period.state == Period::State::Answered)
    {
        LeaveNode(index);
        CountMiss(period);
    }
    period.state = Period::State::Live;
    period.generation = ++m_stamps;
    period.isRecorded = isRecorded;
    if (isRecorded)
    {
        m_parts.KeepCounters(period);
    }
    if (!period.inputs.empty())
    {
        m_catchingUp = index;
        m_hasDrawn = false;
        m_parts.Simulate(period, index, Now());
        m_catchingUp = NONE;
        period.isRecorded = period.isRecorded && !m_hasDrawn;
    }
    if (!period.isRecorded)
    {
        StopRecording(index);
    }
}

/// Looks at the period when this instant ends.
void
PeriodMemo::Await(uint32_t index)
{
    if (!m_periods[index].isPending)
    {
        m_periods[index].isPending = true;
        m_pending.push_back(index);
    }
}

/// Periods of which no more is known go live; the first of those that are alike is recorded.
void
PeriodMemo::CheckPending()
{
    for (size_t i = 0; i < m_pending.size(); ++i)
    {
        const uint32_t index = m_pending[i];
        Period& period = m_periods[index];
        period.isPending = false;
        if (period.state != Period::State::Answered || period.root != NONE)
        {
            continue;
        }
        const PeriodNode& node = m_trie[period.node];
        if (IsOver(period, Now()))
        {
            CloseAnswered(index);
        }
        else if (!node.isAtRest && node.leader == NONE && Now() >= period.horizon)
        {
            const uint32_t at = period.node;
            CatchUp(index, !node.isVoid);
            if (period.isRecorded)
            {
                Lead(index, at);
            }
        }
    }
    m_pending.clear();
}

/// The period that messages on this way belong to.
uint32_t
PeriodMemo::Join(Way& way)
{
    // Nearly always that of the message before: what a period has, it keeps until it ends.
    const bool hasJoined =
        way.period != NONE && m_periods[way.period].identity == way.periodIdentity;
    const uint32_t last = hasJoined ? m_periods.Find(way.period) : NONE;
    if (hasJoined && !IsOver(m_periods[last], Now()))
    {
        return last;
    }
    CloseOver(way.resources);
    way.period = m_periods.Join(way.resources, Now());
    way.periodIdentity = m_periods[way.period].identity;
    return way.period;
}

/// Periods of these resources whose rest has come end before something enters.
void
PeriodMemo::CloseOver(const std::vector<uint32_t>& resources)
{
    for (const uint32_t resource : resources)
    {
        const uint32_t owner = m_periods.FindOwner(resource);
        if (owner != NONE && IsOver(m_periods[owner], Now()))
        {
            CloseAnswered(owner);
        }
    }
}

bool
PeriodMemo::IsOver(const Period& period, int64_t now) const
{
    return period.state == Period::State::Answered && m_trie[period.node].isAtRest &&
           now >= period.begin + m_trie[period.node].rest;
}

/// Its part of the network is at rest, as if it had been simulated.
void
PeriodMemo::CloseAnswered(uint32_t index)
{
    const Period& period = m_periods[index];
    if (m_learns && m_parts.HasOpenStream(period))
    {
        // Its queue pairs may send again, and go on from what they have learnt.
        CatchUp(index, false);
        NADI_CHECK(period.busyPairs == 0);
        CloseLive(index);
        return;
    }
    CountAnswered(index);
    m_periods.Free(index);
}

void
PeriodMemo::CountAnswered(uint32_t index)
{
    const Period& period = m_periods[index];
    m_parts.AddGains(period, m_trie[period.node]);
    m_answeredCount += period.inputs.size();
    m_trie[period.first].misses = 0;
    if (m_drawsFrames)
    {
        m_parts.SkipFrames(period);
    }
    LeaveNode(index);
}

void
PeriodMemo::CloseRested()
{
    const auto isClosed = [this](uint32_t index)
    {
        const Period& period = m_periods[index];
        const bool isLive = period.state == Period::State::Live && period.root == NONE;
        if (!isLive || period.busyPairs > 0)
        {
            return true; // united, or something entered since
        }
        if (!m_parts.IsAtRest(period, Now()))
        {
            return false;
        }
        CloseLive(index);
        return true;
    };
    std::sort(m_rested.begin(), m_rested.end());
    m_rested.erase(std::unique(m_rested.begin(), m_rested.end()), m_rested.end());
    m_rested.erase(std::remove_if(m_rested.begin(), m_rested.end(), isClosed), m_rested.end());
}

void
PeriodMemo::CloseLive(uint32_t index)
{
    Period& period = m_periods[index];
    if (period.isRecorded)
    {
        RecordRest(index);
    }
    m_parts.RestoreCounters(period);
    m_periods.Free(index);
}

void
PeriodMemo::RecordRest(uint32_t index)
{
    Period& period = m_periods[index];
    PeriodNode& node = m_trie[period.node];
    for (const LinkId link : period.labels.GetLinks())
    {
        node.gains.push_back(m_parts.ReadGain(link));
        node.isVoid = node.isVoid || !node.gains.back().IsPlain();
    }
    if (node.isVoid)
    {
        node.gains.clear();
        LeaveLead(index);
        return;
    }
    node.leader = NONE;
    node.isAtRest = true;
    node.rest = period.idleSince - period.begin;
    node.knownUntil = node.rest;
    node.slowdowns = period.slowdowns;
    for (const uint32_t follower : node.followers)
    {
        Schedule(follower, std::max(node.rest, Now() - m_periods[follower].begin), WAKE);
    }
}

} // namespace nadi
