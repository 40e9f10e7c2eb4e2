// SPDX-License-Identifier: GPL-2.0-only
#include "workload/job-engine.h"

#include "common/check.h"
#include "workload/engine/episode-plan.h"
#include "workload/engine/job-check.h"
#include "workload/engine/rank-executor.h"
#include "workload/engine/rank-script.h"
#include "workload/engine/wait-report-builder.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace nadi
{

namespace
{

// The kind of the timer that issues what became ready. Its rank is larger than any, so that it
// comes after the timers of all ranks in its round: all completions of the round have made their
// nodes ready by then.
constexpr uint64_t ISSUE_TIMER = 101;
constexpr uint64_t AFTER_ALL_RANKS = std::numeric_limits<uint64_t>::max();

/// Picoseconds of many ranks together, which could pass the clock's range.
__extension__ using RankTimes = __int128;

} // namespace

/// Passes completions on to the executors of the ranks, and lets those that were touched issue
/// what became ready: all of them in one event at the end of the round, in order of rank.
class JobEngine::Implementation
    : private EventHandler
    , private RankListener
{
  public:
    explicit Implementation(const Context& context);

    void SetCommunication(CollectiveEngine& collectives, PointToPoint& pointToPoint);
    void SetRemoteMemory(RemoteMemory& memory);
    void SetObserver(JobObserver& observer);
    void SetActivityObserver(ActivityObserver& observer);
    void Start();
    EpisodeNumber Submit(Episode episode, EpisodeListener* listener);
    void CompleteNode(RankId rank, uint64_t token);
    void BeginReceive(RankId rank, Bytes size);
    void EndWait(const MembersMet& meeting);
    void TellSlotsGranted(RankId rank, uint64_t token);
    uint64_t NodesLeft() const;

    uint64_t NodesTotal() const
    {
        return m_nodesTotal;
    }

    RankMetrics Metrics(RankId rank) const;
    std::vector<CommunicationTotal> Communication(RankId rank) const;
    WaitReport MakeReport(StuckBy by) const;

    const TableUse& KernelTableUse() const
    {
        return m_services.tableUse;
    }

  private:
    /// A submitted episode that has not ended.
    struct OpenEpisode
    {
        OpenEpisode(EpisodeNumber number, Episode episode, EpisodeListener* whoIsTold)
            : plan(number, std::move(episode))
            , partsLeft(plan.Members().size())
            , listener(whoIsTold)
        {
        }

        EpisodePlan plan;
        size_t partsLeft;
        EpisodeListener* listener;
    };

    void OnEvent(uint64_t token) override;
    void OnNodeEnd(RankId rank, uint64_t token) override;
    void OnMilestone(const MilestoneReached& milestone) override;
    void OnPartEnded(EpisodeNumber episode) override;
    SimTime MeanWaitFor(RankId rank) const;
    void RequestIssue(RankId rank);
    void IssueTouched();
    void EndEpisodes();

    JobPlan m_plan;
    ExecutionServices m_services;
    std::deque<RankExecutor> m_ranks; // which never move
    std::map<EpisodeNumber, OpenEpisode> m_episodes;
    std::vector<EpisodeNumber> m_endedEpisodes; // of this round
    EpisodeNumber m_submitted = 0;
    uint64_t m_nodesTotal = 0;
    std::vector<uint32_t> m_touched;    // ranks that may issue, each once
    std::vector<bool> m_isTouched;      // by rank
    std::vector<RankTimes> m_waitedFor; // by rank: what all others together waited for it
};

JobEngine::Implementation::Implementation(const Context& context)
    : m_plan(context.workload)
    , m_services{context.loop, context.workload, context.compute, context.memory, *this}
    , m_isTouched(context.workload.RankCount(), false)
    , m_waitedFor(context.workload.RankCount())
{
    // Executors rely on it: there are no sizes past 63 bits, no peers outside the job, and no
    // groups without the rank that calls them.
    CheckJob(context.workload);
    for (uint32_t rank = 0; rank < context.workload.RankCount(); ++rank)
    {
        m_ranks.emplace_back(RankId{rank}, m_services);
        m_ranks.back().Begin(m_plan.ScriptOf(RankId{rank}));
        m_nodesTotal += context.workload.GraphOf(RankId{rank}).NodeCount();
    }
}

void
JobEngine::Implementation::SetCommunication(CollectiveEngine& collectives,
                                            PointToPoint& pointToPoint)
{
    m_services.collectives = &collectives;
    m_services.pointToPoint = &pointToPoint;
}

void
JobEngine::Implementation::SetRemoteMemory(RemoteMemory& memory)
{
    m_services.remoteMemory = &memory;
}

void
JobEngine::Implementation::SetObserver(JobObserver& observer)
{
    m_services.observer = &observer;
}

void
JobEngine::Implementation::SetActivityObserver(ActivityObserver& observer)
{
    for (RankExecutor& rank : m_ranks)
    {
        rank.ReportActivityTo(observer);
    }
}

void
JobEngine::Implementation::Start()
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        RequestIssue(RankId{rank});
    }
}

EpisodeNumber
JobEngine::Implementation::Submit(Episode episode, EpisodeListener* listener)
{
    const EpisodeNumber number = ++m_submitted;
    // The scripts of the ranks point into the plan, so it is made in its place in a map, whose
    // elements never move.
    OpenEpisode& open =
        m_episodes.try_emplace(number, number, std::move(episode), listener).first->second;
    for (const Episode::Member& member : open.plan.Members())
    {
        const RankScript script = open.plan.ScriptOf(member);
        m_nodesTotal += script.graph->NodeCount();
        m_ranks[member.rank.value].Begin(script);
        RequestIssue(member.rank);
    }
    return number;
}

void
JobEngine::Implementation::OnEvent(uint64_t)
{
    IssueTouched();
}

void
JobEngine::Implementation::OnNodeEnd(RankId rank, uint64_t token)
{
    CompleteNode(rank, token);
}

void
JobEngine::Implementation::OnMilestone(const MilestoneReached& milestone)
{
    // Not found: it is of the workload itself, episode 0, which has no listener.
    const auto open = m_episodes.find(milestone.episode);
    if (open != m_episodes.end() && open->second.listener != nullptr)
    {
        open->second.listener->OnMilestone(milestone);
    }
}

/// The episode stays until EndEpisodes: the rank still reads its script.
void
JobEngine::Implementation::OnPartEnded(EpisodeNumber episode)
{
    const auto open = m_episodes.find(episode);
    if (open != m_episodes.end() && --open->second.partsLeft == 0)
    {
        m_endedEpisodes.push_back(episode);
    }
}

/// Told by a timer of the rank, or by a layer below. This only notes what is ready then;
/// IssueTouched issues it at the end of the round, together with all else.
void
JobEngine::Implementation::CompleteNode(RankId rank, uint64_t token)
{
    m_ranks[rank.value].CompleteNode(token);
    RequestIssue(rank);
    EndEpisodes();
}

/// Called when no executor is at work any more. While one is, it still reads the plan of the
/// episode that it ends.
void
JobEngine::Implementation::EndEpisodes()
{
    for (const EpisodeNumber number : std::exchange(m_endedEpisodes, {}))
    {
        EpisodeListener* listener = m_episodes.at(number).listener;
        m_episodes.erase(number);
        if (listener != nullptr)
        {
            listener->OnEpisodeEnded(number);
        }
    }
}

void
JobEngine::Implementation::BeginReceive(RankId rank, Bytes size)
{
    m_ranks[rank.value].BeginReceive(size);
}

void
JobEngine::Implementation::EndWait(const MembersMet& meeting)
{
    const SimTime wait = m_ranks[meeting.rank.value].EndWait(meeting.token);
    if (meeting.rank != meeting.last)
    {
        m_waitedFor[meeting.last.value] += wait.Ps();
    }
    const auto [episode, node] = NodeToken::Unpack(meeting.token);
    if (m_services.observer != nullptr && episode == 0)
    {
        m_services.observer->OnMembersMet(meeting.rank, node);
    }
}

void
JobEngine::Implementation::TellSlotsGranted(RankId rank, uint64_t token)
{
    const auto [episode, node] = NodeToken::Unpack(token);
    if (m_services.observer != nullptr && episode == 0)
    {
        m_services.observer->OnSlotsGranted(rank, node);
    }
}

/// What the other ranks waited for this one, in the mean; rounded down once.
SimTime
JobEngine::Implementation::MeanWaitFor(RankId rank) const
{
    const auto others = static_cast<int64_t>(m_ranks.size()) - 1;
    // No rank waits longer than the clock runs, so their mean fits it.
    return others == 0 ? SimTime{}
                       : SimTime::FromPs(static_cast<int64_t>(m_waitedFor[rank.value] / others));
}

void
JobEngine::Implementation::RequestIssue(RankId rank)
{
    if (m_isTouched[rank.value])
    {
        return;
    }
    m_isTouched[rank.value] = true;
    m_touched.push_back(rank.value);
    // The first rank of a round asks for the event. Ranks that come later join it.
    if (m_touched.size() == 1)
    {
        const EventOrder order{EventOrder::Kind::Timer, {AFTER_ALL_RANKS, ISSUE_TIMER, 0, 0}};
        m_services.loop.ScheduleAt(m_services.loop.Now(), order, *this, 0);
    }
}

void
JobEngine::Implementation::IssueTouched()
{
    std::vector<uint32_t> ranks;
    // What a rank issues may touch ranks again; they get another event, in the next round.
    ranks.swap(m_touched);
    // Completions touch ranks in any order. Ranks issue in the order of their numbers.
    std::sort(ranks.begin(), ranks.end());
    for (const uint32_t rank : ranks)
    {
        m_isTouched[rank] = false;
        m_ranks[rank].IssueReady();
    }
    EndEpisodes();
}

uint64_t
JobEngine::Implementation::NodesLeft() const
{
    return std::accumulate(m_ranks.begin(),
                           m_ranks.end(),
                           uint64_t{0},
                           [](uint64_t sum, const RankExecutor& rank)
                           { return sum + rank.NodesLeft(); });
}

RankMetrics
JobEngine::Implementation::Metrics(RankId rank) const
{
    RankMetrics metrics = m_ranks[rank.value].Metrics();
    metrics.waitedFor = MeanWaitFor(rank);
    return metrics;
}

std::vector<CommunicationTotal>
JobEngine::Implementation::Communication(RankId rank) const
{
    return m_ranks[rank.value].Communication();
}

WaitReport
JobEngine::Implementation::MakeReport(StuckBy by) const
{
    StuckJob job{
        .workload = m_services.workload, .plan = m_plan, .hasEpisodes = m_submitted > 0, .by = by};
    for (const RankExecutor& rank : m_ranks)
    {
        job.nodesLeft.push_back(rank.NodesLeft());
        job.firstUnfinished.push_back(rank.FindFirstUnfinished());
    }
    // Both are set, or neither where no node communicates.
    if (m_services.collectives != nullptr)
    {
        job.collectives = m_services.collectives->FindPending();
        job.pointToPoint = m_services.pointToPoint->FindPending();
    }
    if (m_services.remoteMemory != nullptr)
    {
        job.memory = m_services.remoteMemory->FindPending();
    }
    return WaitReportBuilder(job).Build();
}

JobEngine::JobEngine(const Context& context)
    : m_implementation(std::make_unique<Implementation>(context))
{
}

JobEngine::~JobEngine() = default;

void
JobEngine::SetCommunication(CollectiveEngine& collectives, PointToPoint& pointToPoint)
{
    m_implementation->SetCommunication(collectives, pointToPoint);
}

void
JobEngine::SetRemoteMemory(RemoteMemory& memory)
{
    m_implementation->SetRemoteMemory(memory);
}

void
JobEngine::SetObserver(JobObserver& observer)
{
    m_implementation->SetObserver(observer);
}

void
JobEngine::SetActivityObserver(ActivityObserver& observer)
{
    m_implementation->SetActivityObserver(observer);
}

void
JobEngine::Start()
{
    m_implementation->Start();
}

EpisodeNumber
JobEngine::Submit(Episode episode, EpisodeListener* listener)
{
    return m_implementation->Submit(std::move(episode), listener);
}

bool
JobEngine::IsFinished() const
{
    return m_implementation->NodesLeft() == 0;
}

uint64_t
JobEngine::NodesDone() const
{
    return NodesTotal() - m_implementation->NodesLeft();
}

uint64_t
JobEngine::NodesTotal() const
{
    return m_implementation->NodesTotal();
}

RankMetrics
JobEngine::Metrics(RankId rank) const
{
    return m_implementation->Metrics(rank);
}

const TableUse&
JobEngine::KernelTableUse() const
{
    return m_implementation->KernelTableUse();
}

std::vector<CommunicationTotal>
JobEngine::Communication(RankId rank) const
{
    return m_implementation->Communication(rank);
}

WaitReport
JobEngine::MakeWaitReport(StuckBy by) const
{
    return m_implementation->MakeReport(by);
}

void
JobEngine::OnOperationCompleted(RankId rank, uint64_t token)
{
    m_implementation->CompleteNode(rank, token);
}

void
JobEngine::OnMembersMet(const MembersMet& meeting)
{
    m_implementation->EndWait(meeting);
}

void
JobEngine::OnSlotsGranted(RankId rank, uint64_t token)
{
    m_implementation->TellSlotsGranted(rank, token);
}

void
JobEngine::OnReceiveMatched(const ReceiveMatch& match)
{
    m_implementation->BeginReceive(match.receiver, match.size);
}

} // namespace nadi
