// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "tests/support/small-expert-model.h"
#include "workload/models/model-parameters.h"
#include "workload/serving/serving-instances.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

// Of SmallExpertModel.
constexpr uint64_t EXPERT_BYTES = 2 * 3 * 64 * 32;
constexpr uint64_t BLOCK_BYTES = 16 * 4 * 2 * 4 * 16 * 2; // of 16 tokens, in all layers and heads

ServeOptions
MakeServe(const InstanceOptions& instance, const ExpertRoutingOptions& experts)
{
    ServeOptions serve;
    serve.model.parameters = test::SmallExpertModel();
    serve.instances = {instance};
    serve.experts = experts;
    serve.batching.maxTokens = 1; // next to no activations
    return serve;
}

uint64_t
BytesBeside(const InstanceOptions& instance,
            const ExpertRoutingOptions& experts,
            uint32_t stage,
            uint32_t tensorRank)
{
    const auto weights = [&](const ExpertRoutingOptions& options)
    {
        return MakeServingInstances(MakeServe(instance, options), 1)
            .front()
            .WeightBytes(stage, tensorRank);
    };
    return weights(experts) - weights({});
}

} // namespace

TEST_CASE("Serving instances: replicas of experts take memory on the rank that has the most",
          "[unit][workload][serving]")
{
    // Three layers have experts. Of equal weights experts 0, 1 and 2 count as hottest; experts 0
    // and 1 lie on rank 0, and 2 on rank 1. Their second copies are two ranks further: rank 2 gets
    // two of each layer, rank 3 one.
    const ExpertRoutingOptions experts{.hottest = 3, .replicas = 2};
    const InstanceOptions four{.data = 4, .expert = 4, .where = "here"};
    CHECK(BytesBeside(four, experts, 0, 0) == 3 * 2 * EXPERT_BYTES);
    // A tensor group has two neighbours: ranks 0 and 2, and ranks 1 and 3, have one place in it.
    const InstanceOptions pairs{.tensor = 2, .data = 2, .expert = 4, .where = "here"};
    CHECK(BytesBeside(pairs, experts, 0, 0) == 3 * 2 * EXPERT_BYTES);
    CHECK(BytesBeside(pairs, experts, 0, 1) == 3 * 1 * EXPERT_BYTES);
    // The first of two stages has one layer with experts, the second two.
    const InstanceOptions stages{.pipeline = 2, .data = 4, .expert = 4, .where = "here"};
    CHECK(BytesBeside(stages, experts, 0, 0) == 1 * 2 * EXPERT_BYTES);
    CHECK(BytesBeside(stages, experts, 1, 0) == 2 * 2 * EXPERT_BYTES);
}

TEST_CASE("Serving instances: replicas of experts leave less room for keys and values, or none",
          "[unit][workload][serving]")
{
    const ExpertRoutingOptions experts{.hottest = 8, .replicas = 4};
    InstanceOptions instance{.data = 4, .expert = 4, .where = "here"};
    instance.memory = Bytes(10'000'000);
    const auto blocks = [&](const ExpertRoutingOptions& options)
    { return MakeServingInstances(MakeServe(instance, options), 1).front().Blocks(); };
    // Each rank has two of eight experts, and gets the other six, in three layers.
    const uint64_t replicas = 3 * 6 * EXPERT_BYTES;
    const uint64_t lost = blocks({}) - blocks(experts);
    CHECK(lost >= replicas / BLOCK_BYTES);
    CHECK(lost <= replicas / BLOCK_BYTES + 1);
    // The weights of a rank are 332 kB, and 553 kB with the replicas.
    instance.memory = Bytes(500'000);
    CHECK(blocks({}) > 0);
    CHECK_THROWS_WITH(blocks(experts),
                      Catch::Contains("here: the weights of a rank") &&
                          Catch::Contains("write a larger tp, pp or ep, fewer replicas of "
                                          "experts, or more memory"));
}
