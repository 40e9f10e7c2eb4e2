// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/communicator-list.h"
#include "workload/workload.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace nadi
{

/// The ranks of a job with other pipeline stages: where they come from, who is in their groups, and
/// who their peers are. Those that differ in their stage alone stay as far apart.
class StageRanks
{
  public:
    /// Throws ConfigError where the ranks of stages do not stand equally far apart. The references
    /// outlive it.
    StageRanks(const Workload& job,
               const JobStructure& structure,
               uint32_t recordedStages,
               uint32_t wantedStages);

    /// Whether the number of stages is another one. Otherwise each rank stays what it is.
    bool AreOther() const
    {
        return m_from.count != m_to.count;
    }

    uint32_t RankCount() const
    {
        return m_rankCount;
    }

    uint32_t StageOf(uint32_t rank) const;

    /// The recorded stage whose tasks a new one has: the first and the last those of theirs, others
    /// those of recorded ones between, in turn.
    uint32_t BaseOf(uint32_t stage) const;

    /// Whether a new stage is between others, and no recorded one is. Its base is the last one.
    bool IsJoined(uint32_t stage) const;

    /// The recorded rank whose tasks a new one has.
    uint32_t SourceOf(uint32_t rank) const;

    /// The recorded rank of the first stage that is otherwise like a new one.
    uint32_t FirstOf(uint32_t rank) const
    {
        return AreOther() ? m_to.Moved(rank, m_from, 0) : rank;
    }

    /// By group of a recorded rank: whether it is of one rank of the first and one of the last
    /// stage, as for a matrix that both have.
    std::vector<bool> FindGroupsOfEnds(uint32_t source) const;

    /// Of a new rank, whose graph is given. Throws ConfigError where it calls a group of several
    /// stages other than the first and the last.
    std::vector<CommunicatorId> GroupsOf(uint32_t rank, const ExecutionGraph& graph);

    /// How many peers the graph of a recorded rank names.
    uint32_t PeerCountOf(uint32_t source) const;

    /// Of a new rank: those of the recorded one in its stage, then the next and the previous stage.
    std::vector<RankId> PeersOf(uint32_t rank) const;

    /// Whether a group of one rank of each of two stages was taken to be of the first and the last.
    bool HaveAssumedEnds() const
    {
        return m_haveAssumedEnds;
    }

    const std::vector<Communicator>& Communicators() const
    {
        return m_communicators.All();
    }

  private:
    std::set<uint32_t> StagesOf(CommunicatorId group) const;
    bool IsOfEnds(CommunicatorId group) const;
    CommunicatorId MoveGroup(uint32_t rank, CommunicatorId group);

    const Workload& m_job;
    const JobStructure& m_structure;
    AxisNumbering m_from;
    AxisNumbering m_to;
    uint32_t m_rankCount;
    CommunicatorList m_communicators;
    bool m_haveAssumedEnds = false;
};

} // namespace nadi
