// SPDX-License-Identifier: GPL-2.0-only
// What-if: jobs without embedding and head, whose passes follow each other with nothing between
// them.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Layers alone, in two copies with 4 micro-batches each unless the values say otherwise.
WhatIfPair
BarePairOf(ModelValues values, ModelValues from, ModelValues to)
{
    return PairBeside({{"vocabulary", "0"}, {"layers", "4"}, {"dp", "2"}, {"batch", "8"}},
                      std::move(values),
                      std::move(from),
                      std::move(to));
}

WhatIfPair
BarePairOf(ModelValues values,
           const std::string& key,
           const std::string& from,
           const std::string& to)
{
    return BarePairOf(std::move(values), {{key, from}}, {{key, to}});
}

/// Micro-batches of each of two copies.
ModelValues
BarePassesOf(const std::string& schedule, uint32_t count)
{
    return {{"schedule", schedule},
            {"micro-batches", std::to_string(count)},
            {"batch", std::to_string(2 * count)}};
}

} // namespace

TEST_CASE("What-if: without embedding and head, several stages of a single one wait for what they "
          "receive",
          "[unit][trace-tools][what-if]")
{
    const ModelValues single{{"dp", "1"}, {"batch", "4"}};
    const ModelValues tensor{{"tp", "2"}};
    const ModelValues sequence{{"tp", "2"}, {"sp", "on"}};
    CheckPairs({
        BarePairOf({}, "pp", "1", "2"),
        BarePairOf(single, "pp", "1", "2"),
        BarePairOf(tensor, "pp", "1", "2"),
        BarePairOf(sequence, "pp", "1", "2"),
        BarePairOf({{"batch", "2"}}, "pp", "1", "2"),
        BarePairOf({{"layers", "8"}}, "pp", "1", "4"),
        BarePairOf({{"layers", "8"}, {"tp", "2"}, {"sp", "on"}}, "pp", "4", "1"),
        BarePairOf({}, {{"layers", "2"}, {"pp", "1"}}, {{"layers", "4"}, {"pp", "2"}}),
        BarePairOf(single, {{"layers", "2"}, {"pp", "1"}}, {{"layers", "4"}, {"pp", "2"}}),
        BarePairOf(tensor, {{"layers", "2"}, {"pp", "1"}}, {{"layers", "4"}, {"pp", "2"}}),
        BarePairOf(sequence, {{"layers", "2"}, {"pp", "1"}}, {{"layers", "8"}, {"pp", "4"}}),
    });
}

TEST_CASE("What-if: without embedding and head, stages that gather their parameters wait for what "
          "they receive",
          "[unit][trace-tools][what-if]")
{
    // The way back is not known: a rank of two layers gathers for both behind the same task in
    // all of its passes.
    const WhatIfPair pair = BarePairOf({{"zero", "3"}}, "pp", "1", "2");
    const Workload job = GenerateHalf(pair, pair.from);
    CheckSameJob(MakeWhatIf(job, pair.to), GenerateHalf(pair, pair.to));
    CheckSameJob(MakeWhatIf(WithNeutralNames(job), pair.to), GenerateHalf(pair, pair.to));
    CheckPairs({
        BarePairOf({{"zero", "3"}, {"pp", "2"}}, "layers", "6", "8"),
        BarePairOf({{"zero", "3"}, {"pp", "2"}}, "layers", "4", "12"),
        BarePairOf({{"zero", "3"}, {"pp", "2"}, {"tp", "2"}, {"sp", "on"}}, "layers", "4", "6"),
    });
}

TEST_CASE("What-if: a layer that is computed again at once needs names to be told from one forward",
          "[unit][trace-tools][what-if]")
{
    const WhatIfPair pair = BarePairOf({{"recompute", "full"}}, "pp", "1", "2");
    const Workload job = GenerateHalf(pair, pair.from);
    CheckSameJob(MakeWhatIf(job, pair.to), GenerateHalf(pair, pair.to));
    CHECK(ConfigErrorText([&] { MakeWhatIf(WithNeutralNames(job), pair.to); })
              .starts_with("what-if: Rank 0: the trace begins within a layer"));
}

TEST_CASE("What-if: without embedding and head, layers, copies and micro-batches are others",
          "[unit][trace-tools][what-if]")
{
    CheckPairs({
        BarePairOf({}, "layers", "2", "5"),
        BarePairOf({{"tp", "2"}, {"sp", "on"}}, "layers", "6", "4"),
        BarePairOf({{"dp", "1"}}, "layers", "4", "3"),
        BarePairOf({{"pp", "2"}}, "layers", "4", "8"),
        BarePairOf({}, {{"dp", "2"}, {"batch", "8"}}, {{"dp", "4"}, {"batch", "16"}}),
        BarePairOf({{"tp", "2"}}, {{"dp", "2"}, {"batch", "2"}}, {{"dp", "4"}, {"batch", "4"}}),
        BarePairOf({{"zero", "1"}}, {{"dp", "2"}, {"batch", "8"}}, {{"dp", "4"}, {"batch", "16"}}),
        BarePairOf({}, BarePassesOf("1f1b", 1), BarePassesOf("1f1b", 4)),
        BarePairOf({{"tp", "2"}}, BarePassesOf("1f1b", 2), BarePassesOf("1f1b", 4)),
        BarePairOf({{"pp", "2"}}, BarePassesOf("1f1b", 1), BarePassesOf("1f1b", 4)),
        BarePairOf({{"zero", "3"}}, BarePassesOf("1f1b", 2), BarePassesOf("1f1b", 3)),
    });
}

TEST_CASE("What-if: passes of GPipe on a single stage are told apart by what they add to",
          "[unit][trace-tools][what-if]")
{
    CheckPairs({
        BarePairOf({{"schedule", "gpipe"}}, "pp", "1", "2"),
        BarePairOf({{"schedule", "gpipe"}, {"tp", "2"}}, "layers", "4", "6"),
        BarePairOf({{"layers", "3"}}, BarePassesOf("gpipe", 2), BarePassesOf("gpipe", 4)),
        BarePairOf({}, BarePassesOf("1f1b", 4), BarePassesOf("gpipe", 4)),
    });
    const WhatIfPair pair = BarePairOf({{"layers", "3"}}, {}, BarePassesOf("gpipe", 4));
    const Workload job = WithNeutralNames(GenerateHalf(pair, pair.to));
    const JobStructure found = FindStructure(job, {}, {});
    CHECK(found.evidence == StructureEvidence::Repetition);
    CHECK(found.layers == 3);
    CHECK(found.microBatches == 4);
    CHECK(found.schedule == PipelineSchedule::GPipe);
}

TEST_CASE("What-if: names tell passes of a single layer apart, with nothing between them",
          "[unit][trace-tools][what-if]")
{
    for (const std::string schedule : {"gpipe", "1f1b"})
    {
        for (const std::string recompute : {"none", "full", "selective"})
        {
            CAPTURE(schedule, recompute);
            const ModelValues stages{
                {"schedule", schedule}, {"recompute", recompute}, {"pp", "4"}, {"layers", "4"}};
            const WhatIfPair copies =
                BarePairOf(stages, {{"dp", "1"}, {"batch", "4"}}, {{"dp", "2"}, {"batch", "8"}});
            const WhatIfPair widths = BarePairOf(stages, "ffn", "256", "384");
            const WhatIfPair single = BarePairOf(
                {{"schedule", schedule}, {"recompute", recompute}, {"pp", "1"}, {"layers", "1"}},
                BarePassesOf(schedule, 4),
                BarePassesOf(schedule, 2));
            for (const WhatIfPair& pair : {copies, widths, single})
            {
                CheckSameJob(MakeWhatIf(GenerateHalf(pair, pair.from), pair.to),
                             GenerateHalf(pair, pair.to));
            }
        }
    }
}

TEST_CASE("What-if: micro-batches of a single layer are not taken for layers where no names tell",
          "[unit][trace-tools][what-if]")
{
    for (const std::string schedule : {"gpipe", "1f1b"})
    {
        CAPTURE(schedule);
        const WhatIfPair pair = BarePairOf({{"layers", "1"}}, {}, BarePassesOf(schedule, 4));
        const Workload job = WithNeutralNames(GenerateHalf(pair, pair.to));
        CHECK(ConfigErrorText(
                  [&] {
                      MakeWhatIf(job, {{"layers", "8"}});
                  })
                  .starts_with("what-if: What repeats 4 times on rank 0 is a micro-batch, not a "
                               "layer"));
    }
    // Layers that differ in nothing pass on what they give out, which is no adding up.
    const WhatIfPair layers = BarePairOf({}, BarePassesOf("gpipe", 1), {});
    const Workload job = WithNeutralNames(GenerateHalf(layers, layers.from));
    CHECK(FindStructure(job, {}, {}).obstacle.empty());
}

TEST_CASE("What-if: several micro-batches of a single one, on one stage with GPipe",
          "[unit][trace-tools][what-if]")
{
    const ModelValues head{{"vocabulary", "128"}};
    const ModelValues shards{
        {"vocabulary", "128"}, {"layers", "2"}, {"tp", "4"}, {"zero", "3"}, {"ffn", "384"}};
    CheckPairs({
        BarePairOf({}, BarePassesOf("gpipe", 1), BarePassesOf("gpipe", 4)),
        BarePairOf(head, BarePassesOf("gpipe", 1), BarePassesOf("gpipe", 4)),
        BarePairOf(shards, BarePassesOf("gpipe", 1), BarePassesOf("gpipe", 4)),
    });
}

TEST_CASE("What-if: which task ends the only layer of a stage is unknown without a head",
          "[unit][trace-tools][what-if]")
{
    const WhatIfPair pair = BarePairOf({{"layers", "2"}}, "pp", "1", "2");
    const Workload job = GenerateHalf(pair, pair.from);
    CHECK(ConfigErrorText([&] { MakeWhatIf(job, pair.to); })
              .ends_with("which task of a layer ends it is unknown, as nothing waits for a layer; "
                         "a recording with two layers or more on a rank tells"));
}

} // namespace nadi::test
