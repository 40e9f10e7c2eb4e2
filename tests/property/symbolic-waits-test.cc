// SPDX-License-Identifier: GPL-2.0-only
// Are plans proven whose lanes wait for each other, and who work on what they hold?
#include "tests/support/scratch-exchange-plan.h"
#include "tests/support/symbolic-promise.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace nadi;
using namespace nadi::test;
using Catch::Matchers::Contains;

namespace
{

struct StepPlace
{
    uint32_t rank = 0;
    uint32_t lane = 0;
    uint32_t step = 0;

    bool operator==(const StepPlace&) const = default;
};

using StepAlteration = std::function<void(StepPlace, PlanStep&)>;

/// The exchange through scratch, but for what `alter` does to its steps.
class AlteredExchange : public ScratchExchangePlan
{
  public:
    AlteredExchange(uint32_t ranks, uint64_t elements, StepAlteration alter)
        : ScratchExchangePlan(ranks, elements)
        , m_alter(std::move(alter))
    {
    }

    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override
    {
        PlanStep altered = ScratchExchangePlan::StepAt(rank, stage, lane, step);
        m_alter({rank, lane, step}, altered);
        return altered;
    }

  private:
    StepAlteration m_alter;
};

constexpr uint32_t GROUP = 3;
/// Of a group of three: lane 0 copies, 1 and 2 send, 3 and 4 receive, 5 reduces.
constexpr uint32_t SENDING_LANE = 1;
constexpr uint32_t RECEIVING_LANE = GROUP;
constexpr uint32_t REDUCING_LANE = 2 * GROUP - 1;

PlanRequest
AllReduceOf(uint32_t ranks, uint64_t elements)
{
    return {.type = CollectiveType::AllReduce, .ranks = ranks, .elements = elements};
}

/// What is found in any of many orders of what may happen.
std::string
ProblemWith(const StepAlteration& alter)
{
    const PlanRequest request = AllReduceOf(GROUP, 2);
    const AlteredExchange plan(request.ranks, request.elements, alter);
    // A rank must be drawn last many times in a row before it reduces into what it has yet to copy.
    for (uint32_t seed = 0; seed < 5000; ++seed)
    {
        if (const auto problem = symbolic::FindProblem(request, plan, {seed, 1}))
        {
            return *problem;
        }
    }
    return "none";
}

} // namespace

TEST_CASE("Symbolic check: a plan whose lanes wait for each other and work locally is proven",
          "[property][symbolic]")
{
    for (uint32_t ranks = 1; ranks <= 7; ++ranks)
    {
        for (const uint64_t elements : {0U, 1U, 5U})
        {
            for (uint32_t seed = 0; seed < 20; ++seed)
            {
                const PlanRequest request = AllReduceOf(ranks, elements);
                const auto plan = ScratchExchange().MakePlan(request);
                INFO("p = " << ranks << ", n = " << elements << ", seed " << seed);
                CHECK(symbolic::FindProblem(request, *plan, {seed, 1}).value_or("") == "");
            }
        }
    }
    CHECK(ProblemWith([](StepPlace, PlanStep&) {}) == "none");
}

TEST_CASE("Symbolic check: a wait that is left out is missed", "[property][symbolic]")
{
    const auto leaveOut = [](StepPlace place)
    {
        return ProblemWith(
            [place](StepPlace at, PlanStep& step)
            {
                if (at == place)
                {
                    step.after.reset();
                }
            });
    };
    // Sent before it is copied, copied after others were reduced, reduced before it has come.
    CHECK(leaveOut({1, SENDING_LANE, 0}) != "none");
    CHECK(leaveOut({1, REDUCING_LANE, 0}) != "none");
    CHECK(leaveOut({1, REDUCING_LANE, 1}) != "none");
}

TEST_CASE("Symbolic check: lanes that wait for each other in a circle are named",
          "[property][symbolic]")
{
    const auto closeCircle = [](StepPlace at, PlanStep& step)
    {
        if (at == StepPlace{2, 0, 0})
        {
            step.after = LaneStep{.lane = REDUCING_LANE, .step = 2};
        }
    };
    CHECK(ProblemWith(closeCircle) ==
          "rank 2 waits in a circle: lane 0 (step 0) -> lane 5 (step 0) -> lane 0");
    const auto waitForItself = [](StepPlace at, PlanStep& step)
    {
        if (at == StepPlace{0, REDUCING_LANE, 1})
        {
            step.after = LaneStep{.lane = REDUCING_LANE, .step = 1};
        }
    };
    CHECK(ProblemWith(waitForItself) == "rank 0 waits in a circle: lane 5 (step 1) -> lane 5");
}

TEST_CASE("Symbolic check: a wait for a step that does not exist is named", "[property][symbolic]")
{
    const auto waitForNobody = [](StepPlace at, PlanStep& step)
    {
        if (at == StepPlace{0, 0, 0})
        {
            step.after = LaneStep{.lane = RECEIVING_LANE, .step = 7};
        }
    };
    CHECK(ProblemWith(waitForNobody) ==
          "rank 0, lane 0 waits for step 7 of lane 3, which does not exist");
}

TEST_CASE("Symbolic check: lanes that wait, in the end, for a message are no circle",
          "[property][symbolic]")
{
    const auto sendNothing = [](StepPlace at, PlanStep& step)
    {
        if (at == StepPlace{1, SENDING_LANE, 0})
        {
            step.send.reset();
        }
    };
    CHECK_THAT(ProblemWith(sendNothing), Contains("waits for ever") && Contains("for rank 1"));
}

TEST_CASE("Symbolic check: local work on wrong ranges is seen", "[property][symbolic]")
{
    const auto work = [](const LocalWork& local, PlanStep::Action action)
    {
        return ProblemWith(
            [&](StepPlace at, PlanStep& step)
            {
                if (at == StepPlace{0, 0, 0})
                {
                    step.local = local;
                    step.action = action;
                }
            });
    };
    using Action = PlanStep::Action;
    CHECK_THAT(work({.from = {0, 2}, .into = {3, 4}}, Action::Copy), Contains("two lengths"));
    CHECK_THAT(work({.from = {0, 2}, .into = {8, 10}}, Action::Copy), Contains("outside"));
    CHECK_THAT(work({.from = {1, 2}, .into = {0, 1}}, Action::Reduce),
               Contains("different elements into one"));
    CHECK_THAT(work({.from = {1, 2}, .into = {0, 1}}, Action::Copy),
               Contains("different elements into one"));
}
