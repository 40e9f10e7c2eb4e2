// SPDX-License-Identifier: GPL-2.0-only
// Traces that other tools wrote, as far as the larger collection is there: see trace-samples-test.
#include "tests/support/trace-collection.h"
#include "workload/tools/inspection/trace-check.h"
#include "workload/tools/inspection/trace-info.h"
#include "workload/trace/rank-files.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nadi::test
{

namespace
{

struct CheckedSample
{
    std::string pattern;
    std::string groups;
    uint64_t errors = 0;
};

} // namespace

TEST_CASE("CheckTraces: the traces of a collection are right where they are known to run",
          "[unit][trace-tools]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        return;
    }
    const std::vector<CheckedSample> samples{
        {"megatron_tp8_kineto_derived/megatron.{rank}.et", "", 0},
        {"dlrm_8gpu_kineto_derived/dlrm.{rank}.et", "", 0},
        {"pytorch_2gpu_2025/chakra_trace.{rank}.et", "", 0},
        {"stg_t1/workload.{rank}.et", "stg_t1/workload.json", 0},
        {"stg_gpt_fsdp_dp8/workload.{rank}.et", "stg_gpt_fsdp_dp8/workload.json", 0},
        // Its collectives have no sizes, in each of 64 traces.
        {"text_resnet50_dp_64/Resnet50_DataParallel.{rank}.et", "", 64}};
    for (const CheckedSample& sample : samples)
    {
        INFO(sample.pattern);
        const auto groups =
            sample.groups.empty() ? std::nullopt : std::optional(folder + sample.groups);
        const TraceCheck check = CheckTraces(FindRankFiles(folder + sample.pattern), groups);
        CHECK(check.Count(Severity::Error) == sample.errors);
    }
}

TEST_CASE("InspectTraces: counts of a recording are those of its source", "[unit][trace-tools]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        return;
    }
    const JobInfo info = InspectTraces(
        FindRankFiles(folder + "megatron_tp8_kineto_derived/megatron.{rank}.et"), std::nullopt);
    REQUIRE(info.ranks.size() == 8);
    for (const RankInfo& rank : info.ranks)
    {
        CHECK(rank.totals.nodes == 6200);
        CHECK(rank.totals.types.at("all-reduce") == 84);
        CHECK(rank.totals.cpu.nodes == 5423);
        CHECK(rank.totals.streams.at(7).nodes == 693);
    }
}

} // namespace nadi::test
