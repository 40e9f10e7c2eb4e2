// SPDX-License-Identifier: GPL-2.0-only
// Does every registered algorithm keep the promise of every collective that it supports?
#include "system/collective-plan.h"
#include "tests/support/case-count.h"
#include "tests/support/random-trees.h"
#include "tests/support/symbolic-promise.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <bit>
#include <functional>
#include <optional>
#include <set>

using namespace nadi;

namespace
{

// Steps grow with the square of the group; groups of nine already are odd, and more than a power of
// two.
const uint32_t LARGEST_GROUP = test::CaseCount{.reduced = 5, .normal = 17, .full = 17}.Pick();

// So of the larger ones some are enough: a multiple of four, a power of two, and an odd one.
const std::set<uint32_t> LARGE_GROUPS{12, 16, 17};
const uint32_t ALL_UP_TO = test::CaseCount{.reduced = 5, .normal = 9, .full = 17}.Pick();

/// Elements of this size make slices of two elements (of 128 KiB), so that few elements already
/// fill a pipeline; elements of one byte make one slice.
constexpr uint32_t HALF_SLICE_BYTES = 64 * 1024;

std::set<uint64_t>
SizesFor(CollectiveType type, uint64_t p)
{
    if (type == CollectiveType::Barrier)
    {
        return {0};
    }
    return {0, 1, p - 1, p, 7 * p + 3};
}

std::set<uint32_t>
RootsFor(CollectiveType type, uint32_t p)
{
    std::set<uint32_t> roots{0};
    for (uint32_t root = 0; HasRoot(type) && root < p; ++root)
    {
        roots.insert(root);
    }
    return roots;
}

/// All that may make a difference to a plan, for one algorithm, collective and group.
std::vector<PlanRequest>
RequestsFor(CollectiveType type, uint32_t p)
{
    std::vector<PlanRequest> requests;
    for (const uint64_t elements : SizesFor(type, p))
    {
        for (const uint32_t root : RootsFor(type, p))
        {
            for (const LineOrder line : {LineOrder::Cycle, LineOrder::Folded})
            {
                for (const uint32_t elementBytes : {1U, HALF_SLICE_BYTES})
                {
                    requests.push_back({type, p, elements, elementBytes, root, line});
                }
            }
        }
    }
    return requests;
}

/// Trees of switches for algorithms that need them.
class Helpers
{
  public:
    enum class Kind : uint8_t
    {
        Any,
        Flat,
    };

    /// `request` with trees, which last until the next call.
    PlanRequest GiveTo(PlanRequest request, const CollectiveAlgorithm& algorithm, Kind kind)
    {
        const std::optional<TreeDemand> demand = algorithm.NeedsTrees();
        if (demand && request.ranks > 1)
        {
            m_trees = DrawTrees(request.ranks, demand->isFlat || kind == Kind::Flat, ++m_seed);
            request.trees = &m_trees;
        }
        return request;
    }

  private:
    AggregationTrees m_trees;
    uint32_t m_seed = 0;
};

std::string
Describe(const std::string& name, const PlanRequest& request)
{
    return fmt::format("{} {}: p = {}, n = {} x {} B, root {}, {}",
                       name,
                       ToText(request.type),
                       request.ranks,
                       request.elements,
                       request.elementBytes,
                       request.root,
                       request.line == LineOrder::Cycle ? "cycle" : "folded");
}

using Visitor =
    std::function<void(const std::string&, const CollectiveAlgorithm&, CollectiveType, uint32_t)>;

/// Calls `visit` for every registered algorithm, collective that it supports, and group size.
void
ForEveryGroup(const Visitor& visit)
{
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    for (const std::string& name : registry.Names())
    {
        const auto algorithm = registry.Make(name);
        if (algorithm->Programs() != nullptr)
        {
            continue; // its plans are those of a program, which is proven for each group
        }
        for (const CollectiveType type : AllCollectiveTypes())
        {
            for (uint32_t p = 1; algorithm->Supports(type) && p <= LARGEST_GROUP; ++p)
            {
                if (p <= ALL_UP_TO || LARGE_GROUPS.contains(p))
                {
                    visit(name, *algorithm, type, p);
                }
            }
        }
    }
}

} // namespace

TEST_CASE("CollectiveAlgorithm: every plan keeps the collective's promise in any order of arrival",
          "[property][system][symbolic]")
{
    uint32_t seed = 0;
    Helpers helpers;
    std::set<std::pair<std::string, CollectiveType>> seen;
    ForEveryGroup(
        [&](const auto& name, const auto& algorithm, CollectiveType type, uint32_t p)
        {
            for (const PlanRequest& each : RequestsFor(type, p))
            {
                const PlanRequest request = helpers.GiveTo(each, algorithm, Helpers::Kind::Any);
                const auto plan = algorithm.MakePlan(request);
                for (const uint32_t window : {1U, 2U, 64U})
                {
                    const auto problem = symbolic::FindProblem(request, *plan, {++seed, window});
                    INFO(Describe(name, request) << ", window " << window << ", seed " << seed);
                    CHECK(problem.value_or("") == "");
                }
            }
            seen.emplace(name, type);
        });
    for (const CollectiveType type : AllCollectiveTypes())
    {
        for (const std::string& name : AlgorithmsFor(type))
        {
            const bool isStored =
                Registry<CollectiveAlgorithm>::Instance().Make(name)->Programs() != nullptr;
            CHECK(seen.count({name, type}) == (isStored ? 0 : 1));
        }
    }
}

TEST_CASE("CollectiveAlgorithm: a group of one has no steps and owns everything",
          "[property][system][symbolic]")
{
    ForEveryGroup(
        [](const auto& name, const auto& algorithm, CollectiveType type, uint32_t p)
        {
            if (p > 1)
            {
                return;
            }
            INFO(name << " " << ToText(type));
            const auto plan = algorithm.MakePlan({.type = type, .ranks = 1, .elements = 5});
            for (uint32_t stage = 0; stage < plan->StageCount(); ++stage)
            {
                for (uint32_t lane = 0; lane < plan->LaneCount(0, stage); ++lane)
                {
                    CHECK(plan->StepCount(0, stage, lane) == 0);
                }
            }
            CHECK(algorithm.LatencySteps(type, 1) == 0);
        });
}

TEST_CASE("CollectiveAlgorithm: no more messages than LatencySteps wait for one another",
          "[property][system][symbolic]")
{
    ForEveryGroup(
        [](const auto& name, const auto& algorithm, CollectiveType type, uint32_t p)
        {
            Helpers helpers;
            const PlanRequest request = helpers.GiveTo(
                {.type = type, .ranks = p, .elements = p}, algorithm, Helpers::Kind::Flat);
            const auto plan = algorithm.MakePlan(request);
            symbolic::Execution execution(*plan, symbolic::MakeBuffers(request, *plan), {p, 64});
            REQUIRE_FALSE(execution.Run());
            INFO(Describe(name, request));
            CHECK(execution.LongestChain() <= algorithm.LatencySteps(type, p));
            if (std::has_single_bit(p))
            {
                CHECK(execution.LongestChain() == algorithm.LatencySteps(type, p));
            }
        });
}

TEST_CASE("CollectiveAlgorithm: a reduce-scatter and an all-gather of one size divide alike",
          "[property][system][symbolic]")
{
    ForEveryGroup(
        [](const auto& name, const auto& algorithm, CollectiveType type, uint32_t p)
        {
            if (type != CollectiveType::ReduceScatter)
            {
                return;
            }
            Helpers helpers;
            for (const PlanRequest& each : RequestsFor(type, p))
            {
                PlanRequest request = helpers.GiveTo(each, algorithm, Helpers::Kind::Any);
                INFO(Describe(name, request));
                const auto scatter = algorithm.MakePlan(request);
                request.type = CollectiveType::AllGather;
                REQUIRE(algorithm.Supports(request.type));
                const auto gather = algorithm.MakePlan(request);
                for (uint32_t rank = 0; rank < p; ++rank)
                {
                    CHECK(scatter->OwnedRanges(rank) == gather->OwnedRanges(rank));
                }
            }
        });
}
