// SPDX-License-Identifier: GPL-2.0-only
// How much of a job is answered from memory, and when nothing is.
#include "tests/support/packet-net.h"
#include "tests/support/run-yaml.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

/// One step of a transformer on four nodes of four GPUs.
std::string
MakeStep(const std::string& packet)
{
    return R"(
workload:
  generate: {model: transformer, layers: 6, hidden: 1024, heads: 16, sequence: 512,
             vocabulary: 32000, batch: 8, tp: 4, pp: 2, zero: 1}
  ranks: 16
system:
  chunks: 4
  compute: {model: roofline, peak: 300 TFLOP/s, memory-bandwidth: 2 TB/s}
network:
  topology:
    generator: rail
    nodes: 4
    npus-per-node: 4
    nvlink: {bandwidth: 450 GB/s, latency: 100 ns}
    nic: {bandwidth: 400 Gb/s, latency: 500 ns}
    spines: 2
  packet: )" +
           packet + "\n";
}

RunResults
RunStep(const std::string& packet, const std::vector<std::string>& settings)
{
    return RunYaml({.yaml = MakeStep(packet), .settings = settings, .scrambleSeed = {}});
}

/// `rounds` times the same ring step of all NPUs of a star, apart from each other. The first NPU
/// has `links` links.
NetworkTotals
RunRounds(uint32_t rounds, const PacketOptions& options, uint32_t links = 1)
{
    const uint32_t npus = 4;
    Topology star = MakeStar(npus, RATE, LATENCY);
    for (uint32_t link = 1; link < links; ++link)
    {
        star.AddLink(VertexId{0}, VertexId{npus}, RATE, LATENCY);
    }
    PacketNet net(std::move(star), options);
    for (uint32_t round = 0; round < rounds; ++round)
    {
        for (uint32_t npu = 0; npu < npus; ++npu)
        {
            net.SendAt(SimTime::FromUs(50 * round),
                       MakeMessage(npu, (npu + 1) % npus, options.payload * 10, 1 + round));
        }
    }
    net.Run();
    return net.Backend().ReadTotals();
}

/// When everything is delivered where NPUs repeat themselves on queue pairs that stay open, and
/// then two of them overload a third.
std::pair<std::vector<std::optional<SimTime>>, uint64_t>
DeliverOverload(PacketOptions options, bool hasMemo)
{
    options.memo = hasMemo;
    PacketNet net(MakeStar(3, RATE, LATENCY), options);
    for (uint32_t round = 0; round < 5; ++round)
    {
        for (const uint32_t sender : {0U, 1U})
        {
            const uint32_t apart = 50 + 100 * sender;
            net.SendAt(SimTime::FromUs(200 * round + apart),
                       MakeMessage(sender, 2, Bytes(13'000), sender));
        }
    }
    for (const uint32_t sender : {0U, 1U})
    {
        net.SendAt(SimTime::FromUs(1100), MakeMessage(sender, 2, Bytes(3'000'000), sender));
    }
    net.Run();
    CHECK(net.Backend().ReadTotals().ecnMarks > 0);
    CHECK((net.Backend().ReadTotals().memoAnswered > 0) == hasMemo);
    return {net.AllDelivered(), net.Backend().ReadTotals().ecnMarks};
}

} // namespace

TEST_CASE("Memo: most messages of a training step are answered, and no result differs",
          "[component][packet][memo]")
{
    for (const std::string packet :
         {"{payload: 4096 B}",
          "{payload: 4096 B, congestion-control: dcqcn, buffer: 32 MB, pfc: on, "
          "ecn: {min: 400 KB, max: 1600 KB, probability: 0.2}}"})
    {
        CAPTURE(packet);
        const RunResults with = RunStep(packet, {"network.packet.memo=on"});
        const RunResults without = RunStep(packet, {"network.packet.memo=off"});
        CHECK(with.digest == without.digest);
        CHECK(with.totals.memoAnswered > with.totals.memoMessages / 2);
        CHECK(with.totals.memoMessages > 1000);
        // A tenth of them are made at most.
        CHECK(with.totals.memoSkipped >= with.totals.memoMessages / 10 * 9);
        CHECK(without.totals.memoMessages == 0);
    }
}

TEST_CASE("Memo: frames that are marked at random are numbered on by what is answered",
          "[component][packet][memo]")
{
    PacketOptions options;
    options.congestionControl.name = "dcqcn";
    options.ecn = EcnOptions{.min = Bytes(20'000), .max = Bytes(20'000'000), .probability = 0.5};
    CHECK(DeliverOverload(options, true) == DeliverOverload(options, false));

    // With frames of another size.
    options.payload = Bytes(700);
    CHECK(DeliverOverload(options, true) == DeliverOverload(options, false));
}

TEST_CASE("Memo: marks that only network.ns3 sets are drawn as without it",
          "[component][packet][memo]")
{
    PacketOptions options;
    options.ns3 = {{.name = "ns3::FabricPort::MarkMin", .value = "20000"},
                   {.name = "ns3::FabricPort::MarkMax", .value = "20000000"},
                   {.name = "ns3::FabricPort::MarkProbability", .value = "0.5"}};
    CHECK(DeliverOverload(options, true) == DeliverOverload(options, false));
}

TEST_CASE("Memo: there is none where the run samples the network", "[component][packet][memo]")
{
    const RunResults sampled = RunStep("{payload: 4096 B}", {"output.series=10 us"});
    CHECK(sampled.totals.memoMessages == 0);
    CHECK(sampled.digest == RunStep("{payload: 4096 B}", {}).digest);
}

TEST_CASE("Memo: what happens again is answered, but for the first time",
          "[component][packet][memo]")
{
    const NetworkTotals totals = RunRounds(5, {});
    CHECK(totals.memoMessages == 5 * 4);
    CHECK(totals.memoAnswered == 4 * 4);
}

TEST_CASE("Memo: parts that are alike and begin together are answered from the first",
          "[component][packet][memo]")
{
    // Pairs of NPUs that exchange a message: three of them share nothing.
    PacketNet net(MakeStar(6, RATE, LATENCY), {});
    for (const uint32_t npu : {0U, 2U, 4U})
    {
        net.SendAt(SimTime::FromUs(1), MakeMessage(npu, npu + 1, Bytes(100'000)));
        net.SendAt(SimTime::FromUs(1), MakeMessage(npu + 1, npu, Bytes(100'000)));
    }
    net.Run();
    const NetworkTotals totals = net.Backend().ReadTotals();
    CHECK(totals.memoMessages == 6);
    CHECK(totals.memoAnswered == 4);
    CHECK(net.Delivered(0) == net.Delivered(4));
}

TEST_CASE(
    "Memo: with a congestion control that learns from each answer, a queue pair that has sent "
    "is simulated",
    "[component][packet][memo]")
{
    PacketOptions options;
    options.congestionControl.name = "hpcc";
    PacketNet net(MakeStar(2, RATE, LATENCY), options);
    for (int round = 0; round < 5; ++round)
    {
        net.SendAt(SimTime::FromUs(100 * round), MakeMessage(0, 1, Bytes(100'000)));
    }
    net.Run();
    CHECK(net.Backend().ReadTotals().memoAnswered == 0);
}

TEST_CASE("Memo: there is none where frames can be lost or overtaken", "[component][packet][memo]")
{
    PacketOptions lossy;
    lossy.buffer = Bytes(1'000'000);
    CHECK(RunRounds(3, lossy).memoMessages == 0);
    PacketOptions spraying;
    spraying.loadBalancing.name = "spray";
    CHECK(RunRounds(3, spraying, 2).memoMessages == 0);
    CHECK(RunRounds(3, PacketOptions(), 2).memoMessages > 0);
    // With one way for each message, nothing is sprayed.
    CHECK(RunRounds(3, spraying).memoMessages > 0);
    PacketOptions off;
    off.memo = false;
    CHECK(RunRounds(3, off).memoMessages == 0);
}
