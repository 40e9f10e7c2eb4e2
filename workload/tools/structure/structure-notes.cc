// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/structure/structure-notes.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// Layers by repetition that hold less of the kernels than this may be something else.
constexpr double DOUBTFUL_CONFIDENCE = 0.6;

/// Layers that lack a task of their kind.
uint64_t
CountOddLayers(const RankStructure& rank)
{
    uint64_t odd = 0;
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            odd += layer.tasks.size() == rank.kinds[layer.kind].taskCount ? 0 : 1;
        }
    }
    return odd;
}

} // namespace

void
AddStructureNotes(JobStructure& structure)
{
    if (structure.isOfHost)
    {
        structure.notes.emplace_back(
            "No kernels of an accelerator were recorded, so operators of the host are the tasks. "
            "Edits that need what kernels take want a recording of the device too: `nadi trace "
            "convert` joins both.");
    }
    if (!structure.HasLayers())
    {
        structure.notes.emplace_back(
            "No layers were found: neither names nor kernels that repeat over enough of a trace "
            "tell them. --layer-pattern REGEX, which fits the first kernel of each layer, "
            "would help; without layers no edit that needs them is possible.");
        return;
    }
    if (structure.evidence == StructureEvidence::Repetition &&
        structure.confidence < DOUBTFUL_CONFIDENCE)
    {
        structure.notes.push_back(
            fmt::format("Only {:.0f} % of the {} are in layers, so what repeats may be parts of "
                        "layers, or some of them; --layer-pattern REGEX, which fits the first of "
                        "each layer, would tell.",
                        100 * structure.confidence,
                        structure.isOfHost ? "operators" : "kernels"));
    }
    for (const RankStructure& rank : structure.ranks)
    {
        if (const uint64_t odd = CountOddLayers(rank); odd > 0)
        {
            structure.notes.push_back(
                fmt::format("Rank {}: {} of the layers in its passes lack tasks that others of "
                            "their kind have.",
                            rank.rank,
                            odd));
        }
    }
    if (structure.hasBackward && !structure.schedule)
    {
        structure.notes.emplace_back("The order of the passes is no schedule that Nadi knows, so "
                                     "micro-batches are counted in the order of their passes.");
    }
}

} // namespace nadi
