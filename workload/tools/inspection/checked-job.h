// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/job-plan.h"
#include "workload/tools/inspection/finding-list.h"
#include "workload/workload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A job whose ranks are to be compared with each other.
struct CheckedJob
{
    const Workload& workload;
    const JobPlan& plan;
    /// By rank: whether its whole trace was understood. Others are taken to do whatever their peers
    /// expect of them.
    const std::vector<bool>& isSound;
    const std::vector<std::string>& files; ///< by rank

    bool IsSound(RankId rank) const
    {
        return rank.value < isSound.size() && isSound[rank.value];
    }

    uint32_t RankCount() const
    {
        return workload.RankCount();
    }
};

/// Adds findings for nodes that no job can run or that take no time, one by one, and for traces
/// that pass the simulated clock.
void CheckEachNode(const Workload& workload, FindingList& findings);

/// Adds a finding for collectives that the members of a communicator call in different order, with
/// different types, sizes or roots, or not equally often. The k-th call of each member is compared;
/// what most members do is held to be right.
void CompareCollectives(const CheckedJob& job, FindingList& findings);

/// Adds a finding for accesses to remote memory that the members of a communicator make together in
/// other directions or sizes, or not equally often. It is a warning, as the configuration says
/// whether they meet at all (system.memory.remote.through).
void CompareAccesses(const CheckedJob& job, FindingList& findings);

/// Adds a finding for receives without a send, sends without a receive, and sizes that differ.
void CompareMessages(const CheckedJob& job, FindingList& findings);

/// Adds a finding when ranks wait for each other in a circle. Calls and messages that other ranks
/// lack are taken as there: CompareCollectives and CompareMessages tell of them.
void FindWaitCircle(const CheckedJob& job, FindingList& findings);

} // namespace nadi
