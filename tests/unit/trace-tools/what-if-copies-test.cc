// SPDX-License-Identifier: GPL-2.0-only
// What-if: copies of a single one, a single one of several, and copies that share experts.
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

/// Copies before and after, each with so many micro-batches. Parameters beyond matrices are those
/// of layers and of the last norm: positions are rotary.
WhatIfPair
CopyPairOf(ModelValues values, uint32_t from, uint32_t to, uint32_t batchOfCopy)
{
    values.merge(ModelValues{{"positions", "rotary"}});
    const auto copies = [&](uint32_t dp) {
        return ModelValues{{"dp", std::to_string(dp)}, {"batch", std::to_string(dp * batchOfCopy)}};
    };
    return {std::move(values), copies(from), copies(to)};
}

const ModelValues EXPERTS{{"layers", "4"}, {"experts", "4"}, {"top-k", "2"}, {"expert-ffn", "64"}};

ModelValues
WithExperts(ModelValues values)
{
    values.merge(ModelValues(EXPERTS));
    return values;
}

} // namespace

TEST_CASE("What-if: several copies of a single one, and a single one of several",
          "[unit][trace-tools]")
{
    CheckPairs({
        CopyPairOf({{"layers", "4"}}, 1, 2, 2),
        CopyPairOf({{"layers", "4"}, {"tied-embeddings", "off"}}, 1, 4, 1),
        CopyPairOf({{"layers", "8"}, {"tp", "2"}, {"sp", "on"}}, 1, 2, 3),
        CopyPairOf({{"layers", "8"}, {"pp", "2"}}, 1, 3, 4),
        CopyPairOf({{"layers", "8"}, {"pp", "4"}, {"tp", "2"}}, 1, 2, 4),
        CopyPairOf(
            {{"layers", "4"}, {"mlp", "gated"}, {"biases", "off"}, {"norm", "rms"}}, 1, 2, 1),
        CopyPairOf({{"layers", "4"}, {"cp", "2"}}, 1, 2, 2),
        CopyPairOf({{"layers", "4"}, {"tp", "2"}}, 2, 1, 2),
    });
}

TEST_CASE("What-if: copies with shards become a single one", "[unit][trace-tools]")
{
    for (const std::string zero : {"1", "2", "3"})
    {
        CAPTURE(zero);
        const WhatIfPair pair = CopyPairOf({{"layers", "4"}, {"zero", zero}}, 2, 1, 2);
        CheckSameJob(MakeWhatIf(GenerateHalf(pair, pair.from), pair.to),
                     GenerateHalf(pair, pair.to));
    }
}

TEST_CASE("What-if: copies that share experts keep them", "[unit][trace-tools]")
{
    CheckPairs({
        CopyPairOf(WithExperts({{"ep", "2"}}), 4, 8, 1),
        CopyPairOf(WithExperts({{"ep", "2"}}), 6, 4, 2),
        CopyPairOf(WithExperts({{"ep", "4"}}), 8, 12, 1),
        CopyPairOf(WithExperts({{"ep", "2"}, {"tp", "2"}, {"sp", "on"}}), 4, 8, 1),
        CopyPairOf(WithExperts({{"ep", "2"}, {"pp", "2"}, {"zero", "1"}}), 4, 8, 2),
    });
}

} // namespace nadi::test
