// SPDX-License-Identifier: GPL-2.0-only
// Loads and stores that groups make together: how long they take, and what moves where.
#include "tests/support/memory-job.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr Bytes GATHER_SLICE{4096};     // the payload of a frame, and the slice here
constexpr Bytes GATHER_WIRE{4096 + 64}; // of that frame
constexpr Bytes EMPTY_WIRE{64};         // an empty message is a header

Bandwidth
GigabytesIn(int64_t number)
{
    return Bandwidth::FromBytesPerSecond(number * 1'000'000'000);
}

/// Some NPUs on a switch that computes, which has the memories.
struct MemoryStarCase
{
    uint32_t npus = 4;
    uint32_t memories = 1;
    int64_t npuRate = 100;       ///< of a link, in GB/s
    int64_t memoryLinkRate = 50; ///< likewise
    int64_t memoryRate = 40;     ///< of a memory, likewise
    SimTime link = SimTime::FromNs(300);
    SimTime inSwitch = SimTime::FromNs(150);
    SimTime inMemory = SimTime::FromNs(200);
    bool computes = true;
    std::string backend = "packet";

    std::string Network(const std::string& more = "") const
    {
        return fmt::format(
            "{{backend: {}, memories: [{{name: pool, count: {}, attach: dim0.switch0, link: "
            "{{bandwidth: {} GB/s, latency: {} ps}}, bandwidth: {} GB/s, latency: {} ps}}], "
            "dimensions: [{{shape: switch, size: {}, bandwidth: {} GB/s, latency: {} ps}}]{}{}}}",
            backend,
            memories,
            memoryLinkRate,
            link.Ps(),
            memoryRate,
            inMemory.Ps(),
            npus,
            npuRate,
            link.Ps(),
            computes ? fmt::format(", in-network: {{latency: {} ps}}", inSwitch.Ps()) : "",
            more);
    }

    /// Whether or not the job comes to its end.
    RunResults Try(const std::vector<MemoryNode>& accesses,
                   const std::string& gather = "multicast: on",
                   const std::string& more = "") const
    {
        return RunMemoryJob(
            {.ranks = {npus, accesses},
             .network = Network(more),
             .remote = fmt::format("{{through: network, slice: 4096 B, gather: {{{}}}}}", gather)});
    }

    RunResults Run(const std::vector<MemoryNode>& accesses,
                   const std::string& gather = "multicast: on",
                   const std::string& more = "") const
    {
        RunResults results = Try(accesses, gather, more);
        REQUIRE(results.status == RunStatus::Done);
        return results;
    }

    SimTime Way(Bytes wire) const
    {
        return wire / GigabytesIn(npuRate) + wire / GigabytesIn(memoryLinkRate) + link * 2 +
               inSwitch;
    }

    SimTime Service() const
    {
        return GATHER_SLICE / GigabytesIn(memoryRate);
    }

    SimTime Slowest() const
    {
        return std::max({Service(),
                         GATHER_WIRE / GigabytesIn(npuRate),
                         GATHER_WIRE / GigabytesIn(memoryLinkRate)});
    }

    /// Slices follow each other over the two links and the memory at the slowest of them.
    SimTime StoreTime(int64_t slices) const
    {
        return Way(GATHER_WIRE) + Service() + inMemory + Slowest() * (slices - 1);
    }

    /// The same the other way, after the request.
    SimTime LoadTime(int64_t slices) const
    {
        return Way(EMPTY_WIRE) + StoreTime(slices);
    }

    /// Links come in pairs, to a vertex and from it; those of memories are the last.
    static Bytes BytesFromMemory(const RunResults& results, uint32_t fromLast = 0)
    {
        return results.links[results.links.size() - 1 - 2 * fromLast].bytes;
    }

    static Bytes BytesToMemory(const RunResults& results, uint32_t fromLast = 0)
    {
        return results.links[results.links.size() - 2 - 2 * fromLast].bytes;
    }
};

MemoryNode
GroupLoad(Bytes size)
{
    return {NodeType::MemoryLoad, size, "all"};
}

MemoryNode
GroupStore(Bytes size)
{
    return {NodeType::MemoryStore, size, "all"};
}

/// The memory, its link and the links of the NPUs in turn are slowest.
std::vector<MemoryStarCase>
StarCases()
{
    return {{.memoryRate = 40},
            {.memoryRate = 400},
            {.npuRate = 20, .memoryRate = 400, .inMemory = SimTime::FromNs(70)}};
}

double
RatioOf(SimTime a, SimTime b)
{
    return static_cast<double>(a.Ps()) / static_cast<double>(b.Ps());
}

} // namespace

TEST_CASE("Gathering load: takes its request, the sum of its stages and the slowest stage for each "
          "further slice",
          "[component]")
{
    for (const MemoryStarCase& star : StarCases())
    {
        for (const int64_t slices : {1, 2, 17, 200})
        {
            CAPTURE(star.memoryRate, slices);
            CHECK(star.Run({GroupLoad(GATHER_SLICE * slices)}).finish == star.LoadTime(slices));
        }
    }
}

TEST_CASE(
    "Reducing store: takes the sum of its stages and the slowest stage for each further slice",
    "[component]")
{
    for (const MemoryStarCase& star : StarCases())
    {
        for (const int64_t slices : {1, 2, 17, 200})
        {
            CAPTURE(star.memoryRate, slices);
            CHECK(star.Run({GroupStore(GATHER_SLICE * slices)}).finish == star.StoreTime(slices));
        }
    }
}

TEST_CASE("Gathering load: the backends agree within 2 %", "[component]")
{
    for (MemoryStarCase star : StarCases())
    {
        for (const std::string backend : {"flow", "analytical"})
        {
            star.backend = backend;
            CAPTURE(backend, star.memoryRate);
            CHECK(RatioOf(star.Run({GroupLoad(GATHER_SLICE * 200)}).finish, star.LoadTime(200)) ==
                  Approx(1).epsilon(0.02));
        }
    }
}

TEST_CASE(
    "Gathering load: W leaves the memories once, in equal stripes, and comes to each NPU once",
    "[component]")
{
    const MemoryStarCase star{.memories = 2};
    const RunResults results = star.Run({GroupLoad(GATHER_SLICE * 100)});
    CHECK(star.BytesFromMemory(results) == GATHER_WIRE * 50);
    CHECK(star.BytesFromMemory(results, 1) == GATHER_WIRE * 50);
    CHECK(star.BytesToMemory(results) == EMPTY_WIRE);
    CHECK(results.links[0].bytes == EMPTY_WIRE * 2);    // from NPU 0: two requests
    CHECK(results.links[1].bytes == GATHER_WIRE * 100); // to it
    REQUIRE(results.memory);
    CHECK(results.memory->bytes == GATHER_SLICE * 100);
    CHECK(results.memory->loads == 1);
    REQUIRE(results.inNetwork);
    CHECK(results.inNetwork->bytes == GATHER_SLICE * 100 * 4);
    CHECK(results.BytesSent() == Bytes(0));
}

TEST_CASE("Reducing store: the sum comes to the memories once, and each NPU sends its own once",
          "[component]")
{
    const MemoryStarCase star{.memories = 2};
    const RunResults results = star.Run({GroupStore(GATHER_SLICE * 100)});
    CHECK(star.BytesToMemory(results) == GATHER_WIRE * 50);
    CHECK(star.BytesToMemory(results, 1) == GATHER_WIRE * 50);
    CHECK(star.BytesFromMemory(results) == Bytes(0));
    CHECK(results.links[0].bytes == GATHER_WIRE * 100);
    CHECK(results.links[1].bytes == Bytes(0));
    REQUIRE(results.memory);
    CHECK(results.memory->bytes == Bytes(0));
    CHECK(results.memory->stores == 1);
    CHECK(results.BytesSent() == GATHER_SLICE * 100 * 4);
}

TEST_CASE("Gathering load: without multicast the memories send, and read, once for each member",
          "[component]")
{
    const MemoryStarCase star{.memoryRate = 40};
    const RunResults load = star.Run({GroupLoad(GATHER_SLICE * 100)}, "multicast: off");
    CHECK(star.BytesFromMemory(load) == GATHER_WIRE * 400);
    CHECK(load.finish > star.Service() * 400);
    const RunResults store = star.Run({GroupStore(GATHER_SLICE * 100)}, "multicast: off");
    CHECK(star.BytesToMemory(store) == GATHER_WIRE * 400);
    CHECK(store.finish > star.Service() * 400);
}

TEST_CASE("Gathering load: where no switch computes, NPUs pass on one to the next and none sends "
          "more than W",
          "[component]")
{
    const MemoryStarCase star{.computes = false};
    const RunResults load = star.Run({GroupLoad(GATHER_SLICE * 100)});
    CHECK(star.BytesFromMemory(load) == GATHER_WIRE * 100);
    CHECK(load.BytesSent() == GATHER_SLICE * 100 * 3);
    for (const RankResult& rank : load.ranks)
    {
        CHECK(rank.sent <= GATHER_SLICE * 100);
    }
    // Four links further than from a switch, whose slices follow each other as fast.
    CHECK(load.finish < star.LoadTime(100) + star.Way(GATHER_WIRE) * 8);
    const RunResults store = star.Run({GroupStore(GATHER_SLICE * 100)});
    CHECK(star.BytesToMemory(store) == GATHER_WIRE * 100);
    CHECK(store.BytesSent() == GATHER_SLICE * 100 * 4);
}

TEST_CASE("Gathering load: an empty tensor is one empty slice, and a tensor smaller than the "
          "memories uses as many as it has bytes",
          "[component]")
{
    const MemoryStarCase star{.memories = 3};
    const RunResults empty = star.Run({GroupLoad(Bytes(0))});
    CHECK(star.BytesFromMemory(empty, 2) == EMPTY_WIRE);
    CHECK(star.BytesFromMemory(empty, 1) == Bytes(0));
    const RunResults small = star.Run({GroupLoad(Bytes(2))});
    CHECK(small.memory->bytes == Bytes(2));
}

TEST_CASE("Gathering load: it begins when its last member makes it, and calls are matched in order",
          "[component]")
{
    // Rank 0 loads for itself before; the others wait for it.
    const MemoryStarCase star;
    const RunResults results =
        star.Run({GroupLoad(GATHER_SLICE), GroupStore(GATHER_SLICE * 3), GroupLoad(Bytes(100))});
    CHECK(results.memory->loads == 2);
    CHECK(results.memory->stores == 1);
    CHECK(results.memory->bytes == GATHER_SLICE + Bytes(100));
}

TEST_CASE("Gathering load: a memory serves groups and single ranks in the order of their requests",
          "[component]")
{
    const MemoryStarCase star{.memoryRate = 10};
    const RunResults results =
        star.Run({GroupLoad(GATHER_SLICE * 100), {NodeType::MemoryLoad, GATHER_SLICE * 100}});
    // One stream of the group and four of the ranks keep it busy.
    CHECK(results.finish > star.Service() * 500);
    CHECK(results.finish < star.Service() * 501 + star.Way(GATHER_WIRE) * 2 + star.inMemory);
    CHECK(results.memory->bytes == GATHER_SLICE * 500);
}

TEST_CASE("Gathering load: a tensor of too many slices ends the job with a sentence that names the "
          "slice",
          "[component]")
{
    // 4 members and 2^24 slices of 4 KiB. The report of what waits does without this access.
    const MemoryStarCase star;
    const RunResults results = star.Try({GroupLoad(GATHER_SLICE * (1 << 24))});
    CHECK(results.status == RunStatus::Stuck);
    CHECK_THAT(
        results.exitReason,
        Catch::Contains("in too many slices; write a larger system.memory.remote.slice than"));
}
