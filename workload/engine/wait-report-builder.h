// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/stuck-job.h"
#include "workload/engine/wait-cycle.h"
#include "workload/wait-report.h"

#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// Makes the wait-for report of a stuck job.
class WaitReportBuilder
{
  public:
    explicit WaitReportBuilder(const StuckJob& job);

    WaitReport Build();

  private:
    /// One node in which a rank waits.
    struct Wait
    {
        std::string name;
        std::string text; ///< for what
        std::vector<RankId> ranks;
    };

    void AddCollective(const PendingCollective& collective);
    void AddPointToPoint(const PendingPointToPoint& pending);
    void AddMemoryAccess(const PendingMemoryAccess& pending);
    void AddGroupAccess(const MemoryAccess& access, const PendingMemoryAccess::Group& group);
    void AddBlockedRanks();
    void AddSwitches(WaitReport& report) const;
    WaitForGraph MakeWaitForGraph() const;
    WaitingRank DescribeRank(RankId rank) const;
    /// What ranks are doing that another waits for: " (rank 5 has finished)"; empty for none.
    std::string DescribeDoings(const std::vector<RankId>& ranks) const;
    std::string DescribeDoing(RankId rank) const;

    const StuckJob& m_job;
    /// By rank. Episodes have ids of their own, so a rank may wait in several nodes of one id.
    std::vector<std::multimap<NodeId, Wait>> m_waits;
};

} // namespace nadi
