// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-job.h"

#include "common/check.h"
#include "common/error.h"
#include "workload/serving/instance-state.h"
#include "workload/serving/kv-transfer.h"
#include "workload/serving/live-request.h"
#include "workload/serving/message-episode.h"
#include "workload/serving/queue-watch.h"
#include "workload/serving/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

// Timers of the serving come after those of all ranks: an arrival sees what ended at its instant,
// and a decision sees the arrivals.
constexpr uint64_t AFTER_THE_RANKS = std::numeric_limits<uint64_t>::max();
constexpr uint64_t ARRIVAL_TIMER = 102;
constexpr uint64_t DECISION_TIMER = 103;

constexpr uint64_t DECISION = std::numeric_limits<uint64_t>::max(); // a token; others are requests

bool
TakesPrompts(ServingRole role)
{
    return role == ServingRole::Both || role == ServingRole::Prefill;
}

} // namespace

class ServingJob::Implementation
    : private EventHandler
    , private EpisodeListener
{
  public:
    explicit Implementation(const Context& context);

    void SetObserver(RequestObserver& observer)
    {
        m_observer = &observer;
    }

    void Start()
    {
        ScheduleNextArrival();
    }

    bool IsFinished() const
    {
        return m_awaited.empty() && m_live.empty();
    }

    uint64_t UnderWay() const
    {
        return m_live.size();
    }

    uint64_t Served() const
    {
        return m_totals.requests;
    }

    ServingTotals Totals() const;

  private:
    /// A pass, or keys and values on their way.
    struct Task
    {
        uint32_t instance = 0;
        std::unique_ptr<Iteration> iteration; ///< null: a transfer
        LiveRequest* transferred = nullptr;
    };

    /// Instance, group, stage.
    using StageName = std::tuple<uint32_t, uint32_t, uint32_t>;

    void OnEvent(uint64_t token) override;
    void OnEpisodeEnded(EpisodeNumber episode) override;
    void ScheduleNextArrival();
    void Await(const Request& request);
    void Admit(const Request& request);
    void RequestDecision();
    void Decide();
    void GoOn(Task task);
    void RunNext(Task task);
    void Leave(InstanceState& instance, uint32_t group, uint32_t stage);
    void EndIteration(InstanceState& instance, const Iteration& iteration);
    void CountToken(LiveRequest& live);
    void EndPart(const BatchPart& part);
    void EndPrompt(LiveRequest& live);
    void EndRequest(LiveRequest& live);
    void EndTransfer(LiveRequest& live);
    void AdmitComputed(InstanceState& instance);
    void StartIterations(InstanceState& instance);
    void StartTransfer(LiveRequest& live);
    void Submit(Task task, Episode episode);
    ReplicaPlace Route(const Request& request, bool isPrompt);
    Batcher& BatcherOf(const ReplicaPlace& place);
    LiveRequest& LiveOf(const Sequence& sequence);

    Context m_context;
    std::deque<InstanceState> m_instances;
    Router m_promptRouter;
    Router m_decodeRouter;
    std::map<uint64_t, Request> m_awaited; // by id: will arrive
    std::optional<uint64_t> m_lastGiven;   // the source is asked for more when this one arrives
    std::map<uint64_t, std::unique_ptr<LiveRequest>> m_live;
    std::map<EpisodeNumber, Task> m_tasks;
    std::map<StageName, std::deque<Task>> m_beforeStage; // passes that wait for their next stage
    std::vector<EpisodeNumber> m_ended;                  // of this instant
    bool m_isDecisionDue = false;
    QueueWatch m_queue;
    ServingTotals m_totals;
    RequestObserver* m_observer = nullptr;
};

ServingJob::Implementation::Implementation(const Context& context)
    : m_context(context)
    , m_promptRouter(context.options.router, context.seed)
    , m_decodeRouter(context.options.router, context.seed + 1)
{
    for (const ServingInstance& instance : context.instances)
    {
        m_instances.emplace_back(instance, context.options, context.names, context.seed);
    }
}

void
ServingJob::Implementation::ScheduleNextArrival()
{
    while (const std::optional<Request> next = m_context.requests.Next())
    {
        Await(*next);
        // Those of a later instant follow when it has come.
        if (next->arrival > m_context.loop.Now())
        {
            m_lastGiven = next->id;
            return;
        }
    }
}

void
ServingJob::Implementation::Await(const Request& request)
{
    m_awaited.emplace(request.id, request);
    const EventOrder order{EventOrder::Kind::Timer,
                           {AFTER_THE_RANKS, ARRIVAL_TIMER, request.id, 0}};
    m_context.loop.ScheduleAt(request.arrival, order, *this, request.id);
}

void
ServingJob::Implementation::OnEvent(uint64_t token)
{
    if (token == DECISION)
    {
        m_isDecisionDue = false;
        return Decide();
    }
    const Request request = m_awaited.extract(token).mapped();
    Admit(request);
    if (m_lastGiven == request.id)
    {
        ScheduleNextArrival();
    }
    RequestDecision();
}

void
ServingJob::Implementation::Admit(const Request& request)
{
    const ReplicaPlace place = Route(request, true);
    m_queue.Arrive();
    LiveRequest& live =
        *m_live.emplace(request.id, std::make_unique<LiveRequest>(request, place)).first->second;
    BatcherOf(place).Enqueue(live.sequence);
}

/// Of replicas that could never hold the request, none is asked.
ReplicaPlace
ServingJob::Implementation::Route(const Request& request, bool isPrompt)
{
    Router& router = isPrompt ? m_promptRouter : m_decodeRouter;
    std::vector<ReplicaPlace> places;
    std::vector<ReplicaLoad> loads;
    for (InstanceState& state : m_instances)
    {
        const ServingRole role = state.Instance().Role();
        if (isPrompt ? !TakesPrompts(role) : role != ServingRole::Decode)
        {
            continue;
        }
        for (uint32_t replica = 0; replica < state.Instance().Replicas(); ++replica)
        {
            const Batcher& batcher = state.BatcherOf(replica);
            if (!batcher.Fits(request))
            {
                throw ConfigError(
                    m_context.options.where,
                    fmt::format("workload.serve: request {} of {} + {} tokens needs more KV blocks "
                                "than a replica of {} has ({} blocks of {} tokens); write more "
                                "kv-memory, or shorter requests",
                                request.id,
                                request.input,
                                request.output,
                                state.Instance().Name(),
                                batcher.Blocks().Total(),
                                batcher.Blocks().TokensOfBlock()));
            }
            places.push_back({&state.Instance(), replica});
            loads.push_back(
                router.NeedsLoads()
                    ? ReplicaLoad{batcher.TokensAhead(), batcher.Blocks().CachedTokens(request)}
                    : ReplicaLoad{});
        }
    }
    return places[router.Pick(request, loads)];
}

Batcher&
ServingJob::Implementation::BatcherOf(const ReplicaPlace& place)
{
    return m_instances[place.instance->Number()].BatcherOf(place.replica);
}

LiveRequest&
ServingJob::Implementation::LiveOf(const Sequence& sequence)
{
    return *m_live.at(sequence.request.id);
}

void
ServingJob::Implementation::OnEpisodeEnded(EpisodeNumber episode)
{
    m_ended.push_back(episode);
    RequestDecision();
}

void
ServingJob::Implementation::RequestDecision()
{
    if (std::exchange(m_isDecisionDue, true))
    {
        return;
    }
    const EventOrder order{EventOrder::Kind::Timer, {AFTER_THE_RANKS, DECISION_TIMER, 0, 0}};
    m_context.loop.ScheduleAt(m_context.loop.Now(), order, *this, DECISION);
}

void
ServingJob::Implementation::Decide()
{
    std::vector<EpisodeNumber> ended = std::exchange(m_ended, {});
    std::sort(ended.begin(), ended.end());
    for (const EpisodeNumber episode : ended)
    {
        GoOn(std::move(m_tasks.extract(episode).mapped()));
    }
    for (InstanceState& instance : m_instances)
    {
        if (instance.Instance().Role() != ServingRole::Ffn)
        {
            AdmitComputed(instance);
            StartIterations(instance);
        }
    }
}

void
ServingJob::Implementation::GoOn(Task task)
{
    if (task.transferred != nullptr)
    {
        return EndTransfer(*task.transferred);
    }
    InstanceState& instance = m_instances[task.instance];
    Iteration& iteration = *task.iteration;
    iteration.EndEpisode();
    if (const std::optional<uint32_t> stage = iteration.StageLeft())
    {
        Leave(instance, iteration.Group(), *stage);
    }
    if (iteration.HasEnded())
    {
        return EndIteration(instance, iteration);
    }
    RunNext(std::move(task));
}

/// The stage may still be busy with the batches before.
void
ServingJob::Implementation::RunNext(Task task)
{
    InstanceState& instance = m_instances[task.instance];
    Iteration& iteration = *task.iteration;
    const std::optional<uint32_t> stage = iteration.StageToBegin();
    if (stage && !instance.TryEnter(iteration.Group(), *stage))
    {
        const StageName name{task.instance, iteration.Group(), *stage};
        m_beforeStage[name].push_back(std::move(task));
        return;
    }
    Episode episode = iteration.Next(m_context.loop.Now());
    Submit(std::move(task), std::move(episode));
}

/// The stage is free; those who wait for it go on, the first of them.
void
ServingJob::Implementation::Leave(InstanceState& instance, uint32_t group, uint32_t stage)
{
    instance.Leave(group, stage);
    const auto waiting = m_beforeStage.find({instance.Instance().Number(), group, stage});
    if (waiting == m_beforeStage.end())
    {
        return;
    }
    Task next = std::move(waiting->second.front());
    waiting->second.pop_front();
    if (waiting->second.empty())
    {
        m_beforeStage.erase(waiting);
    }
    RunNext(std::move(next));
}

void
ServingJob::Implementation::EndIteration(InstanceState& instance, const Iteration& iteration)
{
    instance.EndIteration(iteration, m_context.loop.Now());
    for (size_t index = 0; index < iteration.Batches().size(); ++index)
    {
        const std::vector<BatchPart>& batch = iteration.Batches()[index];
        instance.ReplicaOfGroup(iteration.Group(), index).Complete(batch);
        for (const BatchPart& part : batch)
        {
            EndPart(part);
        }
    }
}

void
ServingJob::Implementation::EndPart(const BatchPart& part)
{
    if (!part.makesToken)
    {
        return;
    }
    LiveRequest& live = LiveOf(*part.sequence);
    CountToken(live);
    const Sequence& sequence = *part.sequence;
    if (sequence.generated == sequence.request.output)
    {
        EndRequest(live);
    }
    else if (live.place.instance->Role() == ServingRole::Prefill && !live.decodePlace)
    {
        EndPrompt(live);
    }
}

void
ServingJob::Implementation::CountToken(LiveRequest& live)
{
    const SimTime now = m_context.loop.Now();
    if (live.tokens++ == 0)
    {
        live.record.firstToken = now;
    }
    else
    {
        m_totals.itl.Add(now - live.lastToken);
    }
    live.lastToken = now;
}

/// The prompt is computed; a decode instance goes on with it as soon as it has room.
void
ServingJob::Implementation::EndPrompt(LiveRequest& live)
{
    BatcherOf(live.place).HandOver(live.sequence);
    live.decodePlace = Route(live.sequence.request, false);
    live.decoded.request = live.sequence.request;
    live.decoded.generated = live.sequence.generated;
    BatcherOf(*live.decodePlace).EnqueueComputed(live.decoded);
}

void
ServingJob::Implementation::AdmitComputed(InstanceState& instance)
{
    for (uint32_t replica = 0; replica < instance.Instance().Replicas(); ++replica)
    {
        for (const Sequence* sequence : instance.BatcherOf(replica).AdmitComputed())
        {
            StartTransfer(LiveOf(*sequence));
        }
    }
}

void
ServingJob::Implementation::StartTransfer(LiveRequest& live)
{
    const uint64_t tokens = live.sequence.request.input;
    std::vector<EpisodeMessage> messages;
    for (const KvShare& share : PlanKvTransfer(live.place, *live.decodePlace))
    {
        messages.push_back({share.source, share.destination, share.bytesOfToken * tokens});
    }
    Task task;
    task.transferred = &live;
    Submit(std::move(task),
           MakeMessageEpisode("keys and values", MessageKind::Kv, messages, m_context.names));
}

void
ServingJob::Implementation::EndTransfer(LiveRequest& live)
{
    live.record.transfer = m_context.loop.Now() - live.record.firstToken;
    BatcherOf(live.place).LetGo(live.sequence);
    BatcherOf(*live.decodePlace).Arrive(live.decoded);
}

void
ServingJob::Implementation::EndRequest(LiveRequest& live)
{
    RequestRecord& record = live.record;
    const Sequence& last = live.decodePlace ? live.decoded : live.sequence;
    record.end = m_context.loop.Now();
    record.preemptions = live.sequence.preemptions + live.decoded.preemptions;
    m_totals.requests += 1;
    m_totals.tokensIn += record.input;
    m_totals.tokensOut += record.output;
    m_totals.kept += record.Keeps(m_context.options.serviceLevel) ? 1 : 0;
    m_totals.end = record.end;
    m_totals.ttft.Add(record.Ttft());
    if (record.output > 1)
    {
        m_totals.tpot.Add(record.Tpot());
    }
    if (m_observer != nullptr)
    {
        m_observer->OnRequestEnded(record);
    }
    if (const std::optional<Request> next =
            m_context.requests.NextAfter(last.request, m_context.loop.Now()))
    {
        Await(*next);
    }
    m_live.erase(record.id);
}

void
ServingJob::Implementation::StartIterations(InstanceState& instance)
{
    const ServingInstance& what = instance.Instance();
    for (uint32_t group = 0; group < what.Groups(); ++group)
    {
        while (instance.UnderWay(group) < what.Model().pipeline && instance.IsFree(group, 0))
        {
            std::unique_ptr<Iteration> iteration = instance.MakeIteration(group);
            if (iteration == nullptr)
            {
                break;
            }
            for (const std::vector<BatchPart>& batch : iteration->Batches())
            {
                for (const BatchPart& part : batch)
                {
                    LiveRequest& live = LiveOf(*part.sequence);
                    if (!std::exchange(live.hasStarted, true))
                    {
                        live.record.start = m_context.loop.Now();
                        m_queue.Begin();
                    }
                }
            }
            instance.BeginIteration(group, m_context.loop.Now());
            Task task;
            task.instance = what.Number();
            task.iteration = std::move(iteration);
            RunNext(std::move(task));
        }
    }
}

void
ServingJob::Implementation::Submit(Task task, Episode episode)
{
    const EpisodeNumber number = m_context.jobs.Submit(std::move(episode), this);
    m_tasks.emplace(number, std::move(task));
}

ServingTotals
ServingJob::Implementation::Totals() const
{
    ServingTotals totals = m_totals;
    totals.isOverloaded = m_queue.HasGrownToTheEnd();
    for (const InstanceState& instance : m_instances)
    {
        totals.instances.push_back(instance.Totals(m_context.loop.Now()));
        totals.experts.Add(instance.Experts());
    }
    return totals;
}

ServingJob::ServingJob(const Context& context)
    : m_implementation(std::make_unique<Implementation>(context))
{
}

ServingJob::~ServingJob() = default;

void
ServingJob::SetObserver(RequestObserver& observer)
{
    m_implementation->SetObserver(observer);
}

void
ServingJob::Start()
{
    m_implementation->Start();
}

bool
ServingJob::IsFinished() const
{
    return m_implementation->IsFinished();
}

uint64_t
ServingJob::UnderWay() const
{
    return m_implementation->UnderWay();
}

uint64_t
ServingJob::Served() const
{
    return m_implementation->Served();
}

ServingTotals
ServingJob::Totals() const
{
    return m_implementation->Totals();
}

} // namespace nadi
