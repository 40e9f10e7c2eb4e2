// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "workload/execution-graph.h"

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

namespace nadi
{

/// What the groups and peers that graphs name mean to each rank (see Workload).
struct RankNames
{
    /// [rank][group index of the rank's graph] -> communicator.
    std::vector<std::vector<CommunicatorId>> communicatorOfGroup;
    /// [rank][`peer` of a send or receive] -> rank; empty: a peer is a rank.
    std::vector<std::vector<RankId>> rankOfPeer;
};

/// Names an episode of a job: 0 is the workload itself, later ones count from 1.
using EpisodeNumber = uint32_t;

/// A part of a job that is submitted while the job runs, such as one iteration of a serving
/// instance: a graph for each of some ranks.
///
/// Holds: all members of a communicator that a graph calls are members of the episode, and
/// submitted episodes of one communicator follow each other in one order on all its members. So its
/// calls count on from episode to episode, and which calls meet is as static within each as in a
/// job of one.
struct Episode
{
    struct Member
    {
        RankId rank;
        uint32_t graph = 0; ///< index into `graphs`
    };

    std::vector<ExecutionGraph> graphs;
    std::vector<Member> members; ///< each rank once
    std::shared_ptr<const RankNames> names;
};

/// A rank has come to a node of type Milestone.
struct MilestoneReached
{
    EpisodeNumber episode = 0;
    uint64_t number = 0; ///< the node's tag
    RankId rank;

    auto operator<=>(const MilestoneReached&) const = default;
};

/// Told when all nodes of an episode are done, and of its milestones.
class EpisodeListener
{
  public:
    virtual ~EpisodeListener() = default;

    /// Called once for each milestone of each rank, under the rules of OnEpisodeEnded, and before
    /// it.
    virtual void OnMilestone(const MilestoneReached& /*milestone*/)
    {
    }

    /// Called from the event loop, once for each episode. It may schedule events, and submits
    /// nothing itself: what else ends at this instant is not told yet.
    virtual void OnEpisodeEnded(EpisodeNumber episode) = 0;
};

} // namespace nadi
