// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace-problems.h"
#include "workload/workload.h"

#include <cstddef>
#include <string>

namespace nadi
{

/// Throws ConfigError, naming trace and node, when the workload asks for what no job can do: a
/// send to or a receive from a rank that does not exist, a collective or an access to remote memory
/// of a group that the calling rank is no member of, a root outside of its group, a size past 63
/// bits of bytes, an all-to-all with splits for more or fewer ranks than the group has.
void CheckJob(const Workload& workload);

/// Tells the listener of the nodes of a graph that no job of the workload can run, as CheckJob
/// does, groups apart.
void CheckNodes(const Workload& workload, const ExecutionGraph& graph, TraceListener& listener);

/// What is wrong with splits of an all-to-all of that many members: "has 3 sizes in in_split_size,
/// ..."; empty: nothing.
std::string FindSplitFault(const ExchangeSplits& splits, size_t members);

} // namespace nadi
