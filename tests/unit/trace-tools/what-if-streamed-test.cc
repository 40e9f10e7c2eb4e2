// SPDX-License-Identifier: GPL-2.0-only
// Jobs whose parameters lie in memory, which updates them: there is no optimizer.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace nadi::test
{

namespace
{

WhatIfPair
StreamedPair(ModelValues values, ModelValues from, ModelValues to)
{
    return PairBeside({{"layers", "4"}, {"weights", "streamed"}, {"dp", "2"}, {"batch", "8"}},
                      std::move(values),
                      std::move(from),
                      std::move(to));
}

/// The micro-batches of each of the two copies.
ModelValues
MicroBatches(uint32_t count)
{
    return {{"batch", std::to_string(2 * count)}, {"micro-batches", std::to_string(count)}};
}

} // namespace

TEST_CASE("What-if: of streamed parameters layers, micro-batches and schedule change",
          "[unit][trace-tools][what-if]")
{
    const ModelValues ofTensors{{"tp", "2"}, {"sp", "on"}};
    CheckPairs({
        StreamedPair({}, {{"layers", "4"}}, {{"layers", "8"}}),
        StreamedPair({}, MicroBatches(4), MicroBatches(2)),
        StreamedPair({}, {{"schedule", "1f1b"}}, {{"schedule", "gpipe"}}),
        StreamedPair(ofTensors, {{"layers", "4"}}, {{"layers", "6"}}),
        StreamedPair(ofTensors, MicroBatches(4), MicroBatches(6)),
        StreamedPair({{"pp", "2"}}, {{"layers", "4"}}, {{"layers", "8"}}),
    });
}

TEST_CASE("What-if: each of several micro-batches stores what the only recorded one does",
          "[unit][trace-tools][what-if]")
{
    for (const ModelValues& values : {ModelValues{}, ModelValues{{"tp", "2"}, {"sp", "on"}}})
    {
        const WhatIfPair pair = StreamedPair(values, MicroBatches(1), MicroBatches(3));
        const Workload recorded = GenerateHalf(pair, pair.from);
        const Workload made = MakeWhatIf(recorded, pair.to);
        const Workload expected = GenerateHalf(pair, pair.to);
        for (uint32_t rank = 0; rank < expected.RankCount(); ++rank)
        {
            const ExecutionGraph& graph = made.GraphOf(RankId{rank});
            const ExecutionGraph& other = expected.GraphOf(RankId{rank});
            REQUIRE(graph.NodeCount() == other.NodeCount());
            for (uint32_t node = 0; node < graph.NodeCount(); ++node)
            {
                CAPTURE(rank, node);
                REQUIRE(graph.Node(node).type == other.Node(node).type);
                REQUIRE(graph.Node(node).size == other.Node(node).size);
                REQUIRE(graph.Node(node).operations == other.Node(node).operations);
            }
        }
        CheckSameJob(MakeWhatIf(made, pair.from), recorded);
    }
}

TEST_CASE("What-if: what follows the passes of streamed parameters is no optimizer",
          "[unit][trace-tools][what-if]")
{
    for (const std::string batch : {"2", "8"})
    {
        CAPTURE(batch);
        const WhatIfPair pair = StreamedPair({}, {{"batch", batch}}, {});
        const JobStructure found = FindStructure(GenerateHalf(pair, pair.from), {}, {});
        CHECK(found.layers == 4);
        CHECK(!found.hasOptimizer);
        CHECK(found.notes.empty());
    }
}

TEST_CASE("What-if: streamed parameters are not dealt to other stages",
          "[unit][trace-tools][what-if]")
{
    const WhatIfPair pair = StreamedPair({}, {}, {});
    const Workload job = GenerateHalf(pair, {});
    const std::string refusal = ConfigErrorText(
        [&] { ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf({"pp=2"})); });
    CHECK(refusal.find("is an access to memory") != std::string::npos);
}

} // namespace nadi::test
