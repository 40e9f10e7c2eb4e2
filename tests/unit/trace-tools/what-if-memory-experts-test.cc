// SPDX-License-Identifier: GPL-2.0-only
// Memory of ranks with experts, whose copies are fewer than those of all else.
#include "tests/support/contains.h"
#include "tests/support/model-bench.h"
#include "tests/support/what-if-bench.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/what-if/memory/memory-estimate.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace nadi::test
{

namespace
{

constexpr uint64_t MIXED_HIDDEN = 64; // of the jobs of GenerateHalf, as the next two
constexpr uint64_t MIXED_WORDS = 128;
constexpr uint64_t MIXED_POSITIONS = 32;
constexpr uint64_t MIXED_EXPERTS = 8;
constexpr uint64_t MIXED_WIDTH = 128;
constexpr uint64_t MIXED_LAYERS = 4;

/// What each rank works on besides experts: queries, keys and values, the projection behind them,
/// the router, two norms a layer, the embedding with its positions, and the norm before the head.
constexpr uint64_t MIXED_DENSE_LAYER = (3 * MIXED_HIDDEN * MIXED_HIDDEN + 3 * MIXED_HIDDEN) +
                                       (MIXED_HIDDEN * MIXED_HIDDEN + MIXED_HIDDEN) +
                                       MIXED_HIDDEN * MIXED_EXPERTS + 4 * MIXED_HIDDEN;
constexpr uint64_t MIXED_EMBEDDING = (MIXED_WORDS + MIXED_POSITIONS) * MIXED_HIDDEN;
constexpr uint64_t MIXED_DENSE =
    MIXED_LAYERS * MIXED_DENSE_LAYER + MIXED_EMBEDDING + 2 * MIXED_HIDDEN;
/// Two matrices and their biases.
constexpr uint64_t MIXED_EXPERT = 2 * MIXED_HIDDEN * MIXED_WIDTH + MIXED_WIDTH + MIXED_HIDDEN;

uint64_t
Up(uint64_t number, uint64_t parts)
{
    return (number + parts - 1) / parts;
}

/// How the job is cut.
struct ExpertCut
{
    uint64_t copies = 4;
    uint64_t context = 1;
    uint64_t expert = 1;
    uint64_t zero = 0;
    uint64_t gradientSize = 2; // bytes

    uint64_t DenseCopies() const
    {
        return copies * context;
    }

    uint64_t ExpertCopies() const
    {
        return copies * context / expert;
    }

    /// On one rank.
    uint64_t InExperts() const
    {
        return MIXED_LAYERS * MIXED_EXPERTS / expert * MIXED_EXPERT;
    }

    /// Of what has `numberSize` bytes a number.
    uint64_t Whole(uint64_t numberSize) const
    {
        return numberSize * (MIXED_DENSE + InExperts());
    }

    /// Of a layer, what has copies: its shards are whole for a while.
    uint64_t SharedOfLayer() const
    {
        return MIXED_DENSE_LAYER + (ExpertCopies() > 1 ? InExperts() / MIXED_LAYERS : 0);
    }

    uint64_t InShards(uint64_t numberSize) const
    {
        return Up(numberSize * MIXED_DENSE, DenseCopies()) +
               Up(numberSize * InExperts(), ExpertCopies());
    }
};

Workload
GenerateExperts(const ExpertCut& cut)
{
    // Two micro-batches, which tell ZeRO 1 from ZeRO 2.
    return GenerateHalf({{{"layers", std::to_string(MIXED_LAYERS)},
                          {"experts", std::to_string(MIXED_EXPERTS)},
                          {"top-k", "2"},
                          {"expert-ffn", std::to_string(MIXED_WIDTH)},
                          {"dp", std::to_string(cut.copies)},
                          {"cp", std::to_string(cut.context)},
                          {"ep", std::to_string(cut.expert)},
                          {"zero", std::to_string(cut.zero)},
                          {"gradient-dtype", cut.gradientSize == 4 ? "fp32" : "bf16"},
                          {"batch", std::to_string(2 * cut.copies)}},
                         {},
                         {}},
                        {});
}

MemoryEstimate
EstimateJob(const Workload& job)
{
    return EstimateFullestRank(job, FindStructure(job, {}, {}));
}

MemoryPart
PartOf(const MemoryEstimate& estimate, const std::string& what)
{
    const auto part = std::ranges::find(estimate.parts, what, &MemoryPart::what);
    REQUIRE(part != estimate.parts.end());
    return *part;
}

void
CheckCut(const ExpertCut& cut)
{
    CAPTURE(cut.copies, cut.context, cut.expert, cut.zero, cut.gradientSize);
    const MemoryEstimate estimate = EstimateJob(GenerateExperts(cut));
    // The embedding stays whole for the head.
    CHECK(PartOf(estimate, "parameters").bytes ==
          (cut.zero == 3 ? cut.InShards(2) + 2 * (2 * cut.SharedOfLayer() + MIXED_EMBEDDING)
                         : cut.Whole(2)));
    CHECK(PartOf(estimate, "gradients").bytes ==
          (cut.zero >= 2 ? cut.InShards(cut.gradientSize) + cut.gradientSize * cut.SharedOfLayer()
                         : cut.Whole(cut.gradientSize)));
    CHECK(PartOf(estimate, "optimizer states").bytes ==
          12 * (cut.zero >= 1 ? cut.InShards(1) : cut.Whole(1)));
    CHECK(Contains(PartOf(estimate, "parameters").evidence,
                   std::to_string(cut.gradientSize) + " B a number"));
    CHECK(Contains(PartOf(estimate, "parameters").evidence,
                   std::to_string(cut.InExperts()) + " numbers of 2 B in experts"));
}

} // namespace

TEST_CASE("Memory: experts are in as many shards as they have copies", "[unit][trace-tools]")
{
    for (const uint64_t zero : {0, 1, 2, 3})
    {
        CheckCut({.expert = 2, .zero = zero});
        CheckCut({.expert = 2, .zero = zero, .gradientSize = 4});
        CheckCut({.copies = 2, .context = 2, .expert = 2, .zero = zero}); // over positions alone
    }
}

TEST_CASE("Memory: experts that nobody sums are what the optimizer updates beyond the sums",
          "[unit][trace-tools]")
{
    for (const uint64_t zero : {0, 1, 2, 3})
    {
        CheckCut({.expert = 4, .zero = zero});
        CheckCut({.expert = 4, .zero = zero, .gradientSize = 4});
    }
}

TEST_CASE("Memory: experts that nobody sums, where kernels do not tell them", "[unit][trace-tools]")
{
    const ExpertCut cut{.expert = 4};
    const auto isOfExperts = [](const KernelLaunch& kernel)
    { return kernel.op == KernelOp::GroupedGemm; };
    const auto isOfOptimizer = [](const KernelLaunch& kernel)
    { return kernel.op == KernelOp::Optimizer; };

    // The optimizer counts them, and its bytes tell those of a gradient.
    const MemoryPart counted =
        PartOf(EstimateJob(WithoutSome(GenerateExperts(cut), isOfExperts)), "parameters");
    CHECK(counted.bytes == cut.Whole(2));
    CHECK(Contains(counted.evidence, "2 B a number, as the optimizer updates"));

    // Their products count them, but for biases.
    const MemoryPart multiplied =
        PartOf(EstimateJob(WithoutSome(GenerateExperts(cut), isOfOptimizer)), "parameters");
    constexpr uint64_t biases = MIXED_WIDTH + MIXED_HIDDEN;
    CHECK(multiplied.bytes ==
          cut.Whole(2) - 2 * MIXED_LAYERS * MIXED_EXPERTS / cut.expert * biases);

    // Nothing does.
    const MemoryPart missing =
        PartOf(EstimateJob(WithoutKernels(GenerateExperts(cut))), "parameters");
    CHECK(missing.bytes == 2 * MIXED_DENSE);
    CHECK(Contains(missing.evidence, "experts are missing"));
}

} // namespace nadi::test
