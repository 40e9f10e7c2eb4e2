// SPDX-License-Identifier: GPL-2.0-only
// What-if: jobs of other sizes, and of other tensor and expert parallelism, are those that the
// generator makes.
#include "tests/support/config-error-text.h"
#include "tests/support/roofline-job.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/what-if-settings.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

const std::vector<WhatIfPair>&
SizePairs()
{
    static const std::vector<WhatIfPair> pairs{
        SizeOf({}, "hidden", "64", "96"),
        SizeOf({{"tp", "2"}}, "hidden", "64", "128"),
        SizeOf({{"mlp", "gated"}, {"norm", "rms"}, {"biases", "off"}}, "hidden", "128", "64"),
        SizeOf({{"head-size", "24"}, {"positions", "rotary"}}, "hidden", "64", "80"),
        SizeOf({{"tied-embeddings", "off"}}, "ffn", "192", "320"),
        SizeOf({{"gradient-dtype", "fp32"}, {"mlp", "gated"}}, "hidden", "64", "96"),
        SizeOf({{"gradient-dtype", "fp32"}, {"kv-heads", "2"}}, "ffn", "192", "328"),
        SizeOf({{"zero", "2"},
                {"dp", "2"},
                {"pp", "2"},
                {"batch", "8"},
                {"layers", "8"},
                {"schedule", "interleaved"},
                {"chunks", "2"}},
               "hidden",
               "64",
               "96"),
        SizeOf({{"tp", "4"}, {"sp", "on"}, {"mlp", "gated"}}, "ffn", "192", "96"),
        SizeOf({{"tp", "2"}}, "heads", "4", "8"),
        SizeOf({{"kv-heads", "2"}, {"head-size", "16"}}, "ffn", "192", "256"),
        SizeOf({}, "sequence", "32", "48"),
        SizeOf({{"tp", "2"}, {"sp", "on"}, {"recompute", "selective"}}, "sequence", "32", "64"),
        SizesOf(
            {}, {{"micro-batch", "1"}, {"batch", "4"}}, {{"micro-batch", "3"}, {"batch", "12"}}),
        SizesOf({{"hidden", "64"}, {"sequence", "64"}, {"vocabulary", "64"}},
                {{"ffn", "64"}},
                {{"ffn", "128"}}),
    };
    return pairs;
}

/// Sizes that are equal by chance: of the hidden width, the inner width, the vocabulary, the
/// sequence, and of heads and their size.
const std::vector<WhatIfPair>&
ChancePairs()
{
    const ModelValues square{{"hidden", "64"},
                             {"ffn", "64"},
                             {"sequence", "64"},
                             {"vocabulary", "64"},
                             {"heads", "8"},
                             {"positions", "rotary"}};
    const ModelValues fourfold{{"hidden", "64"},
                               {"ffn", "256"},
                               {"sequence", "256"},
                               {"vocabulary", "256"},
                               {"heads", "4"},
                               {"kv-heads", "4"}};
    static const std::vector<WhatIfPair> pairs{
        SizeOf(square, "hidden", "64", "128"),
        SizeOf(square, "ffn", "64", "96"),
        SizeOf(square, "sequence", "64", "32"),
        SizeOf(square, "heads", "8", "4"),
        SizesOf(
            square, {{"micro-batch", "1"}, {"batch", "4"}}, {{"micro-batch", "2"}, {"batch", "8"}}),
        SizeOf(fourfold, "hidden", "64", "32"),
        SizeOf(fourfold, "sequence", "256", "64"),
        SizeOf(fourfold, "tp", "2", "4"),
        SizesOf({{"hidden", "192"}, {"heads", "4"}, {"head-size", "16"}, {"mlp", "gated"}},
                {{"ffn", "96"}},
                {{"ffn", "192"}}),
    };
    return pairs;
}

const std::vector<WhatIfPair>&
TensorPairs()
{
    const auto tensor = [](ModelValues values, const std::string& from, const std::string& to)
    { return SizeOf(std::move(values), "tp", from, to); };
    static const std::vector<WhatIfPair> pairs{
        tensor({}, "2", "4"),
        tensor({{"sp", "on"}, {"recompute", "full"}}, "4", "2"),
        tensor({{"pp", "2"}, {"layers", "4"}, {"mlp", "gated"}}, "2", "4"),
        tensor({{"heads", "6"}, {"head-size", "16"}, {"vocabulary", "130"}}, "2", "3"),
        tensor({{"heads", "12"}, {"head-size", "16"}, {"vocabulary", "130"}, {"ffn", "190"}},
               "4",
               "3"),
        tensor({{"kv-heads", "4"}, {"heads", "8"}, {"zero", "3"}}, "2", "4"),
        tensor({{"zero", "1"}, {"pp", "2"}, {"layers", "4"}}, "4", "2"),
        tensor({{"zero", "2"}, {"sp", "on"}}, "2", "4"),
        tensor({{"gradient-dtype", "fp32"}, {"sp", "on"}}, "4", "2"),
    };
    return pairs;
}

const std::vector<WhatIfPair>&
ScatterPairs()
{
    const auto scatter = [](ModelValues values, const std::string& from, const std::string& to)
    { return SizeOf(std::move(values), "sp", from, to); };
    static const std::vector<WhatIfPair> pairs{
        scatter({{"tp", "2"}}, "off", "on"),
        scatter({{"tp", "4"}, {"recompute", "full"}, {"pp", "2"}, {"layers", "4"}}, "on", "off"),
        scatter({{"tp", "2"}, {"zero", "3"}, {"recompute", "selective"}}, "off", "on"),
        scatter({{"tp", "2"}, {"pp", "2"}, {"layers", "4"}, {"schedule", "gpipe"}}, "off", "on"),
        SizesOf({{"pp", "2"}, {"layers", "4"}},
                {{"tp", "2"}, {"sp", "off"}},
                {{"tp", "4"}, {"sp", "on"}}),
    };
    return pairs;
}

const std::vector<WhatIfPair>&
SinglePairs()
{
    const auto tensor = [](ModelValues values, const std::string& to)
    { return SizeOf(std::move(values), "tp", "1", to); };
    static const std::vector<WhatIfPair> pairs{
        tensor({}, "2"),
        tensor({{"pp", "2"}, {"layers", "4"}}, "4"),
        tensor({{"pp", "2"}, {"layers", "4"}, {"schedule", "gpipe"}, {"recompute", "full"}}, "2"),
        tensor({{"zero", "3"}}, "2"),
        SizesOf({}, {{"tp", "1"}, {"sp", "off"}}, {{"tp", "2"}, {"sp", "on"}}),
    };
    return pairs;
}

/// With each other, and with edits of layers, stages, copies and passes.
const std::vector<WhatIfPair>&
MixedShapePairs()
{
    static const std::vector<WhatIfPair> pairs{
        SizesOf({},
                {{"hidden", "64"}, {"ffn", "192"}, {"heads", "4"}, {"sequence", "32"}},
                {{"hidden", "96"}, {"ffn", "256"}, {"heads", "6"}, {"sequence", "64"}}),
        SizesOf({{"sp", "on"}},
                {{"tp", "4"}, {"hidden", "64"}, {"layers", "3"}},
                {{"tp", "2"}, {"hidden", "128"}, {"layers", "6"}}),
        SizesOf({},
                {{"tp", "2"}, {"pp", "2"}, {"layers", "4"}, {"dp", "2"}, {"batch", "8"}},
                {{"tp", "4"}, {"pp", "4"}, {"layers", "8"}, {"dp", "3"}, {"batch", "12"}}),
        SizesOf({{"tp", "2"}},
                {{"sequence", "32"}, {"batch", "8"}, {"micro-batches", "4"}},
                {{"sequence", "16"}, {"batch", "12"}, {"micro-batches", "6"}}),
        SizesOf({{"zero", "1"}},
                {{"tp", "2"}, {"ffn", "192"}, {"dp", "2"}, {"batch", "4"}},
                {{"tp", "4"}, {"ffn", "256"}, {"dp", "4"}, {"batch", "8"}}),
        SizesOf({{"pp", "2"}, {"layers", "4"}},
                {{"tp", "2"},
                 {"sp", "off"},
                 {"hidden", "64"},
                 {"batch", "8"},
                 {"micro-batches", "4"},
                 {"schedule", "1f1b"}},
                {{"tp", "4"},
                 {"sp", "on"},
                 {"hidden", "96"},
                 {"batch", "12"},
                 {"micro-batches", "6"},
                 {"schedule", "gpipe"}}),
        SizesOf({{"experts", "4"}, {"top-k", "2"}, {"ep", "2"}, {"sp", "on"}, {"dp", "4"}},
                {{"tp", "2"}, {"layers", "3"}, {"hidden", "64"}, {"batch", "4"}},
                {{"tp", "4"}, {"layers", "5"}, {"hidden", "96"}, {"batch", "4"}}),
    };
    return pairs;
}

/// Eight experts on four copies.
const std::vector<WhatIfPair>&
ExpertPairs()
{
    const auto mixture = [](ModelValues values)
    {
        values.merge(ModelValues{{"experts", "8"},
                                 {"top-k", "2"},
                                 {"dp", "4"},
                                 {"batch", "8"},
                                 {"sp", "on"},
                                 {"mlp", "gated"},
                                 {"ep", "2"}});
        return values;
    };
    static const std::vector<WhatIfPair> pairs{
        SizeOf(mixture({{"tp", "2"}}), "hidden", "64", "96"),
        SizeOf(mixture({{"tp", "1"}, {"sp", "off"}, {"ep", "1"}}), "ffn", "96", "160"),
        SizeOf(mixture({{"shared-experts", "1"}}), "sequence", "32", "64"),
        SizeOf(mixture({{"zero", "1"}}), "tp", "2", "4"),
        // Four experts a rank and R = 2 x 64 routed tokens: R (h + w) = 2 h w (4 - 1), so fp32
        // gradients of all experts have the bytes of fp32 numbers and a single matrix.
        SizeOf(mixture({{"tp", "1"},
                        {"sp", "off"},
                        {"hidden", "64"},
                        {"heads", "4"},
                        {"expert-ffn", "32"},
                        {"gradient-dtype", "fp32"}}),
               "sequence",
               "64",
               "32"),
        SizeOf(mixture({{"dp", "8"}, {"batch", "8"}, {"tp", "2"}}), "ep", "2", "4"),
        SizeOf(mixture({{"dp", "8"}, {"batch", "8"}, {"zero", "3"}}), "ep", "4", "2"),
    };
    return pairs;
}

/// Of sizes at which kernels take microseconds.
const std::vector<WhatIfPair>&
TimedPairs()
{
    const ModelValues large = LargeSizes();
    static const std::vector<WhatIfPair> pairs{
        SizeOf(large, "hidden", "1024", "1536"),
        SizeOf(large, "ffn", "4096", "3072"),
        SizeOf(large, "sequence", "512", "1024"),
        SizeOf(large, "tp", "4", "2"),
        SizesOf(large,
                {{"hidden", "1024"}, {"heads", "16"}, {"tp", "4"}, {"sp", "on"}},
                {{"hidden", "2048"}, {"heads", "32"}, {"tp", "2"}, {"sp", "off"}}),
    };
    return pairs;
}

} // namespace

TEST_CASE("What-if: kernels of other sizes take what one roofline gives them, within 1 %",
          "[unit][what-if][shapes]")
{
    for (const WhatIfPair& pair : TimedPairs())
    {
        CAPTURE(pair.to.begin()->first);
        const Workload before = WithRooflineTimes(GenerateHalf(pair, pair.from));
        const Workload after = WithRooflineTimes(GenerateHalf(pair, pair.to));
        const Workload made = MakeWhatIf(before, pair.to);
        CheckSameJob(made, after);
        CheckDurations(made, after);
    }
}

TEST_CASE("What-if: other sizes of a model are what the generator makes, there and back",
          "[unit][what-if][shapes]")
{
    CheckPairs(SizePairs());
}

TEST_CASE("What-if: sizes that are equal by chance are told by their places",
          "[unit][what-if][shapes]")
{
    CheckPairs(ChancePairs());
}

TEST_CASE("What-if: other tensor-parallel degrees are what the generator makes, there and back",
          "[unit][what-if][shapes]")
{
    CheckPairs(TensorPairs());
}

TEST_CASE("What-if: sequence parallelism on and off is what the generator makes, there and back",
          "[unit][what-if][shapes]")
{
    CheckPairs(ScatterPairs());
}

TEST_CASE("What-if: tensor parallelism from one rank and to one is what the generator makes",
          "[unit][what-if][shapes]")
{
    CheckPairs(SinglePairs());
}

TEST_CASE("What-if: sizes change with layers, stages, copies and passes as the generator has it",
          "[unit][what-if][shapes]")
{
    CheckPairs(MixedShapePairs());
}

TEST_CASE("What-if: other sizes and degrees of experts are what the generator makes",
          "[unit][what-if][shapes]")
{
    CheckPairs(ExpertPairs());
}

TEST_CASE("What-if: sizes that were recorded change nothing", "[unit][what-if][shapes]")
{
    const WhatIfPair pair = SizeOf({}, "tp", "2", "2");
    const Workload job = GenerateHalf(pair, pair.from);
    const WhatIfJob same = ApplyWhatIf(
        job,
        FindStructure(job, {}, {}),
        ParseWhatIf(
            {"tp=2", "sp=off", "hidden=64", "heads=4", "ffn=192", "sequence=32", "micro-batch=1"}));
    CheckSameJob(same.job, job);
    CHECK(same.changes.empty());
}

TEST_CASE("What-if: sizes that cannot be are refused, with what would be right",
          "[unit][what-if][shapes]")
{
    const auto failure = [](ModelValues values, const std::vector<std::string>& settings)
    {
        const WhatIfPair pair = SizesOf(std::move(values), {}, {});
        const Workload job = GenerateHalf(pair, {});
        return ConfigErrorText(
            [&] { ApplyWhatIf(job, FindStructure(job, {}, {}), ParseWhatIf(settings)); });
    };
    CHECK(failure({}, {"hidden=66"}) ==
          "what-if: hidden: heads are together as wide as the hidden width, and 66 is no multiple "
          "of 4 heads; write one that is");
    CHECK(failure({}, {"heads=5"}) ==
          "what-if: heads: heads are together as wide as the hidden width, and 64 is no multiple "
          "of 5 heads; write one that is");
    CHECK(failure({{"kv-heads", "2"}}, {"heads=1"}) ==
          "what-if: heads: 1 heads share keys and values in groups of 2, as recorded; write a "
          "multiple of 2");
    CHECK(
        failure({}, {"tp=8"}) ==
        "what-if: tp: 4 heads cannot be shared evenly by 8 tensor-parallel ranks; write 1, 2 or 4");
    CHECK(failure({{"tp", "2"}, {"sp", "on"}, {"heads", "6"}, {"head-size", "16"}}, {"tp=3"}) ==
          "what-if: sp: 32 tokens of a micro-batch cannot be cut evenly over 3 tensor-parallel "
          "ranks; write a degree that divides them");
    CHECK(failure({}, {"ep=2"}) == "what-if: ep: no layer has experts; remove ep, or give a "
                                   "recording of a mixture of experts");
    CHECK(failure({}, {"hidden=4000000000"}) ==
          "what-if: hidden: 4000000000 is more than 16777216; write a smaller number");
    const Workload rings = MakeModelJob("transformer",
                                        {{"hidden", "64"},
                                         {"heads", "4"},
                                         {"layers", "3"},
                                         {"vocabulary", "128"},
                                         {"sequence", "32"},
                                         {"cp", "2"}},
                                        {4});
    CHECK(ConfigErrorText(
              [&]
              { ApplyWhatIf(rings, FindStructure(rings, {}, {}), ParseWhatIf({"hidden=128"})); }) ==
          "what-if: hidden: sequences are cut over ranks (context parallelism), and the sizes of "
          "their parts are not changed yet");
    const ModelValues mixture{{"experts", "8"}, {"dp", "4"}, {"ep", "2"}};
    CHECK(failure(mixture, {"ep=8"}) ==
          "what-if: ep: 4 copies of the model cannot share experts in groups of 8; write a divisor "
          "of 4, or a dp that it divides");
    CHECK(failure(mixture, {"tp=2"}) ==
          "what-if: tp: experts beside tensor parallelism need sequence parallelism, so that each "
          "token is routed once; write sp=on too");
    CHECK(
        failure({{"kv-rank", "16"}, {"rope-head-size", "8"}}, {"hidden=128"}) ==
        "what-if: hidden: transformer stage 0: task 1 (\"micro-batch 0 layer 0 attention\") is of "
        "an attention whose products are not queries, keys, values and the output, as latent "
        "attention has others");
    CHECK(failure({{"layers", "1"},
                   {"dp", "1"},
                   {"batch", "1"},
                   {"experts", "4"},
                   {"shared-experts", "1"}},
                  {"heads=8"})
              .ends_with("do not fit its place among the products around it; its passes have a "
                         "single layer, which is hard to tell from what is before and after it, "
                         "and a recording with two layers on each stage helps"));
    CHECK_THROWS_WITH(ParseWhatIf({"sp=maybe"}), "--set sp=maybe: write on or off");
    CHECK_THROWS_WITH(ParseWhatIf({"sp=on", "sp=off"}), "--set: sp stands twice; write it once");
    CHECK_THROWS_WITH(ParseWhatIf({"hidden=64", "hidden=64"}),
                      "--set: hidden stands twice; write it once");
}

} // namespace nadi::test
