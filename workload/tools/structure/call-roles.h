// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <array>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// Finds what each group is for, from where its collectives stand and what they do:
///
/// * all-to-alls in layers: experts;
/// * sums in forward layers: tensor parallelism;
/// * other calls of ranks of two stages: the embedding that both ends share;
/// * gathers alone in forward layers, and sums elsewhere in a job that trains: copies of
///   parameters; of several such groups of a rank the smaller are those of the experts.
///
/// Messages between passes are of the pipeline, those in layers of a ring of contexts.
class CallRoles
{
  public:
    /// Requires: ranks have their stages. Both outlive the object.
    CallRoles(const Workload& workload, const JobStructure& structure);

    /// Of a collective of a rank.
    GroupRole RoleOf(uint32_t rank, const ExecutionNode& node) const;

    /// Groups that are used, by communicator and role.
    std::vector<GroupUse> ListUses() const;

    /// Whether tensor parallelism scatters what it sums in forward layers.
    bool HasScatteredSums() const
    {
        return m_hasScatteredSums;
    }

  private:
    enum Place : uint8_t
    {
        FORWARD_LAYER,
        BACKWARD_LAYER,
        ELSEWHERE,
        PLACES,
    };

    /// Calls of one communicator, by what they are.
    struct CallCounts
    {
        std::array<uint64_t, PLACES> sums{};
        std::array<uint64_t, PLACES> gathers{};
        std::array<uint64_t, PLACES> exchanges{};
        std::array<uint64_t, PLACES> scatteredSums{};
    };

    CommunicatorId CommunicatorOf(uint32_t rank, const ExecutionNode& node) const;
    void CountRank(uint32_t rank);
    void CountCalls(uint32_t rank, const TaskList& tasks, Place place);
    void AddMessages(uint32_t rank, const TaskList& tasks, GroupRole role);
    GroupRole FindRole(CommunicatorId id, const CallCounts& counts) const;
    void SeparateExpertCopies();
    bool SpansStages(CommunicatorId id) const;

    const Workload& m_workload;
    const JobStructure& m_structure;
    std::map<CommunicatorId, CallCounts> m_counts;
    std::map<CommunicatorId, GroupRole> m_roles; ///< of what is no all-to-all in a layer
    std::map<GroupRole, GroupUse> m_messages;
    bool m_hasScatteredSums = false;
};

} // namespace nadi
