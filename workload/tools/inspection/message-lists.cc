// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/message-lists.h"

#include "workload/engine/node-route.h"

#include <algorithm>

namespace nadi
{

namespace
{

bool
IsMessage(const ExecutionNode& node)
{
    const NodeRoute route = FindRoute(node);
    return route == NodeRoute::Send || route == NodeRoute::Receive;
}

/// In static topological order.
std::vector<uint32_t>
FindMessages(const ExecutionGraph& graph)
{
    std::vector<uint32_t> messages;
    // The order is costly for a large graph, and most have no messages.
    if (std::ranges::none_of(graph.Nodes(), IsMessage))
    {
        return messages;
    }
    for (const uint32_t node : graph.TopologicalOrder())
    {
        if (IsMessage(graph.Node(node)))
        {
            messages.push_back(node);
        }
    }
    return messages;
}

} // namespace

MessageChannel
ChannelOf(const CheckedJob& job, uint32_t rank, const ExecutionNode& node)
{
    const uint32_t peer = job.workload.PeerOf(RankId{rank}, node).value;
    return FindRoute(node) == NodeRoute::Send ? MessageChannel{rank, peer, node.tag}
                                              : MessageChannel{peer, rank, node.tag};
}

std::map<MessageChannel, ChannelNodes>
ListMessages(const CheckedJob& job)
{
    std::vector<std::vector<uint32_t>> messagesOfGraph;
    // Messages are listed once for each graph, as ranks that share a graph have them in the same
    // order.
    for (const ExecutionGraph& graph : job.workload.graphs)
    {
        messagesOfGraph.push_back(FindMessages(graph));
    }
    std::map<MessageChannel, ChannelNodes> channels;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.workload.GraphOf(RankId{rank});
        for (const uint32_t index : messagesOfGraph[job.workload.graphOfRank[rank]])
        {
            const ExecutionNode& node = graph.Node(index);
            // What a peer sends or receives is not known if its trace is not sound, or if it is
            // outside of the job, which CheckEachNode tells of.
            if (job.IsSound(RankId{rank}) && job.IsSound(job.workload.PeerOf(RankId{rank}, node)))
            {
                ChannelNodes& nodes = channels[ChannelOf(job, rank, node)];
                const bool isSend = FindRoute(node) == NodeRoute::Send;
                (isSend ? nodes.sends : nodes.receives).push_back(index);
            }
        }
    }
    return channels;
}

} // namespace nadi
