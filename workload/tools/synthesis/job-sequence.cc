// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/synthesis/job-sequence.h"

#include "common/error.h"
#include "workload/engine/node-route.h"
#include "workload/tools/synthesis/call-matching.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// Where a node stands in the static order of its graph.
struct StaticPlace
{
    uint32_t interval = 0; // how many calls stand before it
    uint32_t position = 0;
};

/// `order`: the static order of the graph. A call is in the interval that ends with it.
std::vector<StaticPlace>
FindStaticPlaces(const ExecutionGraph& graph, const std::vector<uint32_t>& order)
{
    std::vector<StaticPlace> places(graph.NodeCount());
    StaticPlace next;
    for (const uint32_t node : order)
    {
        places[node] = next;
        ++next.position;
        const NodeRoute route = FindRoute(graph.Node(node));
        const bool isCall = route == NodeRoute::Collective || route == NodeRoute::Send ||
                            route == NodeRoute::Receive;
        next.interval += isCall ? 1 : 0;
    }
    return places;
}

/// A node, or a call with all its nodes, that nothing has to precede any more. Ranks and indices
/// decide between candidates of equal interval and position, so that the order is the same each
/// time.
struct Candidate
{
    static constexpr uint32_t CALL = UINT32_MAX;

    uint32_t interval = 0;
    uint32_t position = 0; // of calls: after all nodes of the interval
    uint32_t rank = CALL;
    uint32_t index = 0; // of the node in its graph, or of the call

    bool operator>(const Candidate& other) const
    {
        return std::tie(interval, position, rank, index) >
               std::tie(other.interval, other.position, other.rank, other.index);
    }
};

/// Kahn's algorithm over the graphs of all ranks, joined at their calls. Each call, and each node
/// that makes none, becomes a candidate once, when nothing is left that it waits for. A heap gives
/// the smallest candidate first.
class JobSequencer
{
  public:
    JobSequencer(const Workload& workload, const StaticOrders& orders, MatchedCalls matched)
        : m_workload(workload)
        , m_matched(std::move(matched))
        , m_successors(m_matched.calls.size())
    {
        for (size_t graph = 0; graph < workload.graphs.size(); ++graph)
        {
            m_places.push_back(FindStaticPlaces(workload.graphs[graph], orders[graph]));
        }
        CountBlockers();
        m_sequence.steps.resize(workload.RankCount());
        m_sequence.master.rankCount = workload.RankCount();
        m_sequence.master.seriesCount = m_matched.seriesCount;
    }

    JobSequence Run()
    {
        FindFirst();
        while (!m_candidates.empty())
        {
            const Candidate candidate = m_candidates.top();
            m_candidates.pop();
            if (candidate.rank == Candidate::CALL)
            {
                TakeCall(candidate.index);
            }
            else
            {
                TakeNode({candidate.rank, candidate.index}, NO_CALL);
            }
        }
        CheckComplete();
        m_sequence.master.channels = std::move(m_matched.channels);
        return std::move(m_sequence);
    }

  private:
    static constexpr uint32_t NO_CALL = JobSequence::NO_CALL;

    const ExecutionGraph& GraphOf(uint32_t rank) const
    {
        return m_workload.GraphOf(RankId{rank});
    }

    void CountBlockers()
    {
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            const ExecutionGraph& graph = GraphOf(rank);
            m_callOfNode.emplace_back(graph.NodeCount(), NO_CALL);
            std::vector<uint32_t>& parents = m_parentsLeft.emplace_back(graph.NodeCount());
            for (uint32_t node = 0; node < graph.NodeCount(); ++node)
            {
                parents[node] = graph.ParentCount(node);
            }
        }
        for (uint32_t call = 0; call < m_matched.calls.size(); ++call)
        {
            // A call waits until the parents of each of its nodes are taken, and for the calls
            // before it.
            m_blockersOfCall.push_back(static_cast<uint32_t>(m_matched.nodes[call].size()));
            for (const NodePlace& place : m_matched.nodes[call])
            {
                m_callOfNode[place.rank][place.node] = call;
            }
            // Calls of a communicator, and messages of a sender, receiver and tag, keep their order
            // even where the dependencies of the ranks would allow another.
            for (const uint32_t predecessor : m_matched.predecessors[call])
            {
                if (predecessor != NO_CALL)
                {
                    m_successors[predecessor].push_back(call);
                    ++m_blockersOfCall[call];
                }
            }
        }
    }

    void FindFirst()
    {
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            for (uint32_t node = 0; node < GraphOf(rank).NodeCount(); ++node)
            {
                if (m_parentsLeft[rank][node] == 0)
                {
                    OnParentsTaken({rank, node});
                }
            }
        }
    }

    const StaticPlace& PlaceOf(const NodePlace& place) const
    {
        return m_places[m_workload.graphOfRank[place.rank]][place.node];
    }

    /// A node that makes a call waits for the other nodes of the call. Any other node can be taken.
    void OnParentsTaken(const NodePlace& place)
    {
        const uint32_t call = m_callOfNode[place.rank][place.node];
        if (call != NO_CALL)
        {
            Unblock(call);
            return;
        }
        const StaticPlace& at = PlaceOf(place);
        // Positions of different ranks have nothing to do with each other. Intervals bring the
        // ranks into step, as calls that they share divide them.
        m_candidates.push({at.interval, at.position, place.rank, place.node});
    }

    void Unblock(uint32_t call)
    {
        if (--m_blockersOfCall[call] > 0)
        {
            return;
        }
        uint32_t interval = 0;
        for (const NodePlace& place : m_matched.nodes[call])
        {
            interval = std::max(interval, PlaceOf(place).interval);
        }
        // A call closes an interval on each of its ranks. It comes after the nodes of the latest of
        // these intervals, so that earlier nodes of all its ranks go first where they can.
        m_candidates.push({interval, UINT32_MAX, Candidate::CALL, call});
    }

    /// Puts the node into the sequence of its rank. `call`: an index into the master trace, or
    /// NO_CALL.
    void TakeNode(const NodePlace& place, uint32_t call)
    {
        m_sequence.steps[place.rank].push_back({place.node, call});
        for (const uint32_t child : GraphOf(place.rank).Children(place.node))
        {
            if (--m_parentsLeft[place.rank][child] == 0)
            {
                OnParentsTaken({place.rank, child});
            }
        }
    }

    /// All nodes of a call are taken together, so the call stands once in the master trace, and the
    /// sequences of its ranks have it in the same order.
    void TakeCall(uint32_t call)
    {
        const auto index = static_cast<uint32_t>(m_sequence.master.calls.size());
        m_sequence.master.calls.push_back(std::move(m_matched.calls[call]));
        for (const NodePlace& place : m_matched.nodes[call])
        {
            TakeNode(place, index);
        }
        for (const uint32_t successor : m_successors[call])
        {
            Unblock(successor);
        }
    }

    /// What waits for itself never becomes a candidate, and is missing from the sequences. No graph
    /// has a cycle, so calls have closed one.
    void CheckComplete() const
    {
        for (uint32_t rank = 0; rank < m_workload.RankCount(); ++rank)
        {
            const ExecutionGraph& graph = GraphOf(rank);
            if (m_sequence.steps[rank].size() < graph.NodeCount())
            {
                throw ConfigError(graph.Source(),
                                  "its calls and those of other ranks wait for each other in a "
                                  "circle, so that the job never ends; nadi trace check says more "
                                  "of it");
            }
        }
    }

    const Workload& m_workload;
    MatchedCalls m_matched;
    std::vector<std::vector<StaticPlace>> m_places;   // by graph and node
    std::vector<std::vector<uint32_t>> m_callOfNode;  // by rank and node
    std::vector<std::vector<uint32_t>> m_parentsLeft; // likewise
    std::vector<uint32_t> m_blockersOfCall;           // nodes and calls that it waits for
    std::vector<std::vector<uint32_t>> m_successors;  // by call
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> m_candidates;
    JobSequence m_sequence;
};

} // namespace

JobSequence
SequenceJob(const Workload& workload)
{
    const StaticOrders orders = FindStaticOrders(workload);
    return JobSequencer(workload, orders, MatchCalls(workload, orders)).Run();
}

} // namespace nadi
