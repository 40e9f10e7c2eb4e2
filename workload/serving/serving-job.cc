// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/serving-job.h"

#include "workload/serving/changed-groups.h"
#include "workload/serving/decode-handover.h"
#include "workload/serving/instance-state.h"
#include "workload/serving/kv-offload.h"
#include "workload/serving/pass-runner.h"
#include "workload/serving/replica-chooser.h"
#include "workload/serving/request-arrivals.h"
#include "workload/serving/request-ledger.h"
#include "workload/serving/transfer-watch.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <set>
#include <utility>

namespace nadi
{

/// Hears of arrivals and of episodes that have ended, and decides what follows.
class ServingJob::Implementation
    : private EventHandler
    , private ArrivalListener
    , private EpisodeListener
{
  public:
    explicit Implementation(const Context& context);

    void AddObserver(RequestObserver& observer)
    {
        m_ledger.AddObserver(observer);
    }

    void SetPassObserver(PassObserver& observer)
    {
        m_passObserver = &observer;
    }

    void Start()
    {
        m_arrivals.Start();
    }

    void CheckRequests(RequestSource& requests);

    bool IsFinished() const
    {
        return m_arrivals.AreOver() && m_ledger.UnderWay() == 0;
    }

    const RequestLedger& Ledger() const
    {
        return m_ledger;
    }

    ServingTotals Totals() const;

  private:
    void OnEvent(uint64_t token) override;
    void OnRequestArrived(const Request& request) override;
    void OnMilestone(const MilestoneReached& milestone) override;
    void OnEpisodeEnded(EpisodeNumber episode) override;
    void RequestDecision();
    void Decide();
    void EndLayers();
    void EndEpisode(EpisodeNumber episode);
    void EndPass(const Pass& pass);
    void EndPart(const BatchPart& part);
    void Report(const Pass& pass) const;
    void EndRequest(LiveRequest& live);
    void DecideFor(InstanceState& instance, const std::set<uint32_t>& groups);
    bool StartPasses(InstanceState& instance, uint32_t group);
    void EndMove(const KvOffload::Move& move);
    bool MovePreempted(InstanceState& instance, uint32_t group);
    bool MovePreempted(const ReplicaPlace& place, Batcher& batcher);
    void BeginRequests(const Iteration& iteration);

    SimTime Now() const
    {
        return m_context.loop.Now();
    }

    Context m_context;
    std::deque<InstanceState> m_instances;
    ChangedGroups m_changed;
    ReplicaChooser m_chooser;
    RequestLedger m_ledger;
    PassRunner m_passes;
    DecodeHandover m_handover;
    KvOffload m_offload;
    TransferWatch m_transfers;
    RequestArrivals m_arrivals;
    std::vector<MilestoneReached> m_layers; // computed at this instant
    std::vector<EpisodeNumber> m_ended;     // of this instant
    bool m_isDecisionDue = false;
    PassObserver* m_passObserver = nullptr;
};

ServingJob::Implementation::Implementation(const Context& context)
    : m_context(context)
    , m_changed(m_instances)
    , m_chooser(context.options.router, context.seed, context.options.where)
    , m_ledger(context.options.serviceLevel)
    , m_passes(context.jobs, *this)
    , m_handover({m_instances, m_changed, m_chooser, m_ledger, m_passes},
                 KvMover(context.jobs, *this, context.options.kvTransfer, context.names))
    , m_offload(context.jobs, *this, context.names)
    , m_arrivals(context.loop, context.requests, *this)
{
    // The parts above refer to m_instances, but do not read it before it is filled here.
    for (const ServingInstance& instance : context.instances)
    {
        m_chooser.Add(
            m_instances.emplace_back(instance, context.options, context.names, context.seed));
    }
}

/// Lengths depend on the number of a request alone, so it does not matter when others end.
void
ServingJob::Implementation::CheckRequests(RequestSource& requests)
{
    while (std::optional<Request> request = requests.Next())
    {
        while (request)
        {
            m_chooser.Check(*request);
            request = requests.NextAfter(*request, request->arrival);
        }
    }
}

void
ServingJob::Implementation::OnEvent(uint64_t)
{
    m_isDecisionDue = false;
    Decide();
}

void
ServingJob::Implementation::OnRequestArrived(const Request& request)
{
    const ReplicaPlace place = m_chooser.Choose(request, ServingDuty::Prompt);
    m_handover.Admit(m_ledger.Open(request, place));
    RequestDecision();
}

void
ServingJob::Implementation::OnMilestone(const MilestoneReached& milestone)
{
    // Only noted: nothing may be submitted inside the call of a listener.
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
    // After the timers of all ranks and after arrivals: all that happens at the instant is known by
    // then.
    const EventOrder order{EventOrder::Kind::Timer,
                           {ServingTimer::AFTER_THE_RANKS, ServingTimer::DECISION, 0, 0}};
    m_context.loop.ScheduleAt(Now(), order, *this, 0);
}

// What this submits may end at the same instant; then another decision follows.
void
ServingJob::Implementation::Decide()
{
    // Layers before ends: the handover asks for the pass of a layer, and the end of an episode
    // forgets it.
    EndLayers();
    std::vector<EpisodeNumber> ended = std::exchange(m_ended, {});
    std::sort(ended.begin(), ended.end());
    for (const EpisodeNumber episode : ended)
    {
        EndEpisode(episode);
    }
    // After all ends, which free the blocks and places that are taken here and below.
    m_handover.AdmitComputed();
    // Ranks of experts alone are never among them: their passes are parts of those of their
    // attention instance.
    for (const auto& [number, groups] : m_changed.Take())
    {
        DecideFor(m_instances[number], groups);
    }
    m_transfers.Note(m_handover.HasTransfers(), Now());
}

/// A group for which anything was done counts as changed: what became free or moved may let the
/// next decision do more. Moves come after all passes, which have the first choice of the blocks.
void
ServingJob::Implementation::DecideFor(InstanceState& instance, const std::set<uint32_t>& groups)
{
    for (const uint32_t group : groups)
    {
        if (StartPasses(instance, group))
        {
            m_changed.Add(instance.Instance(), group);
        }
    }
    for (const uint32_t group : groups)
    {
        if (MovePreempted(instance, group))
        {
            m_changed.Add(instance.Instance(), group);
        }
    }
}

void
ServingJob::Implementation::EndLayers()
{
    std::vector<MilestoneReached> layers = std::exchange(m_layers, {});
    for (const MilestoneReached& layer : layers)
    {
        m_passes.EndLayer(layer, Now());
    }
    m_handover.EndLayers(std::move(layers));
}

void
ServingJob::Implementation::EndEpisode(EpisodeNumber episode)
{
    if (m_handover.Owns(episode))
    {
        return m_handover.EndTransfer(episode, Now());
    }
    if (m_offload.Owns(episode))
    {
        return EndMove(m_offload.End(episode));
    }
    // What is neither a transfer nor a swap is a pass. It may leave its stage.
    const Pass& pass = m_passes.At(episode);
    m_changed.Add(pass.instance->Instance(), pass.iteration->Group());
    const std::optional<SimTime> begun = pass.iteration->StandingInSince();
    if (begun && m_transfers.MetAny(*begun, Now()))
    {
        m_passes.MarkDisturbed(episode);
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
    if (m_passObserver != nullptr)
    {
        Report(pass);
    }
    for (size_t index = 0; index < iteration.Batches().size(); ++index)
    {
        const std::vector<BatchPart>& batch = iteration.Batches()[index];
        // Before EndPart, which may end the request, and with it the sequence.
        pass.instance->ReplicaOfGroup(iteration.Group(), index).Complete(batch);
        for (const BatchPart& part : batch)
        {
            EndPart(part);
        }
    }
}

void
ServingJob::Implementation::Report(const Pass& pass) const
{
    PassRecord record{.instance = pass.instance->Instance().Number(),
                      .start = pass.begun,
                      .end = Now(),
                      .tokens = pass.iteration->Tokens()};
    for (const std::vector<BatchPart>& batch : pass.iteration->Batches())
    {
        record.requests += batch.size();
    }
    m_passObserver->OnPassEnded(record);
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
    // `place` stays the prefill instance while another one decodes; isPrompted tells whose token
    // this is.
    else if (live.place.instance->Role() == ServingRole::Prefill && !live.isPrompted)
    {
        m_handover.EndPrompt(live, Now());
    }
}

void
ServingJob::Implementation::EndRequest(LiveRequest& live)
{
    // A copy, since Close destroys `live`.
    const Request ended = live.sequence.request;
    m_ledger.Close(live, Now());
    m_arrivals.ExpectAfter(ended);
}

/// Returns whether anything has changed: a pass was begun, or a sequence preempted in vain.
bool
ServingJob::Implementation::StartPasses(InstanceState& instance, uint32_t group)
{
    bool hasChanged = false;
    // Ends at the latest after one pass, which makes the first stage busy.
    while (instance.CanBegin(group))
    {
        std::unique_ptr<Iteration> iteration = instance.MakeIteration(group);
        if (iteration == nullptr)
        {
            return hasChanged || instance.HasPreempted(group);
        }
        BeginRequests(*iteration);
        m_passes.Begin(instance, std::move(iteration), Now());
        hasChanged = true;
    }
    return hasChanged;
}

/// Returns whether any was moved.
bool
ServingJob::Implementation::MovePreempted(InstanceState& instance, uint32_t group)
{
    const uint32_t replicas = instance.Instance().ReplicasOfGroup();
    bool hasMoved = false;
    for (uint32_t replica = group * replicas; replica < (group + 1) * replicas; ++replica)
    {
        const ReplicaPlace place{&instance.Instance(), replica};
        hasMoved = MovePreempted(place, instance.BatcherOf(replica)) || hasMoved;
    }
    return hasMoved;
}

bool
ServingJob::Implementation::MovePreempted(const ReplicaPlace& place, Batcher& batcher)
{
    using Direction = KvOffload::Direction;
    const std::vector<Sequence*> preempted = batcher.TakePreempted();
    for (Sequence* const sequence : preempted)
    {
        m_offload.Begin({Direction::Store, place, sequence});
    }
    const std::vector<Sequence*> stored = batcher.AdmitStored();
    for (Sequence* const sequence : stored)
    {
        m_offload.Begin({Direction::Load, place, sequence});
    }
    return !preempted.empty() || !stored.empty();
}

void
ServingJob::Implementation::EndMove(const KvOffload::Move& move)
{
    Batcher& batcher = m_changed.Change(move.place);
    if (move.direction == KvOffload::Direction::Store)
    {
        batcher.EndStore(*move.sequence);
    }
    else
    {
        batcher.EndLoad(*move.sequence);
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
            m_handover.BeginPart(live, part);
        }
    }
}

ServingTotals
ServingJob::Implementation::Totals() const
{
    ServingTotals totals = m_ledger.Totals();
    totals.swaps = m_offload.Stores();
    totals.swappedBytes = m_offload.StoredBytes();
    for (const InstanceState& instance : m_instances)
    {
        totals.instances.push_back(instance.Totals(Now()));
        totals.cachedTokens += instance.CachedTokens();
        totals.experts.Add(instance.Experts());
        totals.passes.Add(instance.Counts());
    }
    // A pass of a pair is one of both instances; the attention instance counts it.
    for (size_t number = 0; number < totals.instances.size(); ++number)
    {
        if (const ServingInstance* attention = m_instances[number].Instance().Attention())
        {
            totals.instances[number].CountPassesOf(totals.instances[attention->Number()]);
        }
    }
    return totals;
}

ServingJob::ServingJob(const Context& context)
    : m_implementation(std::make_unique<Implementation>(context))
{
}

ServingJob::~ServingJob() = default;

void
ServingJob::AddObserver(RequestObserver& observer)
{
    m_implementation->AddObserver(observer);
}

void
ServingJob::SetPassObserver(PassObserver& observer)
{
    m_implementation->SetPassObserver(observer);
}

void
ServingJob::CheckRequests(RequestSource& requests)
{
    m_implementation->CheckRequests(requests);
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
