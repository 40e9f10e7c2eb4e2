// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/what-if-workload.h"

#include "common/error.h"
#include "common/registry.h"
#include "configuration/kernel-times-file.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/trace/rank-files.h"
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
std::vector<std::string>
FindFiles(const WorkloadConfig& workload)
{
    if (workload.trace->find("{rank}") == std::string::npos)
    {
        throw ConfigError(workload.where,
                          "what-if needs the trace of each rank; write a path with {rank}");
    }
    return FindRankFiles(*workload.trace);
}

/// A job and how it is built.
struct KnownJob
{
    Workload job;
    JobStructure structure;
};

KnownJob
ReadKnownJob(const WorkloadConfig& workload, const StructureHints& hints)
{
    TraceJob job = ReadTraceJob(FindFiles(workload), workload.groups);
    JobStructure structure = FindStructure(job, hints);
    return {std::move(job.workload), std::move(structure)};
}

KnownJob
GenerateKnownJob(const WorkloadConfig& workload, const StructureHints& hints)
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
    return {std::move(job), std::move(structure)};
}

KernelTimes
ReadTimes(const WhatIf& wish, const std::string& where)
{
    return wish.kernels ? ReadKernelTimes(*wish.kernels, where) : KernelTimes();
}

} // namespace

Workload
MakeWhatIfWorkload(const WorkloadConfig& workload)
{
    const StructureHints hints{.layerPattern = workload.whatIf->layerPattern.value_or(""),
                               .degrees = {}};
    const KnownJob known =
        workload.generate ? GenerateKnownJob(workload, hints) : ReadKnownJob(workload, hints);
    WhatIfJob made = ApplyWhatIf(
        known.job, known.structure, *workload.whatIf, ReadTimes(*workload.whatIf, workload.where));
    made.job.elementSize = workload.elementSize;
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
    if (workload.ranks)
    {
        return *workload.ranks;
    }
    const bool keepsRanks = !workload.whatIf->copies && !workload.whatIf->stages;
    return keepsRanks && workload.trace ? static_cast<uint32_t>(FindFiles(workload).size())
                                        : MakeWhatIfWorkload(workload).RankCount();
}

} // namespace nadi
