// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-job.h"

#include "workload/serving/instance-state.h"
#include "workload/serving/kv-mover.h"
#include "workload/serving/pass-runner.h"
#include "workload/serving/replica-chooser.h"
#include "workload/serving/request-ledger.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
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

} // namespace

/// Hears of arrivals and of episodes that have ended, and decides what follows.
class ServingJob::Implementation
    : private EventHandler
    , private EpisodeListener
{
  public:
    explicit Implementation(const Context& context);

    void SetObserver(RequestObserver& observer)
    {
        m_ledger.SetObserver(observer);
    }

    void Start()
    {
        ScheduleNextArrival();
    }

    bool IsFinished() const
    {
        return m_awaited.empty() && m_ledger.UnderWay() == 0;
    }

    const RequestLedger& Ledger() const
    {
        return m_ledger;
    }

    ServingTotals Totals() const;

  private:
    void OnEvent(uint64_t token) override;
    void OnMilestone(const MilestoneReached& milestone) override;
    void OnEpisodeEnded(EpisodeNumber episode) override;
    void ScheduleNextArrival();
    void Await(const Request& request);
    void Admit(const Request& request);
    void Reserve(LiveRequest& live);
    void RequestDecision();
    void Decide();
    void EndLayers();
    void EndLayer(const Pass& pass, const ComputedLayer& computed);
    void EndEpisode(EpisodeNumber episode);
    void EndPass(const Pass& pass);
    void EndPart(const BatchPart& part);
    void EndPrompt(LiveRequest& live);
    void EndRequest(LiveRequest& live);
    void AdmitComputed(InstanceState& instance);
    void GoOnIfMoved(LiveRequest& live);
    void StartPasses(InstanceState& instance);
    void BeginRequests(const Iteration& iteration);
    Batcher& BatcherOf(const ReplicaPlace& place);

    SimTime Now() const
    {
        return m_context.loop.Now();
    }

    Context m_context;
    std::deque<InstanceState> m_instances;
    ReplicaChooser m_chooser;
    RequestLedger m_ledger;
    PassRunner m_passes;
    KvMover m_mover;
    std::map<uint64_t, Request> m_awaited;  // by id: will arrive
    std::optional<uint64_t> m_lastGiven;    // the source is asked for more when this one arrives
    std::vector<MilestoneReached> m_layers; // computed at this instant
    std::vector<EpisodeNumber> m_ended;     // of this instant
    bool m_isDecisionDue = false;
};

ServingJob::Implementation::Implementation(const Context& context)
    : m_context(context)
    , m_chooser(m_instances, context.options.router, context.seed, context.options.where)
    , m_ledger(context.options.serviceLevel)
    , m_passes(context.jobs, *this)
    , m_mover(context.jobs, *this, context.options.kvTransfer, context.names)
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
        if (next->arrival > Now())
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
    const ReplicaPlace place = m_chooser.Choose(request, ServingDuty::Prompt);
    LiveRequest& live = m_ledger.Open(request, place);
    const bool isMoved = place.instance->Role() == ServingRole::Prefill && request.output > 1;
    if (isMoved && m_mover.IsLayerByLayer())
    {
        BatcherOf(place).Expect(live.sequence);
        live.decoded.generated = 1; // by the time that it is decoded
        return Reserve(live);
    }
    BatcherOf(place).Enqueue(live.sequence);
}

/// A decode instance goes on with the request as soon as it has room and the prompt is there.
void
ServingJob::Implementation::Reserve(LiveRequest& live)
{
    live.decodePlace = m_chooser.Choose(live.sequence.request, ServingDuty::Answer);
    live.decoded.request = live.sequence.request;
    BatcherOf(*live.decodePlace).EnqueueComputed(live.decoded);
}

Batcher&
ServingJob::Implementation::BatcherOf(const ReplicaPlace& place)
{
    return m_instances[place.instance->Number()].BatcherOf(place.replica);
}

void
ServingJob::Implementation::OnMilestone(const MilestoneReached& milestone)
{
    m_layers.push_back(milestone);
    RequestDecision();
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
    m_context.loop.ScheduleAt(Now(), order, *this, DECISION);
}

void
ServingJob::Implementation::Decide()
{
    EndLayers();
    std::vector<EpisodeNumber> ended = std::exchange(m_ended, {});
    std::sort(ended.begin(), ended.end());
    for (const EpisodeNumber episode : ended)
    {
        EndEpisode(episode);
    }
    for (InstanceState& instance : m_instances)
    {
        AdmitComputed(instance);
    }
    for (InstanceState& instance : m_instances)
    {
        if (instance.Instance().Role() != ServingRole::Ffn)
        {
            StartPasses(instance);
        }
    }
}

/// Ranks that have computed a layer at one instant send together.
void
ServingJob::Implementation::EndLayers()
{
    std::vector<MilestoneReached> reached = std::exchange(m_layers, {});
    std::sort(reached.begin(), reached.end());
    std::vector<RankId> ranks;
    for (size_t i = 0; i < reached.size(); ++i)
    {
        ranks.push_back(reached[i].rank);
        if (i + 1 == reached.size() || reached[i + 1].episode != reached[i].episode ||
            reached[i + 1].number != reached[i].number)
        {
            EndLayer(m_passes.At(reached[i].episode), {reached[i].number, ranks});
            ranks.clear();
        }
    }
}

void
ServingJob::Implementation::EndLayer(const Pass& pass, const ComputedLayer& computed)
{
    for (const std::vector<BatchPart>& batch : pass.iteration->Batches())
    {
        for (const BatchPart& part : batch)
        {
            LiveRequest& live = m_ledger.At(*part.sequence);
            if (live.decodePlace)
            {
                m_mover.SendLayer(live, computed);
            }
        }
    }
}

void
ServingJob::Implementation::EndEpisode(EpisodeNumber episode)
{
    if (m_mover.Owns(episode))
    {
        return GoOnIfMoved(m_mover.End(episode));
    }
    if (const std::optional<Pass> ended = m_passes.GoOn(episode, Now()))
    {
        EndPass(*ended);
    }
}

void
ServingJob::Implementation::EndPass(const Pass& pass)
{
    const Iteration& iteration = *pass.iteration;
    for (size_t index = 0; index < iteration.Batches().size(); ++index)
    {
        const std::vector<BatchPart>& batch = iteration.Batches()[index];
        pass.instance->ReplicaOfGroup(iteration.Group(), index).Complete(batch);
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
    LiveRequest& live = m_ledger.At(*part.sequence);
    m_ledger.CountToken(live, Now());
    if (part.sequence->generated == part.sequence->request.output)
    {
        EndRequest(live);
    }
    else if (live.place.instance->Role() == ServingRole::Prefill && !live.isPrompted)
    {
        EndPrompt(live);
    }
}

/// The prompt is computed; another instance makes the answer.
void
ServingJob::Implementation::EndPrompt(LiveRequest& live)
{
    BatcherOf(live.place).HandOver(live.sequence);
    live.isPrompted = true;
    if (live.decodePlace)
    {
        return GoOnIfMoved(live);
    }
    live.decoded.generated = live.sequence.generated;
    Reserve(live);
}

void
ServingJob::Implementation::EndRequest(LiveRequest& live)
{
    const Request ended = live.sequence.request;
    m_ledger.Close(live, Now());
    if (const std::optional<Request> next = m_context.requests.NextAfter(ended, Now()))
    {
        Await(*next);
    }
}

void
ServingJob::Implementation::AdmitComputed(InstanceState& instance)
{
    for (uint32_t replica = 0; replica < instance.Instance().Replicas(); ++replica)
    {
        for (const Sequence* sequence : instance.BatcherOf(replica).AdmitComputed())
        {
            LiveRequest& live = m_ledger.At(*sequence);
            if (live.isPrompted)
            {
                m_mover.SendAll(live);
            }
            else
            {
                BatcherOf(live.place).Enqueue(live.sequence);
            }
        }
    }
}

/// Where the prompt is computed, and all its keys and values are with the decode instance.
void
ServingJob::Implementation::GoOnIfMoved(LiveRequest& live)
{
    if (!live.isPrompted || live.kvUnderWay > 0)
    {
        return;
    }
    live.record.transfer = Now() - live.record.firstToken;
    BatcherOf(live.place).LetGo(live.sequence);
    BatcherOf(*live.decodePlace).Arrive(live.decoded);
}

void
ServingJob::Implementation::StartPasses(InstanceState& instance)
{
    for (uint32_t group = 0; group < instance.Instance().Groups(); ++group)
    {
        while (instance.CanBegin(group))
        {
            std::unique_ptr<Iteration> iteration = instance.MakeIteration(group);
            if (iteration == nullptr)
            {
                break;
            }
            BeginRequests(*iteration);
            m_passes.Begin(instance, std::move(iteration), Now());
        }
    }
}

void
ServingJob::Implementation::BeginRequests(const Iteration& iteration)
{
    for (const std::vector<BatchPart>& batch : iteration.Batches())
    {
        for (const BatchPart& part : batch)
        {
            LiveRequest& live = m_ledger.At(*part.sequence);
            m_ledger.Begin(live, Now());
            if (!live.isPrompted)
            {
                KvMover::BeginPass(live, part);
            }
        }
    }
}

ServingTotals
ServingJob::Implementation::Totals() const
{
    ServingTotals totals = m_ledger.Totals();
    for (const InstanceState& instance : m_instances)
    {
        totals.instances.push_back(instance.Totals(Now()));
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
    return m_implementation->Ledger().UnderWay();
}

uint64_t
ServingJob::Served() const
{
    return m_implementation->Ledger().Served();
}

ServingTotals
ServingJob::Totals() const
{
    return m_implementation->Totals();
}

} // namespace nadi
