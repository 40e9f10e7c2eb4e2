// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/group-names.h"
#include "workload/tools/editing/trace-edit.h"
#include "workload/tools/editing/trace-job.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

/// A larger job that consists of copies of a smaller one: copy c of m ranks has the ranks c * m to
/// c * m + m - 1, which do what the ranks of the smaller job do.
///
/// Each copy has the groups of the smaller job among its own ranks. A group that spans is one
/// group of all copies instead: that of the same positions in each of them, copy by copy. The root
/// of its collectives is in the first copy. Sizes of collectives stay as they are, also where their
/// groups grow.
class Replication : public TraceEdit
{
  public:
    /// `spanning`: names of groups as the traces have them; "all" is the group of all ranks.
    ///
    /// Throws ConfigError for a number of ranks that is no multiple of the job's, and for names
    /// that the traces do not use.
    Replication(const TraceJob& job, uint32_t rankCount, std::set<std::string> spanning);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;

    /// Throws ConfigError for a message to or from a rank that the smaller job does not have, and
    /// for an all-to-all that lists unequal parts for fewer ranks than its group has.
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    void CheckSpanning() const;
    bool IsSpanning(const ExecutionGraph& graph, uint32_t group) const;
    std::vector<uint32_t> FindRanks(uint32_t rank, uint32_t group) const;
    void SpreadSplits(uint32_t rank, TraceDocument& document) const;
    [[noreturn]] void RefuseSplits(uint32_t rank, uint32_t index) const;

    const TraceJob& m_job;
    uint32_t m_rankCount;
    std::set<std::string> m_spanning;
    GroupNames m_groups;
};

} // namespace nadi
