// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/pass-edit.h"

#include "common/error.h"
#include "workload/what-if/pass-copier.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

const std::string PASSES_WISH = "what-if: micro-batches";

/// How the stages work, as it was found.
Pipeline
FindPipeline(const JobStructure& structure)
{
    if (!structure.HasLayers() || !structure.schedule || structure.microBatches == 0 ||
        structure.iterations != 1)
    {
        throw ConfigError(PASSES_WISH,
                          "passes of one iteration in the order of a known schedule (1f1b, gpipe, "
                          "interleaved) are needed; nadi trace structure says what was found");
    }
    return {.schedule = *structure.schedule,
            .stages = structure.degrees.pipeline.value_or(1),
            .chunks = structure.chunks,
            .microBatches = structure.microBatches};
}

/// Rounds of an interleaved schedule are whole, and only it has several chunks.
void
CheckPipeline(const Pipeline& wanted)
{
    const bool isInterleaved = wanted.schedule == PipelineSchedule::Interleaved;
    if (isInterleaved && wanted.microBatches % wanted.stages != 0)
    {
        throw ConfigError(PASSES_WISH,
                          fmt::format("{} micro-batches do not go in rounds of {} stages; write a "
                                      "multiple of {}",
                                      wanted.microBatches,
                                      wanted.stages,
                                      wanted.stages));
    }
    if (isInterleaved != (wanted.chunks > 1))
    {
        throw ConfigError("what-if: schedule",
                          "interleaved stages have several chunks of layers, others have one; to "
                          "cut layers anew is not known yet");
    }
}

/// The passes as the structure has them.
std::vector<PipelinePass>
RecordedPasses(const RankStructure& rank)
{
    std::vector<PipelinePass> passes;
    for (const LayerRunPass& pass : rank.passes)
    {
        passes.push_back(
            {.isForward = pass.isForward, .microBatch = pass.microBatch, .chunk = pass.chunk});
    }
    return passes;
}

} // namespace

Workload
ChangePasses(const Workload& job, const JobStructure& structure, const PassWish& wish)
{
    const Pipeline recorded = FindPipeline(structure);
    Pipeline wanted = recorded;
    wanted.microBatches = wish.microBatches.value_or(recorded.microBatches);
    wanted.schedule = wish.schedule.value_or(recorded.schedule);
    if (wanted.microBatches == recorded.microBatches && wanted.schedule == recorded.schedule)
    {
        return job;
    }
    CheckPipeline(wanted);
    Workload made = job;
    std::set<uint32_t> done;
    for (const RankStructure& rank : structure.ranks)
    {
        const uint32_t graph = job.graphOfRank[rank.rank];
        if (!done.insert(graph).second)
        {
            continue;
        }
        const RankStructure& tasks =
            *std::ranges::find(structure.ranks, rank.sameAs, &RankStructure::rank);
        const std::vector<PipelinePass> before = RecordedPasses(tasks);
        const std::vector<PipelinePass> after = ComputePasses(wanted, rank.stage);
        made.graphs[graph] = PassCopier(job.graphs[graph], tasks, before, after).Run();
    }
    return made;
}

} // namespace nadi
