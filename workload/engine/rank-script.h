// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/issue-plan.h"
#include "workload/episode.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What one rank executes of one episode, and what the names in it mean to the rank. Immutable.
/// Requires: what it points to outlives it.
struct RankScript
{
    EpisodeNumber episode = 0;
    const ExecutionGraph* graph = nullptr;
    const IssuePlan* plan = nullptr;
    const std::vector<uint32_t>* calls = nullptr; ///< by node: CallNumbers
    const std::vector<CommunicatorId>* communicatorOfGroup = nullptr;
    const std::vector<RankId>* rankOfPeer = nullptr; ///< none: a peer is a rank

    CommunicatorId CommunicatorOf(const ExecutionNode& node) const
    {
        return (*communicatorOfGroup)[node.group];
    }

    /// To whom the rank sends, or from whom it receives. Requires: the node does.
    RankId PeerOf(const ExecutionNode& node) const
    {
        return rankOfPeer == nullptr ? RankId{node.peer} : rankOfPeer->at(node.peer);
    }

    /// Messages of different episodes never meet, whatever tags their graphs use.
    uint64_t TagOf(const ExecutionNode& node) const
    {
        return node.tag + (uint64_t{episode} << 32);
    }
};

/// Names a node that a rank has under way, among those of all its episodes. Of the workload's own
/// graph it is the node's index.
struct NodeToken
{
    EpisodeNumber episode = 0;
    uint32_t node = 0;

    constexpr uint64_t Pack() const
    {
        return (uint64_t{episode} << 32) | node;
    }

    static constexpr NodeToken Unpack(uint64_t packed)
    {
        return {static_cast<EpisodeNumber>(packed >> 32), static_cast<uint32_t>(packed)};
    }
};

} // namespace nadi
