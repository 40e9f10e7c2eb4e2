// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/untagged-messages.h"

#include "common/error.h"
#include "common/text.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

/// The messages from one rank to another, as each of both calls them, in order.
struct MessagePair
{
    std::vector<const ExecutionNode*> sends;
    std::vector<uint32_t> receives; // nodes of the receiver's graph
};

using MessagePairs = std::map<std::pair<RankId, RankId>, MessagePair>; // by source, destination

MessagePairs
ListMessagePairs(const Workload& job)
{
    MessagePairs pairs;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.GraphOf(RankId{rank});
        for (const uint32_t index : graph.TopologicalOrder())
        {
            const ExecutionNode& node = graph.Node(index);
            const NodeRoute route = FindRoute(node);
            if (route == NodeRoute::Send)
            {
                pairs[{RankId{rank}, job.PeerOf(RankId{rank}, node)}].sends.push_back(&node);
            }
            else if (route == NodeRoute::Receive)
            {
                pairs[{job.PeerOf(RankId{rank}, node), RankId{rank}}].receives.push_back(index);
            }
        }
    }
    return pairs;
}

/// Whether some message has another tag at its receiver than at its sender.
bool
IsReordered(const std::pair<RankId, RankId>& ends, const MessagePair& pair, const Workload& job)
{
    const ExecutionGraph& graph = job.GraphOf(ends.second);
    const size_t messages = std::min(pair.sends.size(), pair.receives.size());
    bool isReordered = false;
    for (size_t at = 0; at < messages; ++at)
    {
        const ExecutionNode& send = *pair.sends[at];
        const ExecutionNode& receive = graph.Node(pair.receives[at]);
        if (send.tag == receive.tag)
        {
            continue;
        }
        isReordered = true;
        if (send.size != receive.size)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("node {} ({}): receives tag {} of rank {} where that "
                                          "sends tag {} of another size; without tags, which "
                                          "comm_replay does not have, these would meet: let both "
                                          "ranks call the messages in one order",
                                          receive.id,
                                          graph.Name(pair.receives[at]),
                                          receive.tag,
                                          ends.first.value,
                                          send.tag));
        }
    }
    return isReordered;
}

} // namespace

std::vector<std::string>
CheckWithoutTags(const Workload& job)
{
    const auto reordered = static_cast<uint64_t>(
        std::ranges::count_if(ListMessagePairs(job),
                              [&job](const MessagePairs::value_type& entry)
                              { return IsReordered(entry.first, entry.second, job); }));
    if (reordered == 0)
    {
        return {};
    }
    return {fmt::format("{} of ranks {} messages in another order than they are sent; comm_replay "
                        "has no tags, so that messages of equal size meet otherwise than in the "
                        "trace",
                        CountText(reordered, "pair"),
                        reordered == 1 ? "receives" : "receive")};
}

} // namespace nadi
