// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "system/execution/engine-implementation.h"
#include "system/execution/member-sizes.h"
#include "system/execution/place-demand.h"
#include "system/execution/timer-kind.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <utility>

// How a collective comes to run: its members meet, it gets its slots and places, its program is
// chosen, and it begins.

namespace nadi
{

void
CollectiveEngine::Implementation::Start(const CollectiveCall& call)
{
    const Meeting& meeting = m_rendezvous.Arrive(call, m_context.loop.Now());
    if (meeting.IsComplete())
    {
        FindNamedNode(meeting); // an error, if any, before anything is granted
        const CollectiveId id{call.communicator, call.call};
        m_slots.Add(id, meeting.lastArrival, *meeting.communicator, FindPlaces(meeting));
        m_met.push_back({call.communicator, call.call});
        ScheduleGrant();
    }
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
CollectiveEngine::Implementation::Grant()
{
    m_isGrantScheduled = false;
    ReportMeetings();
    for (const CollectiveSlots::Granted& granted : m_slots.Grant())
    {
        ReportWaitForSlots(granted.id);
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

/// A collective that asks for places on switches gets them with its slots, so it is not known how
/// long it waited for slots alone.
void
CollectiveEngine::Implementation::ReportWaitForSlots(CollectiveId id)
{
    const Meeting& meeting = m_rendezvous.Open().at(id);
    if (m_context.loop.Now() == meeting.lastArrival || !FindPlaces(meeting).empty())
    {
        return;
    }
    for (const auto& [rank, call] : meeting.calls)
    {
        m_context.listener.OnSlotsGranted(rank, call.token);
    }
}

void
CollectiveEngine::Implementation::Begin(const CollectiveSlots::Granted& granted)
{
    const CollectiveId id = granted.id;
    // The collective is listed before anything that may throw, so that a report after such an error
    // shows it.
    RunningCollective& running =
        m_running.emplace(id, RunningCollective{m_rendezvous.Take(id)}).first->second;
    running.begin = m_context.loop.Now();
    const Meeting& meeting = running.meeting;
    const CommunicatorLayout& layout = LayoutFor(meeting);
    running.isWithoutSwitches = !granted.hasPlaces;
    // FindPlaces depends on the meeting alone, so these are the places that Start asked for.
    running.places = granted.hasPlaces ? FindPlaces(meeting) : std::vector<PlaceUse>();
    ChooseProgram(running);
    running.run = std::make_unique<CollectiveRun>(
        m_shared,
        CollectiveRun::Parts{
            .id = id,
            .layout = layout,
            .program = *running.program,
            .root = layout.MemberOf(meeting.Root()),
            .unevenSizes = meeting.IsReplayed() ? std::nullopt : FindMemberSizes(meeting, layout)});
    m_progress.members += layout.Size();
    m_progress.plannedBytes += running.run->PlannedBytes();
    if (OfferToNetwork(running))
    {
        return;
    }
    // Members of a group of one, and members that have no part in any phase, are done at once. A
    // replayed collective has no phases, so Start returns all its members, which end after the
    // recorded time. The last member may end the collective and destroy `running` and `meeting`,
    // but then the loop is through.
    for (const uint32_t member : running.run->Start())
    {
        meeting.IsReplayed() ? EndMember(running, member) : CompleteMember(running, member);
    }
}

/// Whether the network has taken the collective over, and will begin it if it has to.
bool
CollectiveEngine::Implementation::OfferToNetwork(RunningCollective& running)
{
    const Meeting& meeting = running.meeting;
    // Traffic that the network may answer from memory must be a function of program, root and ranks
    // alone, and depend on no other traffic (ClosedTraffic). So the network is not offered
    // collectives whose single messages an observer wants to see; those without messages; those of
    // uneven sizes, which the program does not tell; those whose protocol may let messages wait for
    // messages of other collectives; and those with switches, since only ranks can be parts.
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
CollectiveEngine::Implementation::ChooseProgram(RunningCollective& running)
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
            .node = FindNamedNode(meeting),
            .dimensions = {}};
}

/// The node whose algorithm runs the collective (SystemOptions::nodeAlgorithms). None: that of the
/// type does. Throws JobError: members call it by nodes that have different ones.
std::optional<NodeId>
CollectiveEngine::Implementation::FindNamedNode(const Meeting& meeting) const
{
    const auto& algorithms = m_context.options.nodeAlgorithms;
    if (algorithms.empty() || meeting.IsReplayed())
    {
        return std::nullopt;
    }
    const auto find = [&](const CollectiveCall& call)
    {
        const auto found = algorithms.find(call.node);
        return found == algorithms.end() ? nullptr : &found->second;
    };
    const CollectiveCall& lowest = meeting.LowestCall();
    const ComponentChoice* const named = find(lowest);
    for (const auto& [rank, call] : meeting.calls)
    {
        // Members call by nodes of their own graphs, whose ids may differ. So the algorithms that
        // the nodes name are compared, not the ids.
        const ComponentChoice* const other = find(call);
        if ((named == nullptr) != (other == nullptr) || (named != nullptr && *named != *other))
        {
            throw JobError(fmt::format("{} and {} call one collective, but "
                                       "system.collectives.per-node names {} for them",
                                       ToCallerText(lowest.rank, lowest.node, lowest.name),
                                       ToCallerText(call.rank, call.node, call.name),
                                       named == nullptr || other == nullptr
                                           ? "only one of the files"
                                           : "different files"));
        }
    }
    if (named != nullptr && !meeting.HasEvenSizes())
    {
        throw JobError(fmt::format(
            "{} calls an all-to-all of unequal parts, which no file describes; take the "
            "node out of system.collectives.per-node",
            ToCallerText(lowest.rank, lowest.node, lowest.name)));
    }
    return named == nullptr ? std::nullopt : std::optional(lowest.node);
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
    // The key is that of the program with switches: whether the collective gets places is not known
    // yet.
    ProgramCache::Entry& program = m_programs.Acquire(MakeProgramKey(meeting), layout);
    std::vector<PlaceUse> places = FindPlaceDemand(program.value, layout, *m_context.trees);
    m_programs.Release(program);
    CheckCanHavePlaces(places, *m_context.trees, meeting.communicator->id);
    return places;
}

/// Over the dimensions of the stack, or one list of all members. Uneven sizes need the list: in a
/// stack, ranks forward parts for each other, and these would have to be told apart by their
/// owners' sizes.
const CommunicatorLayout&
CollectiveEngine::Implementation::LayoutFor(const Meeting& meeting)
{
    return m_layouts.Find(*meeting.communicator,
                          meeting.HasEvenSizes() && !FindNamedNode(meeting)
                              ? m_context.library.LayoutFor(meeting.LowestCall().type)
                              : LayoutKind::Flat);
}

} // namespace nadi
