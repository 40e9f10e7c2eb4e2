// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "workload/execution-graph.h"

#include <string>
#include <vector>

namespace nadi
{

/// The graph as a Chakra execution trace (schema 1.0.0): frames of a length and a protobuf
/// message, first the GlobalMetadata, then the nodes in the order of their indices. Dependencies
/// become data dependencies, in ascending order of id. Equal graphs give equal bytes.
///
/// The schema counts durations in whole microseconds. So that none is lost, a duration that is not
/// whole microseconds is written twice: rounded in `duration_micros` (half up), for other readers,
/// and as the int64 attribute `duration_nanos`, which goes before it in ours. A Delay node, which
/// the schema does not have, is written as an operator on a thread of the host that nothing else
/// uses, which takes as long. Recorded waits of collectives become the int64 attribute
/// `waited_nanos`.
///
/// Requires: durations and waits are whole nanoseconds, tags, peers and priorities fit 32 bits with
/// a sign, since that is how readers of the schema expect them.
std::string FormatTrace(const ExecutionGraph& graph);

/// What the names in a shared graph mean to the rank whose trace is written.
struct TraceNames
{
    std::vector<std::string> groups; ///< by ExecutionNode::group; "": all ranks
    std::vector<RankId> peers;       ///< by ExecutionNode::peer; none: peers are ranks
};

std::string FormatTrace(const ExecutionGraph& graph, const TraceNames& names);

/// When the nodes of a rank ran, by index, in nanoseconds.
struct NodeTimes
{
    /// In place of the start of a node that did not end. Its duration is 0, its wait says nothing.
    static constexpr int64_t NOT_ENDED = -1;

    std::vector<int64_t> startNanos;
    std::vector<int64_t> durationNanos;
    /// Of collectives, until all members had called them and they had their slots; of receives,
    /// until their sends had been called; else 0.
    std::vector<int64_t> waitNanos;
};

/// Likewise a recording: nodes have these durations, in place of the graph's, and starts, as
/// `start_time_micros` (rounded down) and the int64 attribute `start_nanos`. Collectives, sends and
/// receives have their waits as the int64 attribute `waited_nanos`. A node that did not end has
/// none of them.
///
/// Requires: times of every node.
std::string
FormatRecording(const ExecutionGraph& graph, const TraceNames& names, const NodeTimes& times);

/// Writes FormatTrace to a file. Throws ConfigError when the file cannot be written.
void WriteTrace(const ExecutionGraph& graph, const std::string& path);

} // namespace nadi
