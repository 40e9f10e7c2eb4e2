// SPDX-License-Identifier: GPL-2.0-only
// What CollectiveProgress says of collectives under way, held against what they really send.
#include "tests/support/communication-bench.h"
#include "tests/support/endpoint-algorithms.h"

#include <catch2/catch.hpp>

#include <optional>

using namespace nadi;
using namespace nadi::test;

namespace
{

CommunicationBench::Setup
MakeProgressSetup(const std::vector<Dimension>& stack, const std::string& algorithm)
{
    CommunicationBench::Setup setup;
    setup.stack = stack;
    setup.options = MakeOptions(algorithm, stack);
    setup.options.scheduling.chunks = 2;
    return setup;
}

CollectiveCall
MakeProgressCall(CommunicatorId communicator, uint32_t rank, CollectiveType type, uint64_t elements)
{
    CollectiveCall call;
    call.rank = RankId{rank};
    call.communicator = communicator;
    call.type = type;
    call.elements = elements;
    call.token = 1;
    call.node = NodeId{rank};
    call.name = "c";
    return call;
}

double
SumOfSent(const CommunicationBench& bench)
{
    double bytes = 0;
    for (const auto& [message, sent] : bench.Network().Sent())
    {
        bytes += static_cast<double>(message.size.Count());
    }
    return bytes;
}

/// What is planned soon after all ranks of `setup` have called it, over what is sent in the end.
double
PlannedOverSent(const CommunicationBench::Setup& setup,
                CollectiveType type,
                const std::vector<uint64_t>& elements)
{
    CommunicationBench bench(setup);
    for (uint32_t rank = 0; rank < bench.RankCount(); ++rank)
    {
        bench.CallAt(
            SimTime(),
            MakeProgressCall(CommunicatorId{0}, rank, type, elements[rank % elements.size()]));
    }
    double planned = 0;
    bench.At(SimTime::FromPs(1), [&] { planned = bench.Collectives().Progress().plannedBytes; });
    bench.Run();
    REQUIRE(bench.Records().size() == 1);
    CHECK(bench.Collectives().Progress().plannedBytes == 0);
    CHECK(bench.Collectives().Progress().deliveredBytes == 0);
    return planned / SumOfSent(bench);
}

} // namespace

TEST_CASE("CollectiveProgress: what is planned is what will be sent, with every algorithm",
          "[unit][system]")
{
    const auto stack =
        GENERATE(std::vector<Dimension>{MakeDimension("ring", 8)},
                 std::vector<Dimension>{MakeDimension("ring", 4), MakeDimension("switch", 6)});
    for (const CollectiveType type : AllCollectiveTypes())
    {
        for (const std::string& algorithm : EndpointAlgorithmsFor(type))
        {
            if (type != CollectiveType::Barrier) // which sends nothing
            {
                CAPTURE(stack.size(), algorithm, std::string(ToText(type)));
                CHECK(PlannedOverSent(MakeProgressSetup(stack, algorithm), type, {4800}) == 1);
            }
        }
    }
}

TEST_CASE("CollectiveProgress: what is planned counts each member's own size", "[unit][system]")
{
    const std::vector<Dimension> stack{MakeDimension("ring", 4)};
    for (const CollectiveType type :
         {CollectiveType::AllToAll, CollectiveType::Gather, CollectiveType::Scatter})
    {
        CAPTURE(std::string(ToText(type)));
        CHECK(PlannedOverSent(MakeProgressSetup(stack, "ring"), type, {80, 0, 8000, 160}) ==
              Approx(1));
    }
}

TEST_CASE("CollectiveProgress: the share of a ring's all-to-all grows evenly", "[unit][system]")
{
    constexpr uint32_t RANKS = 8;
    CommunicationBench::Setup setup = MakeProgressSetup({MakeDimension("ring", RANKS)}, "ring");
    setup.options.scheduling.chunks = 1;
    setup.latency = SimTime();
    setup.options.endpointDelay = SimTime();
    CommunicationBench bench(setup);
    for (uint32_t rank = 0; rank < RANKS; ++rank)
    {
        bench.CallAt(SimTime(),
                     MakeProgressCall(CommunicatorId{0}, rank, CollectiveType::AllToAll, 8000));
    }
    // At 1 B/ns every port sends 7 blocks of 1000 B, then 6, .. 1: 28 us in all.
    std::vector<double> shares;
    for (const int64_t us : {7, 13, 18, 22, 25, 27})
    {
        bench.At(SimTime::FromUs(us) + SimTime::FromPs(1),
                 [&] { shares.push_back(bench.Collectives().Progress().Share()); });
    }
    bench.Run();
    CHECK(shares == std::vector<double>{7 / 28., 13 / 28., 18 / 28., 22 / 28., 25 / 28., 27 / 28.});
}

TEST_CASE("CollectiveProgress: one that has ended leaves nothing behind", "[unit][system]")
{
    // Four ranks exchange a little on a ring; beside them, four others reduce much more.
    CommunicationBench::Setup setup = MakeProgressSetup({MakeDimension("ring", 8)}, "ring");
    Communicator small;
    Communicator large;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        small.ranks.push_back(RankId{rank});
        large.ranks.push_back(RankId{4 + rank});
    }
    setup.communicators = {small, large};
    CommunicationBench bench(setup);
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        // 43 elements: parts of different sizes, so that the plan is met only nearly.
        bench.CallAt(SimTime(),
                     MakeProgressCall(CommunicatorId{1}, rank, CollectiveType::AllToAll, 43));
        bench.CallAt(
            SimTime(),
            MakeProgressCall(CommunicatorId{2}, 4 + rank, CollectiveType::AllReduce, 8'000'000));
    }
    std::optional<CollectiveProgress> between;
    bench.At(SimTime::FromUs(500), // the first shard of the large one takes 1 ms
             [&]
             {
                 REQUIRE(bench.Records().size() == 1);
                 between = bench.Collectives().Progress();
             });
    bench.Run();
    REQUIRE(between);
    CHECK(between->members == 4);
    CHECK(between->plannedBytes == Approx(4 * 2 * 3 * 2'000'000));
    CHECK(between->deliveredBytes == 0);
}
