// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/call-lists.h"
#include "workload/tools/inspection/message-lists.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

/// A node of some rank.
struct RankNode
{
    uint32_t rank = 0;
    uint32_t node = 0; ///< its index in the rank's graph

    bool operator==(const RankNode&) const = default;
};

/// How far a job comes when nothing takes time.
///
/// Whether a node is ever done depends on its dependencies, on its turn on a CUDA stream, and on
/// the nodes of other ranks that it meets. All of that is in the traces; the resources that a
/// simulation adds (engines, slots, links) are always freed again. So the nodes that are left here
/// are those that a run would never finish.
///
/// Collectives wait for the members that make the call, and receives of which there are more than
/// sends do not wait: who lacks them is found without this (CompareCollectives, CompareMessages).
/// Accesses to remote memory that groups make together do not wait at all, as the configuration
/// says whether members meet there; so a circle that only such accesses close is not found.
class StaticProgress
{
  public:
    /// The job outlives this.
    explicit StaticProgress(const CheckedJob& job);

    /// How many nodes of sound ranks are never done.
    uint64_t LeftCount() const;

    /// A node that is never done; absent when there is none.
    std::optional<RankNode> FindLeft() const;

    bool IsDone(RankNode at) const
    {
        return m_ranks[at.rank].isDone[at.node];
    }

    /// Whether all that the node depends on on its own rank is done.
    bool IsReady(RankNode at) const
    {
        return m_ranks[at.rank].blockers[at.node] == 0;
    }

    /// A node for which `at` waits, and which is not done either. Requires: `at` is not done.
    RankNode FindBlocker(RankNode at) const;

  private:
    struct RankState
    {
        std::vector<uint32_t> blockers; // by node
        std::vector<bool> isDone;
        std::vector<uint32_t> callOf; // of nodes that call collectives; empty without any
        // A node that is not done and for which the node waits, where there is one; empty where all
        // are done.
        std::vector<uint32_t> blockedBy;
    };

    struct ChannelState
    {
        size_t sent = 0;
        std::vector<RankNode> waiting; // receives in the order in which they were ready
    };

    void Begin(uint32_t rank);
    void Run();
    void FindBlockers(uint32_t rank);
    void Issue(RankNode at);
    void IssueSend(RankNode at);
    void IssueReceive(RankNode at);
    void IssueCollective(RankNode at);
    void Finish(RankNode at);
    void Unblock(RankNode at);
    RankNode FindMissingSend(RankNode at) const;
    RankNode FindMissingMember(RankNode at) const;

    const CheckedJob& m_job;
    CallLists m_calls;
    std::map<MessageChannel, ChannelNodes> m_messages;
    std::map<MessageChannel, ChannelState> m_channels;
    std::map<CommunicatorId, std::vector<uint32_t>> m_missing; // members, by call
    std::vector<RankState> m_ranks;
    std::vector<RankNode> m_ready;
};

} // namespace nadi
