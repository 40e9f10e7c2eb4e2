// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/document/recorded-clock.h"
#include "workload/tools/editing/trace-edit.h"

#include <cstdint>

namespace nadi
{

/// Traces with durations and starts that were measured elsewhere: the k-th node of a name, in the
/// order of ids, gets those of the k-th node of this name in the measured trace of its rank. All
/// else stays. A measured start of 0 counts as RecordedClock says. A node whose counterpart has
/// neither a start nor a duration keeps its duration. With the duration comes the wait that is a
/// part of it (`waited_nanos`); where the measured node does not say it, the node has none either.
class DurationMerge : public TraceEdit
{
  public:
    /// Files by rank. Throws ConfigError for different numbers of them.
    DurationMerge(std::vector<std::string> traces,
                  std::vector<std::string> measured,
                  ProcessGroups groups);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    void CopyTimes(const ChakraProtoMsg::Node& from,
                   const RecordedClock& clock,
                   ChakraProtoMsg::Node& to);
    void CopyWait(const ChakraProtoMsg::Node& from, ChakraProtoMsg::Node& to);

    std::vector<std::string> m_traces;
    std::vector<std::string> m_measured;
    ProcessGroups m_groups;
    uint64_t m_measuredNodes = 0;
    uint64_t m_unmeasured = 0; // nodes whose counterpart says no time
    uint64_t m_lost = 0;       // durations that became 0
    uint64_t m_lostWaits = 0;  // waits that are not measured
    uint64_t m_withoutMeasured = 0;
    uint64_t m_unusedMeasured = 0;
};

} // namespace nadi
