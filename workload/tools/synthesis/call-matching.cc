// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/call-matching.h"

#include "common/error.h"
#include "system/execution/rendezvous.h"
#include "workload/engine/node-route.h"
#include "workload/tools/synthesis/call-series.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

constexpr const char* ADVICE = "; nadi trace check says more of it";

/// Walks the ranks one by one and finds for each of their calls those of the other ranks. Each rank
/// counts its calls of a communicator, or of a sender, receiver and tag, and equal numbers meet.
/// Neither names nor times are looked at.
class CallMatcher
{
  public:
    CallMatcher(const Workload& workload, const StaticOrders& orders)
        : m_workload(workload)
        , m_orders(orders)
    {
    }

    MatchedCalls Match()
    {
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            AddRank(rank);
        }
        CheckCallers();
        PairMessages();
        NumberSeries(m_matched);
        return std::move(m_matched);
    }

  private:
    static constexpr uint32_t NO_CALL = MatchedCalls::NO_CALL;
    using MessageKey = std::tuple<uint32_t, uint32_t, uint64_t>; // source, destination, tag

    struct Messages
    {
        std::vector<uint32_t> sends; // calls
        std::vector<uint32_t> receives;
    };

    const ExecutionGraph& GraphOf(const NodePlace& place) const
    {
        return m_workload.GraphOf(RankId{place.rank});
    }

    std::string Describe(const NodePlace& place) const
    {
        const ExecutionGraph& graph = GraphOf(place);
        return fmt::format("node {} \"{}\"", graph.Node(place.node).id, graph.Name(place.node));
    }

    /// Numbers the calls of a rank by its static order, as a run does. The k-th call of a
    /// communicator on each of its members is one call.
    void AddRank(uint32_t rank)
    {
        std::map<uint32_t, uint32_t> callsSoFar; // by communicator
        const ExecutionGraph& graph = m_workload.GraphOf(RankId{rank});
        for (const uint32_t node : m_orders[m_workload.graphOfRank[rank]])
        {
            const NodeRoute route = FindRoute(graph.Node(node));
            if (route == NodeRoute::Collective)
            {
                const uint32_t group = graph.Node(node).group;
                const uint32_t communicator = m_workload.communicatorOfGroup[rank].at(group).value;
                AddCollective({rank, node}, communicator, callsSoFar[communicator]++);
            }
            else if (route == NodeRoute::Send || route == NodeRoute::Receive)
            {
                AddMessage({rank, node}, route == NodeRoute::Send);
            }
        }
    }

    /// Makes a call with one node. Nodes of other ranks join it later (JoinCall).
    uint32_t AddCall(const NodePlace& place, uint32_t channel)
    {
        const ExecutionNode& node = GraphOf(place).Node(place.node);
        const bool isCollective = node.type == NodeType::Collective;
        m_matched.calls.push_back(
            {.type = node.type,
             .collective = isCollective ? node.collective : CollectiveType::AllReduce,
             .channel = channel,
             .sizes = {node.size},
             .root = isCollective && HasRoot(node.collective) ? node.peer : ExecutionNode::NO_ROOT,
             .tag = isCollective ? 0 : node.tag,
             .kind = node.kind,
             .saysPipeline = node.saysPipeline});
        SetSplits(m_matched.calls.back(), place);
        m_matched.nodes.push_back({place});
        m_matched.predecessors.push_back({NO_CALL, NO_CALL});
        return static_cast<uint32_t>(m_matched.calls.size() - 1);
    }

    /// `number`: how many calls of the communicator the rank makes before this one.
    void AddCollective(const NodePlace& place, uint32_t communicator, uint32_t number)
    {
        std::vector<uint32_t>& calls = m_collectives[communicator];
        // Another rank has made this call already.
        if (number < calls.size())
        {
            JoinCall(place, calls[number]);
            return;
        }
        const uint32_t call = AddCall(place, ChannelOfCommunicator(communicator));
        if (!calls.empty())
        {
            m_matched.predecessors[call][0] = calls.back();
        }
        calls.push_back(call);
    }

    /// Adds the node of a rank to a call that an earlier rank has made.
    void JoinCall(const NodePlace& place, uint32_t index)
    {
        MasterCall& call = m_matched.calls[index];
        const ExecutionNode& node = GraphOf(place).Node(place.node);
        const NodePlace& first = m_matched.nodes[index].front();
        const bool isSame = node.collective == call.collective &&
                            (node.size == call.sizes.front() || MayDifferInSize(node.collective));
        if (!isSame)
        {
            throw ConfigError(GraphOf(place).Source(),
                              fmt::format("{} calls {} of size {} where {} of rank {} calls {} of "
                                          "size {}{}",
                                          Describe(place),
                                          ToText(node.collective),
                                          node.size,
                                          Describe(first),
                                          first.rank,
                                          ToText(call.collective),
                                          call.sizes.front(),
                                          ADVICE));
        }
        SetSize(call, place.rank, node.size);
        SetSplits(call, place);
        m_matched.nodes[index].push_back(place);
    }

    /// A list of sizes by member is kept only where ranks differ in them.
    void SetSize(MasterCall& call, uint32_t rank, uint64_t size) const
    {
        const std::vector<uint32_t>& ranks = m_matched.channels[call.channel].ranks;
        // One size for all ranks becomes a size for each. The ranks before this one had the common
        // size.
        if (call.sizes.size() == 1 && size != call.sizes.front())
        {
            call.sizes.resize(ranks.size(), call.sizes.front());
        }
        if (call.sizes.size() > 1)
        {
            const auto member = std::find(ranks.begin(), ranks.end(), rank) - ranks.begin();
            call.sizes.at(static_cast<size_t>(member)) = size;
        }
    }

    /// A list of splits by member is kept only where a member has some.
    void SetSplits(MasterCall& call, const NodePlace& place) const
    {
        const SharedSplits splits = GraphOf(place).SplitsOf(place.node);
        if (splits == nullptr)
        {
            return;
        }
        const std::vector<uint32_t>& ranks = m_matched.channels[call.channel].ranks;
        call.splits.resize(ranks.size());
        const auto member = std::ranges::find(ranks, place.rank) - ranks.begin();
        call.splits.at(static_cast<size_t>(member)) = splits;
    }

    /// A send and its receive are two calls in one channel. PairMessages ties them when all ranks
    /// were walked, as either may be met first.
    void AddMessage(const NodePlace& place, bool isSend)
    {
        const ExecutionNode& node = GraphOf(place).Node(place.node);
        const uint32_t peer = m_workload.PeerOf(RankId{place.rank}, node).value;
        const uint32_t source = isSend ? place.rank : peer;
        const uint32_t destination = isSend ? peer : place.rank;
        const uint32_t call = AddCall(place, ChannelOfMessages(source, destination));
        Messages& messages = m_messages[{source, destination, node.tag}];
        std::vector<uint32_t>& ends = isSend ? messages.sends : messages.receives;
        if (!ends.empty())
        {
            m_matched.predecessors[call][0] = ends.back();
        }
        ends.push_back(call);
    }

    /// A channel is made for its first call, so that no channel is without one.
    uint32_t ChannelOfCommunicator(uint32_t communicator)
    {
        const auto [found, isNew] = m_channelOfCommunicator.try_emplace(
            communicator, static_cast<uint32_t>(m_matched.channels.size()));
        if (isNew)
        {
            MasterChannel& channel = m_matched.channels.emplace_back();
            for (const RankId rank : m_workload.communicators[communicator].ranks)
            {
                channel.ranks.push_back(rank.value);
            }
        }
        return found->second;
    }

    /// All tags between two ranks share a channel in one direction.
    uint32_t ChannelOfMessages(uint32_t source, uint32_t destination)
    {
        const auto [found, isNew] = m_channelOfMessages.try_emplace(
            std::pair(source, destination), static_cast<uint32_t>(m_matched.channels.size()));
        if (isNew)
        {
            m_matched.channels.push_back({.ranks = {source, destination}, .isOfMessages = true});
        }
        return found->second;
    }

    /// Order: after AddRank of all ranks, as until then a member may still join a call.
    void CheckCallers() const
    {
        for (const auto& [communicator, calls] : m_collectives)
        {
            const size_t members = m_workload.communicators[communicator].ranks.size();
            for (const uint32_t call : calls)
            {
                // A rank makes each numbered call once, so the number of callers tells whether one
                // is missing.
                const std::vector<NodePlace>& callers = m_matched.nodes[call];
                if (callers.size() < members)
                {
                    throw ConfigError(
                        GraphOf(callers.front()).Source(),
                        fmt::format("{} calls {} with {} ranks, of which {} never make this call{}",
                                    Describe(callers.front()),
                                    ToText(m_matched.calls[call].collective),
                                    members,
                                    members - callers.size(),
                                    ADVICE));
                }
            }
        }
    }

    void PairMessages()
    {
        for (const auto& [key, messages] : m_messages)
        {
            CheckPairs(messages);
            for (size_t index = 0; index < messages.sends.size(); ++index)
            {
                // So a receive stands behind its send in the master trace.
                m_matched.predecessors[messages.receives[index]][1] = messages.sends[index];
            }
        }
    }

    void CheckPairs(const Messages& messages) const
    {
        const size_t sends = messages.sends.size();
        const size_t receives = messages.receives.size();
        if (sends != receives)
        {
            const uint32_t alone =
                sends > receives ? messages.sends[receives] : messages.receives[sends];
            const NodePlace& place = m_matched.nodes[alone].front();
            throw ConfigError(GraphOf(place).Source(),
                              fmt::format("{} has no {} at the other end{}",
                                          Describe(place),
                                          sends > receives ? "receive" : "send",
                                          ADVICE));
        }
    }

    const Workload& m_workload;
    const StaticOrders& m_orders;
    MatchedCalls m_matched;
    std::map<uint32_t, std::vector<uint32_t>> m_collectives; // calls by communicator
    std::map<MessageKey, Messages> m_messages;
    std::map<uint32_t, uint32_t> m_channelOfCommunicator;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_channelOfMessages;
};

} // namespace

StaticOrders
FindStaticOrders(const Workload& workload)
{
    StaticOrders orders;
    orders.reserve(workload.graphs.size());
    for (const ExecutionGraph& graph : workload.graphs)
    {
        orders.push_back(graph.TopologicalOrder());
    }
    return orders;
}

MatchedCalls
MatchCalls(const Workload& workload, const StaticOrders& orders)
{
    return CallMatcher(workload, orders).Match();
}

} // namespace nadi
