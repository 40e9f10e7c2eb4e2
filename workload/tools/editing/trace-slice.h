// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/editing/group-names.h"
#include "workload/tools/editing/slice-selection.h"
#include "workload/tools/editing/trace-edit.h"
#include "workload/tools/editing/trace-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A part of a job: some of its nodes, of some of its ranks. Dependencies reach over the nodes
/// that are cut off (RemoveNodes), and calls keep their order (KeepCallOrder). A message or a
/// collective that not all of its ranks keep is kept by none. Ranks are renumbered from 0 in their
/// order; a group whose ranks are cut off in part becomes that of the others. Dependencies that the
/// reader ignores, such as the call tree of PyTorch's traces, are left out.
class TraceSlice : public TraceEdit
{
  public:
    /// Throws ConfigError as SelectNodes does, and for a slice without any node.
    TraceSlice(const TraceJob& job, const SliceConditions& conditions);

    uint32_t RankCount() const override;
    ProcessGroups Groups() const override;

    /// Throws ConfigError for a message to or from a rank that is cut off.
    TraceDocument MakeDocument(uint32_t rank) override;
    std::vector<std::string> Notes() const override;

  private:
    void CutSplits(uint32_t oldRank, TraceDocument& document);
    std::string NameGroup(uint32_t oldRank, uint32_t group);

    const TraceJob& m_job;
    std::vector<uint32_t> m_ranks;  // old, by new rank
    std::vector<uint32_t> m_rankOf; // new, by old rank
    SliceSelection m_selection;
    GroupNames m_groups;
    uint64_t m_partial = 0;
    uint64_t m_removed = 0;
    uint64_t m_joints = 0;
    uint64_t m_cutSplits = 0; // all-to-alls whose parts differ
    uint64_t m_ordered = 0;
    uint64_t m_kept = 0;
    std::vector<std::string> m_cutGroups;
};

} // namespace nadi
