// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/rank-files.h"

#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// The traces that a command line names.
struct TraceInputs
{
    std::vector<std::string> files; ///< by rank
    std::string name;               ///< of what is made from them: "mlp" of "mlp.{rank}.et"
};

/// Finds the files of `TRACES`: one pattern with `{rank}`, or one with `*` (files in the order of
/// the numbers in their names), or a list of files by rank. In a pattern with both, `*` stands for
/// what differs between the names of ranks besides the rank: `worker{rank}.*.json`.
///
/// A directory stands for the traces `*.{rank}.et` in it.
///
/// Throws ConfigError where there are none, where a rank is missing below one that is there, and
/// where several files are of one rank.
TraceInputs FindTraceInputs(const std::vector<std::string>& traces);

/// The traces of the ranks of a job that were recorded.
struct RecordedInputs
{
    std::vector<RankFile> files; ///< by rank
    std::string name;            ///< as of TraceInputs

    std::vector<uint32_t> Ranks() const;

    /// Requires: the rank was recorded.
    const std::string& FileOf(uint32_t rank) const;
};

/// FindTraceInputs where ranks may be missing. Files of a list, or of a pattern with `*` alone, are
/// of ranks 0, 1, ...
RecordedInputs FindRecordedInputs(const std::vector<std::string>& traces);

/// The groups file of the traces: the one that is named, else `groups.json` in the directory that
/// stands for them, else none.
std::optional<std::string> FindInputGroups(const std::vector<std::string>& traces,
                                           const std::string& groups);

} // namespace nadi
