// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/pipeline-schedule.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/communicator-list.h"
#include "workload/what-if/group-origins.h"
#include "workload/workload.h"

#include <cstddef>
#include <cstdint>
#include <optional>
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
               const Pipeline& recorded,
               const Pipeline& wanted);

    /// Whether layers are dealt anew, to other stages or chunks. Otherwise each rank stays what it
    /// is.
    bool AreOther() const
    {
        return m_recorded.stages != m_wanted.stages || m_recorded.chunks != m_wanted.chunks;
    }

    uint32_t RankCount() const
    {
        return m_rankCount;
    }

    uint32_t StageOf(uint32_t rank) const;

    /// The recorded rank whose tasks a new one has (BaseStageOf).
    uint32_t SourceOf(uint32_t rank) const;

    /// The recorded rank of a stage that is otherwise like a new one.
    uint32_t RecordedAt(uint32_t rank, uint32_t stage) const;

    /// By group of a recorded rank: whether it is of one rank of the first and one of the last
    /// stage, as for a matrix that both have.
    std::vector<bool> FindGroupsOfEnds(uint32_t source) const;

    /// The group of the source of a new rank that has the same ranks, in its stage, as a group of
    /// a recorded stage has there.
    std::optional<uint32_t> FindInSource(uint32_t rank, uint32_t stage, uint32_t group) const;

    /// Of a new rank, whose graph is given, with the groups that it got besides. Throws ConfigError
    /// where it calls a group of several stages other than the first and the last.
    std::vector<CommunicatorId> GroupsOf(uint32_t rank,
                                         const ExecutionGraph& graph,
                                         const std::vector<GroupOrigins::Added>& added);

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
    std::vector<RankId> MembersIn(uint32_t stage, CommunicatorId group) const;
    CommunicatorId FindAdded(uint32_t rank, const GroupOrigins::Added& added);

    const Workload& m_job;
    const JobStructure& m_structure;
    Pipeline m_recorded;
    Pipeline m_wanted;
    AxisNumbering m_from;
    AxisNumbering m_to;
    uint32_t m_rankCount;
    CommunicatorList m_communicators;
    bool m_haveAssumedEnds = false;
};

} // namespace nadi
