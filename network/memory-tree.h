// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/aggregation-tree.h"
#include "network/topology.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// In which order the tree of a memory crosses the dimensions of a stack. It matters where the
/// memory hangs on an NPU at the edge of a mesh: the edge of dimension d is where the coordinate
/// along d is the least or the largest.
enum class MemoryTreeOrder : uint8_t
{
    AlongEdge, ///< dimension d last: along the edge first, from there inward
    Inward,    ///< dimension d first: inward, from there to both sides
};

/// What FindMemoryTree is asked for.
struct MemoryTreeRequest
{
    VertexId memory;
    const std::vector<VertexId>& members; ///< NPUs, each once
    const std::vector<bool>& computes;    ///< by vertex: whether it is a switch that computes
    MemoryTreeOrder order = MemoryTreeOrder::AlongEdge;
};

/// The tree over which a memory serves a group: what it reads goes down, to each member once; what
/// members store comes up and is reduced on the way.
///
/// The memory is the root and the last node. Nodes that pass on to several others are switches that
/// compute, and members; so members may have children here. The memory has one child.
///
/// Ways are those over the fewest NPUs and, of these, over the fewest links. In a stack of
/// dimensions they cross one dimension after the other, as `order` says. Of several memories on a
/// corner the first takes the first dimension of which this is the edge, the next one the next;
/// elsewhere than at an edge, all dimensions count. Where ways part at a switch that does not
/// compute, or at an NPU that is no member, nothing can be copied: the nodes behind it form a
/// chain, in which each passes on to the next.
///
/// A pure function of the topology and the request.
AggregationTree FindMemoryTree(const Topology& topology, const MemoryTreeRequest& request);

/// The tree in which the memory itself serves each member.
AggregationTree MakeMemoryStar(VertexId memory, uint32_t members);

} // namespace nadi
