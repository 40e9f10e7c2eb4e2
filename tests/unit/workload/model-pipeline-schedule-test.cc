// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/pipeline-schedule.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <tuple>

using namespace nadi;

namespace
{

std::string
ToText(const std::vector<PipelinePass>& passes)
{
    std::string text;
    for (const PipelinePass& pass : passes)
    {
        text += (pass.isForward ? "F" : "B") + std::to_string(pass.microBatch) +
                (pass.chunk == 0 ? "" : "'") + " ";
    }
    return text;
}

/// The most micro-batches whose activations a stage holds at once.
uint32_t
MostInFlight(const std::vector<PipelinePass>& passes)
{
    uint32_t now = 0;
    uint32_t most = 0;
    for (const PipelinePass& pass : passes)
    {
        now = pass.isForward ? now + 1 : now - 1;
        most = std::max(most, now);
    }
    return most;
}

} // namespace

TEST_CASE("Pipeline schedules: passes come in the published order", "[unit][workload]")
{
    const Pipeline gpipe{PipelineSchedule::GPipe, 2, 1, 3};
    CHECK(ToText(ComputePasses(gpipe, 1)) == "F0 F1 F2 B0 B1 B2 ");
    const Pipeline alternating{PipelineSchedule::OneForwardOneBackward, 2, 1, 3};
    CHECK(ToText(ComputePasses(alternating, 0)) == "F0 F1 B0 F2 B1 B2 ");
    CHECK(ToText(ComputePasses(alternating, 1)) == "F0 B0 F1 B1 F2 B2 ");
    const Pipeline interleaved{PipelineSchedule::Interleaved, 2, 2, 4};
    CHECK(ToText(ComputePasses(interleaved, 1)) ==
          "F0 F1 F0' B0' F1' B1' F2 B0 F3 B1 F2' B2' F3' B3' B2 B3 ");
}

TEST_CASE("Pipeline schedules: each micro-batch passes each chunk once in each direction",
          "[unit][workload]")
{
    for (const auto schedule : {PipelineSchedule::GPipe,
                                PipelineSchedule::OneForwardOneBackward,
                                PipelineSchedule::Interleaved})
    {
        const uint32_t chunks = schedule == PipelineSchedule::Interleaved ? 3 : 1;
        const Pipeline pipeline{schedule, 4, chunks, 8};
        for (uint32_t stage = 0; stage < 4; ++stage)
        {
            std::set<std::tuple<bool, uint32_t, uint32_t>> seen;
            for (const PipelinePass& pass : ComputePasses(pipeline, stage))
            {
                CHECK(seen.emplace(pass.isForward, pass.microBatch, pass.chunk).second);
                CHECK((pass.isForward || seen.contains({true, pass.microBatch, pass.chunk})));
            }
            CHECK(seen.size() == 2 * 8 * chunks);
        }
    }
}

TEST_CASE("Pipeline schedules: 1F1B holds one micro-batch for each stage from here on",
          "[unit][workload]")
{
    for (uint32_t stage = 0; stage < 4; ++stage)
    {
        const Pipeline alternating{PipelineSchedule::OneForwardOneBackward, 4, 1, 16};
        CHECK(MostInFlight(ComputePasses(alternating, stage)) == 4 - stage);
        const Pipeline gpipe{PipelineSchedule::GPipe, 4, 1, 16};
        CHECK(MostInFlight(ComputePasses(gpipe, stage)) == 16);
    }
}
