// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/rendezvous.h"

#include "common/check.h"
#include "common/error.h"
#include "common/text.h"
#include "system/exchange-splits.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace nadi
{

bool
MayDifferInSize(CollectiveType type)
{
    return type == CollectiveType::AllToAll || type == CollectiveType::Gather ||
           type == CollectiveType::Scatter;
}

namespace
{

/// Requires: the call says how long it waited.
SimTime
WithoutWait(const CollectiveCall& call)
{
    return call.recorded - std::min(call.recorded, *call.waited);
}

} // namespace

void
RecordedTimes::Add(const CollectiveCall& call)
{
    m_least = std::min(m_least, call.recorded);
    m_areWaitsKnown = m_areWaitsKnown && call.waited;
    if (m_areWaitsKnown)
    {
        m_mostWithoutWait = std::max(m_mostWithoutWait, WithoutWait(call));
    }
}

SimTime
RecordedTimes::TransferTo(const CollectiveCall& call) const
{
    return m_areWaitsKnown ? WithoutWait(call) : m_least;
}

bool
Meeting::HasEvenSizes() const
{
    // Splits that are equal parts do not count here: Arrive drops them when the meeting is
    // complete.
    const uint64_t elements = LowestCall().elements;
    return std::all_of(calls.begin(),
                       calls.end(),
                       [&](const auto& call) {
                           return call.second.elements == elements && call.second.splits == nullptr;
                       });
}

uint64_t
Meeting::LargestElements() const
{
    uint64_t largest = 0;
    for (const auto& [rank, call] : calls)
    {
        largest = std::max(largest, call.elements);
    }
    return largest;
}

uint64_t
Meeting::SmallestElements() const
{
    uint64_t smallest = LargestElements();
    for (const auto& [rank, call] : calls)
    {
        smallest = std::min(smallest, call.elements);
    }
    return smallest;
}

namespace
{

/// Only once all have come, as what others receive is compared with these.
/// An all-to-all whose splits say nothing then runs by any algorithm, with the program of calls
/// without splits.
void
DropEqualParts(Meeting& meeting)
{
    for (auto& [rank, call] : meeting.calls)
    {
        if (call.splits != nullptr && AreEqualParts(call.splits->sends, call.elements))
        {
            call.splits = nullptr;
        }
    }
}

} // namespace

Rendezvous::Rendezvous(const std::vector<Communicator>& communicators, uint32_t elementBytes)
    : m_communicators(communicators)
    , m_elementBytes(elementBytes)
    , m_sortedRanks(communicators.size())
{
}

const Meeting&
Rendezvous::Arrive(const CollectiveCall& call, SimTime now)
{
    const Communicator& communicator = FindCommunicator(call);
    Meeting& meeting = m_open[{call.communicator, call.call}];
    const CollectiveCall* other = nullptr;
    if (meeting.calls.empty())
    {
        meeting.communicator = &communicator;
        meeting.firstArrival = now;
    }
    else
    {
        // This is found before the call is added, since the new call may have the lowest rank.
        other = &meeting.LowestCall();
    }
    NADI_CHECK(meeting.calls.emplace(call.rank, call).second);
    meeting.recorded.Add(call);
    // Calls of one instant come in any order; of those, the lowest rank counts as the last.
    const bool isLater = now > meeting.lastArrival || meeting.calls.size() == 1;
    meeting.lastRank = isLater ? call.rank : std::min(meeting.lastRank, call.rank);
    meeting.lastArrival = now;
    if (other != nullptr)
    {
        CheckMatch(*other, call); // last, so that a report of the mismatch shows both as arrived
    }
    if (call.splits != nullptr)
    {
        CheckSplits(call);
    }
    // What a member receives is compared with the calls of those who send to it, which may come
    // later. So the check waits until all members have come.
    if (meeting.IsComplete())
    {
        CheckReceives(meeting);
        DropEqualParts(meeting);
    }
    return meeting;
}

Meeting
Rendezvous::Take(CollectiveId id)
{
    auto node = m_open.extract(id);
    NADI_CHECK(!node.empty() && node.mapped().IsComplete());
    return std::move(node.mapped());
}

const Communicator&
Rendezvous::FindCommunicator(const CollectiveCall& call)
{
    NADI_CHECK(call.communicator.value < m_communicators.size());
    const Communicator& communicator = m_communicators[call.communicator.value];
    std::vector<RankId>& sorted = m_sortedRanks[call.communicator.value];
    // A list of the communicator may be in any order; a sorted copy makes the question "is it a
    // member?" logarithmic for each call.
    if (sorted.empty())
    {
        sorted = communicator.ranks;
        std::sort(sorted.begin(), sorted.end());
    }
    const auto isMember = [&](RankId rank)
    { return std::binary_search(sorted.begin(), sorted.end(), rank); };
    if (!isMember(call.rank))
    {
        throw JobError(fmt::format("{}: {} calls it and is not a member",
                                   Describe(call),
                                   ToCallerText(call.rank, call.node, call.name)));
    }
    if (HasRoot(call.type) && call.root && !isMember(*call.root))
    {
        throw JobError(fmt::format("{}: {} calls it with root {}, which is not a member",
                                   Describe(call),
                                   ToCallerText(call.rank, call.node, call.name),
                                   call.root->value));
    }
    return communicator;
}

/// One earlier call is enough: those before it were compared too, so they agree in all that must be
/// equal.
void
Rendezvous::CheckMatch(const CollectiveCall& other, const CollectiveCall& call) const
{
    const auto differ = [&](const std::string& mine, const std::string& theirs)
    {
        throw JobError(fmt::format("{}: {} calls it {}, {} {}",
                                   Describe(other),
                                   ToCallerText(call.rank, call.node, call.name),
                                   mine,
                                   ToCallerText(other.rank, other.node, other.name),
                                   theirs));
    };
    if (call.type != other.type)
    {
        differ(fmt::format("as {}", ToText(call.type)), fmt::format("as {}", ToText(other.type)));
    }
    if (call.elements != other.elements && !MayDifferInSize(call.type))
    {
        const auto text = [&](uint64_t elements)
        { return fmt::format("with {} B", elements * m_elementBytes); };
        differ(text(call.elements), text(other.elements));
    }
    // A call without a root means the first member, so it matches one that names that member.
    const RankId first = m_communicators[call.communicator.value].ranks.front();
    const RankId root = call.root.value_or(first);
    const RankId otherRoot = other.root.value_or(first);
    if (HasRoot(call.type) && root != otherRoot)
    {
        differ(fmt::format("with root {}", root.value),
               fmt::format("with root {}", otherRoot.value));
    }
}

/// Of one call alone.
void
Rendezvous::CheckSplits(const CollectiveCall& call) const
{
    const size_t members = m_communicators[call.communicator.value].ranks.size();
    const std::vector<uint64_t>& sends = call.splits->sends;
    const std::vector<uint64_t>& receives = call.splits->receives;
    const auto fail = [&](const std::string& problem)
    {
        throw JobError(fmt::format(
            "{}: {} {}", Describe(call), ToCallerText(call.rank, call.node, call.name), problem));
    };
    if (call.type != CollectiveType::AllToAll)
    {
        fail("has a size for each member, which only all-to-alls have");
    }
    if (sends.size() != members || (!receives.empty() && receives.size() != members))
    {
        fail(fmt::format(
            "gives sizes for {}; the group has {}",
            CountText(sends.size() != members ? sends.size() : receives.size(), "member"),
            members));
    }
    // What a member keeps for itself is one of its splits, so they add up to the size of the call.
    const uint64_t sum = std::accumulate(sends.begin(), sends.end(), uint64_t{0});
    if (sum != call.elements)
    {
        fail(fmt::format("sends {} B to the members in all, but calls it with {} B",
                         sum * m_elementBytes,
                         call.elements * m_elementBytes));
    }
}

void
Rendezvous::CheckReceives(const Meeting& meeting) const
{
    for (uint32_t member = 0; member < meeting.communicator->ranks.size(); ++member)
    {
        const CollectiveCall& call = meeting.calls.at(meeting.communicator->ranks[member]);
        if (call.splits != nullptr && !call.splits->receives.empty())
        {
            CheckReceivesOf(meeting, member);
        }
    }
}

/// What the member says that it receives is what the others send: equal parts where they do not
/// say.
void
Rendezvous::CheckReceivesOf(const Meeting& meeting, uint32_t member) const
{
    const std::vector<RankId>& ranks = meeting.communicator->ranks;
    const CollectiveCall& call = meeting.calls.at(ranks[member]);
    for (uint32_t from = 0; from < ranks.size(); ++from)
    {
        const CollectiveCall& sender = meeting.calls.at(ranks[from]);
        const uint64_t received = call.splits->receives[from];
        const uint64_t sent = SentTo(
            sender.splits.get(), sender.elements, member, static_cast<uint32_t>(ranks.size()));
        if (sent == received)
        {
            continue;
        }
        throw JobError(fmt::format("{}: {} sends {} B to rank {}, but {} receives {} B from it",
                                   Describe(call),
                                   ToCallerText(sender.rank, sender.node, sender.name),
                                   sent * m_elementBytes,
                                   call.rank.value,
                                   ToCallerText(call.rank, call.node, call.name),
                                   received * m_elementBytes));
    }
}

/// "all-reduce #3 of communicator 1 {0..7}": all messages about a call begin so.
std::string
Rendezvous::Describe(const CollectiveCall& call) const
{
    return fmt::format("{} #{} of communicator {} {}",
                       ToText(call.type),
                       call.call,
                       call.communicator.value,
                       ToRankListText(m_communicators[call.communicator.value].ranks));
}

} // namespace nadi
