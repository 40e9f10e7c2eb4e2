// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/found-again.h"

#include "common/error.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/task-order.h"
#include "workload/what-if/stage-edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

using LayerBlock = std::vector<TaskSignature>;

/// What each kind of the layers of a rank consists of.
std::vector<LayerBlock>
BlocksOfRank(const ExecutionGraph& graph, const RankStructure& rank)
{
    // All layers of a kind consist of the same, so the first that is met stands for them.
    std::vector<const LayerPass*> firstOfKind(rank.kinds.size());
    for (const LayerRunPass& pass : rank.passes)
    {
        for (const LayerPass& layer : pass.layers)
        {
            const LayerPass*& first = firstOfKind[layer.kind];
            first = first == nullptr ? &layer : first;
        }
    }
    std::vector<std::optional<size_t>> kindOfTask(graph.NodeCount());
    for (size_t kind = 0; kind < firstOfKind.size(); ++kind)
    {
        for (const TaskList* const list : {&firstOfKind[kind]->tasks, &firstOfKind[kind]->extra})
        {
            std::ranges::for_each(*list, [&](uint32_t task) { kindOfTask[task] = kind; });
        }
    }
    // Signatures depend on the names of all tasks of the rank, so they are computed for all and
    // then picked.
    const std::vector<TaskSignature> signatures = ComputeSignatures(graph, rank.tasks);
    std::vector<LayerBlock> blocks(firstOfKind.size());
    for (size_t at = 0; at < rank.tasks.size(); ++at)
    {
        const std::optional<size_t> kind = kindOfTask[rank.tasks[at]];
        const ExecutionNode& node = graph.Node(rank.tasks[at]);
        // Signatures of collectives hold their groups and sizes, which edits change.
        if (kind && (IsKernelTask(node) || IsMessageTask(node)))
        {
            blocks[*kind].push_back(signatures[at]);
        }
    }
    return blocks;
}

std::vector<KnownLayer>
KindsOf(const Workload& job, const JobStructure& found)
{
    std::set<std::pair<bool, LayerBlock>> kinds;
    for (const RankStructure& rank : found.ranks)
    {
        // Equal ranks have equal kinds.
        if (rank.sameAs != rank.rank || rank.kinds.empty())
        {
            continue;
        }
        std::vector<LayerBlock> blocks = BlocksOfRank(job.GraphOf(RankId{rank.rank}), rank);
        for (size_t kind = 0; kind < blocks.size(); ++kind)
        {
            kinds.emplace(rank.kinds[kind].isForward, std::move(blocks[kind]));
        }
    }
    std::vector<KnownLayer> layers;
    for (const auto& [isForward, block] : kinds)
    {
        layers.push_back({block, isForward});
    }
    return layers;
}

/// Whether each stage does its passes in the same order, as with GPipe and 1F1B of one micro-batch.
bool
HaveSameOrder(const Pipeline& one, const Pipeline& other)
{
    for (uint32_t stage = 0; stage < one.stages; ++stage)
    {
        if (ComputePasses(one, stage) != ComputePasses(other, stage))
        {
            return false;
        }
    }
    return true;
}

/// Schedules are the same where no stage does its passes in another order.
bool
IsSamePipeline(const JobStructure& found, const Pipeline& known)
{
    const Pipeline pipeline = RecordedPipeline(found);
    return pipeline.stages == known.stages && pipeline.chunks == known.chunks &&
           pipeline.microBatches == known.microBatches &&
           (pipeline.schedule == known.schedule || HaveSameOrder(pipeline, known));
}

/// Names tell layers by themselves.
bool
HasKnownKinds(const Workload& job, const JobStructure& found, const std::vector<KnownLayer>& kinds)
{
    const auto isKnown = [&](const KnownLayer& layer)
    {
        return std::ranges::any_of(kinds,
                                   [&](const KnownLayer& known) {
                                       return known.isForward == layer.isForward &&
                                              known.block == layer.block;
                                   });
    };
    return found.evidence == StructureEvidence::Scopes || kinds.empty() ||
           std::ranges::all_of(KindsOf(job, found), isKnown);
}

bool
Agrees(const Workload& job, const JobStructure& found, const KnownParts& known)
{
    // Of a job without layers nothing is known that could differ.
    return known.layers == 0 ||
           (found.layers == known.layers && found.obstacle.empty() &&
            found.schedule.has_value() == known.hasSchedule &&
            IsSamePipeline(found, known.pipeline) && HasKnownKinds(job, found, known.kinds));
}

/// `edit`: after which the structure differs. `help`: what to write.
[[noreturn]] void
Refuse(const KnownParts& known, std::string_view edit, std::string_view help)
{
    throw ConfigError(
        "what-if",
        fmt::format("after {}, the layers cannot be found again (layers={} pp={} "
                    "micro-batches={}), since no two of a stage are equal, or their names do "
                    "not tell them; {}",
                    edit,
                    known.layers,
                    known.pipeline.stages,
                    known.pipeline.microBatches,
                    help));
}

/// Of the number of stages alone, no hint is given: it is to be found.
StructureHints
HintsOf(const WhatIf& wish, const KnownParts& known)
{
    StructureHints hints{.layerPattern = wish.layerPattern.value_or(""), .degrees = known.degrees};
    hints.degrees.pipeline.reset();
    return hints;
}

} // namespace

KnownParts
KnownPartsOf(const Workload& job, const JobStructure& found)
{
    return {.layers = found.layers,
            .pipeline = RecordedPipeline(found),
            .hasSchedule = found.schedule.has_value(),
            .degrees = found.degrees,
            .kinds = KindsOf(job, found)};
}

void
SetPipeline(KnownParts& known, const Pipeline& pipeline)
{
    const uint64_t before = uint64_t{known.pipeline.stages} * known.pipeline.chunks;
    const uint64_t after = uint64_t{pipeline.stages} * pipeline.chunks;
    // Each chunk keeps its layers, so their number is in proportion to that of the chunks. The
    // product needs 64 bits.
    known.layers = static_cast<uint32_t>(known.layers * after / before);
    known.pipeline = pipeline;
    known.hasSchedule = true;
}

JobStructure
FindAgain(const Workload& job, const WhatIf& wish, const KnownParts& known)
{
    StructureHints hints = HintsOf(wish, known);
    JobStructure found = FindStructure(job, {}, hints);
    if (Agrees(job, found, known))
    {
        return found;
    }
    // Names did not tell, so known sequences of kernels take the place of the pattern.
    hints.layerPattern.clear();
    hints.layers = known.kinds;
    found = FindStructure(job, {}, hints);
    if (!Agrees(job, found, known))
    {
        Refuse(known,
               "one of the edits",
               "run each edit as a command of its own: layers, those of the pipeline, dp and "
               "bucket, in this order; where nadi trace structure then finds other layers, add "
               "--layer-pattern");
    }
    return found;
}

JobStructure
FindOfShapes(const Workload& job, const WhatIf& wish, const KnownParts& known)
{
    StructureHints hints = HintsOf(wish, known);
    hints.degrees.tensor = wish.shapes.tensor ? wish.shapes.tensor : known.degrees.tensor;
    hints.degrees.expert = wish.shapes.expert ? wish.shapes.expert : known.degrees.expert;
    JobStructure found = FindStructure(job, {}, hints);
    // Edits of sizes change the signatures of kernels, so the kinds from before would fit none.
    KnownParts left = known;
    left.kinds.clear();
    if (!Agrees(job, found, left))
    {
        Refuse(known,
               "edits of sizes",
               "run sizes, tp, sp and ep as a command of their own before the others; where nadi "
               "trace structure then finds other layers, add --layer-pattern");
    }
    return found;
}

} // namespace nadi
