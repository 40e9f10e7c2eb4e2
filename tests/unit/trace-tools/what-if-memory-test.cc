// SPDX-License-Identifier: GPL-2.0-only
// Memory of the fullest rank, against sums by hand.
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

constexpr uint64_t WIDTH = 64; // of the jobs of GenerateHalf, as the numbers below
constexpr uint64_t VOCABULARY = 128;
constexpr uint64_t TOKENS = 32;
constexpr uint64_t NUMBER = 2; // bytes

/// Biases and two vectors of each norm included.
constexpr uint64_t LAYER_PARAMETERS = (3 * WIDTH * WIDTH + 3 * WIDTH) + (WIDTH * WIDTH + WIDTH) +
                                      (8 * WIDTH * WIDTH + 4 * WIDTH + WIDTH) + 4 * WIDTH;
constexpr uint64_t EMBEDDING_PARAMETERS = (VOCABULARY + TOKENS) * WIDTH;

/// What queries, keys and values, the core, the projection and both products of the MLP write.
constexpr uint64_t LAYER_WRITES = TOKENS * (3 * WIDTH + WIDTH + WIDTH + 4 * WIDTH + WIDTH) * NUMBER;
constexpr uint64_t EMBEDDING_WRITES = TOKENS * WIDTH * NUMBER;
constexpr uint64_t HEAD_WRITES = TOKENS * VOCABULARY * NUMBER;

MemoryEstimate
EstimateOf(const ModelValues& values)
{
    const Workload job = GenerateHalf({values, {}, {}}, {});
    return EstimateFullestRank(job, FindStructure(job, {}, {}));
}

MemoryPart
PartOfEstimate(const MemoryEstimate& estimate, const std::string& what)
{
    const auto part = std::ranges::find(estimate.parts, what, &MemoryPart::what);
    REQUIRE(part != estimate.parts.end());
    return *part;
}

uint64_t
BytesOf(const MemoryEstimate& estimate, const std::string& what)
{
    return PartOfEstimate(estimate, what).bytes;
}

uint64_t
HalfOf(uint64_t number)
{
    return (number + 1) / 2;
}

} // namespace

TEST_CASE("Memory: parameters, gradients, states and activations of one stage",
          "[unit][trace-tools]")
{
    constexpr uint64_t parameters = 4 * LAYER_PARAMETERS + EMBEDDING_PARAMETERS + 2 * WIDTH;
    constexpr uint64_t activations = 4 * LAYER_WRITES + EMBEDDING_WRITES + HEAD_WRITES;
    const MemoryEstimate estimate = EstimateOf({{"layers", "4"}, {"dp", "2"}, {"batch", "4"}});
    CHECK(BytesOf(estimate, "parameters") == parameters * NUMBER);
    CHECK(BytesOf(estimate, "gradients") == parameters * NUMBER);
    CHECK(BytesOf(estimate, "optimizer states") == parameters * 12);
    CHECK(BytesOf(estimate, "activations") == activations);
    CHECK(estimate.Sum() == parameters * 16 + activations);

    // A single copy sums nothing: the optimizer says how many parameters there are.
    const MemoryEstimate alone = EstimateOf({{"layers", "4"}, {"dp", "1"}, {"batch", "2"}});
    CHECK(alone.Sum() == estimate.Sum());
}

TEST_CASE("Memory: shards of copies are cut", "[unit][trace-tools]")
{
    constexpr uint64_t parameters = 4 * LAYER_PARAMETERS + EMBEDDING_PARAMETERS + 2 * WIDTH;
    const auto estimate = [](const std::string& zero) {
        return EstimateOf({{"layers", "4"}, {"dp", "2"}, {"batch", "4"}, {"zero", zero}});
    };
    const MemoryEstimate one = estimate("1");
    CHECK(BytesOf(one, "parameters") == parameters * NUMBER);
    CHECK(BytesOf(one, "gradients") == parameters * NUMBER);
    CHECK(BytesOf(one, "optimizer states") == HalfOf(parameters) * 12);
    const MemoryEstimate two = estimate("2");
    CHECK(BytesOf(two, "parameters") == parameters * NUMBER);
    // A layer is larger than the embedding: its gradients are whole until they are scattered.
    CHECK(BytesOf(two, "gradients") == HalfOf(parameters * NUMBER) + LAYER_PARAMETERS * NUMBER);
    const MemoryEstimate three = estimate("3");
    // One layer is worked on while the parameters of the next are gathered. The head uses the
    // matrix of the embedding, which stays whole for it.
    CHECK(BytesOf(three, "parameters") ==
          HalfOf(parameters * NUMBER) + (2 * LAYER_PARAMETERS + EMBEDDING_PARAMETERS) * NUMBER);
    CHECK(BytesOf(three, "gradients") == BytesOf(two, "gradients"));
    CHECK(BytesOf(three, "optimizer states") == HalfOf(parameters) * 12);
}

TEST_CASE("Memory: an embedding is whole until the backward pass of a head that uses its matrix",
          "[unit][trace-tools]")
{
    constexpr uint64_t words = 2048;
    constexpr uint64_t embedding = (words + TOKENS) * WIDTH; // with positions
    constexpr uint64_t head = words * WIDTH + 2 * WIDTH;     // with the last norm
    static_assert(embedding > head && head > 2 * LAYER_PARAMETERS);
    const auto parameters = [](const std::string& isTied)
    {
        return BytesOf(EstimateOf({{"layers", "4"},
                                   {"dp", "2"},
                                   {"batch", "4"},
                                   {"zero", "3"},
                                   {"vocabulary", std::to_string(words)},
                                   {"tied-embeddings", isTied}}),
                       "parameters");
    };
    constexpr uint64_t tied = 4 * LAYER_PARAMETERS + embedding + 2 * WIDTH;
    CHECK(parameters("on") == HalfOf(tied * NUMBER) + (embedding + 2 * LAYER_PARAMETERS) * NUMBER);
    // Beside a head with a matrix of its own, an embedding is whole until the first layer has come.
    constexpr uint64_t untied = 4 * LAYER_PARAMETERS + embedding + head;
    CHECK(parameters("off") == HalfOf(untied * NUMBER) + (embedding + LAYER_PARAMETERS) * NUMBER);
}

TEST_CASE("Memory: the gradients that a single micro-batch scatters last are whole, too",
          "[unit][trace-tools]")
{
    // Nothing stands between the sum of the embedding and the optimizer.
    constexpr uint64_t words = 2048;
    constexpr uint64_t embedding = (words + TOKENS) * WIDTH;
    constexpr uint64_t parameters = 4 * LAYER_PARAMETERS + embedding + 2 * WIDTH;
    static_assert(embedding > LAYER_PARAMETERS);
    constexpr uint64_t kept = parameters * NUMBER / 2 + embedding * NUMBER;
    const auto gradients = [](const std::string& zero, const std::string& batch)
    {
        return PartOfEstimate(EstimateOf({{"layers", "4"},
                                          {"dp", "2"},
                                          {"batch", batch},
                                          {"zero", zero},
                                          {"vocabulary", std::to_string(words)}}),
                              "gradients");
    };
    CHECK(gradients("3", "4").bytes == kept); // two micro-batches
    CHECK(gradients("3", "2").bytes == kept);
    CHECK(gradients("2", "4").bytes == kept);
    CHECK(Contains(gradients("2", "2").evidence,
                   "from ZeRO 2, with which a rank keeps " + std::to_string(kept) + " B"));
}

TEST_CASE("Memory: gradients that nobody sums have the bytes that the optimizer reads",
          "[unit][trace-tools]")
{
    const ModelValues alone{
        {"layers", "4"}, {"dp", "1"}, {"batch", "2"}, {"gradient-dtype", "fp32"}};
    constexpr uint64_t parameters = 4 * LAYER_PARAMETERS + EMBEDDING_PARAMETERS + 2 * WIDTH;
    const MemoryPart told = PartOfEstimate(EstimateOf(alone), "gradients");
    CHECK(told.bytes == parameters * 4);
    CHECK(Contains(told.evidence, "4 B a number, as the optimizer reads them"));

    Workload job = GenerateHalf({alone, {}, {}}, {});
    job = WithoutSome(job,
                      [](const KernelLaunch& kernel) { return kernel.op == KernelOp::Optimizer; });
    const MemoryPart untold =
        PartOfEstimate(EstimateFullestRank(job, FindStructure(job, {}, {})), "gradients");
    CHECK(Contains(untold.evidence, "2 B a number (assumed)"));
}

TEST_CASE("Memory: a single micro-batch does not tell ZeRO 1 from ZeRO 2, and the estimate says so",
          "[unit][trace-tools]")
{
    const auto gradients = [](const std::string& zero, const std::string& batch)
    {
        return PartOfEstimate(
            EstimateOf({{"layers", "4"}, {"dp", "2"}, {"batch", batch}, {"zero", zero}}),
            "gradients");
    };
    const std::string doubt = "a single micro-batch does not tell ZeRO 1, which is taken, from "
                              "ZeRO 2, with which a rank keeps ";
    const MemoryPart two = gradients("2", "4"); // two micro-batches
    CHECK_FALSE(Contains(two.evidence, doubt));
    const MemoryPart one = gradients("2", "2");
    CHECK(one.bytes == gradients("1", "4").bytes);
    CHECK(Contains(one.evidence, doubt + std::to_string(two.bytes) + " B"));
    CHECK(Contains(gradients("1", "2").evidence, doubt));
    CHECK_FALSE(Contains(gradients("1", "4").evidence, doubt));
    CHECK_FALSE(Contains(gradients("3", "2").evidence, doubt));
    CHECK_FALSE(Contains(gradients("0", "2").evidence, doubt));
}

TEST_CASE("Memory: stages keep the passes that their schedule has in flight", "[unit][trace-tools]")
{
    constexpr uint64_t first = 2 * LAYER_PARAMETERS + EMBEDDING_PARAMETERS;
    const auto estimate = [](const std::string& schedule)
    {
        return EstimateOf(
            {{"layers", "4"}, {"pp", "2"}, {"dp", "2"}, {"batch", "8"}, {"schedule", schedule}});
    };
    constexpr uint64_t pass = 2 * LAYER_WRITES + EMBEDDING_WRITES;
    const MemoryEstimate turns = estimate("1f1b");
    CHECK(turns.rank == 0);
    CHECK(BytesOf(turns, "parameters") == first * NUMBER);
    CHECK(BytesOf(turns, "activations") == 2 * pass);
    const MemoryEstimate filled = estimate("gpipe");
    CHECK(filled.rank == 2); // what it receives is as large as what the embedding writes
    CHECK(BytesOf(filled, "activations") == 4 * (pass + HEAD_WRITES));
}

TEST_CASE("Memory: layers that are computed again keep what they begin with", "[unit][trace-tools]")
{
    const MemoryEstimate estimate =
        EstimateOf({{"layers", "4"}, {"dp", "2"}, {"batch", "4"}, {"recompute", "full"}});
    constexpr uint64_t kept = 4 * TOKENS * WIDTH * NUMBER;
    CHECK(BytesOf(estimate, "activations") == kept + EMBEDDING_WRITES + HEAD_WRITES + LAYER_WRITES);
}

TEST_CASE("Memory: of streamed parameters two layers are kept, and the gradients of one",
          "[unit][trace-tools]")
{
    const MemoryEstimate estimate =
        EstimateOf({{"layers", "4"}, {"dp", "2"}, {"batch", "4"}, {"weights", "streamed"}});
    CHECK(BytesOf(estimate, "parameters") == 2 * LAYER_PARAMETERS * NUMBER);
    CHECK(BytesOf(estimate, "gradients") == LAYER_PARAMETERS * NUMBER);
    CHECK(BytesOf(estimate, "optimizer states") == 0);
}

TEST_CASE("Memory: what an edit makes needs what the generator's job needs", "[unit][trace-tools]")
{
    const ModelValues common{{"tp", "2"}, {"dp", "2"}};
    const WhatIfPair pair{
        common, {{"layers", "4"}, {"batch", "4"}}, {{"layers", "8"}, {"batch", "4"}}};
    const Workload made = MakeWhatIf(GenerateHalf(pair, pair.from), pair.to);
    const Workload expected = GenerateHalf(pair, pair.to);
    const auto sum = [](const Workload& job)
    { return EstimateFullestRank(job, FindStructure(job, {}, {})).Sum(); };
    CHECK(sum(made) == sum(expected));
    CHECK(sum(WithNeutralNames(expected)) == sum(expected));
}

} // namespace nadi::test
