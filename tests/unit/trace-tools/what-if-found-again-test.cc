// SPDX-License-Identifier: GPL-2.0-only
// What-if: what is found between two edits is what is known, or they are refused.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/found-again.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("What-if: a job that is not found again as it is known to be is refused",
          "[unit][trace-tools][what-if]")
{
    const Workload job = WithNeutralNames(
        GenerateHalf({{{"layers", "4"}, {"dp", "2"}, {"batch", "8"}, {"pp", "2"}}, {}, {}}, {}));
    const KnownParts known = KnownPartsOf(job, FindStructure(job, {}, {}));
    CHECK(FindAgain(job, {}, known).layers == 4);
    CHECK(FindOfShapes(job, {}, known).layers == 4);
    const std::string refusal =
        "what-if: between two of the edits, the job is not found again as it is known to be "
        "(layers={} pp={} micro-batches={}), since names do not tell its layers; write ";
    const auto check = [&](const KnownParts& other)
    {
        const std::string expected = fmt::format(fmt::runtime(refusal),
                                                 other.layers,
                                                 other.pipeline.stages,
                                                 other.pipeline.microBatches);
        CHECK(ConfigErrorText([&] { FindAgain(job, {}, other); }).starts_with(expected));
        CHECK(ConfigErrorText([&] { FindOfShapes(job, {}, other); }).starts_with(expected));
    };
    KnownParts other = known;
    other.layers = 2;
    check(other);
    other = known;
    other.pipeline.stages = 4;
    check(other);
    other = known;
    other.pipeline.microBatches = 2;
    check(other);
    other = known;
    other.pipeline.schedule = PipelineSchedule::GPipe;
    check(other);
    other = known;
    other.degrees.data = 3;
    check(other);
    other = known;
    other.kinds = {{.block = {1, 2}, .isForward = true}};
    CHECK(ConfigErrorText([&] { FindAgain(job, {}, other); })
              .ends_with("write layers, those of the pipeline, dp and bucket in a command each, in "
                         "this order, with --layer-pattern where nadi trace structure finds other "
                         "layers"));
}
