// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

/// What one member puts into a call and gets from it, in bytes.
struct ExchangedBytes
{
    uint64_t in = 0;
    uint64_t out = 0;
    std::vector<uint64_t> sends = {}; ///< of an all-to-all, by place in the group; else empty
    std::vector<uint64_t> receives = {};
    uint64_t unit = 1; ///< all parts of all members are multiples of it; 0: all are 0
};

/// The all-to-alls, gathers and scatters of a job whose sizes or parts differ between the members,
/// with what each member gets: the others' calls say it, as its own trace need not.
///
/// The k-th call of a communicator on one rank meets the k-th of the others (docs/semantics.md 2).
class UnevenExchanges
{
  public:
    /// Requires: the job outlives it.
    explicit UnevenExchanges(const Workload& job);

    const Workload& Job() const
    {
        return m_job;
    }

    /// Nothing where all members bring one size and equal parts. Of gathers and scatters: what the
    /// root gets, or puts in, on every member.
    ///
    /// Requires: the rank is a member of the group that the node calls.
    ///
    /// Throws ConfigError where the others do not tell, as one of them does not make the call, has
    /// parts for another number of members, or brings more than 2^40 bytes.
    std::optional<ExchangedBytes> Find(RankId rank, uint32_t node) const;

  private:
    using CallKey = std::pair<CommunicatorId, uint32_t>; // the number of the call

    struct Call
    {
        CommunicatorId group;
        CollectiveType type = CollectiveType::AllToAll;
        std::map<RankId, uint32_t> nodes; // of those who call it
        std::string problem;              // why it cannot be told who gets what; or empty
        uint64_t unit = 1;                // as of ExchangedBytes
    };

    void AddRank(RankId rank, const std::vector<uint32_t>& collectives);
    bool IsUneven(const Call& call) const;
    std::string FindProblem(const Call& call) const;
    uint64_t FindUnit(const Call& call) const;
    uint64_t BytesOf(RankId rank, uint32_t node) const;
    uint64_t SentBytes(const Call& call, RankId rank, uint32_t place) const;
    ExchangedBytes FindParts(const Call& call, RankId rank) const;
    ExchangedBytes FindSums(const Call& call, RankId rank) const;
    const std::vector<RankId>& MembersOf(const Call& call) const;

    const Workload& m_job;
    std::map<CallKey, std::map<CollectiveType, Call>> m_calls;
    std::map<std::pair<RankId, uint32_t>, const Call*> m_callOf; // by rank and node
};

} // namespace nadi
