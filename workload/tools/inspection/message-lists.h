// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/inspection/checked-job.h"

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

/// What a send and a receive must have in common to meet.
struct MessageChannel
{
    uint32_t source = 0;
    uint32_t destination = 0;
    uint64_t tag = 0;

    auto operator<=>(const MessageChannel&) const = default;
};

/// The nodes of a channel, each in the static topological order of its rank's trace.
struct ChannelNodes
{
    std::vector<uint32_t> sends;    ///< of the source
    std::vector<uint32_t> receives; ///< of the destination
};

/// The channel of a message of `rank`. Requires: the node sends or receives.
MessageChannel ChannelOf(const CheckedJob& job, uint32_t rank, const ExecutionNode& node);

/// The sends and receives between sound ranks of a job.
std::map<MessageChannel, ChannelNodes> ListMessages(const CheckedJob& job);

} // namespace nadi
