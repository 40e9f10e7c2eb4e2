// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/group-diff.h"
#include "workload/tools/inspection/trace-diff.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// How the traces of two jobs differ, rank by rank.
struct JobDiff
{
    size_t ranksInFirst = 0;
    size_t ranksInSecond = 0;
    std::vector<TraceDiff> ranks; ///< of those that both have

    bool AreEqual() const;
};

/// The files of a job, by rank, and the groups file that is theirs.
struct ComparedJob
{
    std::vector<std::string> files;
    std::optional<std::string> groupsFile; ///< nothing: there is none, or it is not known
};

/// Compares the files of two jobs, by rank; at most two traces are in memory at a time. Where both
/// have a groups file, groups are compared by their ranks. Throws ConfigError for files that cannot
/// be read.
JobDiff CompareJobs(const ComparedJob& first, const ComparedJob& second);

/// The diff as JSON: `equal`, the numbers of ranks, and `ranks`, each with counts and lists of what
/// differs. The lists are as long as TraceDiff::MOST_LISTED, and an attribute that is absent is
/// null.
std::string FormatDiffJson(const JobDiff& diff);

} // namespace nadi
