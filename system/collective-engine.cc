// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-engine.h"

#include "common/check.h"
#include "system/execution/engine-implementation.h"
#include "system/execution/pending-report.h"
#include "system/execution/place-demand.h"
#include "system/execution/timer-kind.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// A plan takes some hundred bytes, so this keeps about half a megabyte.
constexpr size_t PLANS_KEPT = 4096;

} // namespace

double
CollectiveProgress::Share() const
{
    return plannedBytes > 0 ? std::clamp(deliveredBytes / plannedBytes, 0.0, 1.0) : 0;
}

CollectiveEngine::Implementation::Implementation(const Context& context)
    : m_context(context)
    , m_layouts(context.stack, context.places, context.communicators.size())
    , m_rendezvous(context.communicators, context.options.elementBytes)
    , m_slots(context.options.concurrentCollectives,
              m_layouts.RankCount(),
              FindPlaceRules(context.trees))
    , m_programs(context.library, context.options.scheduling)
    , m_plans(PLANS_KEPT)
    , m_executor(context.loop,
                 context.network,
                 m_layouts.RankCount(),
                 context.trees != nullptr ? context.trees->Reducers() : nullptr)
    , m_shared{.loop = context.loop,
               .executor = m_executor,
               .plans = m_plans,
               .owner = *this,
               .trees = context.trees,
               .programs = context.programs,
               .chunksInFlight = context.options.scheduling.chunksInFlight,
               .leastInFlight = m_leastInFlight,
               .elementBytes = context.options.elementBytes}
{
    m_replay.decision.algorithm = "recorded";
    if (context.trees != nullptr)
    {
        m_switchProtocol.emplace(context.trees->Options());
        m_shared.switchProtocol = &*m_switchProtocol;
    }
}

void
CollectiveEngine::Implementation::OnMessageDelivered(const Delivery& delivery)
{
    // What switches send is not planned for, as it follows from what ranks send.
    if (delivery.message.source.value < m_layouts.RankCount())
    {
        m_progress.deliveredBytes += static_cast<double>(delivery.message.size.Count());
    }
    if (m_observer != nullptr)
    {
        m_observer->OnMessageCompleted(delivery);
    }
    m_executor.OnMessageDelivered(delivery);
}

void
CollectiveEngine::Implementation::OnEvent(uint64_t token)
{
    if (token == GRANT)
    {
        return Grant();
    }
    const auto index = static_cast<uint32_t>(token - 1);
    const Ending ending = m_endings[index];
    m_endings.Free(index);
    CompleteMember(m_running.at(ending.id), ending.member);
}

void
CollectiveEngine::Implementation::OnMemberCompleted(CollectiveRun& run, uint32_t member)
{
    RunningCollective& running = m_running.at(run.Id());
    if (running.taken)
    {
        // The network took the collective over. It calls OnMemberEnded for this member, unless it
        // has done so already because it knew the end.
        return m_context.network.EndPart(*running.taken, member);
    }
    EndMember(running, member);
}

void
CollectiveEngine::Implementation::OnMemberEnded(CollectiveId id, uint32_t member)
{
    EndMember(m_running.at(id), member);
}

/// A message that the network skipped, since it knew the outcome, counts in results and digest as
/// one that it simulated.
void
CollectiveEngine::Implementation::OnMessageSkipped(const Delivery& delivery)
{
    m_executor.OnMessageSkipped(delivery.message);
    if (m_observer != nullptr)
    {
        m_observer->OnMessageCompleted(delivery);
    }
}

/// A collective may be released before or after its end; the later of the two forgets it.
void
CollectiveEngine::Implementation::OnReleased(CollectiveId id)
{
    RunningCollective& running = m_running.at(id);
    running.taken.reset();
    if (running.hasEnded)
    {
        Forget(running);
    }
}

/// How long the collective takes on a member whose last phase ended `ran` after it began.
SimTime
CollectiveEngine::Implementation::FindDuration(const RunningCollective& running,
                                               RankId rank,
                                               SimTime ran) const
{
    return running.meeting.IsReplayed() ? running.meeting.RecordedTransferTo(rank)
                                        : running.program->protocol->ExtendRun(ran);
}

/// Completes the member by an event, when its time has come: at the end of its last phase, in a
/// further round of that instant, or later. So what one rank goes on with does not depend on which
/// message of the instant ended the collective there.
void
CollectiveEngine::Implementation::EndMember(RunningCollective& running, uint32_t member)
{
    const SimTime ran = m_context.loop.Now() - running.begin;
    const CollectiveRun& run = *running.run;
    const RankId rank = run.Layout().RankOf(member);
    const SimTime lasts = std::max(ran, FindDuration(running, rank, ran));
    // A member ends once, so rank and stream identify the event.
    const EventOrder order{
        .kind = EventOrder::Kind::Timer,
        .identity = {rank.value, TimerWord(SystemTimer::CollectiveEnd), run.Stream().value, 0}};
    const uint32_t ending = m_endings.Make({.id = run.Id(), .member = member});
    m_context.loop.ScheduleAt(running.begin + lasts, order, *this, uint64_t{ending} + 1);
}

/// The listener comes last: it may start other collectives, and End may have destroyed `running`.
void
CollectiveEngine::Implementation::CompleteMember(RunningCollective& running, uint32_t member)
{
    const RankId rank = running.run->Layout().RankOf(member);
    const uint64_t token = running.meeting.calls.at(rank).token;
    if (m_slots.Release(*running.meeting.communicator, rank))
    {
        ScheduleGrant();
    }
    ++running.completed;
    --m_progress.members;
    if (running.completed == running.meeting.calls.size())
    {
        End(running);
    }
    m_context.listener.OnOperationCompleted(rank, token);
}

void
CollectiveEngine::Implementation::End(RunningCollective& running)
{
    if (m_observer != nullptr)
    {
        m_observer->OnCollectiveCompleted(
            MakeCollectiveRecord(running, m_context.loop.Now(), m_context.options.elementBytes));
    }
    if (running.run->Helpers())
    {
        // A rank or another switch waits for whatever a switch sends. So when all ranks are done,
        // the switches are too.
        NADI_CHECK(running.run->Helpers()->AreDone());
        ++m_inNetwork.collectives;
    }
    m_inNetwork.fallbacks += running.isWithoutSwitches ? 1 : 0;
    if (m_slots.ReleasePlaces(running.places))
    {
        ScheduleGrant();
    }
    running.hasEnded = true;
    running.sentAtEnd = running.run->SentBytes();
    m_progress.plannedBytes -= running.run->PlannedBytes();
    m_progress.deliveredBytes -= running.sentAtEnd;
    for (const StreamId stream : running.run->FindStreams())
    {
        // Nothing more will be sent on these streams, so the network may forget their queue pairs.
        m_context.network.CloseStream(stream);
    }
    // If the network took the collective over, it may still use its traffic. OnReleased forgets the
    // collective then.
    if (!running.taken)
    {
        Forget(running);
    }
}

/// Nobody needs the collective any more.
void
CollectiveEngine::Implementation::Forget(RunningCollective& running)
{
    // What was simulated after the end was delivered before it, and is no progress.
    m_progress.deliveredBytes -= running.run->SentBytes() - running.sentAtEnd;
    if (running.cached != nullptr)
    {
        m_programs.Release(*running.cached);
    }
    m_running.erase(CollectiveId(running.run->Id()));
    // Sums of fractions are rounded; here what rounding left is dropped.
    if (m_running.empty())
    {
        m_progress = {};
    }
}

std::vector<PendingCollective>
CollectiveEngine::Implementation::FindPending() const
{
    const uint32_t elementBytes = m_context.options.elementBytes;
    std::vector<PendingCollective> pending;
    // Collectives that wait for slots are among these: a meeting leaves the rendezvous when its
    // collective begins.
    for (const auto& [id, meeting] : m_rendezvous.Open())
    {
        pending.push_back(MakePendingReport(id, meeting, elementBytes));
    }
    const std::vector<PhaseExecutor::Wait> waits = m_executor.FindWaits();
    for (const auto& [id, running] : m_running)
    {
        // The network still uses the traffic of such a collective, but no rank waits for it.
        if (running.hasEnded)
        {
            continue;
        }
        pending.push_back(MakePendingReport(id, running.meeting, elementBytes));
        if (running.run != nullptr) // else an error has kept it from beginning
        {
            AddProgress(pending.back(), *running.run, waits);
        }
    }
    std::sort(pending.begin(),
              pending.end(),
              [](const PendingCollective& a, const PendingCollective& b)
              { return std::pair(a.communicator, a.call) < std::pair(b.communicator, b.call); });
    return pending;
}

/// A limit changed something where some plan differs from that of the default: with `chunks: auto`
/// even the number of chunks follows from it. Where no plan differs, a limit above the default
/// changed nothing if all began as by default, although fewer might be under way. What a limit
/// below the default held back is not counted: with as many chunks it may have done so.
bool
CollectiveEngine::Implementation::HaveChunksInFlightActed() const
{
    const uint32_t limit = m_shared.chunksInFlight;
    const uint32_t usual = SchedulingOptions().chunksInFlight;
    const bool mayHaveHeld =
        limit < usual ? m_programs.MostChunks() > limit : m_leastInFlight > usual;
    return mayHaveHeld || m_programs.Effects().HasActed(SchedulingEffects::Key::ChunksInFlight);
}

SystemEffects
CollectiveEngine::Implementation::Effects() const
{
    const SchedulingEffects& plans = m_programs.Effects();
    return {.interDimension = plans.HasActed(SchedulingEffects::Key::InterDimension),
            .intraDimension = plans.HasActed(SchedulingEffects::Key::IntraDimension),
            .hierarchy = plans.HasActed(SchedulingEffects::Key::Hierarchy),
            .chunksInFlight = HaveChunksInFlightActed(),
            .slots = m_slots.HasLimited(),
            .reduction = m_executor.HasReduced(),
            .mostChunks = m_programs.MostChunks(),
            .mostDimensions = m_programs.MostDimensions(),
            .mostSends = m_executor.MostSends()};
}

CollectiveEngine::CollectiveEngine(const Context& context)
    : m_implementation(std::make_unique<Implementation>(context))
{
}

CollectiveEngine::~CollectiveEngine() = default;

void
CollectiveEngine::SetObserver(CollectiveObserver& observer)
{
    m_implementation->SetObserver(observer);
}

void
CollectiveEngine::SetPhaseObserver(CollectivePhaseObserver& observer)
{
    m_implementation->SetPhaseObserver(observer);
}

void
CollectiveEngine::Start(const CollectiveCall& call)
{
    m_implementation->Start(call);
}

void
CollectiveEngine::OnMessageDelivered(const Delivery& delivery)
{
    m_implementation->OnMessageDelivered(delivery);
}

void
CollectiveEngine::ExpectDelivery(const Message& message) const
{
    m_implementation->Executor().ExpectDelivery(message);
}

std::vector<PendingCollective>
CollectiveEngine::FindPending() const
{
    return m_implementation->FindPending();
}

Bytes
CollectiveEngine::BytesSent(RankId rank) const
{
    return m_implementation->Executor().BytesSent(rank);
}

InNetworkUsage
CollectiveEngine::InNetwork() const
{
    return m_implementation->InNetwork();
}

CollectiveUsage
CollectiveEngine::Usage() const
{
    const PhaseExecutor& executor = m_implementation->Executor();
    return {.phases = executor.LivePhases(),
            .lanes = executor.LiveLanes(),
            .arrivals = executor.LiveArrivals(),
            .held = executor.HeldMessages()};
}

const CollectiveProgress&
CollectiveEngine::Progress() const
{
    return m_implementation->Progress();
}

SystemEffects
CollectiveEngine::Effects() const
{
    return m_implementation->Effects();
}

} // namespace nadi
