// SPDX-License-Identifier: GPL-2.0-only
// How much do plans move, held against what the collectives demand? With n the elements of the
// whole buffer: S for all-reduce, reduce-scatter, broadcast, reduce, all-to-all; p S for the rest.
#include "system/collective-plan.h"
#include "tests/support/endpoint-algorithms.h"
#include "tests/support/symbolic-cost.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;
using symbolic::MakePlan;
using symbolic::Traffic;
using symbolic::TrafficOf;

namespace
{

constexpr uint32_t LARGEST_GROUP = 17;

/// Elements that all ranks together must send at least: p times the table of docs/collectives.md,
/// or what a root must move.
uint64_t
MandatoryElements(CollectiveType type, uint64_t n, uint64_t p)
{
    switch (type)
    {
    case CollectiveType::AllReduce:
        return 2 * n * (p - 1);
    case CollectiveType::Gather:
    case CollectiveType::Scatter:
        return n / p * (p - 1);
    case CollectiveType::Barrier:
        return 0;
    default:
        return n * (p - 1);
    }
}

Traffic
TotalOf(const CollectivePlan& plan, uint32_t ranks)
{
    Traffic total;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        const Traffic traffic = TrafficOf(plan, rank);
        total.elementsSent += traffic.elementsSent;
        total.elementsReceived += traffic.elementsReceived;
        total.messagesSent += traffic.messagesSent;
        total.messagesReceived += traffic.messagesReceived;
    }
    return total;
}

bool
PassesOn(const std::string& name, CollectiveType type)
{
    return type == CollectiveType::AllToAll && name != "direct";
}

} // namespace

TEST_CASE("CollectiveAlgorithm: ranks send in all what the collective demands, and no more",
          "[unit][system]")
{
    for (const CollectiveType type : AllCollectiveTypes())
    {
        for (const std::string& name : test::EndpointAlgorithmsFor(type))
        {
            for (uint32_t p = 1; p <= LARGEST_GROUP; ++p)
            {
                const uint64_t n = type == CollectiveType::Barrier ? 0 : 12ULL * p;
                const auto plan = MakePlan(name, {.type = type, .ranks = p, .elements = n});
                const Traffic total = TotalOf(*plan, p);
                INFO(name << " " << ToText(type) << " p = " << p);
                CHECK(total.elementsSent == total.elementsReceived);
                CHECK(total.messagesSent == total.messagesReceived);
                if (!PassesOn(name, type))
                {
                    CHECK(total.elementsSent == MandatoryElements(type, n, p));
                }
            }
        }
    }
}

TEST_CASE("CollectiveAlgorithm: TimesSent is what ranks send over what the collective demands",
          "[unit][system]")
{
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    for (const CollectiveType type : AllCollectiveTypes())
    {
        for (const std::string& name : test::EndpointAlgorithmsFor(type))
        {
            for (uint32_t p = 2; p <= LARGEST_GROUP; ++p)
            {
                const uint64_t n = type == CollectiveType::Barrier ? 0 : 12ULL * p;
                const auto plan = MakePlan(name, {.type = type, .ranks = p, .elements = n});
                const auto demanded = static_cast<double>(MandatoryElements(type, n, p));
                INFO(name << " " << ToText(type) << " p = " << p);
                CHECK(static_cast<double>(TotalOf(*plan, p).elementsSent) ==
                      demanded * registry.Make(name)->TimesSent(type, p));
            }
        }
    }
}

TEST_CASE("CollectiveAlgorithm: BusiestPort is what the busiest rank sends or receives",
          "[unit][system]")
{
    constexpr uint32_t largest = 43;
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const bool holdsPart = type == CollectiveType::AllGather || type == CollectiveType::Gather;
        for (const std::string& name : test::EndpointAlgorithmsFor(type))
        {
            for (uint32_t p = 2; p <= largest; ++p)
            {
                const uint64_t n = type == CollectiveType::Barrier ? 0 : 12ULL * p;
                const auto plan = MakePlan(name, {.type = type, .ranks = p, .elements = n});
                uint64_t most = 0;
                for (uint32_t rank = 0; rank < p; ++rank)
                {
                    const Traffic traffic = TrafficOf(*plan, rank);
                    most = std::max({most, traffic.elementsSent, traffic.elementsReceived});
                }
                const Bytes held(static_cast<int64_t>(holdsPart ? n / p : n));
                INFO(name << " " << ToText(type) << " p = " << p);
                CHECK(registry.Make(name)->BusiestPort(type, held, p).Count() ==
                      static_cast<int64_t>(most));
            }
        }
    }
}

TEST_CASE("CollectiveAlgorithm: an all-to-all on rings carries a block once per place it passes",
          "[unit][system]")
{
    for (const std::string name : {"ring", "bidirectional-ring"})
    {
        for (uint32_t p = 2; p <= LARGEST_GROUP; ++p)
        {
            const uint64_t block = 12;
            const auto plan = MakePlan(
                name, {.type = CollectiveType::AllToAll, .ranks = p, .elements = block * p});
            // A row's block for the member d places ahead is sent d times, whichever way.
            const uint64_t hops = uint64_t{p} * (p - 1) / 2;
            for (uint32_t rank = 0; rank < p; ++rank)
            {
                CHECK(TrafficOf(*plan, rank).elementsSent == block * hops);
            }
        }
    }
}

TEST_CASE("CollectiveAlgorithm: in all but trees every rank sends its mandatory share",
          "[unit][system]")
{
    for (const CollectiveType type :
         {CollectiveType::AllReduce, CollectiveType::ReduceScatter, CollectiveType::AllGather})
    {
        for (const std::string& name : test::EndpointAlgorithmsFor(CollectiveType::ReduceScatter))
        {
            for (const uint32_t p : {2U, 4U, 8U, 16U})
            {
                const uint64_t n = 12ULL * p;
                const auto plan = MakePlan(name, {.type = type, .ranks = p, .elements = n});
                for (uint32_t rank = 0; rank < p; ++rank)
                {
                    const Traffic traffic = TrafficOf(*plan, rank);
                    CHECK(traffic.elementsSent == MandatoryElements(type, n, p) / p);
                    CHECK(traffic.elementsReceived == traffic.elementsSent);
                }
            }
        }
    }
}

TEST_CASE("CollectiveAlgorithm: empty shards are messages too", "[unit][system]")
{
    for (const CollectiveType type : {CollectiveType::AllReduce, CollectiveType::AllGather})
    {
        for (const std::string& name : test::EndpointAlgorithmsFor(type))
        {
            for (const uint32_t p : {2U, 3U, 8U})
            {
                const auto none = MakePlan(name, {.type = type, .ranks = p, .elements = 0});
                const auto some = MakePlan(name, {.type = type, .ranks = p, .elements = 2ULL * p});
                CHECK(TotalOf(*none, p).messagesSent == TotalOf(*some, p).messagesSent);
            }
        }
    }
}
