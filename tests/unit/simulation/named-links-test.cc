// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/named-links.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;

namespace
{

/// npu0 and npu1 on a switch; npu1 by two parallel links. Links 0/1, 2/3 and 4/5.
Topology
MakeTopology(const std::string& switchName = "leaf0")
{
    const Bandwidth rate = Bandwidth::FromBytesPerSecond(1'000'000'000);
    Topology topology;
    const VertexId npu0 = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId npu1 = topology.AddVertex(VertexKind::Npu, "npu1");
    const VertexId leaf = topology.AddVertex(VertexKind::Switch, switchName);
    topology.AddLink(npu0, leaf, rate, SimTime::FromNs(1));
    topology.AddLink(npu1, leaf, rate, SimTime::FromNs(1));
    topology.AddLink(npu1, leaf, rate, SimTime::FromNs(1));
    return topology;
}

std::vector<uint32_t>
Numbers(const std::vector<LinkId>& links)
{
    std::vector<uint32_t> numbers;
    for (const LinkId link : links)
    {
        numbers.push_back(link.value);
    }
    return numbers;
}

using List = std::vector<uint32_t>;

} // namespace

TEST_CASE("FindLinks: the direction that was named, parallel links together", "[unit][simulation]")
{
    const Topology topology = MakeTopology();
    CHECK(Numbers(FindLinks(topology, {"npu0", "leaf0", ""})) == List{0});
    CHECK(Numbers(FindLinks(topology, {"leaf0", "npu0", ""})) == List{1});
    CHECK(Numbers(FindLinks(topology, {"npu1", "leaf0", ""})) == List{2, 4});
}

TEST_CASE("ResolveFaults: both directions of the links that were named, or all links",
          "[unit][simulation]")
{
    const Topology topology = MakeTopology();
    FaultSpec down;
    down.at = SimTime::FromNs(3);
    down.until = SimTime::FromNs(4);
    down.link = {"leaf0", "npu1", ""};
    down.isDown = true;
    down.where = "here";
    FaultSpec loss;
    loss.loss = 0.5;
    FaultSpec slow;
    slow.link = {"npu0", "leaf0", ""};
    slow.bandwidth = Bandwidth::FromBitsPerSecond(8);
    const std::vector<LinkFault> faults = ResolveFaults(topology, {down, loss, slow});
    REQUIRE(faults.size() == 3);
    CHECK(faults[0].at == SimTime::FromNs(3));
    CHECK(faults[0].until == SimTime::FromNs(4));
    CHECK(Numbers(faults[0].links) == List{2, 3, 4, 5});
    CHECK(faults[0].isDown);
    CHECK(faults[0].loss == 0);
    CHECK(!faults[0].bandwidth);
    CHECK(faults[0].where == "here");
    CHECK(Numbers(faults[1].links) == List{0, 1, 2, 3, 4, 5});
    CHECK(!faults[1].isDown);
    CHECK(faults[1].loss == 0.5);
    CHECK(Numbers(faults[2].links) == List{0, 1});
    CHECK(faults[2].bandwidth == Bandwidth::FromBitsPerSecond(8));
}

TEST_CASE("ResolveCaptures: one file a link, named after its ends, all different",
          "[unit][simulation]")
{
    const std::vector<LinkCapture> captures = ResolveCaptures(
        MakeTopology(), {{"npu1", "leaf0", ""}, {"leaf0", "npu0", ""}, {"leaf0", "npu0", ""}});
    REQUIRE(captures.size() == 4);
    CHECK(captures[0].link == LinkId{2});
    CHECK(captures[0].file == "pcap/npu1-leaf0.pcap");
    CHECK(captures[1].link == LinkId{4});
    CHECK(captures[1].file == "pcap/npu1-leaf0.1.pcap");
    CHECK(captures[2].link == LinkId{1});
    CHECK(captures[2].file == "pcap/leaf0-npu0.pcap");
    CHECK(captures[3].file == "pcap/leaf0-npu0.1.pcap");
}

TEST_CASE("ResolveCaptures: a name is no path", "[unit][simulation]")
{
    const std::string name = "../a b";
    const std::vector<LinkCapture> captures =
        ResolveCaptures(MakeTopology(name), {{"npu0", name, ""}});
    REQUIRE(captures.size() == 1);
    CHECK(captures[0].file == "pcap/npu0-.._a_b.pcap");
}
