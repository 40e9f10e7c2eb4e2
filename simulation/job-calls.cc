// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/job-calls.h"

#include "system/exchange-splits.h"
#include "system/execution/rendezvous.h"
#include "workload/engine/node-route.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Of a graph, which ranks may share: a group's number, and a type.
using GroupAndType = std::pair<uint32_t, CollectiveType>;

/// The sizes of a type's calls on a group.
struct CallSizes
{
    std::vector<uint64_t> even; ///< ascending, each as often as it is called
    bool hasUneven = false;     ///< some call is cut unevenly
    uint64_t largest = 0;       ///< of all
};

/// What a graph calls, whichever ranks run it.
struct GraphCalls
{
    std::set<JobCall> calls; ///< the number of the group stands for the communicator
    std::map<GroupAndType, CallSizes> sizes;
};

bool
IsCutUnevenly(const ExecutionGraph& graph, uint32_t index)
{
    const ExecutionNode& node = graph.Node(index);
    return node.hasSplits && !AreEqualParts(graph.SplitsOf(index)->sends, node.size);
}

void
AddSize(const ExecutionGraph& graph, uint32_t index, CallSizes& sizes)
{
    const uint64_t size = graph.Node(index).size;
    sizes.largest = std::max(sizes.largest, size);
    if (IsCutUnevenly(graph, index))
    {
        sizes.hasUneven = true;
        return;
    }
    sizes.even.push_back(size);
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
        if (MayDifferInSize(node.collective))
        {
            AddSize(graph, index, found.sizes[{node.group, node.collective}]);
        }
    }
    for (auto& [groupAndType, sizes] : found.sizes)
    {
        std::sort(sizes.even.begin(), sizes.even.end());
    }
    return found;
}

/// A communicator and a type.
using CalledType = std::pair<CommunicatorId, CollectiveType>;

/// What all members of a communicator call together.
struct CommonSizes
{
    CallSizes sizes;                  ///< those of all members
    const CallSizes* first = nullptr; ///< of the member that was added first
};

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
            AddSizes({CommunicatorOf(rank, groupAndType.first), groupAndType.second}, sizes);
        }
        for (JobCall call : graph.calls)
        {
            call.communicator = CommunicatorOf(rank, call.communicator.value);
            m_calls.insert(call);
        }
    }

    std::set<JobCall> Take() const
    {
        std::set<JobCall> calls;
        for (JobCall call : m_calls)
        {
            const auto found = m_sizes.find({call.communicator, call.type});
            if (found != m_sizes.end() && !IsCommon(found->second.sizes, call.elements))
            {
                call.elements = found->second.sizes.largest;
                call.isUneven = true;
            }
            calls.insert(call);
        }
        for (const auto& [called, common] : m_sizes)
        {
            if (common.sizes.hasUneven)
            {
                calls.insert({.communicator = called.first,
                              .type = called.second,
                              .elements = common.sizes.largest,
                              .isUneven = true});
            }
        }
        return calls;
    }

  private:
    CommunicatorId CommunicatorOf(uint32_t rank, uint32_t group) const
    {
        return m_workload.communicatorOfGroup[rank][group];
    }

    void AddSizes(const CalledType& called, const CallSizes& sizes)
    {
        const auto [place, isNew] = m_sizes.try_emplace(called, CommonSizes{sizes, &sizes});
        CommonSizes& common = place->second;
        // Ranks often share a graph, and then agree.
        if (isNew || common.first == &sizes)
        {
            return;
        }
        std::vector<uint64_t> both;
        std::set_intersection(common.sizes.even.begin(),
                              common.sizes.even.end(),
                              sizes.even.begin(),
                              sizes.even.end(),
                              std::back_inserter(both));
        common.sizes.even = std::move(both);
        common.sizes.hasUneven = common.sizes.hasUneven || sizes.hasUneven;
        common.sizes.largest = std::max(common.sizes.largest, sizes.largest);
    }

    static bool IsCommon(const CallSizes& sizes, uint64_t size)
    {
        return std::binary_search(sizes.even.begin(), sizes.even.end(), size);
    }

    const Workload& m_workload;
    std::set<JobCall> m_calls;
    std::map<CalledType, CommonSizes> m_sizes; // of types that may differ in size
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
