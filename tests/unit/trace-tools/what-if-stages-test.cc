// SPDX-License-Identifier: GPL-2.0-only
// What-if: layers are dealt to other stages and chunks, as the generator deals them.
#include "tests/support/config-error-text.h"
#include "tests/support/what-if-bench.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

namespace nadi::test
{

namespace
{

/// Two copies of so many layers, each with 8 micro-batches.
ModelValues
LayersOfTwoCopies(ModelValues values, uint32_t layers)
{
    values.merge(ModelValues{{"layers", std::to_string(layers)}, {"dp", "2"}, {"batch", "16"}});
    return values;
}

/// Stages before and after.
WhatIfPair
StagePairOf(ModelValues values, uint32_t layers, uint32_t from, uint32_t to)
{
    return {LayersOfTwoCopies(std::move(values), layers),
            {{"pp", std::to_string(from)}},
            {{"pp", std::to_string(to)}}};
}

/// Stages that work by a schedule; of several chunks where it is interleaved.
ModelValues
StagesBy(const std::string& schedule, uint32_t stages, uint32_t chunks = 2)
{
    ModelValues values{{"pp", std::to_string(stages)}, {"schedule", schedule}};
    if (schedule == "interleaved")
    {
        values["chunks"] = std::to_string(chunks);
    }
    return values;
}

/// Micro-batches of each of two copies, of which one was recorded.
WhatIfPair
PassPairOf(ModelValues values, uint32_t to)
{
    values["dp"] = "2";
    return {std::move(values),
            {{"batch", "2"}, {"micro-batches", "1"}},
            {{"batch", std::to_string(2 * to)}, {"micro-batches", std::to_string(to)}}};
}

} // namespace

TEST_CASE("What-if: several stages of a single one, and a single one of several",
          "[unit][trace-tools]")
{
    CheckPairs({
        StagePairOf({{"tied-embeddings", "off"}}, 8, 1, 2),
        StagePairOf({}, 8, 1, 2),
        StagePairOf({}, 8, 2, 1),
        StagePairOf({{"tp", "2"}}, 12, 1, 4),
        StagePairOf({{"tp", "2"}, {"sp", "on"}}, 12, 1, 3),
        StagePairOf({{"tp", "2"}, {"sp", "on"}}, 12, 4, 1),
        StagePairOf({{"schedule", "gpipe"}, {"recompute", "full"}}, 8, 1, 4),
        StagePairOf({{"gradient-dtype", "fp32"}}, 8, 1, 2),
        StagePairOf({{"zero", "3"}}, 9, 1, 3),
        StagePairOf({{"cp", "2"}}, 8, 2, 1),
    });
}

TEST_CASE("What-if: stages become interleaved, and others again", "[unit][trace-tools]")
{
    const ModelValues values = LayersOfTwoCopies({}, 16);
    const ModelValues tensor = LayersOfTwoCopies({{"tp", "2"}, {"sp", "on"}}, 16);
    CheckPairs({
        {values, StagesBy("1f1b", 2), StagesBy("interleaved", 2)},
        {values, StagesBy("interleaved", 2), StagesBy("gpipe", 2)},
        {tensor, StagesBy("1f1b", 4), StagesBy("interleaved", 4)},
        {tensor, StagesBy("interleaved", 2, 2), StagesBy("interleaved", 2, 4)},
        {values, StagesBy("interleaved", 2), StagesBy("1f1b", 4)},
        {values, StagesBy("1f1b", 1), StagesBy("interleaved", 2)},
        {tensor, StagesBy("interleaved", 4), StagesBy("1f1b", 1)},
    });
}

TEST_CASE("What-if: several micro-batches of a single one", "[unit][trace-tools]")
{
    CheckPairs({
        PassPairOf({{"layers", "3"}}, 4),
        PassPairOf({{"layers", "3"}, {"tp", "2"}, {"sp", "on"}}, 2),
        PassPairOf({{"layers", "4"}, {"pp", "2"}}, 4),
        PassPairOf({{"layers", "8"}, {"pp", "4"}, {"tied-embeddings", "off"}}, 6),
        PassPairOf({{"layers", "3"}, {"zero", "3"}}, 3),
    });
}

} // namespace nadi::test
