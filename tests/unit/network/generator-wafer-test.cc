// SPDX-License-Identifier: GPL-2.0-only
#include "network/dimension-ordered-routing.h"
#include "network/make-routing.h"
#include "network/shortest-path-routing.h"
#include "tests/support/config-error-text.h"
#include "tests/support/topology-flow.h"
#include "tests/support/topology-ways.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

using WaferParameters = std::map<std::string, std::string>;

constexpr uint32_t WAFER_WIDTH = 5;
constexpr uint32_t WAFER_HEIGHT = 4;

WaferParameters
MeshWafer()
{
    return {{"fabric", "mesh"},
            {"width", std::to_string(WAFER_WIDTH)},
            {"height", std::to_string(WAFER_HEIGHT)},
            {"link.bandwidth", "750 GB/s"},
            {"link.latency", "4 ns"}};
}

WaferParameters
TreeWafer()
{
    return {{"fabric", "tree"},
            {"npus-per-switch", "4"},
            {"l1-switches", "5"},
            {"link.bandwidth", "3 TB/s"},
            {"link.latency", "4 ns"},
            {"uplink.bandwidth", "1.5 TB/s"},
            {"uplink.latency", "6 ns"}};
}

std::string
WaferError(WaferParameters parameters, const std::string& key, const std::string& value)
{
    parameters[key] = value;
    return ConfigErrorText([&] { MakeTopologyGenerator({"wafer", parameters}); });
}

} // namespace

TEST_CASE("WaferGenerator: a mesh is the stack of two lines, x first", "[unit][network]")
{
    const Topology topology = Generate("wafer", MeshWafer());
    CHECK(topology.NpuCount() == WAFER_WIDTH * WAFER_HEIGHT);
    CHECK(topology.VertexCount() == topology.NpuCount());
    CHECK(topology.LinkCount() ==
          2 * (WAFER_HEIGHT * (WAFER_WIDTH - 1) + WAFER_WIDTH * (WAFER_HEIGHT - 1)));
    REQUIRE(topology.Dimensions().size() == 2);
    CHECK(topology.Dimensions()[0].size == WAFER_WIDTH);
    CHECK(topology.Dimensions()[1].size == WAFER_HEIGHT);
    CHECK(NeighboursOf(topology, "npu7") ==
          std::multiset<std::string>{"npu6", "npu8", "npu2", "npu12"});
    CHECK(topology.Link(LinkId{0}).bandwidth == Bandwidth::FromBitsPerSecond(6'000'000'000'000));
    CHECK(topology.Link(LinkId{0}).latency == SimTime::FromNs(4));
}

TEST_CASE("WaferGenerator: messages of a mesh go along x, then along y", "[unit][network]")
{
    const Topology topology = Generate("wafer", MeshWafer());
    const auto routing = MakeRouting(topology);
    const uint32_t from = 0;
    const uint32_t to = 2 * WAFER_WIDTH + 3; // x 3, y 2
    const Ways ways = FindWays(topology, *routing, from, to);
    CHECK(ways.count == 1);
    CHECK(ways.lengths == std::set<size_t>{3 + 2});
    CHECK(ways.by == std::set<std::string>{"npu1", "npu2", "npu3", "npu8"});
}

TEST_CASE("WaferGenerator: an NPU at the edge of a mesh has an I/O channel for each open side",
          "[unit][network]")
{
    const Topology topology = Generate("wafer", MeshWafer());
    uint32_t channels = 0;
    for (uint32_t rank = 0; rank < topology.NpuCount(); ++rank)
    {
        channels += 4 - static_cast<uint32_t>(topology.LinksFrom(VertexId{rank}).size());
    }
    CHECK(channels == 2 * (WAFER_WIDTH + WAFER_HEIGHT)); // the 18 of FRED's wafer
}

TEST_CASE("WaferGenerator: between the halves of a wafer flows what the links between them carry",
          "[unit][network]")
{
    const auto terabytes = [](int64_t hundredths)
    { return Bandwidth::FromBitsPerSecond(hundredths * 8 * 10'000'000'000); };
    // The halves of the mesh are two rows each, with five links between them. Four first-level
    // switches have the same halves as two of them.
    CHECK(BisectionBandwidth(Generate("wafer", MeshWafer())) == terabytes(375));
    WaferParameters even = TreeWafer();
    even["l1-switches"] = "4";
    CHECK(BisectionBandwidth(Generate("wafer", even)) == terabytes(2 * 150));
    even["uplink.bandwidth"] = "12 TB/s";
    CHECK(BisectionBandwidth(Generate("wafer", even)) == terabytes(2 * 1200));
}

TEST_CASE("WaferGenerator: a tree has its NPUs on the first level and every first-level switch on "
          "each of the second",
          "[unit][network]")
{
    WaferParameters parameters = TreeWafer();
    parameters["l2-switches"] = "2";
    const Topology topology = Generate("wafer", parameters);
    CHECK(topology.NpuCount() == 20);
    CHECK(topology.VertexCount() == 20 + 5 + 2);
    CHECK(topology.LinkCount() == 2 * (20 + 5 * 2));
    CHECK(topology.Dimensions().empty());
    CHECK(NeighboursOf(topology, "npu7") == std::multiset<std::string>{"l1.switch1"});
    CHECK(NeighboursOf(topology, "l1.switch1") ==
          std::multiset<std::string>{"npu4", "npu5", "npu6", "npu7", "l2.switch0", "l2.switch1"});
    CHECK(topology.LinksFrom(FindVertex(topology, "l2.switch1")).size() == 5);
    const ShortestPathRouting routing(topology);
    CHECK(FindWays(topology, routing, 0, 3).lengths == std::set<size_t>{2});
    CHECK(FindWays(topology, routing, 0, 4).lengths == std::set<size_t>{4});
    CHECK(FindWays(topology, routing, 0, 4).count == 2);
}

TEST_CASE("WaferGenerator: the links of a tree are as documented", "[unit][network]")
{
    const Topology topology = Generate("wafer", TreeWafer());
    for (uint32_t rank = 0; rank < 20; ++rank)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * rank});
        CHECK(link.from == VertexId{rank});
        CHECK(link.to == VertexId{20 + rank / 4});
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(24'000'000'000'000));
        CHECK(link.latency == SimTime::FromNs(4));
    }
    for (uint32_t lower = 0; lower < 5; ++lower)
    {
        const TopologyLink& link = topology.Link(LinkId{2 * (20 + lower)});
        CHECK(link.from == VertexId{20 + lower});
        CHECK(link.to == VertexId{25});
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(12'000'000'000'000));
        CHECK(link.latency == SimTime::FromNs(6));
    }
}

TEST_CASE("WaferGenerator: collectives of a tree are laid out by first-level switches",
          "[unit][network]")
{
    const auto tree = MakeTopologyGenerator({"wafer", TreeWafer()});
    CHECK(tree->StackSizes() == std::vector<uint32_t>{4, 5});
    CHECK(tree->Dimensions().empty());
    const auto mesh = MakeTopologyGenerator({"wafer", MeshWafer()});
    CHECK(mesh->StackSizes().empty());
    CHECK(mesh->Dimensions().size() == 2);
}

TEST_CASE("WaferGenerator: numbers that do not fit are refused at their key", "[unit][network]")
{
    CHECK(WaferError(MeshWafer(), "width", "0") ==
          "width: fabric: mesh needs it; write a whole number from 1");
    CHECK(WaferError(MeshWafer(), "height", "0") ==
          "height: fabric: mesh needs it; write a whole number from 1");
    CHECK(WaferError(TreeWafer(), "npus-per-switch", "0") ==
          "npus-per-switch: fabric: tree needs it; write a whole number from 1");
    CHECK(WaferError(TreeWafer(), "l1-switches", "0") ==
          "l1-switches: fabric: tree needs it; write a whole number from 1");
    CHECK(WaferError(TreeWafer(), "l2-switches", "0") ==
          "l2-switches: 0 is not valid; write a whole number from 1 to 4194304");
    CHECK(WaferError(TreeWafer(), "fabric", "torus") ==
          "fabric: \"torus\" is not valid; write mesh or tree");
    CHECK(WaferError(MeshWafer(), "width", "4194304") ==
          "makes more than 4194304 NPUs or switches, or than 16777216 links; write smaller counts");
}

TEST_CASE("WaferGenerator: keys of the other fabric are refused", "[unit][network]")
{
    const std::string tree = "is for fabric: tree; remove it, or write that fabric";
    const std::string mesh = "is for fabric: mesh; remove it, or write that fabric";
    CHECK(WaferError(MeshWafer(), "npus-per-switch", "4") == "npus-per-switch: " + tree);
    CHECK(WaferError(MeshWafer(), "l1-switches", "5") == "l1-switches: " + tree);
    CHECK(WaferError(MeshWafer(), "l2-switches", "2") == "l2-switches: " + tree);
    CHECK(WaferError(MeshWafer(), "uplink.latency", "5 ns") == "uplink: " + tree);
    CHECK(WaferError(TreeWafer(), "width", "5") == "width: " + mesh);
    CHECK(WaferError(TreeWafer(), "height", "4") == "height: " + mesh);
}
