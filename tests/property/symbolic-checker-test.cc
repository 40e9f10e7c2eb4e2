// SPDX-License-Identifier: GPL-2.0-only
// Does the symbolic check see what is wrong with a plan? Each test breaks a correct one.
#include "system/collective-plan.h"
#include "tests/support/symbolic-promise.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace nadi;
using Catch::Matchers::Contains;

namespace
{

struct Place
{
    uint32_t rank = 0;
    uint32_t step = 0;

    bool operator==(const Place&) const = default;
};

using Alteration = std::function<void(Place, PlanStep&)>;

/// A correct plan but for what `alter` does to its steps.
class AlteredPlan : public CollectivePlan
{
  public:
    AlteredPlan(const CollectivePlan& original, Alteration alter)
        : m_original(original)
        , m_alter(std::move(alter))
    {
    }

    uint32_t StageCount() const override
    {
        return m_original.StageCount();
    }

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override
    {
        return m_original.LaneCount(rank, stage);
    }

    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override
    {
        return m_original.StepCount(rank, stage, lane);
    }

    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override
    {
        PlanStep altered = m_original.StepAt(rank, stage, lane, step);
        m_alter({rank, step}, altered);
        return altered;
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return m_original.OwnedRanges(rank);
    }

  private:
    const CollectivePlan& m_original;
    Alteration m_alter;
};

constexpr uint32_t PLAN_RANKS = 4;
/// Of a ring all-reduce of four: steps 0..2 scatter, 3..5 gather.
constexpr uint32_t FIRST_GATHER_STEP = PLAN_RANKS - 1;

std::string
ProblemOf(CollectiveType type, const Alteration& alter)
{
    const PlanRequest request{
        .type = type, .ranks = PLAN_RANKS, .elements = type == CollectiveType::Barrier ? 0U : 8U};
    const auto ring = Registry<CollectiveAlgorithm>::Instance().Make("ring");
    const auto plan = ring->MakePlan(request);
    const AlteredPlan altered(*plan, alter);
    return symbolic::FindProblem(request, altered, {.seed = 7, .window = 4}).value_or("none");
}

/// Everyone owns everything.
class OwningAll : public AlteredPlan
{
  public:
    explicit OwningAll(const CollectivePlan& original)
        : AlteredPlan(original, [](Place, PlanStep&) {})
    {
    }

    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {{0, 8}};
    }
};

} // namespace

TEST_CASE("Symbolic check: finds nothing in an unaltered plan", "[property][symbolic]")
{
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::Barrier})
    {
        CHECK(ProblemOf(type, [](Place, PlanStep&) {}) == "none");
    }
}

TEST_CASE("Symbolic check: a message that is not sent is waited for", "[property][symbolic]")
{
    const auto drop = [](Place place, PlanStep& step)
    {
        if (place == Place{2, 1})
        {
            step.send.reset();
        }
    };
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, drop), Contains("waits for ever"));
}

TEST_CASE("Symbolic check: a message that is not received is named", "[property][symbolic]")
{
    const auto ignore = [](Place place, PlanStep& step)
    {
        if (place == Place{3, 1})
        {
            step.receive.reset();
        }
    };
    CHECK(ProblemOf(CollectiveType::AllReduce, ignore) ==
          "message 2 -> 3 (tag 1) is never received");
}

TEST_CASE("Symbolic check: a contribution that is left out is missed", "[property][symbolic]")
{
    const auto leaveOut = [](Place place, PlanStep& step)
    {
        if (place == Place{2, 1})
        {
            step.send.reset();
        }
        if (place == Place{3, 1})
        {
            step.receive.reset();
        }
    };
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, leaveOut), Contains("wrong tokens"));
    CHECK_THAT(ProblemOf(CollectiveType::Barrier, leaveOut), Contains("passes the barrier"));
}

TEST_CASE("Symbolic check: a copy for a reduction, or the reverse, is seen", "[property][symbolic]")
{
    const auto copyEarly = [](Place place, PlanStep& step)
    {
        if (place == Place{1, 0})
        {
            step.action = PlanStep::Action::Copy;
        }
    };
    const auto reduceLate = [](Place place, PlanStep& step)
    {
        if (place == Place{1, FIRST_GATHER_STEP})
        {
            step.action = PlanStep::Action::Reduce;
        }
    };
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, copyEarly), Contains("wrong tokens"));
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, reduceLate), Contains("wrong tokens"));
}

TEST_CASE("Symbolic check: two ends that differ in range or origin are seen",
          "[property][symbolic]")
{
    const auto otherRange = [](Place place, PlanStep& step)
    {
        if (place == Place{0, 2})
        {
            step.send->range = {0, 1};
        }
    };
    const auto otherOrigin = [](Place place, PlanStep& step)
    {
        if (place == Place{0, 2})
        {
            step.send->origin = (step.send->origin + 1) % PLAN_RANKS;
        }
    };
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, otherRange), Contains("ends that differ"));
    CHECK_THAT(ProblemOf(CollectiveType::AllToAll, otherOrigin), Contains("ends that differ"));
}

TEST_CASE("Symbolic check: one name for two messages is seen", "[property][symbolic]")
{
    const auto sameTag = [](Place, PlanStep& step) { step.send->tag = 0; };
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, sameTag), Contains("sent twice"));
}

TEST_CASE("Symbolic check: a message to oneself or to nobody is seen", "[property][symbolic]")
{
    for (const uint32_t peer : {0U, PLAN_RANKS})
    {
        const auto astray = [&](Place place, PlanStep& step)
        {
            if (place == Place{0, 0})
            {
                step.send->peer = peer;
            }
        };
        CHECK_THAT(ProblemOf(CollectiveType::AllReduce, astray), Contains("no other member"));
    }
}

TEST_CASE("Symbolic check: a range outside the buffer is seen", "[property][symbolic]")
{
    const auto outside = [](Place place, PlanStep& step)
    {
        if (place == Place{0, 0})
        {
            step.send->range.end += 8;
        }
    };
    CHECK_THAT(ProblemOf(CollectiveType::AllReduce, outside), Contains("passes the end"));
    CHECK_THAT(ProblemOf(CollectiveType::AllToAll, outside), Contains("passes the end"));
}

TEST_CASE("Symbolic check: ranks that all receive before they send are stuck",
          "[property][symbolic]")
{
    const auto receiveFirst = [](Place place, PlanStep& step)
    {
        // The send of step 0 moves to step 1, so that step 0 waits for what nobody has sent.
        if (place.step == 0)
        {
            step.send.reset();
        }
        else if (place.step == 1)
        {
            step.send->tag = 0;
        }
    };
    CHECK_THAT(ProblemOf(CollectiveType::AllGather, receiveFirst), Contains("waits for ever"));
}

TEST_CASE("Symbolic check: parts that overlap are seen", "[property][symbolic]")
{
    const PlanRequest request{
        .type = CollectiveType::ReduceScatter, .ranks = PLAN_RANKS, .elements = 8};
    const auto ring = Registry<CollectiveAlgorithm>::Instance().Make("ring");
    const auto plan = ring->MakePlan(request);
    CHECK(symbolic::FindProblem(request, OwningAll(*plan), {.seed = 1, .window = 1}) ==
          "element 0 has 4 owners");
}
