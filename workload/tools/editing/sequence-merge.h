// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/group-names.h"
#include "workload/tools/editing/trace-edit.h"
#include "workload/tools/editing/trace-job.h"

#include <array>
#include <cstdint>

namespace nadi
{

/// Two jobs one after the other on the same ranks: on each rank, the second one's nodes begin when
/// the first one's are done. Each rank goes on by itself; there is no barrier between the jobs.
///
/// The ids of the second one's nodes follow those of the first. Its nodes without dependencies get
/// data dependencies on the first one's nodes on which nothing depends; where that would be many,
/// a METADATA_NODE, which takes no time, stands between them. Dependencies that the reader ignores
/// are left out. Where both jobs recorded starts, the
/// second one's are moved, all by the same time, to where the first one ended on its last rank.
class SequenceMerge : public TraceEdit
{
  public:
    /// Throws ConfigError for jobs with different numbers of ranks.
    SequenceMerge(const TraceJob& first, const TraceJob& second);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;

    /// Throws ConfigError for ids that pass 64 bits.
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    TraceDocument ReadPart(const TraceJob& job, uint32_t rank);

    std::array<const TraceJob*, 2> m_jobs;
    GroupNames m_groups;
    int64_t m_shiftNanos = 0;
    bool m_hasStarts = false;
};

} // namespace nadi
