// SPDX-License-Identifier: GPL-2.0-only
// How long accesses to the memories of a network take, against closed forms.
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

constexpr Bytes ACCESS_SLICE{4096};    // the payload of a frame, and the slice here
constexpr Bytes SLICE_WIRE{4096 + 64}; // of that frame
constexpr Bytes REQUEST_WIRE{64};      // an empty message is a header

Bandwidth
GigabytesPerSecond(int64_t number)
{
    return Bandwidth::FromBytesPerSecond(number * 1'000'000'000);
}

/// A way from a rank to a memory: links of one latency, and the memory at the end.
struct Chain
{
    std::vector<int64_t> linkRates; ///< in GB/s, from the rank to the memory
    SimTime linkLatency;
    int64_t memoryRate = 0; ///< in GB/s
    SimTime memoryLatency;

    SimTime Latencies() const
    {
        return linkLatency * static_cast<int64_t>(linkRates.size());
    }

    SimTime TimeOnLinks(Bytes wire) const
    {
        SimTime sum;
        for (const int64_t rate : linkRates)
        {
            sum += wire / GigabytesPerSecond(rate);
        }
        return sum;
    }

    SimTime Slowest() const
    {
        const int64_t least = *std::min_element(linkRates.begin(), linkRates.end());
        return std::max(ACCESS_SLICE / GigabytesPerSecond(memoryRate),
                        SLICE_WIRE / GigabytesPerSecond(least));
    }

    /// Data crosses each link and the memory once; slices follow each other at the slowest of them.
    SimTime StoreTime(int64_t slices) const
    {
        return TimeOnLinks(SLICE_WIRE) + Latencies() +
               ACCESS_SLICE / GigabytesPerSecond(memoryRate) + memoryLatency +
               Slowest() * (slices - 1);
    }

    /// The same the other way, after the first request.
    SimTime LoadTime(int64_t slices) const
    {
        return TimeOnLinks(REQUEST_WIRE) + Latencies() + StoreTime(slices);
    }

    std::string MemoryYaml(const std::string& attach) const
    {
        return fmt::format(
            "[{{name: pool, attach: {}, link: {{bandwidth: {} GB/s, latency: {} ps}}, "
            "bandwidth: {} GB/s, latency: {} ps}}]",
            attach,
            linkRates.back(),
            linkLatency.Ps(),
            memoryRate,
            memoryLatency.Ps());
    }
};

const std::string SLICE_OF_A_FRAME = "{through: network, slice: 4096 B}";

SimTime
FinishOfOne(const std::string& network, NodeType type, int64_t slices)
{
    return RunMemoryJob({.ranks = {{{type, ACCESS_SLICE * slices}}},
                         .network = network,
                         .remote = SLICE_OF_A_FRAME})
        .finish;
}

/// Two NPUs on a switch, which has the memory.
std::string
Star(const Chain& chain, const std::string& backend)
{
    return fmt::format("{{backend: {}, memories: {}, dimensions: [{{shape: switch, size: 2, "
                       "bandwidth: {} GB/s, latency: {} ps}}]}}",
                       backend,
                       chain.MemoryYaml("dim0.switch0"),
                       chain.linkRates.front(),
                       chain.linkLatency.Ps());
}

/// Four NPUs in a line, the last of which has the memory.
std::string
LineOfFour(const Chain& chain)
{
    return fmt::format("{{memories: {}, dimensions: [{{shape: mesh, size: 4, bandwidth: {} GB/s, "
                       "latency: {} ps}}]}}",
                       chain.MemoryYaml("npu3"),
                       chain.linkRates.front(),
                       chain.linkLatency.Ps());
}

const std::vector<Chain> STARS{// the memory, its link and the link of the NPU in turn are slowest
                               {{100, 50}, SimTime::FromNs(300), 40, SimTime::FromNs(200)},
                               {{100, 50}, SimTime::FromNs(300), 400, SimTime::FromNs(200)},
                               {{20, 50}, SimTime::FromNs(300), 400, SimTime::FromNs(70)}};

/// Eight NPUs and two memories on a switch.
std::string
Pool(const std::string& memoryRate, const std::string& more = "")
{
    return fmt::format("{{memories: [{{name: pool, count: 2, attach: dim0.switch0, "
                       "link: {{bandwidth: 400 GB/s, latency: 100 ns}}, bandwidth: {}}}], "
                       "dimensions: [{{shape: switch, size: 8, bandwidth: 200 GB/s, latency: 100 "
                       "ns}}]{}}}",
                       memoryRate,
                       more);
}

MemoryJob
AllLoad(uint32_t ranks, Bytes size, const std::string& place)
{
    return {.ranks = {ranks, {{NodeType::MemoryLoad, size}}},
            .network = Pool("100 GB/s"),
            .remote = "{through: network, place: " + place + "}"};
}

double
Ratio(SimTime a, SimTime b)
{
    return static_cast<double>(a.Ps()) / static_cast<double>(b.Ps());
}

} // namespace

TEST_CASE(
    "Remote memory: a load takes its request, the sum of its stages and the slowest stage for "
    "each further slice",
    "[component]")
{
    for (const Chain& chain : STARS)
    {
        for (const int64_t slices : {1, 2, 17, 200})
        {
            CAPTURE(chain.memoryRate, slices);
            CHECK(FinishOfOne(Star(chain, "packet"), NodeType::MemoryLoad, slices) ==
                  chain.LoadTime(slices));
        }
    }
}

TEST_CASE("Remote memory: a store takes the sum of its stages and the slowest stage for each "
          "further slice",
          "[component]")
{
    for (const Chain& chain : STARS)
    {
        for (const int64_t slices : {1, 2, 17, 200})
        {
            CAPTURE(chain.memoryRate, slices);
            CHECK(FinishOfOne(Star(chain, "packet"), NodeType::MemoryStore, slices) ==
                  chain.StoreTime(slices));
        }
    }
}

TEST_CASE("Remote memory: in a stack of dimensions an access goes to the NPU that the memory hangs "
          "on, and over its link",
          "[component]")
{
    const Chain chain{{100, 100, 100, 30}, SimTime::FromNs(250), 60, SimTime::FromNs(90)};
    for (const int64_t slices : {1, 9, 64})
    {
        CAPTURE(slices);
        CHECK(FinishOfOne(LineOfFour(chain), NodeType::MemoryLoad, slices) ==
              chain.LoadTime(slices));
        CHECK(FinishOfOne(LineOfFour(chain), NodeType::MemoryStore, slices) ==
              chain.StoreTime(slices));
    }
}

TEST_CASE("Remote memory: the backends agree within 2 % on an access without contention",
          "[component]")
{
    for (const Chain& chain : STARS)
    {
        for (const std::string backend : {"flow", "analytical"})
        {
            CAPTURE(backend, chain.memoryRate);
            const SimTime finish = FinishOfOne(Star(chain, backend), NodeType::MemoryLoad, 200);
            CHECK(Ratio(finish, chain.LoadTime(200)) == Approx(1).epsilon(0.02));
        }
    }
}

TEST_CASE("Remote memory: NPUs that load from one memory together have equal shares of it within "
          "2 %",
          "[component]")
{
    const Bytes size(4 << 20);
    MemoryJob job = AllLoad(8, size, "nearest, slice: 16 KiB"); // the first one for all
    job.settings = {"output.flows=on"};
    const RunResults results = RunMemoryJob(job);
    const SimTime all = size * 8 / GigabytesPerSecond(100);
    for (const RankResult& rank : results.ranks)
    {
        CHECK(Ratio(rank.metrics.finish, all) == Approx(1).epsilon(0.02));
    }
    // And not one after the other: at half of the time each has half of its data.
    std::vector<Bytes> halfway(8);
    for (const FlowRecord& flow : *results.flows)
    {
        if (flow.destination.value < 8 && flow.delivered < SimTime::FromPs(all.Ps() / 2))
        {
            halfway[flow.destination.value] += flow.size;
        }
    }
    for (const Bytes& loaded : halfway)
    {
        CHECK(static_cast<double>(loaded.Count()) ==
              Approx(static_cast<double>(size.Count()) / 2).epsilon(0.02));
    }
}

TEST_CASE("Remote memory: own and interleaved use both memories, nearest the first of two at equal "
          "distance",
          "[component]")
{
    const Bytes size(1 << 20);
    const int64_t frames = size.Count() / ACCESS_SLICE.Count();
    // Links come in pairs, those of the memories last: to a memory, and from it.
    const auto bytesFrom = [&](const std::string& place)
    {
        const RunResults results = RunMemoryJob(AllLoad(4, size, place));
        const size_t links = results.links.size();
        return std::vector<int64_t>{results.links[links - 3].bytes.Count(),
                                    results.links[links - 1].bytes.Count()};
    };
    const int64_t ofARank = SLICE_WIRE.Count() * frames;
    CHECK(bytesFrom("own") == std::vector<int64_t>{2 * ofARank, 2 * ofARank});
    CHECK(bytesFrom("interleaved") == std::vector<int64_t>{2 * ofARank, 2 * ofARank});
    CHECK(bytesFrom("nearest") == std::vector<int64_t>{4 * ofARank, 0});
}

TEST_CASE("Remote memory: formula and network agree within 1 % where only the memory limits",
          "[component]")
{
    const Bytes size(64 << 20);
    const std::vector<MemoryNode> load{{NodeType::MemoryLoad, size}};
    const auto finish = [&](const std::string& remote, const std::string& network) {
        return RunMemoryJob({.ranks = {load, load}, .network = network, .remote = remote}).finish;
    };
    const SimTime network =
        finish("{through: network, place: nearest}", Pool("100 GB/s", ", backend: flow"));
    const SimTime formula =
        finish("{bandwidth: 100 GB/s, latency: 200 ns, shared: all}", Pool("100 GB/s"));
    CHECK(Ratio(network, formula) == Approx(1).epsilon(0.01));
}

TEST_CASE("Remote memory: what is loaded and stored is counted, and only stores are sent by ranks",
          "[component]")
{
    const RunResults results = RunMemoryJob({.ranks = {{{NodeType::MemoryLoad, Bytes(100'000)},
                                                        {NodeType::MemoryStore, Bytes(70'000)},
                                                        {NodeType::MemoryLoad, Bytes(0)}},
                                                       {{NodeType::MemoryLoad, Bytes(1)}}},
                                             .network = Pool("100 GB/s")});
    REQUIRE(results.memory);
    CHECK(results.memory->loads == 3);
    CHECK(results.memory->stores == 1);
    CHECK(results.memory->bytes == Bytes(100'001));
    CHECK(results.ranks[0].sent == Bytes(70'000));
    CHECK(results.ranks[1].sent == Bytes(0));
}

TEST_CASE("Remote memory: requests of a load do not wait for the data of a store", "[component]")
{
    const Chain& chain = STARS.front();
    const auto finish = [&](const std::vector<MemoryNode>& accesses)
    {
        return RunMemoryJob({.ranks = {accesses},
                             .network = Star(chain, "packet"),
                             .remote = SLICE_OF_A_FRAME})
            .finish;
    };
    const MemoryNode store{NodeType::MemoryStore, ACCESS_SLICE * 400};
    const MemoryNode load{NodeType::MemoryLoad, ACCESS_SLICE * 400};
    // The memory serves both in turn, so all 800 slices keep it busy without a gap.
    const SimTime served = chain.LoadTime(800) + chain.Latencies();
    CHECK(finish({store, load}) < served);
    CHECK(finish({load, store}) < served);
}
