// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/group-names.h"
#include "workload/tools/editing/trace-edit.h"
#include "workload/tools/editing/trace-job.h"

#include <array>

namespace nadi
{

/// Two jobs side by side: the ranks of the second one come after those of the first, and no rank
/// of one talks to a rank of the other. Collectives of all ranks of a job become those of a group.
class JobMerge : public TraceEdit
{
  public:
    JobMerge(const TraceJob& first, const TraceJob& second);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;

    /// Throws ConfigError for a message to or from a rank that its job does not have.
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    std::array<const TraceJob*, 2> m_jobs;
    GroupNames m_groups;
};

} // namespace nadi
