// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-edit.h"

#include "common/error.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/what-if/axis-numbering.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/memory-accesses.h"
#include "workload/what-if/pipeline-maker.h"
#include "workload/what-if/recorded-stage.h"
#include "workload/what-if/stage-parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

const std::string PASSES_WISH = "what-if: micro-batches";
const std::string STAGES_WISH = "what-if: pp";
const std::string CHUNKS_WISH = "what-if: chunks";
const std::string SCHEDULE_WISH = "what-if: schedule";

/// The key of the first part of a wish that is set.
std::string
NameOfPipeline(const PipelineWish& wish)
{
    if (wish.stages)
    {
        return STAGES_WISH;
    }
    return wish.microBatches ? PASSES_WISH : (wish.chunks ? CHUNKS_WISH : SCHEDULE_WISH);
}

/// Why the passes of a job tell no pipeline, and what would do; empty: they do.
std::string
FindUnknownPasses(const JobStructure& structure)
{
    if (!structure.HasLayers())
    {
        return NO_LAYERS_FOUND;
    }
    if (structure.iterations != 1)
    {
        return fmt::format("the traces hold {} iterations; take one with nadi trace slice "
                           "--iterations 1",
                           structure.iterations);
    }
    if (!structure.hasBackward)
    {
        return "the traces hold passes forward alone, and pipelines are made of steps of a "
               "training; record one with its passes backward";
    }
    if (!structure.schedule || structure.microBatches == 0)
    {
        return "the passes stand in the order of no schedule that is known (1f1b, gpipe, "
               "interleaved), as nadi trace structure says; record a step in one of these";
    }
    return "";
}

/// Throws ConfigError.
void
CheckIsKnown(const JobStructure& structure, const PipelineWish& wish)
{
    const std::string problem = FindUnknownPasses(structure);
    if (!problem.empty())
    {
        throw ConfigError(NameOfPipeline(wish), problem);
    }
}

/// Refuses what would not fit into memory before any of it is made. Throws ConfigError.
void
CheckSize(const Workload& job, const Pipeline& recorded, const Pipeline& wanted)
{
    if (uint64_t{job.RankCount()} / recorded.stages * wanted.stages > MOST_NEW_RANKS)
    {
        throw ConfigError(
            STAGES_WISH,
            fmt::format("{} stages have more than {} ranks", wanted.stages, MOST_NEW_RANKS));
    }
    for (const ExecutionGraph& graph : job.graphs)
    {
        // One more, as the division rounds down.
        const uint64_t perMicroBatch = graph.NodeCount() / recorded.microBatches + 1;
        if (perMicroBatch * wanted.microBatches > MOST_NEW_TASKS)
        {
            throw ConfigError(PASSES_WISH,
                              fmt::format("{} micro-batches have more than {} tasks on a rank",
                                          wanted.microBatches,
                                          MOST_NEW_TASKS));
        }
    }
}

/// Of a single stage that is cut: whether its ends are taken to share a matrix, where sums of
/// gradients do not tell.
void
NoteMatrixOfEnds(const Workload& job,
                 const JobStructure& structure,
                 std::vector<std::string>& notes)
{
    // A single stage: the first rank has both ends.
    const RecordedStage single(job.GraphOf(RankId{0}), structure.ranks.front());
    if (const std::optional<EndsEvidence> evidence = FindEndsEvidence(single))
    {
        notes.push_back(NoteOfEnds(*evidence));
        if (IsTied(*evidence))
        {
            notes.emplace_back("Gradients of the matrix that embedding and head share are taken to "
                               "have as many bytes as its parameters; a recording of two copies "
                               "tells");
        }
    }
}

} // namespace

Pipeline
RecordedPipeline(const JobStructure& structure)
{
    return {.schedule = structure.schedule.value_or(PipelineSchedule::OneForwardOneBackward),
            .stages = structure.degrees.pipeline.value_or(1),
            .chunks = structure.chunks,
            .microBatches = structure.microBatches};
}

Pipeline
WantedPipeline(const JobStructure& structure, const PipelineWish& wish)
{
    const Pipeline recorded = RecordedPipeline(structure);
    Pipeline wanted = recorded;
    wanted.stages = wish.stages.value_or(recorded.stages);
    wanted.microBatches = wish.microBatches.value_or(recorded.microBatches);
    wanted.schedule = wish.schedule.value_or(recorded.schedule);
    const bool isInterleaved = wanted.schedule == PipelineSchedule::Interleaved;
    // A recording of another schedule does not say how many chunks an interleaved stage would have.
    const uint32_t usual = recorded.schedule == wanted.schedule ? recorded.chunks : 2;
    wanted.chunks = wish.chunks.value_or(isInterleaved ? usual : 1);
    return wanted;
}

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
    if (!isInterleaved && wanted.chunks > 1)
    {
        throw ConfigError(CHUNKS_WISH,
                          "only interleaved stages have several chunks of layers; write "
                          "schedule=interleaved with them");
    }
    if (isInterleaved && (wanted.chunks < 2 || wanted.stages < 2))
    {
        throw ConfigError(CHUNKS_WISH,
                          fmt::format("{} stages of {} chunks are not interleaved, which takes two "
                                      "of each at least; write schedule=1f1b",
                                      wanted.stages,
                                      wanted.chunks));
    }
}

PipelineEdit
ChangePipeline(const Workload& job, const JobStructure& structure, const PipelineWish& wish)
{
    CheckIsKnown(structure, wish);
    const Pipeline recorded = RecordedPipeline(structure);
    const Pipeline wanted = WantedPipeline(structure, wish);
    if (wanted.stages == recorded.stages && wanted.microBatches == recorded.microBatches &&
        wanted.schedule == recorded.schedule && wanted.chunks == recorded.chunks)
    {
        return {job, {}};
    }
    CheckPipeline(wanted);
    CheckSize(job, recorded, wanted);
    if (wanted.stages != recorded.stages)
    {
        // Which parameters the first and last stage load and store is not known of others.
        CheckAccessesNothing(
            job, STAGES_WISH, "which stages would load what it accesses is unknown");
    }
    PipelineEdit edit = MakePipeline(job, structure, recorded, wanted);
    if (wanted.stages > 1 && wanted.microBatches == 1)
    {
        edit.notes.push_back(fmt::format(
            "A single micro-batch goes through the {} stages in an iteration, so that one works "
            "while the others wait; micro-batches=N lets so many follow each other",
            wanted.stages));
    }
    if (recorded.stages == 1 && wanted.stages > 1)
    {
        NoteMatrixOfEnds(job, structure, edit.notes);
    }
    // A single micro-batch does not tell 1F1B from GPipe, which do its passes in the same order.
    const bool isTold = wish.schedule || recorded.microBatches > 1;
    if (!isTold && wanted.microBatches > 1)
    {
        edit.notes.push_back(fmt::format("One micro-batch does not tell the schedule: {} is taken; "
                                         "schedule={} says otherwise",
                                         ToText(wanted.schedule),
                                         ToText(PipelineSchedule::GPipe)));
    }
    return edit;
}

} // namespace nadi
