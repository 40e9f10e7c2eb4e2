// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/message-agreement.h"

#include "workload/tools/structure/rank-agreement.h"
#include "workload/tools/structure/task-order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

struct MessageTotals
{
    uint64_t messages = 0;
    uint64_t bytes = 0;
    uint32_t node = 0; ///< one of them

    void Add(const MessageTotals& other)
    {
        messages += other.messages;
        bytes += other.bytes;
    }
};

/// What the ranks of a graph send and receive, by the peer as its nodes name it.
struct GraphMessages
{
    std::map<uint32_t, MessageTotals> sent;
    std::map<uint32_t, MessageTotals> received;
};

/// In a graph that several ranks share, one peer may mean another rank for each of them. So a node
/// is kept for each peer, by which PeerOf finds the rank.
GraphMessages
ListMessages(const ExecutionGraph& graph)
{
    GraphMessages list;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (IsMessageTask(node))
        {
            MessageTotals& totals =
                (node.type == NodeType::Send ? list.sent : list.received)[node.peer];
            ++totals.messages;
            totals.bytes += node.size;
            totals.node = index;
        }
    }
    return list;
}

/// What one rank sends to another, and what that one receives.
struct Exchange
{
    MessageTotals sent;
    MessageTotals received;

    bool Fits() const
    {
        // A receive may leave its size out.
        const bool areBytesKnown = sent.bytes > 0 && received.bytes > 0;
        return sent.messages == received.messages &&
               (!areBytesKnown || sent.bytes == received.bytes);
    }
};

using Exchanges = std::map<std::pair<uint32_t, uint32_t>, Exchange>; // by sender and receiver

/// Adds the sums of a graph to the pairs of ranks that its messages join where this rank runs it.
void
AddRank(const Workload& workload, uint32_t rank, const GraphMessages& list, Exchanges& exchanges)
{
    const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
    const auto peerOf = [&](const MessageTotals& totals)
    { return workload.PeerOf(RankId{rank}, graph.Node(totals.node)).value; };
    for (const auto& [peer, totals] : list.sent)
    {
        exchanges[{rank, peerOf(totals)}].sent.Add(totals);
    }
    for (const auto& [peer, totals] : list.received)
    {
        exchanges[{peerOf(totals), rank}].received.Add(totals);
    }
}

/// The messages between the passes of a rank, as its lists name them.
TaskList
ListHandedOn(const ExecutionGraph& graph, const RankStructure& lists)
{
    TaskList messages;
    for (const LayerRunPass& pass : lists.passes)
    {
        for (const TaskList* const list : {&pass.before, &pass.after})
        {
            std::ranges::copy_if(*list,
                                 std::back_inserter(messages),
                                 [&graph](uint32_t task)
                                 { return IsMessageTask(graph.Node(task)); });
        }
    }
    return messages;
}

} // namespace

/// Messages within layers are left out: they are of a ring of contexts, whose ranks are of one
/// stage.
std::string
FindMessagesWithinStage(const Workload& workload, const JobStructure& structure)
{
    for (const RankStructure& rank : structure.ranks)
    {
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank.rank});
        for (const uint32_t task : ListHandedOn(graph, structure.ranks[rank.sameAs]))
        {
            const uint32_t peer = workload.PeerOf(RankId{rank.rank}, graph.Node(task)).value;
            if (peer < structure.ranks.size() && structure.ranks[peer].stage == rank.stage)
            {
                return DescribeDoubt(fmt::format("rank {} and rank {} hand on messages between "
                                                 "their passes, and both seem to be of stage {}",
                                                 rank.rank,
                                                 peer,
                                                 rank.stage));
            }
        }
    }
    return "";
}

std::string
FindLostMessages(const Workload& workload)
{
    std::vector<GraphMessages> lists;
    // Messages are added up once for each graph, and only the sums are added for each rank that
    // shares the graph. So the time does not grow with ranks times messages.
    for (const ExecutionGraph& graph : workload.graphs)
    {
        lists.push_back(ListMessages(graph));
    }
    Exchanges exchanges;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        AddRank(workload, rank, lists[workload.graphOfRank[rank]], exchanges);
    }
    for (const auto& [ends, exchange] : exchanges)
    {
        const auto [sender, receiver] = ends;
        if (sender == receiver)
        {
            return DescribeDoubt(
                fmt::format("rank {} sends to itself, or receives from itself", sender));
        }
        // The other end of a message is unknown where its rank has no trace.
        const bool isWithin = sender < workload.RankCount() && receiver < workload.RankCount();
        if (isWithin && !exchange.Fits())
        {
            return DescribeDoubt(
                fmt::format("rank {} sends {} messages of {} bytes together to rank {}, which "
                            "receives {} of {} bytes from it",
                            sender,
                            exchange.sent.messages,
                            exchange.sent.bytes,
                            receiver,
                            exchange.received.messages,
                            exchange.received.bytes));
        }
    }
    return "";
}

} // namespace nadi
