// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// The cut that limits how fast every source can send data of its own to every sink at once: of all
/// cuts A that leave out a sink, one with the smallest
///
///     rate / load = (what the links out of A can carry) / (sources in A).
///
/// Each of those sources must send its data across the cut, over switches that copy or by whatever
/// algorithm. If all members are sources and sinks, it is the throughput of an all-gather, and an
/// all-gather reaches it (Edmonds' branchings). With one sink it is that of a gather.
///
/// Exact: it starts at the ports of single vertices, and goes to a smaller cut as long as the flow
/// to a sink is too small (the method of Newton and Dinkelbach, with one flow for each sink and one
/// for each step).
///
/// `sources` and `sinks` are members. Nothing where no source has another member as its sink.
std::optional<LoadedCut> FindThroughputCut(const CutGraph& graph,
                                           const std::vector<uint32_t>& sources,
                                           const std::vector<uint32_t>& sinks);

/// How many trees each NPU must be the root of, if an all-gather on trees of equal rates is to
/// reach rate / load: a chunk count for each shard that is a multiple of it can meet the bound.
/// Requires: the load and the rate are positive.
CutGraph::Amount CountTrees(const CutGraph& graph, const LoadedCut& limit);

} // namespace nadi
