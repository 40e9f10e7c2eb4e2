// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/trace-edit.h"

#include <cstdint>

namespace nadi
{

/// Traces with durations and starts that were measured elsewhere: the k-th node of a name, in the
/// order of ids, gets those of the k-th node of this name in the measured trace of its rank. All
/// else stays. A measured start of 0 is none.
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
    std::vector<std::string> m_traces;
    std::vector<std::string> m_measured;
    ProcessGroups m_groups;
    uint64_t m_matched = 0;
    uint64_t m_withoutMeasured = 0;
    uint64_t m_unusedMeasured = 0;
};

} // namespace nadi
