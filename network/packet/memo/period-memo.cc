// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/memo/period-memo.h"

#include "common/check.h"
#include "common/hash.h"
#include "network/delivery-order.h"
#include "network/packet/memo/network-classes.h"

#include <ns3/fabric-port.h>
#include <ns3/fabric-private-time.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// A place in the table of messages has 32 bits; this one says that the message was delivered, and
/// that the rest is its number in the period that catches up.
constexpr uint64_t GIVEN = uint64_t{1} << 63;

/// 1 GiB.
constexpr uint64_t MOST_WORDS = uint64_t{1} << 27;

/// After so many misses in a row, periods that begin alike are not tried for a while.
constexpr uint32_t MANY_MISSES = 8;

} // namespace

PeriodMemo::PeriodMemo(const Surroundings& surroundings)
    : m_topology(surroundings.topology)
    , m_built(surroundings.built)
    , m_pairs(surroundings.pairs)
    , m_loop(surroundings.loop)
    , m_host(surroundings.host)
    , m_payload(surroundings.options.payload)
    , m_classes(FindNetworkClasses(surroundings.topology, surroundings.built))
    , m_ways(surroundings.topology,
             surroundings.routing,
             surroundings.options.seed,
             FindMemory(surroundings.topology, *surroundings.built.fabric))
    , m_trie(MOST_WORDS)
    , m_hasControl(surroundings.options.congestionControl.name != "none")
    , m_learns(LearnsFromAnswers(*surroundings.built.fabric))
    , m_drawsFrames(surroundings.options.ecn.has_value())
    , m_ownerOf(m_ways.ResourceCount(), NONE)
    , m_before(surroundings.topology.LinkCount())
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
    m_streams.insert(message.stream.value);
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
    if ((cookie & GIVEN) != 0)
    {
        const PeriodInput& given = m_periods[m_catchingUp].inputs[static_cast<uint32_t>(cookie)];
        NADI_CHECK(given.delivered == now);
        return false;
    }
    const Posted posted = m_posted[cookie];
    Period& period = m_periods[Find(posted.period)];
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
    m_streams.erase(stream.value);
    m_pairs.CloseStream(stream);
}

void
PeriodMemo::OnEndOfInstant()
{
    CloseRested();
    Group();
    // What is live first: others may follow it into what is recorded now.
    const auto isLive = [this](uint32_t index)
    { return m_periods[index].state == Period::State::Live; };
    std::stable_partition(m_touched.begin(), m_touched.end(), isLive);
    for (size_t i = 0; i < m_touched.size(); ++i)
    {
        EnterInputs(m_touched[i]);
    }
    m_touched.clear();
    CheckPending();
}

void
PeriodMemo::BringUpToDate()
{
    CloseRested();
    for (uint32_t index = 0; index < m_periods.Slots().size(); ++index)
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
        m_pending.push_back(now.period);
        return;
    }
    PeriodInput& input = period.inputs[now.input];
    input.delivered = Now();
    m_host.Deliver(input.place);
}

void
PeriodMemo::OnIdle(uint32_t index, uint64_t slowdowns)
{
    // A member of a union that catches up has a root already, but its own counts still.
    const uint32_t root = m_catchingUp == NONE ? Find(index) : m_catchingUp;
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
    if (m_ownerOf[link.value] == NONE)
    {
        return;
    }
    const uint32_t index = Find(m_ownerOf[link.value]);
    Period& period = m_periods[index];
    if (period.isRecorded)
    {
        m_trie[period.node].isVoid = true;
        StopRecording(index);
    }
}

// --- which messages belong together ---

uint32_t
PeriodMemo::Find(uint32_t period)
{
    uint32_t root = period;
    while (m_periods[root].root != NONE)
    {
        root = m_periods[root].root;
    }
    while (m_periods[period].root != NONE)
    {
        period = std::exchange(m_periods[period].root, root);
    }
    return root;
}

/// Finds the periods that what was sent at this instant belongs to.
void
PeriodMemo::Group()
{
    for (const PeriodInput& input : m_sent)
    {
        const uint32_t index = Join(input);
        m_periods[index].fresh.push_back(input);
        m_touched.push_back(index);
    }
    m_sent.clear();
    for (uint32_t& index : m_touched)
    {
        index = Find(index);
    }
    std::sort(m_touched.begin(), m_touched.end());
    m_touched.erase(std::unique(m_touched.begin(), m_touched.end()), m_touched.end());
}

/// The period of all that shares something with this message.
uint32_t
PeriodMemo::Join(const PeriodInput& input)
{
    uint32_t joined = NONE;
    const std::vector<uint32_t>& resources = m_ways[input.way].resources;
    for (const uint32_t resource : resources)
    {
        const uint32_t owner = m_ownerOf[resource] == NONE ? NONE : Find(m_ownerOf[resource]);
        if (owner == NONE || owner == joined)
        {
            continue;
        }
        if (IsOver(m_periods[owner], Now()))
        {
            CloseAnswered(owner);
            continue;
        }
        joined = joined == NONE ? owner : Unite(joined, owner);
    }
    if (joined == NONE)
    {
        joined = MakePeriod();
    }
    for (const uint32_t resource : resources)
    {
        if (m_ownerOf[resource] == NONE)
        {
            m_ownerOf[resource] = joined;
            m_periods[joined].resources.push_back(resource);
        }
    }
    return joined;
}

uint32_t
PeriodMemo::Unite(uint32_t first, uint32_t second)
{
    const bool isSecondRoot = m_periods[first].state == Period::State::New;
    const uint32_t root = isSecondRoot ? second : first;
    const uint32_t other = isSecondRoot ? first : second;
    Period& to = m_periods[root];
    Period& from = m_periods[other];
    from.root = root;
    to.united.push_back(other);
    to.united.insert(to.united.end(), from.united.begin(), from.united.end());
    from.united.clear();
    to.fresh.insert(to.fresh.end(), from.fresh.begin(), from.fresh.end());
    from.fresh.clear();
    if (from.state == Period::State::New)
    {
        to.resources.insert(to.resources.end(), from.resources.begin(), from.resources.end());
        from.resources.clear();
        return root;
    }
    to.merging.push_back(other);
    to.merging.insert(to.merging.end(), from.merging.begin(), from.merging.end());
    from.merging.clear();
    return root;
}

uint32_t
PeriodMemo::MakePeriod()
{
    const uint32_t index = m_periods.Make(Period(PeriodLabels(m_topology, m_classes)));
    Period& period = m_periods[index];
    period.begin = Now();
    period.labels.Reset(++m_stamps);
    return index;
}

/// Its part of the network is at rest.
void
PeriodMemo::FreePeriod(uint32_t index)
{
    for (const uint32_t resource : m_periods[index].resources)
    {
        m_ownerOf[resource] = NONE;
    }
    std::vector<uint32_t> united = std::move(m_periods[index].united);
    united.push_back(index);
    for (const uint32_t freed : united)
    {
        m_periods[freed] = Period(PeriodLabels(m_topology, m_classes));
        m_periods[freed].state = Period::State::Free;
        m_periods.Free(freed);
    }
}

// --- what enters ---

void
PeriodMemo::EnterInputs(uint32_t index)
{
    if (m_interruptOneIn > 0)
    {
        Interrupt(index);
    }
    if (!m_periods[index].merging.empty())
    {
        Merge(index);
        return;
    }
    if (m_periods[index].state == Period::State::Live)
    {
        AdvanceLive(index);
        return;
    }
    Advance(index);
}

/// Whether the queue pairs by which something enters remember nothing of before this period.
bool
PeriodMemo::AreAsNew(Period& period)
{
    if (!m_hasControl)
    {
        return true;
    }
    for (const PeriodInput& input : period.fresh)
    {
        const uint64_t pair = Mix64(input.way) ^ input.message.stream.value;
        const bool isNew = period.pairs.insert(pair).second;
        const auto handle = m_pairs.Find(input.message);
        if (isNew && handle && !m_built.fabric->IsAsNew(*handle))
        {
            return false;
        }
    }
    return true;
}

/// Whether inputs of this instant can be told apart from those of before, as a set.
bool
PeriodMemo::CanDescribe(Period& period)
{
    const bool isFirst = period.instants.empty() || period.instants.back().at < Now();
    return isFirst && AreAsNew(period);
}

/// What enters becomes history.
void
PeriodMemo::KeepFresh(uint32_t index)
{
    Period& period = m_periods[index];
    for (const PeriodInput& input : period.fresh)
    {
        m_posted[input.place] = {index, static_cast<uint32_t>(period.inputs.size())};
        period.inputs.push_back(input);
    }
    period.instants.push_back({Now(), static_cast<uint32_t>(period.inputs.size())});
    period.fresh.clear();
}

void
PeriodMemo::PostFresh(uint32_t index)
{
    for (const PeriodInput& input : m_periods[index].fresh)
    {
        m_posted[input.place] = {index, NONE};
        Post(index, input, input.place);
    }
    m_periods[index].fresh.clear();
}

/// Goes on with a period of which nothing is simulated.
void
PeriodMemo::Advance(uint32_t index)
{
    Period& period = m_periods[index];
    if (!CanDescribe(period))
    {
        CatchUp(index, false);
        PostFresh(index);
        return;
    }
    m_words.clear();
    period.labels.Describe(Now() - period.begin, period.fresh, m_ways, m_words);
    uint32_t child = m_trie.Find(period.node, m_words);
    if (child != NONE && period.node == PeriodTrie::ROOT && m_trie[child].skips > 0)
    {
        --m_trie[child].skips;
        CatchUp(index, false);
        PostFresh(index);
        return;
    }
    if (child != NONE)
    {
        KeepFresh(index);
        FollowFrom(index, child);
        return;
    }
    child = m_trie.Add(period.node, m_words);
    CatchUp(index, child != NONE);
    if (!period.isRecorded)
    {
        PostFresh(index);
        return;
    }
    Lead(index, child);
    EnterLive(index);
}

/// Goes on with a period that is simulated.
void
PeriodMemo::AdvanceLive(uint32_t index)
{
    Period& period = m_periods[index];
    if (period.isRecorded && !CanDescribe(period))
    {
        StopRecording(index);
    }
    if (!period.isRecorded)
    {
        PostFresh(index);
        return;
    }
    m_words.clear();
    period.labels.Describe(Now() - period.begin, period.fresh, m_ways, m_words);
    const uint32_t node = period.node;
    LeaveLead(index);
    uint32_t child = m_trie.Find(node, m_words);
    child = child == NONE ? m_trie.Add(node, m_words) : child;
    if (child == NONE || !IsUnwritten(child))
    {
        StopRecording(index);
        PostFresh(index);
        return;
    }
    Lead(index, child);
    EnterLive(index);
}

/// Whether somebody is needed who records what follows.
bool
PeriodMemo::IsUnwritten(uint32_t node)
{
    const PeriodNode& asked = m_trie[node];
    return !asked.isAtRest && !asked.isVoid && asked.leader == NONE;
}

/// What enters is posted, and recorded.
void
PeriodMemo::EnterLive(uint32_t index)
{
    const auto from = static_cast<uint32_t>(m_periods[index].inputs.size());
    KeepFresh(index);
    Snapshot(m_periods[index], Now());
    for (uint32_t i = from; i < m_periods[index].inputs.size(); ++i)
    {
        const PeriodInput& input = m_periods[index].inputs[i];
        Post(index, input, input.place);
    }
}

/// The period is answered from this node on.
void
PeriodMemo::FollowFrom(uint32_t index, uint32_t node)
{
    Period& period = m_periods[index];
    LeaveNode(index);
    if (period.node == PeriodTrie::ROOT)
    {
        period.first = node;
    }
    period.state = Period::State::Answered;
    period.node = node;
    period.generation = ++m_stamps;
    PeriodNode& from = m_trie[node];
    from.followers.push_back(index);
    for (const PeriodOutput& output : from.outputs)
    {
        Schedule(index, output.after, output.input);
    }
    if (from.isAtRest)
    {
        Schedule(index, from.rest, WAKE);
    }
    else if (from.leader == NONE)
    {
        m_pending.push_back(index);
    }
}

/// What happens in this period is recorded at this node from now on.
void
PeriodMemo::Lead(uint32_t index, uint32_t node)
{
    Period& period = m_periods[index];
    if (period.node == PeriodTrie::ROOT)
    {
        period.first = node;
    }
    period.isRecorded = true;
    period.node = node;
    m_trie[node].leader = index;
}

/// What happens from now on is not recorded at the period's node any more.
void
PeriodMemo::LeaveLead(uint32_t index)
{
    const Period& period = m_periods[index];
    PeriodNode& node = m_trie[period.node];
    NADI_CHECK(node.leader == index);
    node.leader = NONE;
    node.knownUntil = std::max(node.knownUntil, Now() - period.begin);
    WakeFollowers(period.node, node.knownUntil);
}

/// They look for what is next when they are as far as that.
void
PeriodMemo::WakeFollowers(uint32_t node, int64_t after)
{
    for (const uint32_t follower : m_trie[node].followers)
    {
        Schedule(follower, std::max(after, Now() - m_periods[follower].begin), WAKE);
    }
}

void
PeriodMemo::LeaveNode(uint32_t index)
{
    std::vector<uint32_t>& followers = m_trie[m_periods[index].node].followers;
    const auto place = std::find(followers.begin(), followers.end(), index);
    if (place != followers.end())
    {
        *place = followers.back();
        followers.pop_back();
    }
}

void
PeriodMemo::StopRecording(uint32_t index)
{
    Period& period = m_periods[index];
    if (period.isRecorded)
    {
        period.isRecorded = false;
        if (m_trie[period.node].leader == index)
        {
            LeaveLead(index);
        }
    }
    RestoreCounters(period);
    period.inputs.clear();
    period.instants.clear();
}

void
PeriodMemo::CountMiss(const Period& period)
{
    if (period.first == NONE)
    {
        return;
    }
    PeriodNode& first = m_trie[period.first];
    if (++first.misses % MANY_MISSES == 0)
    {
        first.skips = MANY_MISSES << std::min(first.misses / MANY_MISSES, 16U);
    }
}

// --- what happens ---

void
PeriodMemo::Schedule(uint32_t index, int64_t after, uint32_t input)
{
    const Period& period = m_periods[index];
    const uint32_t due = m_dues.Make({index, period.generation, input});
    const EventOrder order = input == WAKE ? EventOrder{EventOrder::Kind::Timer, {~uint64_t{0}}}
                                           : MakeDeliveryOrder(period.inputs[input].message);
    m_loop.ScheduleAt(SimTime::FromPs(period.begin + after), order, *this, due);
}

/// Keeps the counters of the links that are new to a recorded period.
void
PeriodMemo::Snapshot(Period& period, int64_t at)
{
    for (; period.counted < period.resources.size(); ++period.counted)
    {
        const uint32_t link = period.resources[period.counted];
        if (link < m_topology.LinkCount())
        {
            ns3::FabricPort& port = *m_built.portOfLink[link];
            m_before[link] = port.ReadCounters(at);
            port.ExchangeMaxQueue(0);
        }
    }
}

/// The largest queues are again those of the whole run.
void
PeriodMemo::RestoreCounters(Period& period)
{
    for (size_t i = 0; i < period.counted; ++i)
    {
        const uint32_t link = period.resources[i];
        if (link < m_topology.LinkCount())
        {
            ns3::FabricPort& port = *m_built.portOfLink[link];
            const uint64_t most = port.ExchangeMaxQueue(0);
            port.ExchangeMaxQueue(std::max(most, m_before[link].maxQueueBytes));
        }
    }
    period.counted = 0;
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
        Snapshot(period, period.begin);
    }
    if (!period.inputs.empty())
    {
        m_catchingUp = index;
        m_hasDrawn = false;
        Simulate(index);
        m_catchingUp = NONE;
        period.isRecorded = period.isRecorded && !m_hasDrawn;
    }
    if (!period.isRecorded)
    {
        StopRecording(index);
    }
}

void
PeriodMemo::Simulate(uint32_t index)
{
    Period& period = m_periods[index];
    std::vector<StreamId> closed;
    {
        ns3::FabricPrivateTime time(*m_built.fabric, period.begin);
        uint32_t next = 0;
        for (const Period::Instant& instant : period.instants)
        {
            time.RunUntil(instant.at);
            for (; next < instant.end; ++next)
            {
                const PeriodInput& input = period.inputs[next];
                const bool isGiven = input.delivered != PeriodInput::NOT_GIVEN;
                Post(index, input, isGiven ? GIVEN | next : input.place);
                if (m_streams.count(input.message.stream.value) == 0)
                {
                    closed.push_back(input.message.stream);
                }
            }
        }
        time.RunUntil(Now());
    }
    for (const StreamId stream : closed)
    {
        m_pairs.CloseStream(stream);
    }
}

void
PeriodMemo::Post(uint32_t index, const PeriodInput& input, uint64_t cookie)
{
    ns3::Fabric& fabric = *m_built.fabric;
    const ns3::FabricPairHandle pair = m_pairs.FindOrOpen(input.message);
    m_periods[index].busyPairs += fabric.IsIdle(pair) ? 1 : 0;
    fabric.Post(pair, static_cast<uint64_t>(input.message.Carried().Count()), cookie);
    fabric.SetOwner(pair, index);
}

/// Periods of which no more is known go live; the first of those that are alike is recorded.
void
PeriodMemo::CheckPending()
{
    for (size_t i = 0; i < m_pending.size(); ++i)
    {
        const uint32_t index = m_pending[i];
        const Period& period = m_periods[index];
        if (period.state != Period::State::Answered || period.root != NONE)
        {
            continue;
        }
        const PeriodNode& node = m_trie[period.node];
        if (IsOver(period, Now()))
        {
            CloseAnswered(index);
        }
        else if (!node.isAtRest && node.leader == NONE)
        {
            if (Now() - period.begin < node.knownUntil && !node.isVoid)
            {
                Schedule(index, node.knownUntil, WAKE);
                continue;
            }
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
    const auto isOpen = [this](const PeriodInput& input)
    { return m_streams.count(input.message.stream.value) > 0; };
    if (m_learns && std::any_of(period.inputs.begin(), period.inputs.end(), isOpen))
    {
        // Its queue pairs may send again, and go on from what they have learnt.
        CatchUp(index, false);
        NADI_CHECK(period.busyPairs == 0);
        CloseLive(index);
        return;
    }
    CountAnswered(index);
    FreePeriod(index);
}

void
PeriodMemo::CountAnswered(uint32_t index)
{
    const Period& period = m_periods[index];
    const PeriodNode& node = m_trie[period.node];
    const std::vector<LinkId>& links = period.labels.GetLinks();
    for (size_t label = 0; label < links.size(); ++label)
    {
        m_built.portOfLink[links[label].value]->AddCounters(node.gains[label]);
    }
    m_built.fabric->AddSlowdowns(node.slowdowns);
    m_answeredCount += period.inputs.size();
    m_trie[period.first].misses = 0;
    if (m_drawsFrames)
    {
        SkipFrames(period);
    }
    LeaveNode(index);
}

/// Later draws of these queue pairs are functions of the numbers of their frames.
void
PeriodMemo::SkipFrames(const Period& period)
{
    for (const PeriodInput& input : period.inputs)
    {
        if (m_streams.count(input.message.stream.value) == 0)
        {
            continue;
        }
        const int64_t bytes = std::max<int64_t>(input.message.Carried().Count(), 1);
        const int64_t frames = (bytes + m_payload.Count() - 1) / m_payload.Count();
        m_built.fabric->SkipFrames(m_pairs.FindOrOpen(input.message),
                                   static_cast<uint64_t>(frames));
    }
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
        const auto isBusy = [this](uint32_t resource) {
            return resource < m_topology.LinkCount() &&
                   !m_built.portOfLink[resource]->ComesToRest(Now());
        };
        if (std::any_of(period.resources.begin(), period.resources.end(), isBusy))
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
    RestoreCounters(period);
    FreePeriod(index);
}

void
PeriodMemo::RecordRest(uint32_t index)
{
    Period& period = m_periods[index];
    PeriodNode& node = m_trie[period.node];
    for (const LinkId link : period.labels.GetLinks())
    {
        const ns3::FabricPortCounters after = m_built.portOfLink[link.value]->ReadCounters(Now());
        node.gains.push_back(after.Since(m_before[link.value]));
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
    WakeFollowers(period.node, node.rest);
}

/// For tests: a period that could be answered is simulated instead.
void
PeriodMemo::Interrupt(uint32_t index)
{
    const Period& period = m_periods[index];
    const bool isDrawn = Mix64(m_interruptSeed ^ ++m_interruptions) % m_interruptOneIn == 0;
    if (period.state == Period::State::Answered && isDrawn)
    {
        CatchUp(index, false);
    }
}

} // namespace nadi
