// SPDX-License-Identifier: GPL-2.0-only
#include "workload/job-engine.h"

#include "common/check.h"
#include "workload/engine/job-check.h"
#include "workload/engine/rank-executor.h"
#include "workload/engine/wait-report-builder.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nadi
{

namespace
{

// The kind of the timer that issues what became ready. Its rank is larger than any, so that it
// comes last among the timers of its round: all completions of the round have made their nodes
// ready by then.
constexpr uint64_t ISSUE_TIMER = 101;
constexpr uint64_t AFTER_ALL_RANKS = std::numeric_limits<uint64_t>::max();
constexpr uint64_t ISSUE_TOKEN = std::numeric_limits<uint64_t>::max();

/// Picoseconds of many ranks together, which could pass the clock's range.
__extension__ using RankTimes = __int128;

} // namespace

/// Passes completions on to the executors of the ranks, and lets those that were touched issue
/// what became ready: all of them in one event at the end of the round, in order of rank.
class JobEngine::Implementation : public EventHandler
{
  public:
    explicit Implementation(const Context& context);

    void SetCommunication(CollectiveEngine& collectives, PointToPoint& pointToPoint);
    void SetRemoteMemory(RemoteMemory& memory);
    void SetObserver(JobObserver& observer);
    void SetActivityObserver(ActivityObserver& observer);
    void Start();
    void OnEvent(uint64_t token) override;
    void CompleteNode(RankId rank, uint32_t node);
    void BeginReceive(RankId rank, Bytes size);
    void EndWait(const MembersMet& meeting);
    uint64_t NodesLeft() const;
    uint64_t NodesTotal() const;
    RankMetrics Metrics(RankId rank) const;
    std::vector<CommunicationTotal> Communication(RankId rank) const;
    WaitReport MakeReport() const;

  private:
    SimTime MeanWaitFor(RankId rank) const;
    void RequestIssue(RankId rank);
    void IssueTouched();

    JobPlan m_plan;
    ExecutionServices m_services;
    std::vector<RankExecutor> m_ranks;
    std::vector<uint32_t> m_touched;    // ranks that may issue, each once
    std::vector<bool> m_isTouched;      // by rank
    std::vector<RankTimes> m_waitedFor; // by rank: what all others together waited for it
};

JobEngine::Implementation::Implementation(const Context& context)
    : m_plan(context.workload)
    , m_services{context.loop, context.workload, context.compute, context.memory, m_plan, *this}
    , m_isTouched(context.workload.RankCount(), false)
    , m_waitedFor(context.workload.RankCount())
{
    CheckJob(context.workload);
    m_ranks.reserve(context.workload.RankCount());
    for (uint32_t rank = 0; rank < context.workload.RankCount(); ++rank)
    {
        m_ranks.emplace_back(RankId{rank}, m_services);
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

void
JobEngine::Implementation::OnEvent(uint64_t token)
{
    if (token == ISSUE_TOKEN)
    {
        return IssueTouched();
    }
    const TimerToken timer = TimerToken::Unpack(token);
    CompleteNode(timer.rank, timer.node);
}

void
JobEngine::Implementation::CompleteNode(RankId rank, uint32_t node)
{
    m_ranks[rank.value].CompleteNode(node);
    RequestIssue(rank);
}

void
JobEngine::Implementation::BeginReceive(RankId rank, Bytes size)
{
    m_ranks[rank.value].BeginReceive(size);
}

void
JobEngine::Implementation::EndWait(const MembersMet& meeting)
{
    const auto node = static_cast<uint32_t>(meeting.token);
    const SimTime wait = m_ranks[meeting.rank.value].EndWait(node);
    if (meeting.rank != meeting.last)
    {
        m_waitedFor[meeting.last.value] += wait.Ps();
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
    if (m_touched.size() == 1)
    {
        const EventOrder order{EventOrder::Kind::Timer, {AFTER_ALL_RANKS, ISSUE_TIMER, 0, 0}};
        m_services.loop.ScheduleAt(m_services.loop.Now(), order, *this, ISSUE_TOKEN);
    }
}

void
JobEngine::Implementation::IssueTouched()
{
    std::vector<uint32_t> ranks;
    // What a rank issues may touch ranks again; they get another event, in the next round.
    ranks.swap(m_touched);
    std::sort(ranks.begin(), ranks.end());
    for (const uint32_t rank : ranks)
    {
        m_isTouched[rank] = false;
        m_ranks[rank].IssueReady();
    }
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

uint64_t
JobEngine::Implementation::NodesTotal() const
{
    uint64_t total = 0;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        total += m_services.workload.GraphOf(RankId{rank}).NodeCount();
    }
    return total;
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
JobEngine::Implementation::MakeReport() const
{
    StuckJob job{m_services.workload, m_plan, {}, {}, {}, {}, {}};
    for (const RankExecutor& rank : m_ranks)
    {
        job.nodesLeft.push_back(rank.NodesLeft());
        job.firstUnfinished.push_back(rank.FindFirstUnfinished().value_or(0));
    }
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

std::vector<CommunicationTotal>
JobEngine::Communication(RankId rank) const
{
    return m_implementation->Communication(rank);
}

WaitReport
JobEngine::MakeWaitReport() const
{
    return m_implementation->MakeReport();
}

void
JobEngine::OnOperationCompleted(RankId rank, uint64_t token)
{
    m_implementation->CompleteNode(rank, static_cast<uint32_t>(token));
}

void
JobEngine::OnMembersMet(const MembersMet& meeting)
{
    m_implementation->EndWait(meeting);
}

void
JobEngine::OnReceiveMatched(const ReceiveMatch& match)
{
    m_implementation->BeginReceive(match.receiver, match.size);
}

} // namespace nadi
