// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/communicator.h"
#include "system/operation.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// Whether the members of a collective may call it with different sizes: all-to-all, gather and
/// scatter, in which each rank sends or receives shares of its own. In all others the sizes are of
/// one and the same buffer.
bool MayDifferInSize(CollectiveType type);

/// The `call`-th collective of a communicator.
struct CollectiveId
{
    CommunicatorId communicator;
    uint32_t call = 0;

    auto operator<=>(const CollectiveId&) const = default;
};

/// What calls of a collective say of the time that it took when it was recorded.
class RecordedTimes
{
  public:
    void Add(const CollectiveCall& call);

    /// How long after the last call the recorded collective ended on the member of a call. Where
    /// all members say how long they waited: its time without its wait. Else, on all members, the
    /// least recorded time of them: the member that called last waited for nobody, and all others
    /// waited for it as well. That is too short where members do not end together.
    SimTime TransferTo(const CollectiveCall& call) const;

    /// How long the recorded collective moved data: the most of TransferTo.
    SimTime Transfer() const
    {
        return m_areWaitsKnown ? m_mostWithoutWait : m_least;
    }

  private:
    SimTime m_least = SimTime::Max();
    SimTime m_mostWithoutWait;
    bool m_areWaitsKnown = true;
};

/// The members of one collective who have called it.
struct Meeting
{
    const Communicator* communicator = nullptr;
    std::map<RankId, CollectiveCall> calls; ///< of those who arrived
    SimTime firstArrival;
    SimTime lastArrival;
    RankId lastRank;          ///< of those who came at lastArrival, the lowest
    RecordedTimes recorded{}; ///< of those who arrived

    bool IsComplete() const
    {
        return calls.size() == communicator->ranks.size();
    }

    /// Requires: someone arrived.
    const CollectiveCall& LowestCall() const
    {
        return calls.begin()->second;
    }

    /// The member that a rooted collective starts from or ends at.
    RankId Root() const
    {
        return LowestCall().root.value_or(communicator->ranks.front());
    }

    SimTime RecordedTransferTo(RankId rank) const
    {
        return recorded.TransferTo(calls.at(rank));
    }

    bool IsReplayed() const
    {
        return LowestCall().isReplayed;
    }

    /// All bring one size and, in an all-to-all, cut it in equal parts.
    bool HasEvenSizes() const;
    uint64_t LargestElements() const;
    uint64_t SmallestElements() const;
};

/// Where the members of a collective meet: the k-th call of each rank with the k-th of its peers,
/// whenever they come (docs/semantics.md 2).
class Rendezvous
{
  public:
    /// `communicators`, by id, outlives this; sizes in messages are elements x `elementBytes`.
    Rendezvous(const std::vector<Communicator>& communicators, uint32_t elementBytes);

    /// A member arrives; returns the meeting as it stands then, valid until Take.
    /// Throws JobError when the caller is no member, or calls something else than those before
    /// (type; size, but for all-to-all, gather and scatter; root), or when its splits do not fit
    /// the group, its size, or what others say that they receive, naming ranks and nodes.
    /// Splits that are equal parts are dropped: such a call is one without.
    const Meeting& Arrive(const CollectiveCall& call, SimTime now);

    /// Removes a complete meeting and gives it away.
    Meeting Take(CollectiveId id);

    /// Those not taken.
    const std::map<CollectiveId, Meeting>& Open() const
    {
        return m_open;
    }

  private:
    const Communicator& FindCommunicator(const CollectiveCall& call);
    void CheckMatch(const CollectiveCall& other, const CollectiveCall& call) const;
    void CheckSplits(const CollectiveCall& call) const;
    void CheckReceives(const Meeting& meeting) const;
    void CheckReceivesOf(const Meeting& meeting, uint32_t member) const;
    std::string Describe(const CollectiveCall& call) const;

    const std::vector<Communicator>& m_communicators;
    uint32_t m_elementBytes;
    std::vector<std::vector<RankId>> m_sortedRanks; // by communicator; empty until first used
    std::map<CollectiveId, Meeting> m_open;
};

} // namespace nadi
