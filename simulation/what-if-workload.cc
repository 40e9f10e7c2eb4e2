// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/what-if-workload.h"

#include "common/error.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/trace/rank-files.h"
#include "workload/what-if/what-if.h"

#include <fmt/format.h>

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

} // namespace

Workload
MakeWhatIfWorkload(const WorkloadConfig& workload)
{
    const TraceJob job = ReadTraceJob(FindFiles(workload), workload.groups);
    const JobStructure structure = FindStructure(
        job, {.layerPattern = workload.whatIf->layerPattern.value_or(""), .degrees = {}});
    WhatIfJob made = ApplyWhatIf(job.workload, structure, *workload.whatIf);
    made.job.elementSize = workload.elementSize;
    made.job.notes.insert(made.job.notes.end(), made.changes.begin(), made.changes.end());
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
    return workload.whatIf->copies ? MakeWhatIfWorkload(workload).RankCount()
                                   : static_cast<uint32_t>(FindFiles(workload).size());
}

} // namespace nadi
