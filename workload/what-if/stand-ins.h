// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/call-roles.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/rank-contacts.h"
#include "workload/what-if/recorded-part.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace nadi
{

/// Which recorded rank a rank does the same as, and with whom.
struct StandIn
{
    uint32_t place = 0;                  ///< of the recorded rank, as an index of the part
    int64_t shift = 0;                   ///< from its peers to those of this rank
    std::map<uint32_t, int64_t> offsets; ///< by group: likewise from its members
};

/// Finds for each rank of a job the recorded one that it does the same as (CompleteJob).
class StandIns
{
  public:
    /// `part` was taken out of `whole`, and `structure` was found in it. Throws ConfigError where a
    /// rank would talk to one that cannot be, or has no recorded rank of its place.
    StandIns(const Workload& whole, const RecordedPart& part, const JobStructure& structure);

    uint32_t RankCount() const
    {
        return static_cast<uint32_t>(m_ranks.size());
    }

    const StandIn& Of(uint32_t rank) const
    {
        return m_ranks.at(rank);
    }

    /// Of the recorded rank.
    const RankContacts& ContactsOf(uint32_t rank) const
    {
        return m_contacts[Of(rank).place];
    }

    /// The ranks of a group of this rank, by its index in the graph.
    std::vector<uint32_t> RanksOf(uint32_t rank, uint32_t group) const;

  private:
    void FindSharedGroups(const CallRoles& roles, const JobStructure& structure, uint32_t place);
    void MarkEnds(const CallRoles& roles, const JobStructure& structure, uint32_t place);
    bool JoinsStages(uint32_t rank, const std::vector<uint32_t>& members) const;
    void Add(uint32_t rank, StandIn standIn);
    void AddMembersOf(uint32_t rank, uint32_t group);
    StandIn Move(uint32_t from, uint32_t to) const;
    void CheckAllFound(uint32_t rankCount) const;

    const RecordedPart& m_part;
    std::vector<RankContacts> m_contacts; ///< by place
    /// By place: groups whose members do the same; those with a smaller number come earlier.
    std::vector<std::map<uint32_t, uint32_t>> m_shared;
    std::map<uint32_t, StandIn> m_ranks;
    std::map<uint32_t, PipelineEnds> m_ends; ///< by rank, as far as they are known
    /// Groups whose members are still to be found: precedence, size, a member, index.
    std::set<std::tuple<uint32_t, size_t, uint32_t, uint32_t>> m_pending;
};

} // namespace nadi
