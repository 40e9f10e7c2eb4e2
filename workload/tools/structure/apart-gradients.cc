// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/apart-gradients.h"

#include "workload/tools/structure/task-order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// The place of each node in the order of the rank's tasks.
std::vector<size_t>
FindPlaces(const ExecutionGraph& graph, const TaskList& tasks)
{
    std::vector<size_t> places(graph.NodeCount());
    for (size_t place = 0; place < tasks.size(); ++place)
    {
        places[tasks[place]] = place;
    }
    return places;
}

/// Where fewer tasks are left of a layer than its kind has, the kind gets the counts of what is
/// left. Requires: no layer of the kind has more tasks than this one.
void
CountAgain(const ExecutionGraph& graph, const LayerPass& layer, LayerKind& kind)
{
    if (layer.tasks.size() >= kind.taskCount)
    {
        return;
    }
    kind.taskCount = static_cast<uint32_t>(layer.tasks.size());
    std::map<std::string, uint32_t> calls;
    for (const uint32_t task : layer.tasks)
    {
        if (IsCollectiveTask(graph.Node(task)))
        {
            ++calls[std::string(ToText(graph.Node(task).collective))];
        }
    }
    // Only collectives were taken out, so all other types keep their counts.
    std::erase_if(kind.tasksByType,
                  [&calls](const auto& entry) {
                      return FindCollectiveType(entry.first).has_value() &&
                             !calls.contains(entry.first);
                  });
    for (const auto& [type, count] : calls)
    {
        kind.tasksByType[type] = count;
    }
}

/// Sets apart the sums of gradients of one rank. A rank that shares the lists of another one has
/// none of its own, so nothing changes in it.
class GradientsOfRank
{
  public:
    GradientsOfRank(const Workload& workload, const CallRoles& roles, RankStructure& rank)
        : m_graph(workload.GraphOf(RankId{rank.rank}))
        , m_roles(roles)
        , m_rank(rank)
        , m_places(FindPlaces(m_graph, rank.tasks))
    {
    }

    void SetApart()
    {
        const auto isSum = [this](uint32_t task) { return IsSum(task); };
        std::ranges::copy_if(m_rank.tasks, std::back_inserter(m_rank.gradientSums), isSum);
        for (LayerRunPass& pass : m_rank.passes)
        {
            for (LayerPass& layer : pass.layers)
            {
                TakeOutOf(layer);
            }
        }
        CountKinds();
    }

  private:
    /// Whether the task sums gradients over copies. Gathers bring parameters, and sums of a few
    /// numbers are of losses and norms.
    bool IsSum(uint32_t task) const
    {
        const ExecutionNode& node = m_graph.Node(task);
        if (!IsCollectiveTask(node) || node.collective == CollectiveType::AllGather ||
            IsOfFewNumbers(node))
        {
            return false;
        }
        const GroupRole role = m_roles.RoleOf(m_rank.rank, node);
        return role == GroupRole::Data || role == GroupRole::ExpertData;
    }

    void TakeOutOf(LayerPass& layer)
    {
        const auto moved = std::stable_partition(
            layer.tasks.begin(), layer.tasks.end(), [this](uint32_t task) { return !IsSum(task); });
        layer.extra.insert(layer.extra.end(), moved, layer.tasks.end());
        layer.tasks.erase(moved, layer.tasks.end());
        // The layer may have had extra tasks before, and the sums belong between those.
        std::ranges::sort(layer.extra, {}, [this](uint32_t task) { return m_places[task]; });
    }

    /// A kind has what its fullest layers have: one that lacks a task does not lower the count.
    void CountKinds()
    {
        std::map<uint32_t, const LayerPass*> fullest; // by kind
        for (const LayerRunPass& pass : m_rank.passes)
        {
            for (const LayerPass& layer : pass.layers)
            {
                const LayerPass*& most = fullest.try_emplace(layer.kind, &layer).first->second;
                most = layer.tasks.size() > most->tasks.size() ? &layer : most;
            }
        }
        for (const auto& [kind, layer] : fullest)
        {
            CountAgain(m_graph, *layer, m_rank.kinds[kind]);
        }
    }

    const ExecutionGraph& m_graph;
    const CallRoles& m_roles;
    RankStructure& m_rank;
    std::vector<size_t> m_places; ///< by node
};

} // namespace

void
SetApartGradients(const Workload& workload, const CallRoles& roles, JobStructure& structure)
{
    for (RankStructure& rank : structure.ranks)
    {
        GradientsOfRank(workload, roles, rank).SetApart();
    }
}

} // namespace nadi
