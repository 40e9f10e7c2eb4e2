// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "tests/support/test-paths.h"
#include "tests/support/trace-collection.h"
#include "workload/trace/trace-set.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace nadi::test
{

/// A job of recorded or generated traces, by where they lie.
struct RecordedJob
{
    std::string pattern; ///< the file of all ranks where it has no {rank}
    std::string groups = {};
    uint32_t ranks = 8; ///< of a shared file
};

inline Workload
ReadRecordedJob(const RecordedJob& job)
{
    TraceOptions options;
    options.pattern = job.pattern;
    options.npuCount = job.ranks;
    if (!job.groups.empty())
    {
        options.groupsFile = job.groups;
    }
    return ReadTraces(options);
}

/// The jobs among the project's samples whose ranks communicate with each other.
inline std::vector<RecordedJob>
SampleJobs()
{
    const std::string folder = std::string(TEST_DATA) + "/traces/";
    return {{folder + "all-reduce-4/all_reduce.{rank}.et"},
            {folder + "custom-ring/custom_allreduce.{rank}.et"},
            {folder + "dlrm/dlrm.0.et.gz"},
            {folder + "stg-gpt-pp2/workload.{rank}.et", folder + "stg-gpt-pp2/workload.json"},
            {folder + "stg-gpt-tp4dp2/workload.{rank}.et", folder + "stg-gpt-tp4dp2/workload.json"},
            {folder + "text-resnet50/Resnet50_DataParallel.{rank}.et"}};
}

/// Those of the larger collection (NADI_SHARED, or beside the project); none where it is absent.
inline std::vector<RecordedJob>
CollectionJobs()
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        return {};
    }
    return {
        {folder + "megatron_tp8_kineto_derived/megatron.{rank}.et"},
        {folder + "dlrm_8gpu_kineto_derived/dlrm.{rank}.et"},
        {folder + "stg_t1/workload.{rank}.et", folder + "stg_t1/workload.json"},
        {folder + "stg_gpt_fsdp_dp8/workload.{rank}.et", folder + "stg_gpt_fsdp_dp8/workload.json"},
        {folder + "pytorch_2gpu_2025/chakra_trace.{rank}.et"}};
}

} // namespace nadi::test
