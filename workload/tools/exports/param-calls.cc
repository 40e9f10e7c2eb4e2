// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/param-calls.h"

#include "workload/engine/node-route.h"
#include "workload/tools/exports/param-call-maker.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

bool
IsPlayed(const ExecutionNode& node)
{
    const NodeRoute route = FindRoute(node);
    return route == NodeRoute::Send || route == NodeRoute::Receive ||
           route == NodeRoute::Collective;
}

/// The calls and waits of one rank, in order.
///
/// comm_replay plays a list and not a graph, so waits take the place of dependencies. Time, after
/// the static order is known: linear in nodes and dependencies.
class ParamCallList
{
  public:
    ParamCallList(const ExecutionGraph& graph, const ParamCallMaker& maker)
        : m_graph(graph)
        , m_maker(maker)
        , m_order(graph.TopologicalOrder())
        , m_places(graph.NodeCount())
        , m_endingAt(graph.NodeCount() + 1)
    {
        for (uint32_t place = 0; place < m_order.size(); ++place)
        {
            m_places[m_order[place]] = place;
        }
    }

    std::vector<ParamCall> List()
    {
        for (uint32_t place = 0; place < m_order.size(); ++place)
        {
            // Waits also come before a node that is not played, as later calls may depend on it.
            AddWaits(place);
            if (IsPlayed(m_graph.Node(m_order[place])))
            {
                AddCall(m_order[place]);
            }
        }
        AddWaits(m_graph.NodeCount());
        return std::move(m_calls);
    }

  private:
    void AddCall(uint32_t index)
    {
        ParamCall call = m_maker.Make(index);
        call.request = m_requestCount++;
        // A wait for the call is due before the first node that depends on it. A barrier has none.
        if (call.name != "barrier")
        {
            m_endingAt[FirstChild(index)].push_back(m_calls.size());
        }
        m_calls.push_back(std::move(call));
    }

    /// The place of the first node that depends on it; past the last one if none does.
    uint32_t FirstChild(uint32_t index) const
    {
        uint32_t first = m_graph.NodeCount();
        for (const uint32_t child : m_graph.Children(index))
        {
            first = std::min(first, m_places[child]);
        }
        return first;
    }

    void AddWaits(uint32_t place)
    {
        for (const size_t at : m_endingAt[place])
        {
            ParamCall wait;
            wait.name = "wait";
            wait.request = m_calls[at].request;
            wait.group = m_calls[at].group;
            m_calls.push_back(std::move(wait));
        }
    }

    const ExecutionGraph& m_graph;
    const ParamCallMaker& m_maker;
    std::vector<uint32_t> m_order;
    std::vector<uint32_t> m_places;              // of each node in the order
    std::vector<std::vector<size_t>> m_endingAt; // calls to be waited for before a place
    std::vector<ParamCall> m_calls;
    uint64_t m_requestCount = 0;
};

} // namespace

std::vector<ParamCall>
ListParamCalls(const UnevenExchanges& exchanges, RankId rank, const TraceDocument* document)
{
    const ParamCallMaker maker(exchanges, rank, document);
    return ParamCallList(exchanges.Job().GraphOf(rank), maker).List();
}

} // namespace nadi
