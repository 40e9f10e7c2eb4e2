// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "system/communicator.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// The kind of messages whose tags are in a range.
struct TagKind
{
    MessageKind kind = MessageKind::Pipeline;
    uint64_t first = 0; ///< as the trace writes tags
    uint64_t last = 0;  ///< among them

    bool Has(uint64_t tag) const
    {
        return first <= tag && tag <= last;
    }

    bool operator==(const TagKind&) const = default;
};

/// A job: what every rank executes. Made by the trace reader, by `collective`, `flows` or a
/// generator; everything after that is the same for all of them.
///
/// Graphs name groups and peers by indices, and what an index means may differ from rank to rank.
/// So the 8 ranks of a pipeline stage share one graph, in which "group 1" is a tensor-parallel
/// group: for ranks 0 and 1 communicatorOfGroup[rank][1] is the communicator {0, 1}, for ranks 2
/// and 3 it is {2, 3}.
struct Workload
{
    std::vector<ExecutionGraph> graphs;
    std::vector<uint32_t> graphOfRank; ///< index into `graphs`; its size is the number of ranks
    /// By CommunicatorId; 0 is the communicator of all ranks. Equal rank lists are one
    /// communicator, whatever their names (docs/semantics.md 2).
    std::vector<Communicator> communicators;
    /// [rank][group index of the rank's graph] -> communicator.
    std::vector<std::vector<CommunicatorId>> communicatorOfGroup;
    /// [rank][`peer` of a send or receive] -> the rank it means, for graphs that name peers by what
    /// they are to the rank ("the next stage"), so that ranks can share them; empty: a peer is a
    /// rank. Roots of collectives are ranks always.
    std::vector<std::vector<RankId>> rankOfPeer;
    Bytes elementSize{1};
    /// Communication takes the time that it was recorded to take, and the network carries nothing
    /// (docs/semantics.md 2). Every call of a collective and every message has a recorded time
    /// then.
    bool replaysCommunication = false;
    /// The kinds of sends that name none themselves; ranges that do not meet.
    std::vector<TagKind> kindsOfTags;
    /// What the user should know, a sentence each: dangling dependencies, undefined groups, ...
    std::vector<std::string> notes;

    uint32_t RankCount() const
    {
        return static_cast<uint32_t>(graphOfRank.size());
    }

    const ExecutionGraph& GraphOf(RankId rank) const
    {
        return graphs[graphOfRank[rank.value]];
    }

    /// To whom `rank` sends, or from whom it receives. Requires: `node` of its graph does.
    RankId PeerOf(RankId rank, const ExecutionNode& node) const
    {
        return rankOfPeer.empty() ? RankId{node.peer} : rankOfPeer[rank.value].at(node.peer);
    }
};

} // namespace nadi
