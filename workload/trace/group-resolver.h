// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace-problems.h"
#include "workload/trace/communicator-table.h"
#include "workload/trace/process-groups.h"
#include "workload/workload.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

/// Finds the communicators that the collectives of a job mean by their group names.
///
/// A name is, in this order: what the groups file says; what the rank's own trace says
/// (process_group:init), so that ranks may use one name for different groups; else the set of
/// ranks whose traces use the name, which is noted. Groups with equal rank lists are one
/// communicator.
class GroupResolver
{
  public:
    /// By index of the graph; owned by the caller and outliving this, as is the workload.
    using GroupsOfGraphs = std::vector<ProcessGroups>;

    /// The listener outlives this; by default it throws.
    GroupResolver(const Workload& workload,
                  const ProcessGroups& groupsFile,
                  const GroupsOfGraphs& ownGroups,
                  TraceListener& listener = ThrowProblems());

    /// Fills `communicators`, `communicatorOfGroup` and notes of the workload. A note of a group
    /// that is defined nowhere names a `groups.json` beside the traces, unless there is a groups
    /// file. Tells the listener of collectives in a group without their rank, and of used groups
    /// with ranks outside the job.
    void Resolve(Workload& workload);

    /// After Resolve: the names that are defined nowhere.
    const std::set<std::string>& UndefinedNames() const
    {
        return m_undefined;
    }

  private:
    CommunicatorId FindCommunicator(RankId rank, const std::string& name);
    void NoteUndefined(std::vector<std::string>& notes) const;
    void CheckMembership(RankId rank, uint32_t group, CommunicatorId id) const;
    std::vector<uint32_t>
    CheckRanks(RankId rank, const std::string& name, const std::vector<uint32_t>& list) const;

    const Workload& m_workload;
    const ProcessGroups& m_groupsFile;
    const GroupsOfGraphs& m_ownGroups;
    TraceListener& m_listener;
    std::map<std::string, std::vector<uint32_t>> m_users; // ranks whose traces use a name
    std::set<std::string> m_undefined;                    // names taken from their users
    CommunicatorTable m_communicators;
};

} // namespace nadi
