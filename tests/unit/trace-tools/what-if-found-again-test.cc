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
        "what-if: after {}, the layers cannot be found again (layers={} pp={} micro-batches={}), "
        "since no two of a stage are equal, or their names do not tell them; run ";
    const auto check = [&](const KnownParts& other)
    {
        const auto expected = [&](const std::string& edit)
        {
            return fmt::format(fmt::runtime(refusal),
                               edit,
                               other.layers,
                               other.pipeline.stages,
                               other.pipeline.microBatches);
        };
        CHECK(ConfigErrorText([&] { FindAgain(job, {}, other); })
                  .starts_with(expected("one of the edits")));
        CHECK(ConfigErrorText([&] { FindOfShapes(job, {}, other); })
                  .starts_with(expected("edits of sizes")));
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
              .ends_with("run each edit as a command of its own: layers, those of the pipeline, dp "
                         "and bucket, in this order; where nadi trace structure then finds other "
                         "layers, add --layer-pattern"));
}
