// SPDX-License-Identifier: GPL-2.0-only
#include "network/topology-dot.h"

#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

std::string
DotOf(const Topology& topology)
{
    std::ostringstream out;
    WriteTopologyDot(out, topology);
    return out.str();
}

} // namespace

TEST_CASE("WriteTopologyDot: a box for each NPU, an ellipse for each switch, an edge for each link",
          "[unit][network]")
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddVertex(VertexKind::Switch, "leaf \"a\"");
    const Bandwidth rate = Bandwidth::FromBitsPerSecond(400'000'000'000);
    topology.AddLink(VertexId{0}, VertexId{2}, rate, SimTime::FromNs(500));
    topology.AddUnequalLink(
        VertexId{1}, VertexId{2}, {rate, SimTime::FromNs(500)}, {rate * 2, SimTime::FromNs(500)});
    CHECK(DotOf(topology) == "graph G {\n"
                             "rankdir=BT;\n"
                             "{rank=same; 2;}\n"
                             "0[label=npu0, shape=box];\n"
                             "1[label=npu1, shape=box];\n"
                             "2[label=\"leaf \\\"a\\\"\", shape=ellipse];\n"
                             "0--2 [label=\"50 GB/s, 500 ns\"];\n"
                             "1--2 [label=\"npu1 to leaf \\\"a\\\": 50 GB/s, 500 ns\n"
                             "leaf \\\"a\\\" to npu1: 100 GB/s, 500 ns\"];\n"
                             "}\n");
}

TEST_CASE("WriteTopologyDot: parallel links are edges of their own", "[unit][network]")
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    for (int i = 0; i < 3; ++i)
    {
        topology.AddLink(
            VertexId{0}, VertexId{1}, Bandwidth::FromBitsPerSecond(8'000), SimTime::FromNs(1));
    }
    const std::string dot = DotOf(topology);
    size_t edges = 0;
    for (size_t at = dot.find("0--1"); at != std::string::npos; at = dot.find("0--1", at + 1))
    {
        ++edges;
    }
    CHECK(edges == 3);
}

TEST_CASE("WriteTopologyDot: the switches of a tier stand side by side", "[unit][network]")
{
    // NPUs 0 and 1 on leaves 2 and 3, a spine 4 on both, a core 5 on the spine.
    Topology topology;
    for (uint32_t i = 0; i < 6; ++i)
    {
        topology.AddVertex(i < 2 ? VertexKind::Npu : VertexKind::Switch, std::to_string(i));
    }
    const std::vector<std::pair<uint32_t, uint32_t>> links{{0, 2}, {1, 3}, {4, 2}, {4, 3}, {5, 4}};
    for (const auto& [from, to] : links)
    {
        topology.AddLink(
            VertexId{from}, VertexId{to}, Bandwidth::FromBitsPerSecond(8'000), SimTime::FromNs(1));
    }
    CHECK(DotOf(topology).starts_with("graph G {\n"
                                      "rankdir=BT;\n"
                                      "{rank=same; 2; 3;}\n"
                                      "{rank=same; 4;}\n"
                                      "{rank=same; 5;}\n"
                                      "0["));
}
