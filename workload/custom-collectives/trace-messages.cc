// SPDX-License-Identifier: GPL-2.0-only
#include "workload/custom-collectives/trace-messages.h"

#include "common/error.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// Source, destination, tag.
using WayKey = std::tuple<uint32_t, uint32_t, uint64_t>;

struct TraceEnd
{
    uint32_t rank;
    uint32_t node;
};

std::string
DescribeEnd(const Workload& traces, const TraceEnd& end)
{
    const ExecutionNode& node = traces.GraphOf(RankId{end.rank}).Node(end.node);
    return fmt::format("node {} of rank {}, which {} {} with tag {}",
                       node.id,
                       end.rank,
                       node.type == NodeType::Send ? "sends to" : "receives from",
                       node.peer,
                       node.tag);
}

/// Collects all ends by their way before any are matched: a send may stand in a later file than its
/// receive.
class MessageNumbers
{
  public:
    explicit MessageNumbers(const Workload& traces)
        : m_traces(traces)
    {
        for (uint32_t rank = 0; rank < traces.RankCount(); ++rank)
        {
            const ExecutionGraph& graph = traces.GraphOf(RankId{rank});
            m_numbers.emplace_back(graph.NodeCount());
            for (uint32_t node = 0; node < graph.NodeCount(); ++node)
            {
                AddEnd({rank, node});
            }
        }
    }

    std::vector<std::vector<uint32_t>> Match() &&
    {
        for (auto& [way, ends] : m_receives)
        {
            Join(way, m_sends[way], ends);
        }
        // What was joined above is gone from both sides. What is left are sends without any receive
        // of their way, and Join refuses them.
        for (auto& [way, ends] : m_sends)
        {
            Join(way, ends, m_receives[way]);
        }
        return std::move(m_numbers);
    }

  private:
    void AddEnd(const TraceEnd& end)
    {
        const ExecutionGraph& graph = m_traces.GraphOf(RankId{end.rank});
        const ExecutionNode& node = graph.Node(end.node);
        const bool isSend = node.type == NodeType::Send;
        if (!isSend && node.type != NodeType::Receive)
        {
            return;
        }
        if (node.peer >= m_traces.RankCount() || node.peer == end.rank)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("{}: there is no such peer among {} ranks",
                                          DescribeEnd(m_traces, end),
                                          m_traces.RankCount()));
        }
        const WayKey way =
            isSend ? WayKey{end.rank, node.peer, node.tag} : WayKey{node.peer, end.rank, node.tag};
        (isSend ? m_sends : m_receives)[way].push_back(end);
    }

    /// Messages of one pair of ranks are numbered through all tags.
    void Join(const WayKey& way, std::vector<TraceEnd>& sends, std::vector<TraceEnd>& receives)
    {
        if (sends.size() != receives.size())
        {
            const bool isMoreSent = sends.size() > receives.size();
            // The k-th send meets the k-th receive, so the first one past the shorter list has
            // none.
            const TraceEnd& alone = isMoreSent ? sends[receives.size()] : receives[sends.size()];
            throw ConfigError(m_traces.GraphOf(RankId{alone.rank}).Source(),
                              fmt::format("{}, has no counterpart", DescribeEnd(m_traces, alone)));
        }
        uint32_t& next = m_next[{std::get<0>(way), std::get<1>(way)}];
        for (size_t message = 0; message < sends.size(); ++message)
        {
            CheckSizes(sends[message], receives[message]);
            m_numbers[sends[message].rank][sends[message].node] = next;
            m_numbers[receives[message].rank][receives[message].node] = next;
            ++next;
        }
        sends.clear();
        receives.clear();
    }

    /// Both ends become steps of one message, which has one size.
    void CheckSizes(const TraceEnd& send, const TraceEnd& receive) const
    {
        const ExecutionGraph& graph = m_traces.GraphOf(RankId{receive.rank});
        const uint64_t sent = m_traces.GraphOf(RankId{send.rank}).Node(send.node).size;
        const uint64_t received = graph.Node(receive.node).size;
        if (sent != received)
        {
            throw ConfigError(graph.Source(),
                              fmt::format("{}: receives {} B, but rank {} sends {} B",
                                          DescribeEnd(m_traces, receive),
                                          received,
                                          send.rank,
                                          sent));
        }
    }

    const Workload& m_traces;
    std::map<WayKey, std::vector<TraceEnd>> m_sends;
    std::map<WayKey, std::vector<TraceEnd>> m_receives;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_next;
    std::vector<std::vector<uint32_t>> m_numbers; // by rank and node
};

} // namespace

std::vector<std::vector<uint32_t>>
NumberTraceMessages(const Workload& traces)
{
    return MessageNumbers(traces).Match();
}

} // namespace nadi
