// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message-kind.h"
#include "system/collective-type.h"
#include "system/exchange-splits.h"
#include "workload/execution-graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace nadi
{

/// Who takes part in a call: the ranks of a communicator in its order; or the sender and the
/// receiver of messages.
struct MasterChannel
{
    std::vector<uint32_t> ranks;
    bool isOfMessages = false;
    /// Channels of one family have as many ranks and make calls of the same types in the same
    /// order, as the tensor-parallel groups of a job do.
    uint32_t family = 0;
    uint32_t place = 0; ///< among the channels of its family
};

/// A collective of all its ranks, or one end of a message.
struct MasterCall
{
    NodeType type = NodeType::Collective; ///< Collective, Send or Receive
    CollectiveType collective = CollectiveType::AllReduce;
    uint32_t channel = 0;
    /// Calls of one type in channels of one family are a series, both ends of a message too.
    uint32_t series = 0;
    uint32_t number =
        0; ///< among the channel's calls of the series; equal at the ends of a message
    /// As in the traces: one size, or one for each rank of the channel where they differ.
    std::vector<uint64_t> sizes;
    uint32_t root = ExecutionNode::NO_ROOT;
    uint64_t tag = 0;                         ///< of a message
    MessageKind kind = MessageKind::Pipeline; ///< likewise, as the node of this end says
    bool saysPipeline = false;                ///< ExecutionNode::saysPipeline
    /// Of an all-to-all in which the parts of a member differ: those of each member of the channel,
    /// null for equal ones. Empty for all other calls.
    std::vector<SharedSplits> splits = {};
};

/// The communication of all ranks of a job in one list, in which each collective stands once. The
/// traces of the ranks can be rebuilt from it as far as they communicate (ListCallsOfRanks).
///
/// Order: one in which the job can run. A rank that makes its calls one after the other in this
/// order never waits for a call that comes later. Calls of a communicator stand in the order in
/// which the ranks match them, and messages of a sender, receiver and tag likewise.
struct MasterTrace
{
    uint32_t rankCount = 0;
    std::vector<MasterChannel> channels;
    std::vector<MasterCall> calls;
    uint32_t seriesCount = 0;
};

/// The calls of each rank in order, by their index in the master trace.
std::vector<std::vector<uint32_t>> ListCallsOfRanks(const MasterTrace& master);

/// The ranks that make the call: all of its channel, or the one end of a message.
std::span<const uint32_t> RanksOf(const MasterTrace& master, const MasterCall& call);

/// How much the rank says that the call moves. Requires: it takes part.
uint64_t SizeOn(const MasterTrace& master, const MasterCall& call, uint32_t rank);

} // namespace nadi
