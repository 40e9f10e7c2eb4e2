// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-engine.h"

#include "common/check.h"
#include "common/error.h"
#include "common/slot-pool.h"
#include "system/execution/collective-run.h"
#include "system/execution/collective-slots.h"
#include "system/execution/collective-traffic.h"
#include "system/execution/layout-table.h"
#include "system/execution/pending-report.h"
#include "system/execution/phase-executor.h"
#include "system/execution/place-demand.h"
#include "system/execution/plan-cache.h"
#include "system/execution/program-cache.h"
#include "system/execution/rendezvous.h"
#include "system/execution/timer-kind.h"
#include "system/execution/traffic-outlines.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// A plan takes some hundred bytes, so this keeps about half a megabyte.
constexpr size_t PLANS_KEPT = 4096;

/// The token of the event that grants slots; others are those of members that end, plus one.
constexpr uint64_t GRANT = 0;

PlaceRules
FindPlaceRules(const TreeTable* trees)
{
    if (trees == nullptr || !trees->Places().IsLimited())
    {
        return {};
    }
    return {.capacity = trees->Places().Capacity(),
            .areOptional = trees->Options().whenBusy == InNetworkOptions::WhenBusy::Endpoint};
}

/// The splits by members of the layout, whose order may be another than that of the group's list.
SharedSplits
OrderSplits(const SharedSplits& splits,
            const Communicator& communicator,
            const CommunicatorLayout& layout)
{
    const auto isInOrder = [&]
    {
        uint32_t member = 0;
        return std::ranges::all_of(communicator.ranks,
                                   [&](RankId rank) { return layout.RankOf(member++) == rank; });
    };
    if (splits == nullptr || isInOrder())
    {
        return splits;
    }
    ExchangeSplits ordered{.sends = splits->sends};
    for (size_t place = 0; place < communicator.ranks.size(); ++place)
    {
        ordered.sends[layout.MemberOf(communicator.ranks[place])] = splits->sends[place];
    }
    return std::make_shared<const ExchangeSplits>(std::move(ordered));
}

/// None: no member has splits.
std::optional<ExchangeExtremes>
FindExtremes(const CollectiveRun& run, uint32_t elementBytes)
{
    if (run.Uneven() == nullptr || !run.Uneven()->HasSplits())
    {
        return std::nullopt;
    }
    const auto bytes = [&](uint64_t elements)
    { return Bytes(static_cast<int64_t>(elements)) * elementBytes; };
    const auto rank = [&](std::ptrdiff_t member)
    { return run.Layout().RankOf(static_cast<uint32_t>(member)); };
    const std::vector<uint64_t> sent = run.Uneven()->SentElements();
    const std::vector<uint64_t> received = run.Uneven()->ReceivedElements();
    const auto out = std::ranges::max_element(sent);
    const auto in = std::ranges::max_element(received);
    return ExchangeExtremes{.out = bytes(*out),
                            .sender = rank(out - sent.begin()),
                            .in = bytes(*in),
                            .receiver = rank(in - received.begin())};
}

} // namespace

double
CollectiveProgress::Share() const
{
    return plannedBytes > 0 ? std::clamp(deliveredBytes / plannedBytes, 0.0, 1.0) : 0;
}

/// Joins the parts: rendezvous -> slots -> a run on all members -> completions.
class CollectiveEngine::Implementation
    : private RunOwner
    , private TrafficOwner
    , private EventHandler
{
  public:
    explicit Implementation(const Context& context);

    void SetObserver(CollectiveObserver& observer)
    {
        m_observer = &observer;
    }

    void SetPhaseObserver(CollectivePhaseObserver& observer)
    {
        m_shared.observer = &observer;
        m_sendsEveryMessage = true; // its messages are looked at one by one
    }

    void Start(const CollectiveCall& call);
    void OnMessageDelivered(const Delivery& delivery);
    std::vector<PendingCollective> FindPending() const;
    SystemEffects Effects() const;

    const CollectiveProgress& Progress() const
    {
        return m_progress;
    }

    InNetworkUsage InNetwork() const
    {
        InNetworkUsage usage = m_inNetwork;
        usage.bytes = m_executor.BytesSentBySwitches();
        return usage;
    }

    const PhaseExecutor& Executor() const
    {
        return m_executor;
    }

  private:
    /// A collective on all its members.
    struct Running
    {
        Meeting meeting;
        ProgramCache::Entry* cached = nullptr; ///< of the program, unless it is replayed
        const CollectiveProgram* program = nullptr;
        std::unique_ptr<CollectiveRun> run{};
        std::unique_ptr<CollectiveTraffic> traffic{}; ///< where the network may take it over
        std::optional<uint32_t> taken{};              ///< its number there, until it is released
        SimTime begin{};
        uint32_t completed = 0;         ///< members
        double sentAtEnd = 0;           ///< of SentBytes, when it ended
        bool hasEnded = false;          ///< on all members
        std::vector<PlaceUse> places{}; ///< on switches, that it holds
        bool isWithoutSwitches = false; ///< it asked for places, and there were none
    };

    /// A member whose phases have ended, while its collective goes on by the protocol.
    struct Ending
    {
        CollectiveId id;
        uint32_t member = 0;
    };

    void OnEvent(uint64_t token) override;
    void OnMemberCompleted(CollectiveRun& run, uint32_t member) override;
    void OnMemberEnded(CollectiveId id, uint32_t member) override;
    void OnMessageSkipped(const Delivery& delivery) override;
    void OnReleased(CollectiveId id) override;
    bool OfferToNetwork(Running& running);
    void Grant();
    void ReportMeetings();
    void ScheduleGrant();
    void Begin(const CollectiveSlots::Granted& granted);
    std::vector<PlaceUse> FindPlaces(const Meeting& meeting);
    ProgramKey MakeProgramKey(const Meeting& meeting);
    void ChooseProgram(Running& running);
    std::optional<std::vector<MemberSizes>> FindUnevenSizes(const Running& running);
    SimTime FindDuration(const Running& running, SimTime ran) const;
    void EndMember(Running& running, uint32_t member);
    void CompleteMember(Running& running, uint32_t member);
    void End(Running& running);
    LibraryDecision DecisionOf(const Running& running);
    void Report(const Running& running);
    void Forget(Running& running);
    const CommunicatorLayout& LayoutFor(const Meeting& meeting);

    Context m_context;
    LayoutTable m_layouts;
    Rendezvous m_rendezvous;
    CollectiveSlots m_slots;
    ProgramCache m_programs;
    CollectiveProgram m_replay; // no phases: of collectives that take their recorded time
    PlanCache m_plans;
    PhaseExecutor m_executor;
    TrafficOutlines m_outlines;
    std::optional<SwitchProtocol> m_switchProtocol;
    CollectiveRun::Shared m_shared;
    std::map<CollectiveId, Running> m_running;
    SlotPool<Ending> m_endings;
    std::vector<CollectiveId> m_met; // complete since the last grant, and not reported
    CollectiveProgress m_progress;
    InNetworkUsage m_inNetwork;
    CollectiveObserver* m_observer = nullptr;
    bool m_isGrantScheduled = false;
    bool m_sendsEveryMessage = false;
};

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
CollectiveEngine::Implementation::Start(const CollectiveCall& call)
{
    const Meeting& meeting = m_rendezvous.Arrive(call, m_context.loop.Now());
    if (meeting.IsComplete())
    {
        const CollectiveId id{call.communicator, call.call};
        m_slots.Add(id, meeting.lastArrival, *meeting.communicator, FindPlaces(meeting));
        m_met.push_back({call.communicator, call.call});
        ScheduleGrant();
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

/// Slots are granted by an event after all that arrives at the instant. If each call granted them,
/// the collective whose last member happened to call first would get a slot before another of this
/// instant.
void
CollectiveEngine::Implementation::ScheduleGrant()
{
    if (m_isGrantScheduled)
    {
        return;
    }
    m_isGrantScheduled = true;
    const EventOrder afterAllRanks{
        .kind = EventOrder::Kind::Timer,
        .identity = {UINT32_MAX, TimerWord(SystemTimer::CollectiveStart), 0, 0}};
    m_context.loop.ScheduleAt(m_context.loop.Now(), afterAllRanks, *this, GRANT);
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
CollectiveEngine::Implementation::Grant()
{
    m_isGrantScheduled = false;
    ReportMeetings();
    for (const CollectiveSlots::Granted& granted : m_slots.Grant())
    {
        Begin(granted);
    }
}

/// Tells the members of complete meetings that all have come. Not done in the call that completes a
/// meeting: nobody is called back from inside their own call.
void
CollectiveEngine::Implementation::ReportMeetings()
{
    for (const CollectiveId id : m_met)
    {
        const Meeting& meeting = m_rendezvous.Open().at(id);
        for (const auto& [rank, call] : meeting.calls)
        {
            m_context.listener.OnMembersMet(
                {.rank = rank, .token = call.token, .last = meeting.lastRank});
        }
    }
    m_met.clear();
}

void
CollectiveEngine::Implementation::Begin(const CollectiveSlots::Granted& granted)
{
    const CollectiveId id = granted.id;
    Running& running = m_running.emplace(id, Running{m_rendezvous.Take(id)}).first->second;
    running.begin = m_context.loop.Now();
    const Meeting& meeting = running.meeting;
    const CommunicatorLayout& layout = LayoutFor(meeting);
    running.isWithoutSwitches = !granted.hasPlaces;
    running.places = granted.hasPlaces ? FindPlaces(meeting) : std::vector<PlaceUse>();
    ChooseProgram(running);
    running.run = std::make_unique<CollectiveRun>(
        m_shared,
        CollectiveRun::Parts{.id = id,
                             .layout = layout,
                             .program = *running.program,
                             .root = layout.MemberOf(meeting.Root()),
                             .unevenSizes = FindUnevenSizes(running)});
    m_progress.members += layout.Size();
    m_progress.plannedBytes += running.run->PlannedBytes();
    if (OfferToNetwork(running))
    {
        return;
    }
    // Members of a group of one, and members that have no part in any phase, are done at once.
    for (const uint32_t member : running.run->Start())
    {
        meeting.IsReplayed() ? EndMember(running, member) : CompleteMember(running, member);
    }
}

/// Whether the network has taken the collective over, and will begin it if it has to.
bool
CollectiveEngine::Implementation::OfferToNetwork(Running& running)
{
    const Meeting& meeting = running.meeting;
    if (m_sendsEveryMessage || meeting.IsReplayed() || !meeting.HasEvenSizes() ||
        meeting.calls.size() == 1 || !running.program->protocol->SendsAtOnce() ||
        running.run->Helpers())
    {
        return false;
    }
    const uint64_t root = running.run->Layout().MemberOf(meeting.Root());
    running.traffic = std::make_unique<CollectiveTraffic>(*running.run,
                                                          running.program->number << 32 | root,
                                                          m_outlines,
                                                          static_cast<TrafficOwner&>(*this));
    running.taken = m_context.network.Take(*running.traffic);
    return running.taken.has_value();
}

/// The program is that of the largest size, so that every member has the same chunks; UnevenSizes
/// says what each message really carries.
void
CollectiveEngine::Implementation::ChooseProgram(Running& running)
{
    const Meeting& meeting = running.meeting;
    if (meeting.IsReplayed())
    {
        running.program = &m_replay;
        return;
    }
    ProgramKey key = MakeProgramKey(meeting);
    key.isWithoutSwitches = running.isWithoutSwitches;
    running.cached = &m_programs.Acquire(std::move(key), LayoutFor(meeting));
    running.program = &running.cached->value;
}

ProgramKey
CollectiveEngine::Implementation::MakeProgramKey(const Meeting& meeting)
{
    return {.type = meeting.LowestCall().type,
            .elements = meeting.LargestElements(),
            .isUneven = !meeting.HasEvenSizes(),
            .place = m_context.library.PlaceOf(*meeting.communicator),
            .dimensions = {}};
}

/// The places on switches that the collective asks for, if these are limited.
/// Throws ConfigError: there is never room for them, and it may not run without.
std::vector<PlaceUse>
CollectiveEngine::Implementation::FindPlaces(const Meeting& meeting)
{
    const bool isLimited = m_context.trees != nullptr && m_context.trees->Places().IsLimited();
    if (!isLimited || meeting.IsReplayed())
    {
        return {};
    }
    const CommunicatorLayout& layout = LayoutFor(meeting);
    ProgramCache::Entry& program = m_programs.Acquire(MakeProgramKey(meeting), layout);
    std::vector<PlaceUse> places = FindPlaceDemand(program.value, layout, *m_context.trees);
    m_programs.Release(program);
    const InNetworkOptions& options = m_context.trees->Options();
    if (options.whenBusy == InNetworkOptions::WhenBusy::Wait &&
        !CanHavePlaces(places, m_context.trees->Places()))
    {
        throw ConfigError(options.where,
                          "groups: a collective of communicator " +
                              std::to_string(meeting.communicator->id.value) +
                              " has more trees on a switch than have room; write more groups, or "
                              "when-busy: endpoint");
    }
    return places;
}

/// Each member's sizes, where messages are cut by them.
std::optional<std::vector<MemberSizes>>
CollectiveEngine::Implementation::FindUnevenSizes(const Running& running)
{
    const Meeting& meeting = running.meeting;
    if (meeting.HasEvenSizes() || meeting.IsReplayed())
    {
        return std::nullopt;
    }
    const CommunicatorLayout& layout = LayoutFor(meeting);
    std::vector<MemberSizes> sizes;
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        const CollectiveCall& call = meeting.calls.at(layout.RankOf(member));
        sizes.push_back({call.elements, OrderSplits(call.splits, *meeting.communicator, layout)});
    }
    return sizes;
}

void
CollectiveEngine::Implementation::OnMemberCompleted(CollectiveRun& run, uint32_t member)
{
    Running& running = m_running.at(run.Id());
    if (running.taken)
    {
        return m_context.network.EndPart(*running.taken, member);
    }
    EndMember(running, member);
}

void
CollectiveEngine::Implementation::OnMemberEnded(CollectiveId id, uint32_t member)
{
    EndMember(m_running.at(id), member);
}

void
CollectiveEngine::Implementation::OnMessageSkipped(const Delivery& delivery)
{
    m_executor.OnMessageSkipped(delivery.message);
    if (m_observer != nullptr)
    {
        m_observer->OnMessageCompleted(delivery);
    }
}

void
CollectiveEngine::Implementation::OnReleased(CollectiveId id)
{
    Running& running = m_running.at(id);
    running.taken.reset();
    if (running.hasEnded)
    {
        Forget(running);
    }
}

/// How long the collective takes on a member whose last phase ended `ran` after it began.
SimTime
CollectiveEngine::Implementation::FindDuration(const Running& running, SimTime ran) const
{
    return running.meeting.IsReplayed() ? running.meeting.RecordedTransfer()
                                        : running.program->protocol->ExtendRun(ran);
}

/// Completes the member by an event, when its time has come: at the end of its last phase, in a
/// further round of that instant, or later. So what one rank goes on with does not depend on which
/// message of the instant ended the collective there.
void
CollectiveEngine::Implementation::EndMember(Running& running, uint32_t member)
{
    const SimTime ran = m_context.loop.Now() - running.begin;
    const SimTime lasts = std::max(ran, FindDuration(running, ran));
    const CollectiveRun& run = *running.run;
    const EventOrder order{.kind = EventOrder::Kind::Timer,
                           .identity = {run.Layout().RankOf(member).value,
                                        TimerWord(SystemTimer::CollectiveEnd),
                                        run.Stream().value,
                                        0}};
    const uint32_t ending = m_endings.Make({.id = run.Id(), .member = member});
    m_context.loop.ScheduleAt(running.begin + lasts, order, *this, uint64_t{ending} + 1);
}

/// The listener comes last: it may start other collectives, and End may have destroyed `running`.
void
CollectiveEngine::Implementation::CompleteMember(Running& running, uint32_t member)
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
CollectiveEngine::Implementation::End(Running& running)
{
    Report(running);
    if (running.run->Helpers())
    {
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
        m_context.network.CloseStream(stream);
    }
    if (!running.taken)
    {
        Forget(running);
    }
}

/// Nobody needs the collective any more.
void
CollectiveEngine::Implementation::Forget(Running& running)
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

void
CollectiveEngine::Implementation::Report(const Running& running)
{
    const Meeting& meeting = running.meeting;
    const CollectiveCall& call = meeting.LowestCall();
    const CollectiveId id = running.run->Id();
    if (m_observer != nullptr)
    {
        const auto size = static_cast<int64_t>(meeting.LargestElements());
        const auto smallest = static_cast<int64_t>(meeting.SmallestElements());
        m_observer->OnCollectiveCompleted(
            {.communicator = id.communicator,
             .call = id.call,
             .type = call.type,
             .name = call.name,
             .decision = DecisionOf(running),
             .ranks = static_cast<uint32_t>(meeting.calls.size()),
             .size = Bytes(size) * m_context.options.elementBytes,
             .smallestSize = Bytes(smallest) * m_context.options.elementBytes,
             .root = meeting.Root(),
             .start = meeting.firstArrival,
             .end = m_context.loop.Now(),
             .called = meeting.lastArrival,
             .begin = running.begin,
             .lastRank = meeting.lastRank,
             .recorded = meeting.RecordedTransfer(),
             .hasSwitches = running.run->Helpers().has_value(),
             .extremes = FindExtremes(*running.run, m_context.options.elementBytes)});
    }
}

/// What the library decided, and what became of it where the plan is a stored program.
LibraryDecision
CollectiveEngine::Implementation::DecisionOf(const Running& running)
{
    LibraryDecision decision = running.program->decision;
    if (const StoredProgram* const stored = running.run->Program())
    {
        decision.proof = stored->IsProven() ? ProgramProof::Proven : ProgramProof::Matched;
        if (!stored->builtIn.empty())
        {
            decision.algorithm = stored->builtIn;
            decision.chosenBy = "prediction";
        }
    }
    return decision;
}

/// Over the dimensions of the stack, or one list of all members. Uneven sizes need the list: in a
/// stack, ranks forward parts for each other, and these would have to be told apart by their
/// owners' sizes.
const CommunicatorLayout&
CollectiveEngine::Implementation::LayoutFor(const Meeting& meeting)
{
    return m_layouts.Find(*meeting.communicator,
                          meeting.HasEvenSizes()
                              ? m_context.library.LayoutFor(meeting.LowestCall().type)
                              : LayoutKind::Flat);
}

std::vector<PendingCollective>
CollectiveEngine::Implementation::FindPending() const
{
    const uint32_t elementBytes = m_context.options.elementBytes;
    std::vector<PendingCollective> pending;
    for (const auto& [id, meeting] : m_rendezvous.Open())
    {
        pending.push_back(MakePendingReport(id, meeting, elementBytes));
    }
    const std::vector<PhaseExecutor::Wait> waits = m_executor.FindWaits();
    for (const auto& [id, running] : m_running)
    {
        if (running.hasEnded)
        {
            continue;
        }
        pending.push_back(MakePendingReport(id, running.meeting, elementBytes));
        AddProgress(pending.back(), *running.run, waits);
    }
    std::sort(pending.begin(),
              pending.end(),
              [](const PendingCollective& a, const PendingCollective& b)
              { return std::pair(a.communicator, a.call) < std::pair(b.communicator, b.call); });
    return pending;
}

SystemEffects
CollectiveEngine::Implementation::Effects() const
{
    const SchedulingEffects& plans = m_programs.Effects();
    return {.interDimension = plans.HasActed(SchedulingEffects::Key::InterDimension),
            .intraDimension = plans.HasActed(SchedulingEffects::Key::IntraDimension),
            .hierarchy = plans.HasActed(SchedulingEffects::Key::Hierarchy),
            .slots = m_slots.HasLimited(),
            .reduction = m_executor.HasReduced(),
            .mostChunks = m_programs.MostChunks(),
            .mostDimensions = m_programs.MostDimensions(),
            .mostLanes = m_executor.MostLanes()};
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
