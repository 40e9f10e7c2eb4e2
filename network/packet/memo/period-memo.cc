// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-memo.h"

#include "common/check.h"

#include <ns3/fabric-event.h>
#include <ns3/fabric-port.h>

#include <algorithm>

namespace nadi
{

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
    , m_mostWords(surroundings.options.memoWords)
    , m_hasControl(surroundings.options.congestionControl.name != "none")
    , m_learns(LearnsFromAnswers(*surroundings.built.fabric))
    // Attributes of network.ns3 can switch marks on, too.
    , m_drawsFrames(surroundings.options.ecn.has_value() || !surroundings.options.ns3.empty())
    , m_periods(PeriodLabels(m_topology, m_classes), m_ways.ResourceCount())
    , m_recorder(m_trie, m_periods, *this)
    , m_parts(surroundings.topology, surroundings.built, surroundings.pairs)
    , m_histories({m_periods, m_trie, m_ways, m_traffics, m_recorder})
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
    if (place >= m_posted.size())
    {
        m_posted.resize(place + 1);
    }
    const uint32_t traffic = m_traffics.Find(message.stream);
    if (traffic != NONE)
    {
        PostInside(traffic, message, place);
        return;
    }
    m_parts.OpenStream(message.stream);
    m_sent.push_back({.message = message, .way = m_ways.Find(message), .place = place});
}

bool
PeriodMemo::OnArrived(uint64_t cookie)
{
    const int64_t now = ns3::FabricNow();
    if ((cookie & PartSimulator::GIVEN) != 0)
    {
        const PeriodInput given = m_periods[m_catchingUp].inputs[static_cast<uint32_t>(cookie)];
        // The message was delivered when its period was answered. This simulation has to find the
        // same time.
        NADI_CHECK(given.delivered == now);
        return false;
    }
    const Posted posted = m_posted[cookie];
    if (posted.input == INSIDE)
    {
        return true;
    }
    Period& period = m_periods[m_periods.Find(posted.period)];
    if (period.isRecorded && m_catchingUp == NONE)
    {
        period.inputs.SetDelivered(posted.input, now);
        m_recorder.AddOutput(period, {now - period.begin, posted.input});
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
    // Also after the memo has ended, since traffic that was taken over may end later.
    ReleaseThrough();
    if (m_hasEnded)
    {
        return;
    }
    m_isEnding = true;
    // Periods that have come to rest end first, so that what enters now finds their links free, and
    // begins a period of its own.
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
    // Only here: what has been sent is grouped, so nothing in m_sent refers to ways.
    if (IsFull())
    {
        Forget();
    }
}

void
PeriodMemo::BringUpToDate()
{
    if (m_hasEnded)
    {
        return;
    }
    ReleaseThrough();
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
            // A recorded period counts its largest queues from 0, and whoever looks now wants those
            // of the whole run.
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
    // CloseRested notes the rest, and tells followers, at the end of an instant. The event loop
    // ends only instants for which the agenda has an entry, so one is added for the followers.
    // Without followers the end of any later instant will do.
    if (m_catchingUp == NONE && period.isRecorded && period.openTraffics == 0 &&
        !m_trie[period.node].followers.empty())
    {
        ScheduleWake(root, Now() - period.begin);
    }
}

/// The fabric calls this whenever a random draw decides over a frame, and for every mark.
void
PeriodMemo::OnDraw(const ns3::FabricPort& port)
{
    if (m_catchingUp != NONE)
    {
        m_hasDrawn = true;
        return;
    }
    // Ports are in the order of the links that leave the node (BuildFabric).
    const VertexId vertex{port.GetFabricNode().GetIndex()};
    const LinkId link = m_topology.LinksFrom(vertex)[port.GetIndex()];
    const uint32_t owner = m_periods.FindOwner(link.value);
    if (owner != NONE && m_periods[owner].isRecorded)
    {
        // A draw is a function of the identity of a frame. Another period with the same words would
        // draw other numbers, so nothing that follows may be answered from here.
        m_trie[m_periods[owner].node].isVoid = true;
        StopRecording(owner);
    }
}

} // namespace nadi
