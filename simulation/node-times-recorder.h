// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/job-engine.h"
#include "workload/trace-writer.h"
#include "workload/workload.h"

#include <vector>

namespace nadi
{

/// Keeps when every node of a run began and ended, of collectives when all members had called
/// them and they had their slots, and of receives when both ends had been called: 24 bytes for each
/// node of each rank.
///
/// Starts and ends are rounded down to nanoseconds, so that what follows at once still does, and a
/// duration of whole nanoseconds stays what it is. Nodes that did not end have no times
/// (NodeTimes::NOT_ENDED).
class NodeTimesRecorder
{
  public:
    explicit NodeTimesRecorder(const Workload& workload);

    /// Requires: the node is of the workload, not of an episode that was submitted later.
    void AddNode(RankId rank, const CompletedNode& node);

    /// All members have called the collective of a node, or both ends the message of a receive.
    /// Where a collective waits for slots after that, called again when it has them: the last time
    /// counts. Requires: as of AddNode, which follows.
    void AddBegin(RankId rank, uint32_t node, SimTime now);

    /// By rank; to be called once.
    std::vector<NodeTimes> Take();

  private:
    std::vector<NodeTimes> m_ofRank;
};

} // namespace nadi
