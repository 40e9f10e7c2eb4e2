// SPDX-License-Identifier: GPL-2.0-only
// Each mechanism of the library by itself, against its closed form. Parameters are chosen so that
// every time is a whole number of picoseconds.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cmath>

using namespace nadi;

namespace
{

/// Costs that leave nothing but what a test names: no floor, start, drift or hop.
const std::string NO_COSTS =
    "launch-floor: 0 us, base-ll: 0 us, base-ll128: 0 us, base-simple: 0 us, hop-ll: 0 us, "
    "hop-ll128: 0 us, hop-simple: 0 us, tree-hop-simple: 0 us, channel-start: 0 us, skew: 0, "
    "rate-simple: 1, chain-rate: 1, reduce-rate: 1, p2p-rate: 1, p2p-hop: 0 us, net-skew: 0, "
    "net-rate-simple: 1, net-tree-rate: 1, net-hop-simple: 0 us, net-tree-hop-simple: 0 us, "
    "net-all-to-all-rate: 1, net-pair: 0 us";

struct Call
{
    std::string collective = "{type: all-reduce, size: 1000000 B}";
    std::string costs = "protocol: Simple";
    uint32_t nodes = 1;
    uint32_t npusPerNode = 2;
};

/// Links of 100 GB/s: 10 ps a byte. NICs of 10 GB/s: 100 ps a byte.
RunResults
RunJob(const std::string& workload, const Call& call)
{
    return RunYaml(
        {fmt::format("workload: {{{}}}\n"
                     "system: {{library: {{name: nccl, {}}}}}\n"
                     "network:\n"
                     "  backend: flow\n"
                     "  packet: {{header: 0 B, payload: 1000 B}}\n"
                     "  topology: {{generator: nodes, nodes: {}, npus-per-node: {}, leaves: 1, "
                     "spines: 0,\n"
                     "    nvlink: {{bandwidth: 100 GB/s, latency: 100 ns}},\n"
                     "    nic: {{bandwidth: 10 GB/s, latency: 500 ns}}}}\n",
                     workload,
                     call.costs,
                     call.nodes,
                     call.npusPerNode)});
}

RunResults
RunCall(const Call& call)
{
    return RunJob("collective: " + call.collective, call);
}

/// The costs given, and none else.
std::string
Only(const std::string& costs)
{
    std::string text = costs;
    size_t start = 0;
    while (start < NO_COSTS.size())
    {
        const size_t end = std::min(NO_COSTS.find(", ", start), NO_COSTS.size());
        const std::string one = NO_COSTS.substr(start, end - start);
        if (costs.find(one.substr(0, one.find(':') + 1)) == std::string::npos)
        {
            text += ", " + one;
        }
        start = end + 2;
    }
    return text;
}

SimTime
TimeOf(const Call& call)
{
    return RunCall(call).finish;
}

/// Of one send from rank 0 to rank 1.
SimTime
TimeOfSend(int64_t bytes, const Call& call)
{
    return RunJob(fmt::format("flows: [{{src: 0, dst: 1, size: {} B}}]", bytes), call).finish;
}

SimTime
OnLink(int64_t bytes)
{
    return SimTime::FromPs(10 * bytes);
}

SimTime
OnNic(int64_t bytes)
{
    return SimTime::FromPs(100 * bytes);
}

/// From a port to another, but for the bytes of the message on one link: two links, and a frame
/// that the switch between them has to have whole.
const SimTime INSIDE = SimTime::FromNs(200) + OnLink(1000);
const SimTime OUTSIDE = SimTime::FromNs(1000) + OnNic(1000);

} // namespace

TEST_CASE("nccl: a ring of two takes two steps of half of the buffer", "[component][nccl]")
{
    CHECK(TimeOf({.costs = Only("algorithm: ring, protocol: Simple")}) ==
          (INSIDE + OnLink(500'000)) * 2);
}

TEST_CASE("nccl: a hop takes its latency, of which the wire is a part", "[component][nccl]")
{
    CHECK(TimeOf({.costs = Only("algorithm: ring, protocol: Simple, hop-simple: 3 us")}) ==
          (SimTime::FromUs(3) + OnLink(500'000 + 1000)) * 2);
}

TEST_CASE("nccl: a kernel starts once, and each of its channels adds to that", "[component][nccl]")
{
    // 1 MB gives work to 30 channels of 32 KiB each; a node has at most 24.
    const SimTime bare = (INSIDE + OnLink(500'000)) * 2;
    CHECK(TimeOf({.costs = Only("algorithm: ring, protocol: Simple, base-simple: 10 us, "
                                "channel-start: 0.5 us")}) == bare + SimTime::FromUs(10 + 12));
}

TEST_CASE("nccl: the rate of a kernel is a part of the link's", "[component][nccl]")
{
    // At half of the rate a message occupies the link twice as long.
    CHECK(TimeOf({.costs = Only("algorithm: ring, protocol: Simple, rate-simple: 0.5")}) ==
          (INSIDE + OnLink(1'000'000)) * 2);
    const std::string ll128 = "algorithm: ring, protocol: LL128, rate-simple: 0.5, rate-ll128: 0.8";
    CHECK(TimeOf({.costs = Only(ll128)}) == (INSIDE + OnLink(1'250'000)) * 2);
}

TEST_CASE("nccl: few channels of LL give less than the link takes", "[component][nccl]")
{
    // 8 KiB: one channel of 1 GB/s, 1000 ps a byte, beside 20 ps of the link at half of its rate;
    // both at once take the cube root of the sum of their cubes. Four slices pass a step.
    const double both = std::cbrt(1000.0 * 1000 * 1000 + 20.0 * 20 * 20);
    const SimTime time =
        TimeOf({.collective = "{type: all-reduce, size: 8192 B}",
                .costs = Only("algorithm: ring, protocol: LL, rate-simple: 0.5, rate-ll: 1, "
                              "channel-rate: 1 GB/s")});
    // The first slice of the second step begins when it has come; the link stays busy.
    const double expected = 2 * 4096 * both + 200'000 + 200'000;
    CHECK(static_cast<double>(time.Ps()) == Approx(expected).epsilon(0.2));
    CHECK(static_cast<double>(time.Ps()) >= 2 * 4096 * both);
}

TEST_CASE("nccl: the launch is a floor, rounded where it is near", "[component][nccl]")
{
    const SimTime kernel = (INSIDE + OnLink(500'000)) * 2; // 10.42 us
    const auto floored = [&](const std::string& floor) {
        return TimeOf({.costs = Only("algorithm: ring, protocol: Simple, launch-floor: " + floor)});
    };
    CHECK(floored("1000 us").Ps() == SimTime::FromUs(1000).Ps());
    CHECK(floored("1 us").Ps() < kernel.Ps() + 10);
    // T = (a^6 + b^6)^(1/6) = a 2^(1/6) where both are equal
    const auto equal = static_cast<double>(floored("10.42 us").Ps());
    CHECK(equal == Approx(10.42e6 * std::pow(2, 1.0 / 6)).margin(1));
}

TEST_CASE("nccl: ranks drift by the square root of what the run takes beyond its hops",
          "[component][nccl]")
{
    // Two steps of 3 us of hop and 5 us of transfer: a frame more each, as of all steps.
    const SimTime time =
        TimeOf({.costs = Only("algorithm: ring, protocol: Simple, hop-simple: 3 us, skew: 2")});
    CHECK(static_cast<double>(time.Ps()) == Approx(16.02e6 + 2e6 * std::sqrt(10.02)).margin(1));
}

TEST_CASE("nccl: rings over several nodes use all NICs at once", "[component][nccl]")
{
    // Four ranks of two nodes, 12 MB: 3 MB a shard, half of it on each of two rings, each of them
    // in two slices. A NIC sends its ring's half of a shard in each of 6 steps.
    const SimTime time = TimeOf({.collective = "{type: all-reduce, size: 12000000 B}",
                                 .costs = Only("algorithm: ring, protocol: Simple"),
                                 .nodes = 2});
    const SimTime nic = OnNic(6 * 1'500'000);
    CHECK(time >= nic);
    CHECK(time < nic + OnLink(6 * 1'500'000) + OUTSIDE * 6);
}

TEST_CASE("nccl: two trees share the NICs, and each piece goes up and down", "[component][nccl]")
{
    // Two nodes of one: the buffer goes up one way and down the other, in 16 pieces, while each
    // direction of the NIC has it once.
    const SimTime time = TimeOf({.collective = "{type: all-reduce, size: 1600000 B}",
                                 .costs = Only("algorithm: tree, protocol: Simple, net-tree-fill: "
                                               "0.000001"),
                                 .nodes = 2,
                                 .npusPerNode = 1});
    const SimTime once = OnNic(1'600'000);
    CHECK(time >= once + OUTSIDE * 2);
    CHECK(time <= once + OnNic(1'600'000 / 8) + OUTSIDE * 2 + SimTime::FromNs(2));
}

TEST_CASE("nccl: the slots of the buffers bound the pieces of a tree that are under way",
          "[component][nccl]")
{
    // 64 MiB on two channels are 64 pieces of a slot each; 16 of a tree are under way at a time. A
    // piece goes up and down in two hops of 10 ms, so four rounds follow one another.
    const SimTime time = TimeOf({.collective = "{type: all-reduce, size: 64 MiB}",
                                 .costs = Only("algorithm: tree, protocol: Simple, net-tree-fill: "
                                               "0.000001, net-tree-hop-simple: 10000 us"),
                                 .nodes = 2,
                                 .npusPerNode = 1});
    CHECK(time >= SimTime::FromUs(4 * 2 * 10'000));
    CHECK(time <= SimTime::FromUs(4 * 2 * 10'000) + OnNic(64 * 1024 * 1024) * 2);
}

TEST_CASE("nccl: NVLS loops over the buffer in chunks, and fills its pipeline once",
          "[component][nccl]")
{
    // 8 GPUs and 64 MiB: a loop has 16 channels of 8 heads with 64 KiB each, 8 MiB; so 8 loops.
    const SimTime time =
        TimeOf({.collective = "{type: all-reduce, size: 64 MiB}",
                .costs = Only("algorithm: nvls, nvls-base: 20 us, nvls-channel: 0.5 us, "
                              "nvls-loop: 4 us, nvls-rate: 0.5, nvls-fill: 2"),
                .npusPerNode = 8});
    const double loop = 4 + 8 * 1024 * 1024 / (0.5 * 100e3);
    CHECK(static_cast<double>(time.Ps()) ==
          Approx(1e6 * (20 + 16 * 0.5 + (8 - 1 + 2) * loop)).epsilon(1e-9));
}

TEST_CASE("nccl: each peer of an all-to-all takes the engine for its hop and its bytes",
          "[component][nccl]")
{
    // Four ranks send 1 MB to each of three: the third begins after two hops and transfers.
    const SimTime time = TimeOf({.collective = "{type: all-to-all, size: 4000000 B}",
                                 .costs = Only("p2p-hop: 7 us"),
                                 .npusPerNode = 4});
    CHECK(time == (SimTime::FromUs(7) + OnLink(1'000'000)) * 2 + OnLink(1'000'000) + INSIDE);
}

TEST_CASE("nccl: an exchange has no more channels in a node than its peers' sends have",
          "[component][nccl]")
{
    // Eight channels of 5 GB/s are 40 GB/s to each peer: 25 ps a byte.
    const std::string costs = Only("p2p-channel: 5 GB/s");
    const auto time = [&](const std::string& type, const std::string& size, uint32_t ranks)
    {
        return TimeOf({.collective = fmt::format("{{type: {}, size: {}}}", type, size),
                       .costs = costs,
                       .npusPerNode = ranks});
    };
    const SimTime one = SimTime::FromUs(25) + INSIDE;
    CHECK(time("all-to-all", "2000000 B", 2) == one);
    CHECK(time("gather", "1000000 B", 2) == one);
    CHECK(time("scatter", "1000000 B", 2) == one);
    CHECK(TimeOfSend(1'000'000, {.costs = costs}) == one);
    // Two peers have twice the channels, and so has a send of more than 128 MiB.
    CHECK(time("all-to-all", "3000000 B", 3) == one);
    CHECK(time("all-to-all", "400000000 B", 2) == SimTime::FromUs(2500) + INSIDE);
}

TEST_CASE("nccl: an exchange has the rate of a peer on another node as often as it has peers",
          "[component][nccl]")
{
    // 4 GB/s to each peer over a NIC of 10 GB/s: 250 ps a byte.
    const std::string costs = Only("net-peer-rate: 4 GB/s");
    const auto time = [&](const std::string& type, const std::string& size, uint32_t nodes)
    {
        return TimeOf({.collective = fmt::format("{{type: {}, size: {}}}", type, size),
                       .costs = costs,
                       .nodes = nodes,
                       .npusPerNode = 1});
    };
    const SimTime one = SimTime::FromUs(250) + OUTSIDE;
    CHECK(time("all-to-all", "2000000 B", 2) == one);
    CHECK(time("gather", "1000000 B", 2) == one);
    CHECK(time("scatter", "1000000 B", 2) == one);
    CHECK(TimeOfSend(1'000'000, {.costs = costs, .nodes = 2, .npusPerNode = 1}) == one);
    CHECK(time("all-to-all", "3000000 B", 3) == one);
    // Three peers would have 12 GB/s, and get the 10 of the NIC.
    CHECK(time("all-to-all", "4000000 B", 4) == OnNic(3'000'000) + OUTSIDE);
}

TEST_CASE("nccl: the root of a gather gets no more than the library's part of its NIC",
          "[component][nccl]")
{
    const auto time = [](const std::string& type)
    {
        return TimeOf({.collective = fmt::format("{{type: {}, size: 1000000 B}}", type),
                       .costs = Only("net-all-to-all-rate: 0.5"),
                       .nodes = 3,
                       .npusPerNode = 1});
    };
    // The engine of a root that scatters sends the second message after 200 us. Those of a gather
    // leave at the same time.
    CHECK(time("scatter") == OnNic(4'000'000) + OUTSIDE);
    CHECK(time("gather") == OnNic(4'000'000) + OUTSIDE);
}

TEST_CASE("nccl: a root spends the time of each peer, whether it scatters or gathers",
          "[component][nccl]")
{
    const auto time = [](const std::string& type, const std::string& cost, uint32_t nodes)
    {
        return TimeOf({.collective = fmt::format("{{type: {}, size: 1000000 B}}", type),
                       .costs = Only(cost),
                       .nodes = nodes,
                       .npusPerNode = 4 / nodes});
    };
    // Three peers on other nodes, or in the same one: the last begins after two others.
    for (const std::string type : {"scatter", "gather"})
    {
        CAPTURE(type);
        CHECK(time(type, "net-pair: 7 us", 4) == OnNic(3'000'000) + OUTSIDE + SimTime::FromUs(14));
        CHECK(time(type, "p2p-hop: 7 us", 1) == OnLink(3'000'000) + INSIDE + SimTime::FromUs(14));
    }
}

TEST_CASE("nccl: a send to another node starts as one peer of an exchange does",
          "[component][nccl]")
{
    const auto time = [](const std::string& costs)
    { return TimeOfSend(1000, {.costs = Only(costs), .nodes = 2, .npusPerNode = 1}); };
    // Of the 7 us the wire takes one.
    CHECK(time("net-pair: 7 us, net-hop-simple: 90 us") ==
          time("net-pair: 0 us") + SimTime::FromUs(6));
}

TEST_CASE("nccl: the launch is a floor of a send too", "[component][nccl]")
{
    const auto us = [](const std::string& costs, int64_t bytes = 1000)
    { return static_cast<double>(TimeOfSend(bytes, {.costs = Only(costs)}).Ps()) / 1e6; };
    const double bare = us("skew: 0");
    CHECK(us("launch-floor: 50 us") == Approx(bare + 50).epsilon(1e-3));
    CHECK(us("launch: process-per-node, p2p-launch-of-each: 10 us") ==
          Approx(bare + 20).epsilon(1e-3));
    CHECK(us("blocking: on, blocking-floor: 60 us") == Approx(bare + 60).epsilon(1e-3));
    // A host that waits still launches, so it is never faster.
    CHECK(us("blocking: on, blocking-floor: 60 us, launch: process-per-node, p2p-launch-of-each: "
             "100 us") == Approx(bare + 200).epsilon(1e-3));
    // A long send hides it, and one that takes as long as the floor takes an eighth longer.
    constexpr int64_t LONG = 100'000'000;
    CHECK(us("launch-floor: 50 us", LONG) == Approx(us("skew: 0", LONG)).epsilon(1e-6));
    const double atFloor = us("skew: 0", 5'000'000);
    CHECK(us("launch-floor: 50 us", 5'000'000) - atFloor ==
          Approx(50 * (std::pow(2, 1. / 6) - 1)).epsilon(0.01));
}

TEST_CASE("nccl: on rails an all-to-all passes by the GPU of the right rail, and no spine",
          "[component][nccl]")
{
    const auto run = [](const std::string& pxn)
    {
        return RunYaml(
            {fmt::format("workload: {{collective: {{type: all-to-all, size: 4000000 B}}}}\n"
                         "system: {{library: {{name: nccl, pxn: {}, {}}}}}\n"
                         "network:\n"
                         "  backend: flow\n"
                         "  packet: {{header: 0 B, payload: 1000 B}}\n"
                         "  topology: {{generator: rail, nodes: 2, npus-per-node: 2, spines: 1,\n"
                         "    nvlink: {{bandwidth: 100 GB/s, latency: 100 ns}},\n"
                         "    nic: {{bandwidth: 10 GB/s, latency: 500 ns}}}}\n",
                         pxn,
                         NO_COSTS)});
    };
    // A NIC sends 1 MB of its own GPU, and 1 MB that the other one has passed on before.
    const RunResults by = run("auto");
    CHECK(by.finish == OnNic(2'000'000) + OUTSIDE);
    const auto spineBytes = [](const RunResults& results)
    {
        // The uplinks are the last links: two rails, each with one link to the spine.
        Bytes bytes;
        for (size_t link = results.links.size() - 4; link < results.links.size(); ++link)
        {
            bytes += results.links[link].bytes;
        }
        return bytes;
    };
    CHECK(spineBytes(by) == Bytes(0));
    CHECK(spineBytes(run("off")) > Bytes(0));
}

TEST_CASE("nccl: a barrier goes up a tree and down again", "[component][nccl]")
{
    // Four GPUs of a node are a chain of three hops.
    const SimTime time = TimeOf(
        {.collective = "{type: barrier}", .costs = Only("tree-hop-ll: 1 us"), .npusPerNode = 4});
    CHECK(time >= SimTime::FromUs(6));
    CHECK(time < SimTime::FromUs(6) + INSIDE);
}

TEST_CASE("nccl: a barrier runs with Simple where the network forbids LL", "[component][nccl]")
{
    const auto protocol = [](const std::string& library, uint32_t nodes)
    {
        const RunResults results =
            RunCall({.collective = "{type: barrier}", .costs = library, .nodes = nodes});
        return results.collectives.at(0).record.decision.protocol;
    };
    CHECK(protocol("preset: a100, transport: efa", 2) == "Simple");
    CHECK(protocol("preset: a100, transport: efa", 1) == "LL");
    CHECK(protocol("preset: h100, transport: efa", 2) == "LL");
    CHECK(protocol("preset: a100, transport: ib", 2) == "LL");
}

TEST_CASE("nccl: says how many channels each send of an exchange has", "[component][nccl]")
{
    const auto channels = [](const std::string& type, const std::string& size, uint32_t ofNode = 2)
    {
        const RunResults results =
            RunCall({.collective = fmt::format("{{type: {}, size: {}}}", type, size),
                     .nodes = 2 / ofNode,
                     .npusPerNode = ofNode});
        return results.collectives.at(0).record.decision.channels;
    };
    CHECK(channels("all-to-all", "1000000 B") == 8);
    CHECK(channels("all-to-all", "400000000 B") == 16); // 200 MB to each
    CHECK(channels("gather", "1000000 B") == 8);
    CHECK(channels("scatter", "300000000 B") == 32);
    CHECK(channels("all-to-all", "1000000 B", 1) == 1); // between nodes a send has a rate alone
}

TEST_CASE("nccl: says what ran and who chose it", "[component][nccl]")
{
    const RunResults byEstimate = RunCall({.costs = "release: \"2.21\""});
    REQUIRE(byEstimate.collectives.size() == 1);
    CHECK(byEstimate.collectives[0].record.decision.chosenBy == "estimate");
    const RunResults byUser = RunCall({.costs = "algorithm: ring, protocol: LL128"});
    CHECK(byUser.collectives[0].record.decision.chosenBy == "user");
    CHECK(byUser.collectives[0].record.decision.algorithm == "ring");
    CHECK(byUser.collectives[0].record.decision.protocol == "LL128");
}

TEST_CASE("nccl: a wish that cannot be met is told, and is nobody's choice", "[component][nccl]")
{
    const auto chosenBy = [](const RunResults& results)
    { return results.collectives.at(0).record.decision.chosenBy; };
    const auto warnings = [](const Call& call) { return RunCall(call).warnings; };
    const Call node{.costs = "algorithm: nvls", .npusPerNode = 8};
    CHECK(chosenBy(RunCall(node)) == "user");
    CHECK(warnings(node).empty());

    const Call nodes{.costs = "algorithm: nvls", .nodes = 2, .npusPerNode = 8};
    const RunResults ring = RunCall(nodes);
    CHECK(ring.collectives.at(0).record.decision.algorithm == "ring");
    CHECK(chosenBy(ring) == "estimate");
    CHECK(ring.warnings ==
          std::vector<std::string>{
              "all-reduce of communicator 0 {0..15} ran ring, not nvls: its ranks are in several "
              "nodes; write nvls-tree for such"});

    // The protocol of the wish runs, whatever becomes of the algorithm.
    const Call slow{.costs = "algorithm: nvls, protocol: LL", .npusPerNode = 8};
    CHECK(chosenBy(RunCall(slow)) == "user");
    CHECK(warnings(slow) ==
          std::vector<std::string>{
              "all-reduce of communicator 0 {0..7} ran ring, not nvls: it runs with the protocol "
              "Simple only, and system.library.protocol is LL"});

    // The key of the algorithm is of all-reduces.
    for (const std::string algorithm : {"tree", "ring"})
    {
        const Call gather{.collective = "{type: all-gather, size: 1 MiB}",
                          .costs = "algorithm: " + algorithm,
                          .npusPerNode = 8};
        CHECK(chosenBy(RunCall(gather)) == "estimate");
        CHECK(warnings(gather) ==
              std::vector<std::string>{"no all-reduce of several ranks ran; "
                                       "system.library.algorithm had no effect"});
    }
    // A call that is repeated is told once.
    const Call twice{.collective = "[{type: all-reduce, size: 1 MiB}, {type: all-reduce, size: 2 "
                                   "MiB}]",
                     .costs = "algorithm: nvls",
                     .nodes = 2,
                     .npusPerNode = 8};
    CHECK(warnings(twice).size() == 1);
}

TEST_CASE("nccl: the messages of a collective are bounded, and its bytes and time stay",
          "[component][nccl]")
{
    // 16 ranks, one ring for each of two NICs, two slices, 30 steps: 1920 messages.
    const Call call{.collective = "{type: all-reduce, size: 64 MiB}", .nodes = 8};
    const auto run = [&](const std::string& bound)
    {
        Call bounded = call;
        bounded.costs = "algorithm: ring, protocol: Simple, messages: " + bound;
        return RunCall(bounded);
    };
    const RunResults exact = run("100000");
    const RunResults merged = run("200");
    CHECK(merged.events < exact.events / 4);
    const auto sent = [](const RunResults& results)
    {
        double bytes = 0;
        for (const RankResult& rank : results.ranks)
        {
            bytes += static_cast<double>(rank.sent.Count());
        }
        return bytes;
    };
    CHECK(sent(merged) == Approx(sent(exact)).epsilon(1e-4));
    CHECK(static_cast<double>(merged.finish.Ps()) ==
          Approx(static_cast<double>(exact.finish.Ps())).epsilon(0.1));
}
