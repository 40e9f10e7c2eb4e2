// SPDX-License-Identifier: GPL-2.0-only
#include "common/hash.h"
#include "tests/support/communication-bench.h"
#include "tests/support/endpoint-algorithms.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint32_t CALL_CHUNKS = 4;

struct Policy
{
    std::string inter;
    std::string intra;
};

const std::vector<Policy> POLICIES = {{"baseline", "fifo"},
                                      {"baseline", "lifo"},
                                      {"baseline", "smallest-first"},
                                      {"themis", "fifo"},
                                      {"themis", "lifo"},
                                      {"themis", "smallest-first"}};

std::vector<Dimension>
MakeStack(const std::vector<uint32_t>& sizes)
{
    std::vector<Dimension> stack;
    for (const uint32_t size : sizes)
    {
        stack.push_back(MakeDimension("ring", size));
        // Unlike dimensions, so that Themis has something to balance.
        stack.back().bandwidth = stack.back().bandwidth * static_cast<int64_t>(stack.size());
    }
    return stack;
}

CommunicationBench::Setup
MakePolicySetup(const std::vector<Dimension>& stack,
                const Policy& policy,
                const std::string& algorithm)
{
    CommunicationBench::Setup setup;
    setup.stack = stack;
    setup.options = MakeOptions(algorithm, stack);
    setup.options.scheduling.chunks = CALL_CHUNKS;
    setup.options.scheduling.interDimension = policy.inter;
    setup.options.scheduling.intraDimension = policy.intra;
    return setup;
}

CollectiveCall
MakeCallOfType(uint32_t rank, uint32_t communicator, uint32_t call, CollectiveType type)
{
    return {.rank = RankId{rank},
            .communicator = CommunicatorId{communicator},
            .call = call,
            .type = type,
            .elements = type == CollectiveType::Barrier ? 0U : 16U * 3 * CALL_CHUNKS * 10,
            .root = {},
            .token = uint64_t{communicator} << 32 | call,
            .node = NodeId{call},
            .name = "c"};
}

/// A random time below 20 us; one in eight is a straggler, ten times as late.
SimTime
RandomTime(uint64_t seed, uint64_t rank, uint64_t call)
{
    const uint64_t random = Hash64({seed, rank, call});
    const auto time = SimTime::FromPs(static_cast<int64_t>(random % 20'000'000));
    return random >> 61 == 0 ? time * 10 : time;
}

/// Every member of every communicator makes `calls` calls, each at a random time.
void
CallAtRandom(CommunicationBench& bench, CollectiveType type, uint32_t calls, uint64_t seed)
{
    for (const Communicator& communicator : bench.Communicators())
    {
        for (const RankId rank : communicator.ranks)
        {
            for (uint32_t call = 0; call < calls; ++call)
            {
                const uint64_t key = uint64_t{communicator.id.value} << 32 | call;
                bench.CallAt(RandomTime(seed, rank.value, key),
                             MakeCallOfType(rank.value, communicator.id.value, call, type));
            }
        }
    }
}

bool
EachCompletedOnce(const CommunicationBench& bench, uint32_t calls)
{
    for (const Communicator& communicator : bench.Communicators())
    {
        for (const RankId rank : communicator.ranks)
        {
            for (uint32_t call = 0; call < calls; ++call)
            {
                const uint64_t token = uint64_t{communicator.id.value} << 32 | call;
                if (bench.CompletionOf(rank.value, token).count != 1)
                {
                    return false;
                }
            }
        }
    }
    return bench.Collectives().FindPending().empty() && bench.Loop().TieCount() == 0 &&
           bench.Collectives().Usage().phases == 0 && bench.Collectives().Usage().lanes == 0 &&
           bench.Collectives().Usage().arrivals == 0;
}

/// Payload that all ranks together send in one call of S bytes on a stack of rings: for the
/// unrooted types p times what each sends.
uint64_t
TotalBytes(CollectiveType type, const std::vector<uint32_t>& sizes, uint64_t size)
{
    uint64_t ranks = 1;
    uint64_t perDimension = 0; // sum of (P - 1) / P over dimensions, times the ranks
    for (const uint32_t dimension : sizes)
    {
        ranks *= dimension;
    }
    for (const uint32_t dimension : sizes)
    {
        perDimension += ranks / dimension * (dimension - 1);
    }
    switch (type)
    {
    case CollectiveType::AllReduce:
        return 2 * size * (ranks - 1);
    case CollectiveType::ReduceScatter:
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return size * (ranks - 1);
    case CollectiveType::AllGather:
        return ranks * size * (ranks - 1);
    case CollectiveType::AllToAll: // direct, dimension by dimension
    case CollectiveType::Gather:   // a line's p - 1 others send what they have gathered so far
    case CollectiveType::Scatter:
        return size * perDimension;
    case CollectiveType::Barrier:
        break;
    }
    return 0;
}

bool
IsSymmetric(CollectiveType type)
{
    return !HasRoot(type);
}

const std::vector<std::vector<uint32_t>> STACKS = {{6}, {4, 3}, {2, 3, 2}, {2, 2, 2, 2}};

} // namespace

TEST_CASE("CollectiveEngine: every type finishes under every policy and skew, with its bytes",
          "[component][system]")
{
    const auto type = GENERATE(from_range(AllCollectiveTypes()));
    const auto sizes = GENERATE(from_range(STACKS));
    const auto policy = GENERATE(from_range(POLICIES));
    const std::vector<Dimension> stack = MakeStack(sizes);
    CAPTURE(ToText(type), policy.inter, policy.intra, sizes);
    for (uint64_t seed = 0; seed < 3; ++seed)
    {
        CommunicationBench::Setup setup = MakePolicySetup(stack, policy, "ring");
        setup.options.scheduling.chunksInFlight = static_cast<uint32_t>(1 + seed);
        setup.options.algorithms[CollectiveType::AllToAll].perDimension.assign(sizes.size(),
                                                                               {"direct", {}});
        CommunicationBench bench(setup);
        CallAtRandom(bench, type, 1, seed);
        bench.Run();
        REQUIRE(EachCompletedOnce(bench, 1));
        const uint64_t size = MakeCallOfType(0, 0, 0, type).elements;
        const uint64_t total = TotalBytes(type, sizes, size);
        uint64_t sent = 0;
        for (uint32_t rank = 0; rank < bench.RankCount(); ++rank)
        {
            const int64_t bytes = bench.Collectives().BytesSent(RankId{rank}).Count();
            sent += static_cast<uint64_t>(bytes);
            if (IsSymmetric(type))
            {
                REQUIRE(static_cast<uint64_t>(bytes) == total / bench.RankCount());
            }
        }
        REQUIRE(sent == total);
    }
}

TEST_CASE("CollectiveEngine: every algorithm runs every type that it knows on a stack",
          "[component][system]")
{
    const auto algorithm = GENERATE(from_range(EndpointAlgorithms()));
    const auto policy = GENERATE(from_range(POLICIES));
    const auto type = GENERATE(from_range(AllCollectiveTypes()));
    CAPTURE(algorithm, policy.inter, policy.intra, ToText(type));
    const std::vector<Dimension> stack = MakeStack({4, 3, 2});
    for (uint64_t seed = 0; seed < 2; ++seed)
    {
        CommunicationBench bench(MakePolicySetup(stack, policy, algorithm));
        CallAtRandom(bench, type, 2, seed);
        bench.Run();
        REQUIRE(EachCompletedOnce(bench, 2));
    }
}

TEST_CASE("CollectiveEngine: overlapping communicators run side by side, twice the same",
          "[component][system]")
{
    const auto limit = GENERATE(0U, 1U, 2U);
    const auto policy = GENERATE(from_range(POLICIES));
    CommunicationBench::Setup setup = MakePolicySetup(MakeStack({4, 2}), policy, "ring");
    setup.options.concurrentCollectives = limit;
    setup.communicators = {
        {.id = {}, .ranks = {RankId{0}, RankId{1}, RankId{2}, RankId{3}}}, // a whole line
        {.id = {}, .ranks = {RankId{3}, RankId{7}}},                       // along the second
        {.id = {}, .ranks = {RankId{5}, RankId{0}, RankId{2}}},            // a list
        {.id = {}, .ranks = {RankId{6}}}};
    const auto run = [&](uint64_t seed)
    {
        CommunicationBench bench(setup);
        CallAtRandom(bench, CollectiveType::AllReduce, 5, seed);
        bench.Run();
        REQUIRE(EachCompletedOnce(bench, 5));
        return std::pair(bench.Fingerprint(), bench.Loop().Now());
    };
    for (uint64_t seed = 0; seed < 3; ++seed)
    {
        REQUIRE(run(seed) == run(seed));
    }
    CHECK_FALSE(run(0) == run(1));
}

TEST_CASE("CollectiveEngine: memory in progress is bounded by what may be in flight",
          "[component][system]")
{
    constexpr uint32_t RANKS = 4 * 4;
    constexpr uint32_t IN_FLIGHT = 2;
    CommunicationBench::Setup setup =
        MakePolicySetup(MakeStack({4, 4}), {"themis", "smallest-first"}, "direct");
    setup.options.scheduling.chunks = 64;
    setup.options.scheduling.chunksInFlight = IN_FLIGHT;
    setup.options.sendsInFlight = 2; // of three
    CommunicationBench bench(setup);
    CallAtRandom(bench, CollectiveType::AllReduce, 1, 1);
    bench.Run();
    const CollectiveUsage peak = bench.PeakUsage();
    CHECK(peak.phases > 0);
    CHECK(peak.phases <= RANKS * 2 * IN_FLIGHT);
    CHECK(peak.lanes <= peak.phases * setup.options.sendsInFlight);
    // A lane has at most one message under way, so no more than that can have come early.
    CHECK(peak.arrivals <= 2 * peak.lanes + RANKS);
    CHECK(bench.Network().Sent().size() > 50 * peak.lanes);
}

TEST_CASE("CollectiveEngine: a member ends in a further round of the instant of its last message",
          "[component][system]")
{
    const CommunicationBench::Setup setup =
        MakePolicySetup(MakeStack({4}), POLICIES.front(), "ring");
    const auto callOnAll = [](CommunicationBench& bench)
    {
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            bench.CallAt(SimTime(), MakeCallOfType(rank, 0, 0, CollectiveType::AllReduce));
        }
    };
    CommunicationBench first(setup);
    callOnAll(first);
    first.Run();
    const SimTime end = first.CompletionOf(0, 0).at;
    CommunicationBench second(setup);
    callOnAll(second);
    CommunicationBench::Completion seen{.count = UINT32_MAX, .at = {}};
    size_t phases = UINT32_MAX;
    second.At(end,
              [&]
              {
                  seen = second.CompletionOf(0, 0);
                  phases = second.Collectives().Usage().phases;
              });
    second.Run();
    CHECK(phases == 0);
    CHECK(seen.count == 0);
    CHECK(second.CompletionOf(0, 0).at == end);
}
