// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/analysis/recorded-path.h"

#include "workload/tools/fitting/kernel-kind.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint32_t NOTHING_BEFORE = UINT32_MAX;

std::string
WorkKindOf(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    if (node.isCpu)
    {
        return "host";
    }
    switch (node.type)
    {
    case NodeType::Compute:
        return std::string(ToText(FindNodeKind(graph, index)));
    case NodeType::Collective:
        return std::string(ToText(node.collective));
    case NodeType::Send:
    case NodeType::Receive:
        return "message";
    default:
        return "memory";
    }
}

/// Of a message whose trace says how long it waited for the other rank, the time without that.
uint64_t
FindWorkNanos(const ExecutionGraph& graph, uint32_t index)
{
    constexpr int64_t psPerNs = 1000;
    const ExecutionNode& node = graph.Node(index);
    const bool isMessage = node.type == NodeType::Send || node.type == NodeType::Receive;
    const SimTime wait = isMessage ? graph.WaitOf(index).value_or(SimTime()) : SimTime();
    return static_cast<uint64_t>((node.durationPs - std::min(node.durationPs, wait.Ps())) /
                                 psPerNs);
}

/// Finds longest ways; prepared once, asked with other durations for each kind.
///
/// Nodes are sorted by their recorded starts once. A search goes over them in this order, and keeps
/// for each node the longest way to its end and the node before it on this way. Time of a search:
/// linear in nodes and dependencies, behind a sort of the nodes by their ends. There is one for the
/// path and one for each kind on it.
class PathFinder
{
  public:
    PathFinder(const ExecutionGraph& graph,
               const RecordedOrder& order,
               const std::vector<CallTime>& calls)
        : m_graph(graph)
        , m_places(graph.NodeCount())
        , m_nanos(graph.NodeCount())
        , m_kinds(graph.NodeCount())
        , m_queues(graph.NodeCount(), NO_QUEUE)
        , m_ended(graph.NodeCount())
    {
        FindWork(calls);
        SortByStart(order);
        FindEnded(order);
    }

    RecordedPath Find() const
    {
        const Ends ends = ComputeEnds(NO_KIND);
        RecordedPath path;
        std::map<uint32_t, uint64_t> ofKind;
        path.nanos = ends.LongestEnd();
        for (uint32_t node = ends.LastNode(); node != NOTHING_BEFORE; node = ends.before[node])
        {
            ofKind[m_kinds[node]] += m_nanos[node];
        }
        for (const auto& [kind, nanos] : ofKind)
        {
            if (nanos > 0)
            {
                // Halving a kind may make another way the longest one, so each kind takes a search
                // of its own.
                path.shares.push_back(
                    {m_kindNames[kind], nanos, path.nanos - ComputeEnds(kind).LongestEnd()});
            }
        }
        std::ranges::stable_sort(path.shares, std::greater<>(), &PathShare::nanos);
        return path;
    }

  private:
    static constexpr uint32_t NO_KIND = UINT32_MAX;
    static constexpr uint32_t NO_QUEUE = UINT32_MAX;

    struct Ends
    {
        std::vector<uint64_t> end;
        std::vector<uint32_t> before;

        uint32_t LastNode() const
        {
            return end.empty() ? NOTHING_BEFORE
                               : static_cast<uint32_t>(std::ranges::max_element(end) - end.begin());
        }

        uint64_t LongestEnd() const
        {
            return end.empty() ? 0 : *std::ranges::max_element(end);
        }
    };

    void FindWork(const std::vector<CallTime>& calls)
    {
        std::map<std::string, uint32_t> numbers;
        for (uint32_t index = 0; index < m_graph.NodeCount(); ++index)
        {
            const std::string kind = WorkKindOf(m_graph, index);
            const auto [entry, isNew] =
                numbers.emplace(kind, static_cast<uint32_t>(m_kindNames.size()));
            if (isNew)
            {
                m_kindNames.push_back(kind);
            }
            m_kinds[index] = entry->second;
            m_nanos[index] = FindWorkNanos(m_graph, index);
        }
        for (const CallTime& call : calls)
        {
            // The recorded duration has the wait for other ranks in it, the transfer has not.
            m_nanos[call.node] = call.transferNanos;
        }
    }

    /// Of equal starts, in an order that dependencies allow.
    void SortByStart(const RecordedOrder& order)
    {
        m_order = m_graph.TopologicalOrder();
        std::ranges::stable_sort(
            m_order, {}, [&order](uint32_t index) { return order.startNanos[index]; });
        for (uint32_t place = 0; place < m_order.size(); ++place)
        {
            m_places[m_order[place]] = place;
        }
    }

    /// Communication without a stream runs beside everything.
    bool IsInQueue(uint32_t index) const
    {
        const ExecutionNode& node = m_graph.Node(index);
        const bool isLoose = node.stream == 0 && (IsCollectiveTask(node) || IsMessageTask(node));
        return node.durationPs > 0 && !isLoose;
    }

    /// Which nodes of its stream or thread end before each node begins, and after the one before it
    /// began. Nodes that overlap there did not wait for each other, as an operator within another
    /// one does not.
    void FindEnded(const RecordedOrder& order)
    {
        // By end, the earliest on top.
        using EndingNode = std::pair<int64_t, uint32_t>;
        using RunningNodes =
            std::priority_queue<EndingNode, std::vector<EndingNode>, std::greater<>>;
        std::map<std::tuple<bool, uint32_t>, uint32_t> numbers;
        std::vector<RunningNodes> running; // by queue
        for (const uint32_t index : m_order)
        {
            if (!IsInQueue(index))
            {
                continue;
            }
            const ExecutionNode& node = m_graph.Node(index);
            const auto [entry, isNew] = numbers.emplace(std::tuple(node.isCpu, node.stream),
                                                        static_cast<uint32_t>(running.size()));
            running.resize(numbers.size());
            m_queues[index] = entry->second;
            RunningNodes& queue = running[entry->second];
            const int64_t start = order.startNanos[index];
            for (; !queue.empty() && queue.top().first <= start; queue.pop())
            {
                m_ended[index].push_back(queue.top().second);
            }
            queue.emplace(start + node.durationPs / 1000, index);
        }
        m_queueCount = running.size();
    }

    /// Of the nodes that had ended on the stream or thread of `node` when it began, the one with
    /// the longest way to its end. `longest`: by queue, that of the node before on it.
    uint32_t FindLongest(uint32_t node, const Ends& ends, std::vector<uint32_t>& longest) const
    {
        if (m_queues[node] == NO_QUEUE)
        {
            return NOTHING_BEFORE;
        }
        uint32_t& found = longest[m_queues[node]];
        for (const uint32_t ended : m_ended[node])
        {
            // Of equal ones the last to end.
            const bool isLonger = found == NOTHING_BEFORE || ends.end[ended] >= ends.end[found];
            found = isLonger ? ended : found;
        }
        return found;
    }

    /// With half the time for one kind.
    Ends ComputeEnds(uint32_t halved) const
    {
        Ends ends{std::vector<uint64_t>(m_nanos.size(), 0),
                  std::vector<uint32_t>(m_nanos.size(), NOTHING_BEFORE)};
        const auto await = [&ends](uint32_t node, uint32_t before)
        {
            // The first one counts even if it ends at 0, so that the path begins with a node that
            // waits for nothing.
            if (ends.before[node] == NOTHING_BEFORE || ends.end[before] > ends.end[node])
            {
                ends.end[node] = ends.end[before];
                ends.before[node] = before;
            }
        };
        std::vector<uint32_t> longest(m_queueCount, NOTHING_BEFORE);
        // Nodes are taken by their starts, so the end of all that a node waits for is known when it
        // is taken.
        for (const uint32_t node : m_order)
        {
            if (const uint32_t before = FindLongest(node, ends, longest); before != NOTHING_BEFORE)
            {
                await(node, before);
            }
            ends.end[node] += m_kinds[node] == halved ? m_nanos[node] / 2 : m_nanos[node];
            for (const uint32_t child : m_graph.Children(node))
            {
                // A child that began earlier did not wait for this node.
                if (m_places[child] > m_places[node])
                {
                    await(child, node);
                }
            }
        }
        return ends;
    }

    const ExecutionGraph& m_graph;
    std::vector<uint32_t> m_order; // nodes by start
    std::vector<uint32_t> m_places;
    std::vector<uint64_t> m_nanos;
    std::vector<uint32_t> m_kinds;
    std::vector<std::string> m_kindNames;
    std::vector<uint32_t> m_queues;             // the stream or thread of each node
    std::vector<std::vector<uint32_t>> m_ended; // by node, see FindEnded
    size_t m_queueCount = 0;
};

} // namespace

RecordedPath
FindRecordedPath(const ExecutionGraph& graph,
                 const RecordedOrder& order,
                 const std::vector<CallTime>& calls)
{
    return PathFinder(graph, order, calls).Find();
}

} // namespace nadi
