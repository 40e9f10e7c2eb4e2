// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/program-order.h"

#include "workload/execution-graph-builder.h"
#include "workload/what-if/graph-copy.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace nadi
{

namespace
{

ExecutionGraph
InOrderOf(const ExecutionGraph& graph, const TaskList& order)
{
    ExecutionGraphBuilder builder(graph.Source());
    AddGroups(graph, builder);
    const std::vector<std::vector<uint32_t>> parents = FindParents(graph);
    for (const uint32_t node : order)
    {
        std::vector<uint64_t> after;
        for (const uint32_t parent : parents[node])
        {
            after.push_back(graph.Node(parent).id);
        }
        AddCopy(CopyNode(graph, node), after, builder);
    }
    return builder.Build();
}

/// The same tasks by their places in an order.
class Renumbering
{
  public:
    explicit Renumbering(const TaskList& order)
        : m_places(order.size())
    {
        for (uint32_t place = 0; place < order.size(); ++place)
        {
            m_places[order[place]] = place;
        }
    }

    void Apply(RankStructure& rank) const
    {
        for (TaskList* const list : {&rank.tasks, &rank.head, &rank.optimizer, &rank.gradientSums})
        {
            Apply(*list);
        }
        for (LayerRunPass& pass : rank.passes)
        {
            Apply(pass.before);
            Apply(pass.after);
            for (LayerPass& layer : pass.layers)
            {
                Apply(layer.tasks);
                Apply(layer.extra);
            }
        }
    }

  private:
    void Apply(TaskList& tasks) const
    {
        std::ranges::transform(
            tasks, tasks.begin(), [this](uint32_t task) { return m_places[task]; });
    }

    std::vector<uint32_t> m_places; ///< by node
};

bool
IsOutOfOrder(const ExecutionGraph& graph, const RankStructure& rank)
{
    return rank.tasks.size() == graph.NodeCount() && !std::ranges::is_sorted(rank.tasks);
}

} // namespace

std::optional<StructuredJob>
PutInProgramOrder(const Workload& job, const JobStructure& structure)
{
    std::map<uint32_t, TaskList> orders; // by graph
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        if (IsOutOfOrder(job.graphs[graph], rank))
        {
            orders.try_emplace(graph, rank.tasks);
        }
    }
    if (orders.empty())
    {
        return std::nullopt;
    }
    StructuredJob ordered{job, structure};
    for (const auto& [graph, order] : orders)
    {
        ordered.job.graphs[graph] = InOrderOf(job.graphs[graph], order);
    }
    for (RankStructure& rank : ordered.structure.ranks)
    {
        const auto order = orders.find(job.graphOfRank[rank.rank]);
        if (order != orders.end())
        {
            Renumbering(order->second).Apply(rank);
        }
    }
    return ordered;
}

} // namespace nadi
