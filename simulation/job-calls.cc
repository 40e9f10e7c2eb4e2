// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/job-calls.h"

#include "system/exchange-splits.h"
#include "workload/engine/node-route.h"

#include <map>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Of a graph, which ranks may share: a group's number, and a type.
using GroupAndType = std::pair<uint32_t, CollectiveType>;

/// Two ranks that call a type in the same sizes, one after the other, have equal ones. Two that do
/// not have, but for one case in 2^64, unequal ones.
struct SizeSequence
{
    uint64_t hash = 0;
    bool isCutUnevenly = false;

    void Add(uint64_t elements)
    {
        constexpr uint64_t prime = 0x100000001b3; // of FNV-1a
        hash = (hash ^ elements) * prime + 1;
    }
};

/// What a graph calls, whichever ranks run it.
struct GraphCalls
{
    std::set<JobCall> calls; ///< the number of the group stands for the communicator
    std::map<GroupAndType, SizeSequence> sizes;
};

bool
IsCutUnevenly(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    return node.hasSplits && !AreEqualParts(graph.SplitsOf(index)->sends, node.size);
}

GraphCalls
ReadGraph(const ExecutionGraph& graph, const SystemOptions& options)
{
    GraphCalls found;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        if (FindRoute(node) != NodeRoute::Collective)
        {
            continue;
        }
        const NodeId id{node.id};
        const bool isNamed = options.nodeAlgorithms.contains(id);
        found.calls.insert({.communicator = CommunicatorId{node.group},
                            .type = node.collective,
                            .elements = node.size,
                            .root = node.peer,
                            .node = isNamed ? std::optional(id) : std::nullopt});
        SizeSequence& sizes = found.sizes[{node.group, node.collective}];
        sizes.Add(node.size);
        sizes.isCutUnevenly = sizes.isCutUnevenly || IsCutUnevenly(graph, index);
    }
    return found;
}

/// A communicator and a type.
using CalledType = std::pair<CommunicatorId, CollectiveType>;

/// Gathers the calls of all ranks.
class Gathering
{
  public:
    explicit Gathering(const Workload& workload)
        : m_workload(workload)
    {
    }

    void Add(uint32_t rank, const GraphCalls& graph)
    {
        for (const auto& [groupAndType, sizes] : graph.sizes)
        {
            const CalledType called{CommunicatorOf(rank, groupAndType.first), groupAndType.second};
            const auto [first, isNew] = m_sizes.try_emplace(called, sizes);
            if (sizes.isCutUnevenly || first->second.hash != sizes.hash)
            {
                m_uneven.insert(called);
            }
        }
        for (JobCall call : graph.calls)
        {
            call.communicator = CommunicatorOf(rank, call.communicator.value);
            m_calls.insert(call);
        }
    }

    std::set<JobCall> Take()
    {
        std::set<JobCall> calls;
        for (JobCall call : m_calls)
        {
            call.isUneven = m_uneven.contains({call.communicator, call.type});
            calls.insert(call);
        }
        return calls;
    }

  private:
    CommunicatorId CommunicatorOf(uint32_t rank, uint32_t group) const
    {
        return m_workload.communicatorOfGroup[rank][group];
    }

    const Workload& m_workload;
    std::set<JobCall> m_calls;
    std::map<CalledType, SizeSequence> m_sizes; // of the first rank that was added
    std::set<CalledType> m_uneven;
};

} // namespace

std::set<JobCall>
FindCalls(const Workload& workload, const SystemOptions& options)
{
    std::vector<GraphCalls> graphs;
    for (const ExecutionGraph& graph : workload.graphs)
    {
        graphs.push_back(ReadGraph(graph, options));
    }
    Gathering gathering(workload);
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        gathering.Add(rank, graphs[workload.graphOfRank[rank]]);
    }
    return gathering.Take();
}

} // namespace nadi
