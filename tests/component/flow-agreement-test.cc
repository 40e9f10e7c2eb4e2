// SPDX-License-Identifier: GPL-2.0-only
// The flow backend beside the packet network. `scripts/compare-backends` prints more such jobs.
#include "tests/support/packet-forms.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

RunResults
RunWith(const std::string& backend, const std::string& yaml)
{
    RunResults results =
        RunYaml({.yaml = yaml, .settings = {"network.backend=" + backend}, .scrambleSeed = {}});
    REQUIRE(results.status == RunStatus::Done);
    return results;
}

/// By what part of the packet network's finish time that of `flow` differs.
double
DifferenceOf(const std::string& yaml)
{
    const double packet = RunWith("packet", yaml).finish.Ns();
    return std::abs(RunWith("flow", yaml).finish.Ns() / packet - 1);
}

struct Job
{
    std::string name;
    std::string yaml;
};

/// One collective of a MiB in one chunk.
std::string
Collective(const std::string& type, const std::string& algorithm, const std::string& network)
{
    return fmt::format("workload: {{collective: {{type: {}, size: 1 MiB}}}}\n"
                       "system: {{collectives: {{{}: {}}}, chunks: 1, chunks-in-flight: 1}}\n"
                       "network: {{{}}}\n",
                       type,
                       type,
                       algorithm,
                       network);
}

const std::string LINK = "bandwidth: 400 Gb/s, latency: 500 ns";

std::string
Stack(const std::string& shape, uint32_t size)
{
    return fmt::format("dimensions: [{{shape: {}, size: {}, {}}}]", shape, size, LINK);
}

/// Four to a leaf, two spines, one link from a leaf to each: 2:1.
std::string
LeafSpine(uint32_t npus)
{
    return fmt::format("topology: {{generator: leaf-spine, npus: {}, npus-per-leaf: 4, spines: 2, "
                       "link: {{{}}}, uplink: {{{}}}}}",
                       npus,
                       LINK,
                       LINK);
}

} // namespace

TEST_CASE("Flow and packet: a ring whose links serve one message each ends at the same picosecond",
          "[component][flow]")
{
    // Acknowledgements go the other way round, where no data goes.
    for (const uint32_t ranks : {3U, 4U, 7U})
    {
        for (const int64_t size : {0, 1000, 300'001})
        {
            for (const int64_t payload : {999, 4096})
            {
                const PacketCase net{.shape = "ring",
                                     .ranks = ranks,
                                     .size = Bytes(size),
                                     .rate = Bandwidth::FromBitsPerSecond(333'000'000'000),
                                     .payload = Bytes(payload)};
                CAPTURE(ranks, size, payload);
                const RunResults packet = RunWith("packet", net.Yaml());
                const RunResults flow = RunWith("flow", net.Yaml());
                CHECK(flow.finish == packet.finish);
                CHECK(flow.totals.packets == packet.totals.packets);
                CHECK(flow.totals.packetHops == packet.totals.packetHops);
            }
        }
    }
}

TEST_CASE("Flow and packet: collectives without contention agree within 2 percent",
          "[component][flow]")
{
    const std::vector<Job> jobs{
        {"bidirectional ring", Collective("all-reduce", "bidirectional-ring", Stack("ring", 8))},
        {"ring on a switch", Collective("all-reduce", "ring", Stack("switch", 8))},
        {"halving-doubling", Collective("all-reduce", "halving-doubling", Stack("switch", 8))},
        {"direct, fully connected",
         Collective("all-gather", "direct", Stack("fully-connected", 8))},
        {"direct all-to-all", Collective("all-to-all", "direct", Stack("switch", 8))},
        {"direct reduce-scatter", Collective("reduce-scatter", "direct", Stack("switch", 8))},
    };
    for (const Job& job : jobs)
    {
        CAPTURE(job.name);
        CHECK(DifferenceOf(job.yaml) <= 0.02);
    }
}

TEST_CASE("Flow and packet: jobs with contention agree within 10 percent", "[component][flow]")
{
    std::string incast = "workload:\n  flows:\n";
    for (uint32_t sender = 0; sender < 8; ++sender)
    {
        incast += fmt::format("  - {{src: {}, dst: 8, size: {} KB, at: {} us}}\n",
                              sender,
                              100 * (sender + 1),
                              3 * sender);
    }
    const std::vector<Job> jobs{
        {"incast", incast + "network: {" + Stack("switch", 9) + "}\n"},
        {"ring over leaves", Collective("all-reduce", "ring", LeafSpine(16))},
        {"all-to-all over leaves", Collective("all-to-all", "direct", LeafSpine(16))},
        {"halving-doubling over leaves",
         Collective("all-reduce", "halving-doubling", LeafSpine(16))},
        {"two at once",
         "workload: {collective: {parallel: [{type: all-reduce, size: 1 MiB}, "
         "{type: all-to-all, size: 1 MiB}]}}\nnetwork: {" +
             Stack("switch", 8) + "}\n"},
    };
    for (const Job& job : jobs)
    {
        CAPTURE(job.name);
        CHECK(DifferenceOf(job.yaml) <= 0.10);
    }
}

TEST_CASE("Flow: what the links carry is what the packet network's messages carry",
          "[component][flow]")
{
    const std::string yaml = Collective("all-to-all", "direct", LeafSpine(16));
    const RunResults packet = RunWith("packet", yaml);
    const RunResults flow = RunWith("flow", yaml);
    REQUIRE(packet.links.size() == flow.links.size());
    for (size_t link = 0; link < flow.links.size(); ++link)
    {
        // Routes are the same, so frames are; acknowledgements are the packet network's own.
        REQUIRE(flow.links[link].packets == packet.links[link].packets);
        REQUIRE(flow.links[link].bytes <= packet.links[link].bytes);
    }
}
