// SPDX-License-Identifier: GPL-2.0-only
// What-if: jobs of other sizes, and of other tensor and expert parallelism, are those that the
// generator makes.
#include "tests/support/config-error-text.h"
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

/// Two copies of three layers whose widths do not follow from each other.
WhatIfPair
SizesOf(ModelValues values, ModelValues from, ModelValues to)
{
    values.merge(ModelValues{{"layers", "3"}, {"dp", "2"}, {"batch", "4"}, {"ffn", "192"}});
    for (const ModelValues* half : {&from, &to})
    {
        for (const auto& [key, value] : *half)
        {
            values.erase(key);
        }
    }
    return {std::move(values), std::move(from), std::move(to)};
}

/// One size before and after.
WhatIfPair
SizeOf(ModelValues values, const std::string& key, const std::string& from, const std::string& to)
{
    return SizesOf(std::move(values), {{key, from}}, {{key, to}});
}

const std::vector<WhatIfPair>&
SizePairs()
{
    static const std::vector<WhatIfPair> pairs{
        SizeOf({}, "hidden", "64", "96"),
        SizeOf({{"tp", "2"}}, "hidden", "64", "128"),
        SizeOf({{"mlp", "gated"}, {"norm", "rms"}, {"biases", "off"}}, "hidden", "128", "64"),
        SizeOf({{"head-size", "24"}, {"positions", "rotary"}}, "hidden", "64", "80"),
        SizeOf({{"tied-embeddings", "off"}}, "ffn", "192", "320"),
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
        tensor(
            {{"heads", "6"}, {"head-size", "16"}, {"vocabulary", "130"}, {"ffn", "190"}}, "4", "3"),
        tensor({{"kv-heads", "4"}, {"heads", "8"}, {"zero", "3"}}, "2", "4"),
        tensor({{"zero", "1"}, {"pp", "2"}, {"layers", "4"}}, "4", "2"),
        tensor({{"zero", "2"}, {"sp", "on"}}, "2", "4"),
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
        SizeOf(mixture({{"dp", "8"}, {"batch", "8"}, {"tp", "2"}}), "ep", "2", "4"),
        SizeOf(mixture({{"dp", "8"}, {"batch", "8"}, {"zero", "3"}}), "ep", "4", "2"),
    };
    return pairs;
}

} // namespace

TEST_CASE("What-if: other sizes of a model are what the generator makes, there and back",
          "[unit][what-if][shapes]")
{
    CheckPairs(SizePairs());
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

} // namespace nadi::test
