// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/synthesis/master-trace.h"
#include "workload/workload.h"

#include <array>
#include <cstdint>
#include <vector>

namespace nadi
{

/// A node of a rank.
struct NodePlace
{
    uint32_t rank = 0;
    uint32_t node = 0; ///< its index in the rank's graph
};

/// The calls of a job, each with the nodes that make it on its ranks.
struct MatchedCalls
{
    static constexpr uint32_t NO_CALL = UINT32_MAX;

    std::vector<MasterChannel> channels;
    std::vector<MasterCall> calls; ///< in the order in which they were found
    uint32_t seriesCount = 0;
    std::vector<std::vector<NodePlace>> nodes; ///< by call
    /// By call: the calls that come before it, or NO_CALL. They are the one before it in its
    /// communicator, or of its sender, receiver and tag; and the send of a receive.
    std::vector<std::array<uint32_t, 2>> predecessors;
};

/// The order of the nodes of each graph by which calls are numbered (docs/semantics.md 2).
using StaticOrders = std::vector<std::vector<uint32_t>>;

StaticOrders FindStaticOrders(const Workload& workload);

/// Finds which nodes of different ranks are one collective or one message, by the rules of
/// docs/semantics.md 2.
///
/// Throws ConfigError where a call differs between ranks in its type, or in a size that has to be
/// the same; where a rank makes fewer calls than its peers; and for messages without their other
/// end.
MatchedCalls MatchCalls(const Workload& workload, const StaticOrders& orders);

} // namespace nadi
