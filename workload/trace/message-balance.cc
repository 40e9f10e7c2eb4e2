// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/message-balance.h"

#include "common/text.h"
#include "workload/engine/node-route.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace nadi
{

namespace
{

/// A send or a receive of some rank.
struct TracedMessage
{
    uint32_t source = 0;
    uint32_t destination = 0;
    uint64_t tag = 0;
    bool isSend = false;
    uint32_t node = 0; ///< its index in the rank's graph

    auto Channel() const
    {
        return std::tie(source, destination, tag);
    }

    uint32_t Rank() const
    {
        return isSend ? source : destination;
    }
};

using TracedMessages = std::vector<TracedMessage>;

/// All sends and receives of the job. Peers in traces are ranks, so rankOfPeer is not asked.
TracedMessages
CollectMessages(const Workload& workload)
{
    TracedMessages messages;
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            const NodeRoute route = FindRoute(node);
            if (route == NodeRoute::Send)
            {
                messages.push_back({rank, node.peer, node.tag, true, index});
            }
            else if (route == NodeRoute::Receive)
            {
                messages.push_back({node.peer, rank, node.tag, false, index});
            }
        }
    }
    return messages;
}

/// What a channel has too many of.
struct Surplus
{
    uint64_t count = 0;
    TracedMessage first;
};

/// Looks at one channel: the k-th send meets the k-th receive.
void
AddSurplus(TracedMessages::const_iterator begin,
           TracedMessages::const_iterator end,
           Surplus& sends,
           Surplus& receives)
{
    // Receives are sorted before sends.
    const auto middle =
        std::find_if(begin, end, [](const TracedMessage& message) { return message.isSend; });
    const auto received = middle - begin;
    const auto sent = end - middle;
    if (received == sent)
    {
        return;
    }
    Surplus& surplus = sent > received ? sends : receives;
    if (surplus.count == 0)
    {
        // The first one that is left over comes after as many as the other side has.
        surplus.first = sent > received ? *(middle + received) : *(begin + sent);
    }
    surplus.count += static_cast<uint64_t>(std::abs(sent - received));
}

std::string
DescribeFirst(const Workload& workload, const TracedMessage& message)
{
    const ExecutionGraph& graph = workload.GraphOf(RankId{message.Rank()});
    return fmt::format("node {} \"{}\" of rank {}, {} rank {}, tag {}",
                       graph.Node(message.node).id,
                       graph.Name(message.node),
                       message.Rank(),
                       message.isSend ? "to" : "from",
                       message.isSend ? message.destination : message.source,
                       message.tag);
}

} // namespace

void
NoteUnmatchedMessages(Workload& workload)
{
    TracedMessages messages = CollectMessages(workload);
    // Messages of one channel come to stand together, receives before sends, each kind in the order
    // of its trace. So the first one without a partner is known.
    std::stable_sort(messages.begin(),
                     messages.end(),
                     [](const TracedMessage& left, const TracedMessage& right)
                     {
                         return std::tuple_cat(left.Channel(), std::tie(left.isSend)) <
                                std::tuple_cat(right.Channel(), std::tie(right.isSend));
                     });
    Surplus sends;
    Surplus receives;
    for (auto begin = messages.cbegin(); begin != messages.cend();)
    {
        const auto end = std::find_if(begin,
                                      messages.cend(),
                                      [&](const TracedMessage& other)
                                      { return other.Channel() != begin->Channel(); });
        AddSurplus(begin, end, sends, receives);
        begin = end;
    }
    if (sends.count > 0)
    {
        workload.notes.push_back(fmt::format("{} without a receive, done when the bytes "
                                             "have arrived (first: {})",
                                             CountText(sends.count, "send"),
                                             DescribeFirst(workload, sends.first)));
    }
    if (receives.count > 0)
    {
        workload.notes.push_back(fmt::format("{} without a send, so the job cannot finish "
                                             "(first: {})",
                                             CountText(receives.count, "receive"),
                                             DescribeFirst(workload, receives.first)));
    }
}

} // namespace nadi
