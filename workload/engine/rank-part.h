// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/rank-progress.h"
#include "workload/engine/rank-script.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// How far one rank is with what it executes of one episode.
struct RankPart
{
    /// `callsBefore`: by group of the graph, how many calls of its communicator the rank's earlier
    /// episodes make; empty: none.
    RankPart(const RankScript& ofRank, std::vector<uint32_t> callsBefore)
        : script(ofRank)
        , progress(ofRank.plan->Initial())
        , nodesLeft(ofRank.graph->NodeCount())
        , callsOfEarlier(std::move(callsBefore))
    {
    }

    const ExecutionNode& Node(uint32_t index) const
    {
        return script.graph->Node(index);
    }

    uint64_t TokenOf(uint32_t node) const
    {
        return NodeToken{script.episode, node}.Pack();
    }

    /// The number of the call that `node` makes. Requires: CallsGroup.
    uint32_t CallOf(uint32_t node) const
    {
        const uint32_t before = callsOfEarlier.empty() ? 0 : callsOfEarlier[Node(node).group];
        return before + (*script.calls)[node];
    }

    RankScript script;
    RankProgress progress;
    uint64_t nodesLeft;
    std::vector<uint32_t> callsOfEarlier;
    std::vector<uint32_t> ready;        ///< positions of timed nodes and calls, to be issued
    std::vector<uint32_t> readyUntimed; ///< nodes
    std::vector<uint32_t> memoryNodes;  ///< of one issue
};

/// A node that is not done, for reports.
struct UnfinishedNode
{
    NodeId id;
    std::string name;
};

} // namespace nadi
