// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-plan.h"
#include "tests/support/ceil-log2.h"
#include "tests/support/symbolic-cost.h"

#include <catch2/catch.hpp>

#include <bit>
#include <optional>
#include <set>

using namespace nadi;
using symbolic::MakePlan;
using symbolic::StepsOf;
using symbolic::TrafficOf;

TEST_CASE("HalvingDoubling: for a power of two, step k exchanges n / 2^(k+1) with rank r xor "
          "p / 2^(k+1)",
          "[unit][system]")
{
    for (const uint32_t p : {2U, 8U, 16U})
    {
        const uint64_t n = 3ULL * p;
        const auto plan = MakePlan("halving-doubling",
                                   {.type = CollectiveType::AllReduce, .ranks = p, .elements = n});
        const uint32_t levels = CeilLog2(p);
        for (uint32_t r = 0; r < p; ++r)
        {
            const auto steps = StepsOf(*plan, r, 0, 0);
            REQUIRE(steps.size() == 2 * levels);
            for (uint32_t k = 0; k < levels; ++k)
            {
                const PlanStep& halving = steps[k];
                const PlanStep& doubling = steps[2 * levels - 1 - k];
                CHECK(halving.send->peer == (r ^ (p >> (k + 1))));
                CHECK(halving.send->range.Length() == n >> (k + 1));
                CHECK(halving.action == PlanStep::Action::Reduce);
                CHECK(doubling.send->peer == halving.receive->peer);
                CHECK(doubling.send->range == halving.receive->range);
                CHECK(doubling.action == PlanStep::Action::Copy);
            }
        }
    }
}

TEST_CASE("HalvingDoubling: for any p a rank of a reduce-scatter sends all shards but its own, and "
          "receives as many, in ceil(log2 p) rounds",
          "[unit][system]")
{
    for (uint32_t p = 2; p <= 66; ++p)
    {
        const uint64_t n = 3ULL * p;
        const auto plan = MakePlan(
            "halving-doubling", {.type = CollectiveType::ReduceScatter, .ranks = p, .elements = n});
        for (uint32_t r = 0; r < p; ++r)
        {
            const auto traffic = TrafficOf(*plan, r);
            INFO("p = " << p << ", rank " << r);
            CHECK(traffic.elementsSent == n - n / p);
            CHECK(traffic.elementsReceived == n - n / p);
            const auto steps = StepsOf(*plan, r, 0, 0);
            // In a round a rank sends to one peer: what wraps around is a message more.
            std::set<uint32_t> destinations;
            for (const PlanStep& step : steps)
            {
                if (step.send)
                {
                    destinations.insert(step.send->peer);
                }
            }
            CHECK(destinations.size() <= CeilLog2(p));
            CHECK(steps.size() <= 2 * CeilLog2(p));
            CHECK((!std::has_single_bit(p) || steps.size() == CeilLog2(p)));
        }
    }
}

TEST_CASE("HalvingDoubling: no step receives before the round has sent all", "[unit][system]")
{
    for (uint32_t p = 3; p <= 33; ++p)
    {
        const auto plan = MakePlan("halving-doubling",
                                   {.type = CollectiveType::AllReduce, .ranks = p, .elements = p});
        for (uint32_t r = 0; r < p; ++r)
        {
            std::optional<uint32_t> receivedIn; // the round, by its tag: two messages
            for (const PlanStep& step : StepsOf(*plan, r, 0, 0))
            {
                CHECK((!step.send || receivedIn != step.send->tag / 2 || std::has_single_bit(p)));
                if (step.receive)
                {
                    receivedIn = step.receive->tag / 2;
                }
            }
        }
    }
}

TEST_CASE("HalvingDoubling: an all-gather is the reduce-scatter backwards", "[unit][system]")
{
    const uint32_t p = 11;
    const PlanRequest request{.type = CollectiveType::ReduceScatter, .ranks = p, .elements = 100};
    const auto scatter = MakePlan("halving-doubling", request);
    const auto gather =
        MakePlan("halving-doubling",
                 {.type = CollectiveType::AllGather, .ranks = p, .elements = request.elements});
    for (uint32_t r = 0; r < p; ++r)
    {
        const auto there = TrafficOf(*scatter, r);
        const auto back = TrafficOf(*gather, r);
        CHECK(back.elementsSent == there.elementsReceived);
        CHECK(back.messagesReceived == there.messagesSent);
    }
}

TEST_CASE("HalvingDoubling: a broadcast reaches every member once from a root that sends "
          "ceil(log2 p) times",
          "[unit][system]")
{
    const uint64_t n = 10;
    for (uint32_t p = 2; p <= 17; ++p)
    {
        const uint32_t root = p / 2;
        const auto plan =
            MakePlan("halving-doubling",
                     {.type = CollectiveType::Broadcast, .ranks = p, .elements = n, .root = root});
        for (uint32_t r = 0; r < p; ++r)
        {
            CHECK(TrafficOf(*plan, r).elementsReceived == (r == root ? 0 : n));
        }
        CHECK(TrafficOf(*plan, root).messagesSent == CeilLog2(p));
    }
}
