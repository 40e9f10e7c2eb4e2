// SPDX-License-Identifier: GPL-2.0-only
#include "network/explicit-topology.h"
#include "network/topology-limits.h"
#include "tests/support/config-error-text.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>

using namespace nadi;

namespace
{

LinkSpec
MakeSpec(std::string from, std::string to)
{
    LinkSpec spec;
    spec.where = "t.yaml: " + from + "-" + to;
    spec.from = std::move(from);
    spec.to = std::move(to);
    spec.bandwidth = RATE;
    spec.latency = LATENCY;
    return spec;
}

/// Three NPUs on one leaf switch.
ExplicitTopology
DescribeStar()
{
    ExplicitTopology description;
    description.npuCount = 3;
    description.switches = {"leaf0"};
    description.links = {
        MakeSpec("npu0", "leaf0"), MakeSpec("npu1", "leaf0"), MakeSpec("npu2", "leaf0")};
    description.where = "t.yaml: nodes";
    return description;
}

std::string
BuildError(const ExplicitTopology& description)
{
    return ConfigErrorText([&description] { MakeExplicitTopology(description); });
}

/// The error of the star with one more link.
std::string
ErrorWith(const LinkSpec& link)
{
    ExplicitTopology description = DescribeStar();
    description.links.push_back(link);
    return BuildError(description);
}

} // namespace

TEST_CASE("MakeExplicitTopology: NPUs first, then switches, links in the order of the list",
          "[unit][network]")
{
    const Topology topology = MakeExplicitTopology(DescribeStar());
    CHECK(topology.NpuCount() == 3);
    CHECK(topology.VertexCount() == 4);
    CHECK(topology.Vertex(VertexId{2}).name == "npu2");
    CHECK(topology.Vertex(VertexId{3}).name == "leaf0");
    REQUIRE(topology.LinkCount() == 6);
    CHECK(topology.Link(LinkId{4}).from == VertexId{2});
    CHECK(topology.Link(LinkId{4}).to == VertexId{3});
    CHECK(topology.Link(LinkId{5}).bandwidth == RATE);
    CHECK(topology.Link(LinkId{5}).latency == LATENCY);
    CHECK(topology.Dimensions().empty());
}

TEST_CASE("MakeExplicitTopology: count makes parallel links", "[unit][network]")
{
    ExplicitTopology description = DescribeStar();
    description.links[1].count = 3;
    const Topology topology = MakeExplicitTopology(description);
    CHECK(topology.LinkCount() == 2 * (1 + 3 + 1));
    CHECK(topology.LinksFrom(VertexId{1}).size() == 3);
}

TEST_CASE("MakeExplicitTopology: two forward links make one of unequal directions",
          "[unit][network]")
{
    ExplicitTopology description = DescribeStar();
    description.links[0].direction = LinkDirection::Forward;
    LinkSpec back = MakeSpec("leaf0", "npu0");
    back.direction = LinkDirection::Forward;
    back.bandwidth = RATE * 2;
    back.latency = LATENCY * 2;
    description.links.push_back(back);
    const Topology topology = MakeExplicitTopology(description);
    REQUIRE(topology.LinkCount() == 6);
    const TopologyLink& out = topology.Link(topology.LinksFrom(VertexId{0}).front());
    CHECK(out.bandwidth == RATE);
    CHECK(out.latency == LATENCY);
    CHECK(topology.Link(out.reverse).bandwidth == RATE * 2);
    CHECK(topology.Link(out.reverse).latency == LATENCY * 2);
}

TEST_CASE("MakeExplicitTopology: a forward link without a way back is an error", "[unit][network]")
{
    LinkSpec forward = MakeSpec("npu0", "leaf0");
    forward.direction = LinkDirection::Forward;
    CHECK(ErrorWith(forward) ==
          "t.yaml: npu0-leaf0: the link from \"npu0\" to \"leaf0\" has no way back; add one from "
          "\"leaf0\" to \"npu0\", or write direction: both");
}

TEST_CASE("MakeExplicitTopology: an unknown node is an error with a suggestion", "[unit][network]")
{
    CHECK(ErrorWith(MakeSpec("npu0", "leef0")) ==
          "t.yaml: npu0-leef0: unknown node \"leef0\" (did you mean leaf0?)");
    CHECK(ErrorWith(MakeSpec("npu3", "leaf0")) ==
          "t.yaml: npu3-leaf0: unknown node \"npu3\"; the NPUs are npu0 to npu2");
    CHECK(ErrorWith(MakeSpec("gateway", "leaf0")) ==
          "t.yaml: gateway-leaf0: unknown node \"gateway\"; known: leaf0, npu0");
}

TEST_CASE("MakeExplicitTopology: a senseless link is an error at its place", "[unit][network]")
{
    CHECK(ErrorWith(MakeSpec("leaf0", "leaf0")) ==
          "t.yaml: leaf0-leaf0: the link leads from \"leaf0\" to itself; name two different nodes");
    LinkSpec link = MakeSpec("npu0", "leaf0");
    link.count = 0;
    CHECK(ErrorWith(link) == "t.yaml: npu0-leaf0: count is 0; write how many parallel links there "
                             "are, 1 or more");
    link.count = 1;
    link.bandwidth = Bandwidth{};
    CHECK(ErrorWith(link) ==
          "t.yaml: npu0-leaf0: the link has no bandwidth; write one, such as 400 Gb/s");
}

TEST_CASE("MakeExplicitTopology: too many nodes or links are an error before they are built",
          "[unit][network]")
{
    // Before the last entry there is room for two directions.
    ExplicitTopology description = DescribeStar();
    description.links.assign(MOST_LINKS / 4096 / 2 - 1, MakeSpec("npu0", "leaf0"));
    for (LinkSpec& link : description.links)
    {
        link.count = 4096;
    }
    description.links.push_back(MakeSpec("npu1", "leaf0"));
    description.links.back().count = 4095;
    description.links.push_back(MakeSpec("npu2", "leaf0"));
    description.links.back().count = 2;
    const std::string problem = ": with this entry there are more than 16777216 links, each "
                                "direction counted; write fewer, or smaller counts";
    CHECK(BuildError(description) == "t.yaml: npu2-leaf0" + problem);
    // An entry of one direction counts once: one more than the limit is still too much.
    description.links.back().direction = LinkDirection::Forward;
    description.links.back().count = 3;
    CHECK(BuildError(description) == "t.yaml: npu2-leaf0" + problem);

    ExplicitTopology crowd = DescribeStar();
    crowd.npuCount = MOST_VERTICES + 1;
    CHECK(BuildError(crowd) == "t.yaml: nodes: more than 4194304 NPUs or switches; write fewer");
}

TEST_CASE("MakeExplicitTopology: a senseless node is an error at the nodes' place",
          "[unit][network]")
{
    ExplicitTopology description = DescribeStar();
    description.switches = {"leaf0", "leaf1", "leaf0"};
    CHECK(BuildError(description) ==
          "t.yaml: nodes: two switches are named \"leaf0\"; name each differently");
    description.switches = {"leaf0", "npu7"};
    CHECK(BuildError(description) == "t.yaml: nodes: switch \"npu7\" is named like an NPU; name it "
                                     "otherwise, such as \"sw7\"");
    description.switches = {"leaf0", ""};
    CHECK(BuildError(description) ==
          "t.yaml: nodes: a switch has no name; give it one, such as leaf0");
    description = ExplicitTopology{};
    description.where = "t.yaml: nodes";
    CHECK(BuildError(description) ==
          "t.yaml: nodes: the topology has no NPU; it needs at least one");
}

TEST_CASE("MakeExplicitTopology: a switch whose name only begins like an NPU's is fine",
          "[unit][network]")
{
    for (const char* name : {"npu", "npu0-leaf", "npux"})
    {
        ExplicitTopology description = DescribeStar();
        description.switches.push_back(name);
        description.links.push_back(MakeSpec("leaf0", name));
        CHECK(BuildError(description) == "");
    }
}

TEST_CASE("MakeExplicitTopology: unreachable nodes are named", "[unit][network]")
{
    ExplicitTopology description = DescribeStar();
    description.switches.push_back("leaf1");
    CHECK(BuildError(description) == "t.yaml: nodes: no link ends at leaf1; every node needs one");
    description.npuCount = 4;
    description.links.push_back(MakeSpec("npu3", "leaf1"));
    CHECK(BuildError(description) == "t.yaml: nodes: no path leads from npu0 to npu3, leaf1; add "
                                     "links that join them to the rest");
}

TEST_CASE("MakeExplicitTopology: links that are listed from both ends are a note",
          "[unit][network]")
{
    ExplicitTopology description = DescribeStar();
    CHECK(MakeExplicitTopology(description).Notes().empty());
    description.links.push_back(MakeSpec("npu0", "leaf0")); // a parallel link
    CHECK(MakeExplicitTopology(description).Notes().empty());
    description.links.push_back(MakeSpec("leaf0", "npu1"));
    const auto note = [](const std::string& others)
    {
        return std::vector<std::string>{
            "t.yaml: leaf0-npu1: this entry makes a second link between npu1 and leaf0, beside "
            "that of t.yaml: npu1-leaf0, as an entry goes both ways" +
            others +
            "; write direction: forward in both where each is one direction, or count for "
            "parallel links"};
    };
    CHECK(MakeExplicitTopology(description).Notes() == note(""));
    description.links.push_back(MakeSpec("leaf0", "npu2"));
    CHECK(MakeExplicitTopology(description).Notes() == note(" (so do 2 entries in all)"));
}

TEST_CASE("MakeExplicitTopology: two entries of one direction each are one link, without a note",
          "[unit][network]")
{
    ExplicitTopology description = DescribeStar();
    description.links.push_back(MakeSpec("leaf0", "npu0"));
    description.links.front().direction = LinkDirection::Forward;
    description.links.back().direction = LinkDirection::Forward;
    const Topology topology = MakeExplicitTopology(description);
    CHECK(topology.LinkCount() == 6);
    CHECK(topology.Notes().empty());
}
