// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/pattern-misfit.h"

#include "workload/tools/structure/task-signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace nadi
{

namespace
{

/// The kernels of the layers that the passes go through.
std::set<uint32_t>
ListLayerKernels(const RankStructure& rank, const SignatureOfTask& kernels)
{
    std::set<uint32_t> listed;
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            std::ranges::copy_if(layer.tasks,
                                 std::inserter(listed, listed.end()),
                                 [&kernels](uint32_t task) { return kernels.contains(task); });
        }
    }
    return listed;
}

/// How many kernels outside of the layers do the work of some kernel in them.
size_t
CountKnownOutside(const SignatureOfTask& kernels, const std::set<uint32_t>& ofLayers)
{
    std::set<TaskSignature> known;
    for (const uint32_t task : ofLayers)
    {
        known.insert(kernels.at(task));
    }
    return static_cast<size_t>(std::ranges::count_if(kernels,
                                                     [&](const auto& kernel) {
                                                         return !ofLayers.contains(kernel.first) &&
                                                                known.contains(kernel.second);
                                                     }));
}

/// Whether some passes have more kernels around their layers than others. Requires: all passes go
/// forward, as what stands around layers differs between directions.
bool
HasUnequalPasses(const RankStructure& rank, const SignatureOfTask& kernels)
{
    const auto count = [&kernels](const TaskList& tasks)
    { return std::ranges::count_if(tasks, [&](uint32_t task) { return kernels.contains(task); }); };
    const LayerRunPass& first = rank.passes.front();
    return std::ranges::any_of(rank.passes,
                               [&](const LayerRunPass& pass)
                               {
                                   // Chunks have other things around their layers: the first an
                                   // embedding, the last a head.
                                   return pass.chunk == first.chunk &&
                                          (count(pass.before) != count(first.before) ||
                                           count(pass.after) != count(first.after));
                               });
}

/// How many layers the passes of the rank go through together. 0 also for a rank that shares the
/// lists of another one.
size_t
CountLayerPasses(const RankStructure& rank)
{
    size_t count = 0;
    for (const LayerRunPass& pass : rank.passes)
    {
        count += pass.layers.size();
    }
    return count;
}

/// Whether all layers hold one kernel each, and these do different work. A pattern that fits two
/// kernels side by side makes such layers: the least distance between two fits is taken for the
/// length of a layer (RankAnalysis::FindHintedPasses).
bool
HasUnequalSingles(const RankStructure& rank, const SignatureOfTask& kernels)
{
    std::set<TaskSignature> work;
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            size_t count = 0;
            for (const uint32_t task : layer.tasks)
            {
                if (const auto kernel = kernels.find(task); kernel != kernels.end())
                {
                    work.insert(kernel->second);
                    ++count;
                }
            }
            if (count > 1)
            {
                return false;
            }
        }
    }
    return work.size() > 1;
}

/// What speaks against a pattern that found these layers; empty: nothing.
std::string
FindMisfit(const ExecutionGraph& graph, const RankStructure& rank)
{
    const SignatureOfTask kernels = SignKernels(graph, rank);
    const std::set<uint32_t> ofLayers = ListLayerKernels(rank, kernels);
    const size_t outside = CountKnownOutside(kernels, ofLayers);
    // Whether they are as many as a layer has on average: ofLayers.size() / CountLayerPasses(rank).
    if (outside > 0 && outside * CountLayerPasses(rank) >= ofLayers.size())
    {
        return "kernels outside of the layers do the work of kernels in them";
    }
    if (HasUnequalPasses(rank, kernels))
    {
        return "some passes have more kernels around their layers than others";
    }
    return HasUnequalSingles(rank, kernels) ? "layers of one kernel each do different work" : "";
}

} // namespace

std::string
FindPatternMisfit(const Workload& workload, const JobStructure& structure)
{
    if (structure.evidence != StructureEvidence::Hint || structure.hasBackward)
    {
        return "";
    }
    for (const RankStructure& rank : structure.ranks)
    {
        const std::string misfit = CountLayerPasses(rank) == 0
                                       ? ""
                                       : FindMisfit(workload.GraphOf(RankId{rank.rank}), rank);
        if (!misfit.empty())
        {
            return fmt::format("Rank {}: {}, so --layer-pattern does not fit the first kernel of "
                               "each layer and no other; write one that does, or leave it out.",
                               rank.rank,
                               misfit);
        }
    }
    return "";
}

} // namespace nadi
