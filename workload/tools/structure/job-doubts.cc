// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/job-doubts.h"

#include "workload/tools/structure/rank-agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// How many layers the passes of a rank go through.
std::set<size_t>
CountLayers(const RankStructure& rank)
{
    std::set<size_t> counts;
    for (const LayerRunPass& pass : rank.passes)
    {
        counts.insert(pass.layers.size());
    }
    return counts;
}

/// Tasks of layers or not, that no operator of the host launches.
size_t
CountWithoutLaunch(const ExecutionGraph& graph, const RankStructure& rank)
{
    bool hasHost = false;
    std::vector<bool> isLaunched(graph.NodeCount());
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        if (graph.Node(index).isCpu)
        {
            hasHost = true;
            for (const uint32_t child : graph.Children(index))
            {
                isLaunched[child] = true;
            }
        }
    }
    const auto isWithout = [&](uint32_t task)
    { return !isLaunched[task] && !graph.Node(task).isCpu; };
    return hasHost ? static_cast<size_t>(std::ranges::count_if(rank.tasks, isWithout)) : 0;
}

} // namespace

std::string
FindUnequalStages(const JobStructure& structure)
{
    std::map<uint32_t, std::pair<uint32_t, std::set<size_t>>> firsts; // by stage
    for (const RankStructure& rank : structure.ranks)
    {
        if (rank.passes.empty())
        {
            continue; // as those that share the lists of another rank
        }
        const std::set<size_t> layers = CountLayers(rank);
        const auto [first, isNew] = firsts.try_emplace(rank.stage, rank.rank, layers);
        const auto& [other, others] = first->second;
        if (layers != others)
        {
            return DescribeDoubt(
                fmt::format("passes of rank {} go through {} layers, and those of rank "
                            "{}, which is of the same stage, through {}",
                            other,
                            *others.rbegin(),
                            rank.rank,
                            *layers.rbegin()));
        }
    }
    return "";
}

std::vector<std::string>
ListOddities(const Workload& workload, const JobStructure& structure)
{
    std::vector<std::string> oddities;
    for (const RankStructure& rank : structure.ranks)
    {
        if (rank.sameAs != rank.rank)
        {
            continue;
        }
        const std::set<size_t> layers = CountLayers(rank);
        if (layers.size() > 1)
        {
            oddities.push_back(
                fmt::format("Rank {}: its passes go through {} to {} layers. The trace may hold "
                            "several models, "
                            "or begin or end within an iteration; `nadi trace slice` takes parts.",
                            rank.rank,
                            *layers.begin(),
                            *layers.rbegin()));
        }
        const size_t without = CountWithoutLaunch(workload.GraphOf(RankId{rank.rank}), rank);
        if (without > 0)
        {
            oddities.push_back(fmt::format(
                "Rank {}: {} of {} tasks have no launch among the operators of the host, so they "
                "follow what is before them on their stream alone.",
                rank.rank,
                without,
                rank.tasks.size()));
        }
    }
    return oddities;
}

} // namespace nadi
