// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/what-if/graph-copy.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// A call that is put in.
struct AddedCall
{
    NodeCopy call;                    ///< its id counts for nothing
    std::vector<uint32_t> after = {}; ///< nodes of the graph that it waits for
    uint32_t behind = 0;              ///< the node behind which it stands in the program
};

/// Which nodes of a graph go, and which calls come.
struct GraphChanges
{
    std::vector<bool> removed;    ///< by node; empty: none
    std::vector<AddedCall> added; ///< in the order of `behind`
    /// By added call: one before it, both as indices of `added`, that it waits for, too.
    std::map<size_t, size_t> follows;
    /// By node: calls, as indices of `added`, that it waits for in place of all that these wait
    /// for.
    std::map<uint32_t, std::vector<size_t>> gates;
    /// By node that goes: calls, likewise, that stand for it.
    std::map<uint32_t, std::vector<size_t>> replacements;
    std::vector<std::string> groups;      ///< that the graph gets behind its own
    std::map<uint32_t, uint32_t> groupOf; ///< by node: its new group, if it gets another one
};

/// The graph with those changes, its ids counted from 0. What waited for a node that goes waits
/// for what stands for it, or else for what that one waited for; of parameters that were gathered,
/// only where it waits for nothing else, as they come early.
ExecutionGraph RewriteGraph(const ExecutionGraph& graph, const GraphChanges& changes);

} // namespace nadi
