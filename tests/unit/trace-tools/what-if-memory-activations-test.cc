// SPDX-License-Identifier: GPL-2.0-only
// What passes keep, against closed forms: of plain layers, rings, experts, and layers that are
// computed again.
#include "tests/support/contains.h"
#include "tests/support/model-bench.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/memory/memory-estimate.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace nadi::test
{

namespace
{

constexpr uint64_t KEPT_HIDDEN = 64; // of the jobs of GenerateHalf, as the next two
constexpr uint64_t KEPT_WORDS = 128; // of the vocabulary
constexpr uint64_t KEPT_TOKENS = 32; // of a micro-batch
constexpr uint64_t KEPT_LAYERS = 4;
constexpr uint64_t KEPT_BYTES = 2; // of a number

/// Four layers on two copies with a micro-batch each, unless the values say otherwise.
Workload
GenerateLayers(ModelValues values)
{
    values.merge(ModelValues{{"layers", std::to_string(KEPT_LAYERS)}, {"dp", "2"}, {"batch", "2"}});
    return GenerateHalf({values, {}, {}}, {});
}

MemoryPart
FindActivations(const Workload& job)
{
    const MemoryEstimate estimate = EstimateFullestRank(job, FindStructure(job, {}, {}));
    const auto part = std::ranges::find(estimate.parts, "activations", &MemoryPart::what);
    REQUIRE(part != estimate.parts.end());
    return *part;
}

/// In numbers.
uint64_t
ActivationsOf(const Workload& job)
{
    const uint64_t bytes = FindActivations(job).bytes;
    CHECK(bytes % KEPT_BYTES == 0);
    return bytes / KEPT_BYTES;
}

uint64_t
ActivationsOf(const ModelValues& values)
{
    return ActivationsOf(GenerateLayers(values));
}

/// What kernels of a layer write for each token and hidden number, t tensor ranks: queries, keys
/// and values, the attention, the projection, and the two products of an MLP four times as wide.
constexpr uint64_t
PlainLayer(uint64_t tokens, uint64_t t)
{
    return tokens * KEPT_HIDDEN * 3 / t + tokens * KEPT_HIDDEN / t + tokens * KEPT_HIDDEN +
           tokens * KEPT_HIDDEN * 4 / t + tokens * KEPT_HIDDEN;
}

} // namespace

TEST_CASE("Memory: a plain layer keeps 20 s b h bytes, and 14 of its 34 are in no kernel",
          "[unit][trace-tools]")
{
    const ModelValues whole{{"vocabulary", "0"}};
    CHECK(ActivationsOf(whole) == KEPT_LAYERS * PlainLayer(KEPT_TOKENS, 1));
    CHECK(KEPT_BYTES * PlainLayer(KEPT_TOKENS, 1) == 20 * KEPT_TOKENS * KEPT_HIDDEN);
    CHECK(Contains(FindActivations(GenerateLayers(whole)).evidence,
                   "no kernel is a norm or an activation function, so what these write is "
                   "missing"));

    // Tensor ranks have all tokens between the shared matrices, or their part of them.
    const ModelValues cut{{"vocabulary", "0"}, {"tp", "2"}};
    CHECK(ActivationsOf(cut) == KEPT_LAYERS * PlainLayer(KEPT_TOKENS, 2));
    CHECK(KEPT_BYTES * PlainLayer(KEPT_TOKENS, 2) == (4 + 16 / 2) * KEPT_TOKENS * KEPT_HIDDEN);
    const ModelValues dealt{{"vocabulary", "0"}, {"tp", "2"}, {"sp", "on"}};
    CHECK(ActivationsOf(dealt) == KEPT_LAYERS * PlainLayer(KEPT_TOKENS, 1) / 2);
}

TEST_CASE("Memory: keys and values that come around a ring are not kept", "[unit][trace-tools]")
{
    for (const uint64_t ring : {2, 4})
    {
        const uint64_t tokens = KEPT_TOKENS / ring;
        const Workload job = GenerateLayers({{"cp", std::to_string(ring)}});
        const uint64_t outside = tokens * KEPT_HIDDEN + tokens * KEPT_WORDS; // embedding and head
        CHECK(ActivationsOf(job) == KEPT_LAYERS * PlainLayer(tokens, 1) + outside);
        CHECK(ActivationsOf(WithNeutralNames(job)) ==
              KEPT_LAYERS * PlainLayer(tokens, 1) + outside);
    }
}

TEST_CASE("Memory: a stage with rings keeps what comes from the stage before",
          "[unit][trace-tools]")
{
    // With GPipe each stage keeps all micro-batches, and the last one needs most, as it has the
    // logits. It receives as much as the first one's embedding writes.
    const uint64_t tokens = KEPT_TOKENS / 2;
    const uint64_t pass =
        KEPT_LAYERS / 2 * PlainLayer(tokens, 1) + tokens * KEPT_HIDDEN + tokens * KEPT_WORDS;
    const ModelValues values{
        {"cp", "2"}, {"pp", "2"}, {"batch", "8"}, {"schedule", "gpipe"}, {"positions", "rotary"}};
    CHECK(ActivationsOf(values) == 4 * pass);
}

TEST_CASE("Memory: layers that are computed again begin with one row for each token",
          "[unit][trace-tools]")
{
    constexpr uint64_t experts = 8;
    constexpr uint64_t perToken = 2;
    const ModelValues mixture{{"experts", std::to_string(experts)},
                              {"top-k", std::to_string(perToken)},
                              {"recompute", "full"}};
    // Of the layer that is computed again: attention, router, and both products of each chosen
    // expert.
    constexpr uint64_t layer = KEPT_TOKENS * 5 * KEPT_HIDDEN + KEPT_TOKENS * experts +
                               perToken * KEPT_TOKENS * (4 * KEPT_HIDDEN + KEPT_HIDDEN);
    constexpr uint64_t outside = KEPT_TOKENS * KEPT_HIDDEN + KEPT_TOKENS * KEPT_WORDS;
    for (const std::string spread : {"1", "2"})
    {
        ModelValues values = mixture;
        values["ep"] = spread;
        CHECK(ActivationsOf(values) == KEPT_LAYERS * KEPT_TOKENS * KEPT_HIDDEN + layer + outside);
    }
}

TEST_CASE("Memory: what a tensor group gathers for experts is kept", "[unit][trace-tools]")
{
    constexpr uint64_t experts = 8;
    constexpr uint64_t perToken = 2;
    const ModelValues values{{"experts", std::to_string(experts)},
                             {"top-k", std::to_string(perToken)},
                             {"tp", "2"},
                             {"sp", "on"},
                             {"ep", "2"},
                             {"vocabulary", "0"}};
    // Each of two tensor ranks has half of the attention, half of the tokens behind it and before
    // the router, and half of the width of the experts. Their results are scattered.
    constexpr uint64_t attention = KEPT_TOKENS * 5 * KEPT_HIDDEN / 2;
    constexpr uint64_t router = KEPT_TOKENS / 2 * experts;
    constexpr uint64_t products = perToken * KEPT_TOKENS * (4 * KEPT_HIDDEN + KEPT_HIDDEN) / 2;
    constexpr uint64_t gathered = perToken * KEPT_TOKENS * KEPT_HIDDEN;
    CHECK(ActivationsOf(values) == KEPT_LAYERS * (attention + router + products + gathered));
}

TEST_CASE("Memory: layers that are computed again begin with a rank's part of the tokens",
          "[unit][trace-tools]")
{
    const ModelValues dealt{{"recompute", "full"}, {"tp", "2"}, {"sp", "on"}, {"vocabulary", "0"}};
    CHECK(ActivationsOf(dealt) ==
          KEPT_LAYERS * KEPT_TOKENS * KEPT_HIDDEN / 2 + PlainLayer(KEPT_TOKENS, 1) / 2);
}

TEST_CASE("Memory: what a stage receives is what its first layer begins with",
          "[unit][trace-tools]")
{
    constexpr uint64_t row = KEPT_TOKENS * KEPT_HIDDEN;
    constexpr uint64_t stages = 2;
    constexpr uint64_t microBatches = 4;
    const auto activations = [](const std::string& schedule, ModelValues values)
    {
        values.merge(ModelValues{{"pp", std::to_string(stages)},
                                 {"batch", std::to_string(2 * microBatches)},
                                 {"schedule", schedule},
                                 {"recompute", "full"}});
        return ActivationsOf(values);
    };
    constexpr uint64_t ofStage = KEPT_LAYERS / stages;
    CHECK(activations("gpipe", {{"vocabulary", "0"}}) ==
          microBatches * ofStage * row + PlainLayer(KEPT_TOKENS, 1));
    // The first stage has twice two micro-batches under way in its warm-up, and one more.
    CHECK(activations("interleaved", {{"vocabulary", "0"}, {"chunks", std::to_string(ofStage)}}) ==
          (2 * stages + 1) * row + PlainLayer(KEPT_TOKENS, 1));
    // The last stage needs most: its head begins with what the last layer hands to it.
    CHECK(activations("gpipe", {}) ==
          microBatches * ((ofStage + 1) * row + KEPT_TOKENS * KEPT_WORDS) +
              PlainLayer(KEPT_TOKENS, 1));
}

TEST_CASE("Memory: attention that is computed again by itself is not taken for whole layers",
          "[unit][trace-tools]")
{
    // Attention does 4 s^2 h operations and the products 24 s h^2. With s = 64 h a second attention
    // makes a backward pass 2 + 256 / 280 = 2.91 times as long as a forward one.
    constexpr uint64_t tokens = 64 * KEPT_HIDDEN;
    const auto values = [](const std::string& recompute)
    {
        return ModelValues{
            {"sequence", std::to_string(tokens)}, {"vocabulary", "0"}, {"recompute", recompute}};
    };
    CHECK(ActivationsOf(values("none")) == KEPT_LAYERS * PlainLayer(tokens, 1));
    CHECK(ActivationsOf(values("selective")) == KEPT_LAYERS * PlainLayer(tokens, 1));
    CHECK(ActivationsOf(values("full")) ==
          KEPT_LAYERS * tokens * KEPT_HIDDEN + PlainLayer(tokens, 1));
}

} // namespace nadi::test
