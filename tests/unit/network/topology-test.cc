// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "network/topology.h"
#include "tests/support/config-error-text.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// `npus` NPUs, then switches of those names, without any link.
Topology
MakeVertices(uint32_t npus, const std::vector<std::string>& switches)
{
    Topology topology;
    for (uint32_t rank = 0; rank < npus; ++rank)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(rank));
    }
    for (const std::string& name : switches)
    {
        topology.AddVertex(VertexKind::Switch, name);
    }
    return topology;
}

std::string
ValidationError(const Topology& topology)
{
    return ConfigErrorText([&topology] { topology.Validate("here"); });
}

} // namespace

TEST_CASE("Topology: a link is two directions that know each other", "[unit][network]")
{
    Topology topology = MakeVertices(2, {"sw"});
    topology.AddLink(VertexId{0}, VertexId{2}, RATE, LATENCY);
    const LinkId forth = topology.AddLink(VertexId{1}, VertexId{2}, RATE, LATENCY, 3);
    CHECK(forth == LinkId{2});
    CHECK(topology.LinkCount() == 4);
    const TopologyLink& link = topology.Link(forth);
    const TopologyLink& back = topology.Link(link.reverse);
    CHECK(link.reverse == LinkId{3});
    CHECK(back.reverse == forth);
    CHECK(link.from == back.to);
    CHECK(link.to == back.from);
    CHECK(link.from == VertexId{1});
    CHECK(link.to == VertexId{2});
    CHECK(link.dimension == 3);
    CHECK(back.dimension == 3);
    CHECK(back.bandwidth == RATE);
    CHECK(back.latency == LATENCY);
}

TEST_CASE("Topology: the directions of a link may differ", "[unit][network]")
{
    Topology topology = MakeVertices(2, {});
    const LinkId id =
        topology.AddUnequalLink(VertexId{0}, VertexId{1}, {RATE, LATENCY}, {RATE * 2, LATENCY * 3});
    CHECK(topology.Link(id).bandwidth == RATE);
    CHECK(topology.Link(id).latency == LATENCY);
    CHECK(topology.Link(LinkId{1}).bandwidth == RATE * 2);
    CHECK(topology.Link(LinkId{1}).latency == LATENCY * 3);
    CHECK(topology.Link(LinkId{1}).from == VertexId{1});
}

TEST_CASE("Topology: the links from a vertex are in order of their ids", "[unit][network]")
{
    Topology topology = MakeVertices(3, {});
    topology.AddLink(VertexId{2}, VertexId{0}, RATE, LATENCY);
    topology.AddLink(VertexId{0}, VertexId{1}, RATE, LATENCY);
    topology.AddLink(VertexId{0}, VertexId{1}, RATE, LATENCY);
    CHECK(topology.LinksFrom(VertexId{0}) == std::vector<LinkId>{LinkId{1}, LinkId{2}, LinkId{4}});
    CHECK(topology.LinksFrom(VertexId{1}) == std::vector<LinkId>{LinkId{3}, LinkId{5}});
}

TEST_CASE("Topology: both directions of a link know their ends and each other", "[unit][network]")
{
    Topology topology = MakeVertices(2, {"sw"});
    topology.AddLink(VertexId{0}, VertexId{2}, RATE, LATENCY);
    const LinkId forth = topology.AddLink(VertexId{1}, VertexId{2}, RATE, LATENCY);
    const TopologyLink& link = topology.Link(forth);
    const TopologyLink& back = topology.Link(link.reverse);
    CHECK(link.from == VertexId{1});
    CHECK(link.to == VertexId{2});
    CHECK(back.from == link.to);
    CHECK(back.to == link.from);
    CHECK(back.reverse == forth);
    CHECK(topology.LinkCount() == 4);
    CHECK(topology.NpuCount() == 2);
    CHECK(topology.VertexCount() == 3);
    CHECK(topology.Vertex(VertexId{2}).name == "sw");
    CHECK(topology.Vertex(VertexId{2}).kind == VertexKind::Switch);
}

TEST_CASE("Topology: an NPU after a switch, or a link to itself, is a bug", "[unit][network]")
{
    Topology topology = MakeVertices(1, {"sw"});
    CHECK_THROWS_AS(topology.AddVertex(VertexKind::Npu, "npu1"), CheckFailure);
    CHECK_THROWS_AS(topology.AddLink(VertexId{0}, VertexId{0}, RATE, LATENCY), CheckFailure);
    CHECK_THROWS_AS(topology.AddLink(VertexId{0}, VertexId{2}, RATE, LATENCY), CheckFailure);
}

TEST_CASE("Topology: one NPU alone is valid, none is not", "[unit][network]")
{
    CHECK(ValidationError(MakeVertices(1, {})) == "");
    CHECK(ValidationError(MakeVertices(0, {"sw"})) ==
          "here: the topology has no NPU; it needs at least one");
}

TEST_CASE("Topology: a node without links is named", "[unit][network]")
{
    Topology topology = MakeVertices(3, {"sw", "spare"});
    topology.AddLink(VertexId{0}, VertexId{3}, RATE, LATENCY);
    topology.AddLink(VertexId{1}, VertexId{3}, RATE, LATENCY);
    CHECK(ValidationError(topology) == "here: no link ends at npu2, spare; every node needs one");
    topology.AddLink(VertexId{2}, VertexId{4}, RATE, LATENCY);
    CHECK(ValidationError(topology) == "here: no path leads from npu0 to npu2, spare; add links "
                                       "that join them to the rest");
    topology.AddLink(VertexId{3}, VertexId{4}, RATE, LATENCY);
    CHECK(ValidationError(topology) == "");
}

TEST_CASE("Topology: of many unreachable nodes eight are named", "[unit][network]")
{
    CHECK(ValidationError(MakeVertices(11, {})) ==
          "here: no link ends at npu0, npu1, npu2, npu3, npu4, npu5, npu6, npu7 and 3 more; every "
          "node needs one");
}

TEST_CASE("Topology: a link without bandwidth is named", "[unit][network]")
{
    Topology topology = MakeVertices(2, {});
    topology.AddUnequalLink(VertexId{0}, VertexId{1}, {RATE, LATENCY}, {Bandwidth{}, LATENCY});
    CHECK(ValidationError(topology) ==
          "here: the link from npu1 to npu0 has no bandwidth; give it one, such as 400 Gb/s");
}
