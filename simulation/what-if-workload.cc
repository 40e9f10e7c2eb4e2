// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/what-if-workload.h"

#include "common/error.h"
#include "common/registry.h"
#include "configuration/kernel-times-file.h"
#include "simulation/at-trace-key.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/trace/rank-files.h"
#include "workload/what-if/known-job.h"
#include "workload/what-if/what-if.h"
#include "workload/workload-model.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// A file that all ranks share says nothing of how they differ.
std::vector<RankFile>
FindFiles(const WorkloadConfig& workload)
{
    if (workload.trace->find("{rank}") == std::string::npos)
    {
        throw ConfigError(
            workload.where,
            "workload.trace: what-if needs the trace of each rank; write a path with {rank}");
    }
    return AtTraceKey(workload, [&workload] { return FindRecordedRankFiles(*workload.trace); });
}

StructureHints
FindHints(const WorkloadConfig& workload)
{
    const WhatIf& wish = *workload.whatIf;
    return {.layerPattern = wish.layerPattern.value_or(""),
            .degrees = wish.degrees.value_or(FoundDegrees{})};
}

/// The job of a model in place of recorded traces. The model gets no logical stack here, but one
/// dimension of all ranks.
KnownJob
GenerateJob(const WorkloadConfig& workload, const StructureHints& hints)
{
    const auto model = Registry<WorkloadModel>::Instance().Make(
        *workload.generate); // was checked when it was read
    const std::optional<uint32_t> ranks = model->RankCount();
    if (!ranks)
    {
        throw ConfigError(workload.where,
                          "what-if needs a model that says how many ranks it has; set each degree "
                          "of parallelism, such as dp");
    }
    Workload job = model->Make({*ranks, {*ranks}});
    JobStructure structure = FindStructure(job, {}, hints);
    return {std::move(job), std::move(structure), {}};
}

/// Without a file the times are empty, and ApplyWhatIf fits models to the job where it needs them.
KernelTimes
ReadTimes(const WhatIf& wish, const std::string& where)
{
    return wish.kernels ? ReadKernelTimes(*wish.kernels, where) : KernelTimes();
}

} // namespace

Workload
MakeWhatIfWorkload(const WorkloadConfig& workload, MemoryLocation defaultLocation)
{
    const StructureHints hints = FindHints(workload);
    const KnownJob known =
        workload.generate
            ? GenerateJob(workload, hints)
            : ReadKnownJob(FindFiles(workload), workload.groups, hints, defaultLocation);
    WhatIfJob made = ApplyWhatIf(
        known.job, known.structure, *workload.whatIf, ReadTimes(*workload.whatIf, workload.where));
    made.job.elementSize = workload.elementSize;
    // In this order: what was read, what was changed, what to know of the outcome.
    made.job.notes.insert(made.job.notes.end(), known.notes.begin(), known.notes.end());
    made.job.notes.insert(made.job.notes.end(), made.changes.begin(), made.changes.end());
    made.job.notes.insert(made.job.notes.end(), made.notes.begin(), made.notes.end());
    if (workload.ranks && *workload.ranks != made.job.RankCount())
    {
        throw ConfigError(workload.where,
                          fmt::format("\"ranks\" is {}, but what-if makes a job of {}; remove it",
                                      *workload.ranks,
                                      made.job.RankCount()));
    }
    return std::move(made.job);
}

uint32_t
CountWhatIfRanks(const WorkloadConfig& workload)
{
    // Effective configurations name the number, so the job need not be made only to be counted.
    // MakeWhatIfWorkload refuses a wrong number.
    if (workload.ranks)
    {
        return *workload.ranks;
    }
    const WhatIf& wish = *workload.whatIf;
    // Only these edits change the number of ranks. Without them the recorded job tells the number,
    // and no edit has to be made.
    const bool keepsRanks = !wish.copies && !wish.stages && !wish.shapes.tensor;
    return keepsRanks && workload.trace
               ? CountKnownRanks(FindFiles(workload), workload.groups, FindHints(workload))
               : MakeWhatIfWorkload(workload, MemoryLocation::Local).RankCount();
}

} // namespace nadi
