// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "network/neighbour-rates.h"
#include "network/topology-generator.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>

using namespace nadi;

namespace
{

constexpr int64_t GB = 1'000'000'000;
const Bandwidth NVLINK = Bandwidth::FromBytesPerSecond(450 * GB);
const Bandwidth NIC = Bandwidth::FromBytesPerSecond(50 * GB);

/// Of frames of 4096 B with a header of 64 B, and a switch latency of 20 ns.
const PacketOptions PACKETS = []
{
    PacketOptions options;
    options.switchLatency = SimTime::FromNs(20);
    return options;
}();

std::vector<NeighbourRates>
RatesOf(const Topology& topology, const std::vector<uint32_t>& sizes)
{
    return FindNeighbourRates(topology, *MakeRouting(topology), {sizes}, PACKETS);
}

std::vector<NeighbourRates>
RatesOf(const std::string& generator,
        const std::map<std::string, std::string>& numbers,
        const std::vector<uint32_t>& sizes)
{
    ComponentChoice choice{generator, numbers};
    choice.parameters.merge(std::map<std::string, std::string>{{"nvlink.bandwidth", "450 GB/s"},
                                                               {"nvlink.latency", "100 ns"},
                                                               {"nic.bandwidth", "50 GB/s"},
                                                               {"nic.latency", "500 ns"}});
    return RatesOf(GenerateTopology(choice), sizes);
}

} // namespace

TEST_CASE("FindNeighbourRates: a node's dimension has the NVLinks, the nodes' has the NICs",
          "[unit][network]")
{
    const auto rates =
        RatesOf("rail", {{"nodes", "4"}, {"npus-per-node", "8"}, {"spines", "2"}}, {8, 4});
    REQUIRE(rates.size() == 2);
    CHECK(rates[0].least == NVLINK);
    CHECK(rates[0].AreEqual());
    CHECK(rates[0].latency == SimTime::FromNs(2 * 100 + 20)); // two links and a switch
    CHECK(rates[1].least == NIC);
    CHECK(rates[1].AreEqual());
    CHECK(rates[1].latency == SimTime::FromNs(2 * 500 + 20));
    // The second link of each way stores a frame: 4160 B at the rate of its links.
    CHECK(rates[0].forwarding == Bytes(4160) / NVLINK);
    CHECK(rates[1].forwarding == Bytes(4160) / NIC);
}

TEST_CASE("FindNeighbourRates: with cut-through only the header is stored", "[unit][network]")
{
    PacketOptions options = PACKETS;
    options.switching = Switching::CutThrough;
    Topology pair;
    const VertexId first = pair.AddVertex(VertexKind::Npu, "npu0");
    const VertexId second = pair.AddVertex(VertexKind::Npu, "npu1");
    const VertexId hub = pair.AddVertex(VertexKind::Switch, "hub");
    pair.AddLink(first, hub, NIC, SimTime());
    pair.AddLink(second, hub, NIC, SimTime());
    const auto forwarding = [&](const PacketOptions& packets)
    {
        return FindNeighbourRates(pair, *MakeRouting(pair), {.sizes = {2}}, packets)
            .front()
            .forwarding;
    };
    CHECK(forwarding(PACKETS) == Bytes(4160) / NIC);
    CHECK(forwarding(options) == Bytes(64) / NIC);
}

TEST_CASE("FindNeighbourRates: one list over nodes has fast and slow neighbours", "[unit][network]")
{
    const auto rates =
        RatesOf("rail", {{"nodes", "4"}, {"npus-per-node", "8"}, {"spines", "2"}}, {32});
    REQUIRE(rates.size() == 1);
    // The last NPU of each node sends from the last rail to the first: four flows over two spines.
    CHECK(rates[0].least.BitsPerSecond() == NIC.BitsPerSecond() * 2 / 4);
    CHECK(rates[0].most == NVLINK);
    CHECK(!rates[0].AreEqual());
}

TEST_CASE("FindNeighbourRates: NPUs that share a NIC have a part of it each", "[unit][network]")
{
    const auto rates = RatesOf("nodes",
                               {{"nodes", "4"},
                                {"npus-per-node", "8"},
                                {"nics-per-node", "2"},
                                {"spines", "0"},
                                {"pcie.bandwidth", "64 GB/s"}},
                               {8, 4});
    CHECK(rates[0].least == NVLINK);
    CHECK(rates[1].least.BitsPerSecond() == NIC.BitsPerSecond() / 4); // four NPUs on each
    CHECK(rates[1].AreEqual());
}

TEST_CASE("FindNeighbourRates: uplinks are shared by those who need them", "[unit][network]")
{
    // Leaves of four, one spine. Along the second dimension all four cross the one uplink; along
    // the first nobody does.
    const std::map<std::string, std::string> numbers{{"npus", "8"},
                                                     {"npus-per-leaf", "4"},
                                                     {"spines", "1"},
                                                     {"link.bandwidth", "50 GB/s"},
                                                     {"link.latency", "500 ns"}};
    const auto rates = RatesOf(GenerateTopology({"leaf-spine", numbers}), {4, 2});
    CHECK(rates[0].least == NIC);
    CHECK(rates[1].least.BitsPerSecond() == NIC.BitsPerSecond() / 4);
    CHECK(rates[1].AreEqual());

    // With four spines there is one uplink's worth for each, however the flows are spread.
    std::map<std::string, std::string> wide = numbers;
    wide["spines"] = "4";
    CHECK(RatesOf(GenerateTopology({"leaf-spine", wide}), {4, 2})[1].least == NIC);
}

TEST_CASE("FindNeighbourRates: of 4096 NPUs on four leaves all are looked at", "[unit][network]")
{
    // Leaves of 1024 hold two lines of 512 each. Of each leaf one line has its next neighbours in
    // the next leaf: 512 flows over the one uplink. The other line stays inside.
    const auto rates = RatesOf(GenerateTopology({"leaf-spine",
                                                 {{"npus", "4096"},
                                                  {"npus-per-leaf", "1024"},
                                                  {"spines", "1"},
                                                  {"link.bandwidth", "50 GB/s"},
                                                  {"link.latency", "500 ns"}}}),
                               {512, 8});
    CHECK(rates[0].least == NIC);
    CHECK(rates[1].least.BitsPerSecond() == NIC.BitsPerSecond() / 512);
    CHECK(rates[1].most == NIC);
}

TEST_CASE("FindNeighbourRates: a flow has one link's bandwidth, also where there are parallel ones",
          "[unit][network]")
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddLink(VertexId{0}, VertexId{1}, NIC, SimTime::FromNs(500));
    topology.AddLink(VertexId{0}, VertexId{1}, NIC, SimTime::FromNs(500));
    const auto rates = RatesOf(topology, {2});
    CHECK(rates[0].least == NIC);
    CHECK(rates[0].latency == SimTime::FromNs(500));
}

TEST_CASE("FindNeighbourRates: a dimension of one member has an NPU's fastest link",
          "[unit][network]")
{
    const auto rates =
        RatesOf("rail", {{"nodes", "2"}, {"npus-per-node", "2"}, {"spines", "1"}}, {1, 4});
    CHECK(rates[0].least == NVLINK);
    CHECK(rates[0].AreEqual());
}

TEST_CASE("FindNeighbourRates: a way may have more links than the stack has room for calls",
          "[unit][network]")
{
    constexpr uint32_t SWITCHES = 200'000; // one call for each needs some 30 MB, there are 8
    Topology topology;
    VertexId last = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId end = topology.AddVertex(VertexKind::Npu, "npu1");
    for (uint32_t i = 0; i < SWITCHES; ++i)
    {
        const VertexId next = topology.AddVertex(VertexKind::Switch, "switch" + std::to_string(i));
        topology.AddLink(last, next, NIC, SimTime::FromNs(1));
        last = next;
    }
    topology.AddLink(last, end, NIC, SimTime::FromNs(1));
    const auto rates = RatesOf(topology, {2});
    REQUIRE(rates.size() == 1);
    CHECK(rates[0].least == NIC);
    CHECK(rates[0].latency == SimTime::FromNs(SWITCHES + 1 + 20 * int64_t{SWITCHES}));
}

TEST_CASE("HaveUnequalNeighbours: a list over nodes has, one inside a node or on a rail has not",
          "[unit][network]")
{
    const Topology topology = GenerateTopology({"rail",
                                                {{"nodes", "2"},
                                                 {"npus-per-node", "4"},
                                                 {"spines", "4"},
                                                 {"nvlink.bandwidth", "450 GB/s"},
                                                 {"nvlink.latency", "100 ns"},
                                                 {"nic.bandwidth", "50 GB/s"},
                                                 {"nic.latency", "500 ns"}}});
    const auto routing = MakeRouting(topology);
    const auto areUnequal = [&](const std::vector<std::vector<uint32_t>>& lists)
    {
        std::vector<std::vector<VertexId>> vertices;
        for (const std::vector<uint32_t>& list : lists)
        {
            std::vector<VertexId>& members = vertices.emplace_back();
            for (const uint32_t npu : list)
            {
                members.push_back(VertexId{npu});
            }
        }
        return HaveUnequalNeighbours(topology, *routing, vertices, PACKETS);
    };
    CHECK_FALSE(areUnequal({{0, 1, 2, 3}, {4, 5, 6, 7}}));
    CHECK_FALSE(areUnequal({{0, 4}, {1, 5}})); // a rail each
    CHECK_FALSE(areUnequal({{0}}));
    CHECK(areUnequal({{0, 1, 2, 3, 4, 5, 6, 7}}));
    CHECK(areUnequal({{0, 1}, {0, 1, 4, 5}})); // 1 to 4 takes a NIC
}
