// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace-problems.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Something about the traces of a job that the user should know before it runs.
///
/// Findings that differ in nothing but their nodes are one finding.
struct Finding
{
    /// So many nodes are named, except of a cycle.
    static constexpr size_t MOST_NODES = 4;

    Severity severity = Severity::Note;
    std::string where;           ///< the file
    std::vector<uint32_t> ranks; ///< who runs the file; empty where it is not a trace
    /// What is wrong; what would be right: the end of a sentence about a node, or about the file.
    std::string text;
    uint64_t count = 0;               ///< nodes of which that is true; 0: of the file
    std::vector<TraceNodeName> nodes; ///< the first of them
    bool isCycle = false;             ///< the nodes wait for each other: each for the one before it
};

/// "mlp.0.et (rank 0): node 5 "sum" sends to rank 9; the job has ranks 0 to 7", in one line.
std::string DescribeFinding(const Finding& finding);

/// The findings with those that say the same of several files made one, in the order of the first:
/// a mistake of who wrote the traces is mostly in those of all ranks. Their places become "mlp.0.et
/// and 7 more files". Circles of nodes are never the same.
std::vector<Finding> MergeFindings(const std::vector<Finding>& findings);

} // namespace nadi
