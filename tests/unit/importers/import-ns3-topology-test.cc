// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/contains.h"
#include "tests/support/ns3-import-bench.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

TEST_CASE("ImportAstraSim: a topology of the ns-3 backend becomes a file of nodes and links",
          "[unit][importers]")
{
    const Ns3ImportBench importer(With({}));
    CHECK(importer.Run().topology->path.filename() == "c-topology.yaml");
    CHECK(Contains(importer.Run().yaml, "topology: {file: c-topology.yaml}\n"));
    const ExplicitTopology topology = importer.ReadTopology();
    CHECK(topology.npuCount == 4);
    CHECK(topology.switches == std::vector<std::string>{"sw4"});
    REQUIRE(topology.links.size() == 4);
    for (const LinkSpec& link : topology.links)
    {
        CHECK(link.bandwidth == Bandwidth::FromBitsPerSecond(400'000'000'000));
        CHECK(link.latency == SimTime::FromNs(500));
    }
    CHECK(topology.links[2].from == "sw4");
    CHECK(topology.links[2].to == "npu2");
    CHECK(importer.Outcome("links") == "c-topology.yaml: 4 links");
}

TEST_CASE("ImportAstraSim: hosts are ranks in the order of their ids", "[unit][importers]")
{
    const Ns3ImportBench importer(
        With({}),
        "5 2 4\n0 3\n1 0 400Gbps 1us 0\n2 0 400Gbps 1us 0\n4 3 400Gbps 1us 0\n"
        "0 3 400Gbps 1us 0\n",
        "[3]");
    const ExplicitTopology topology = importer.ReadTopology();
    CHECK(topology.npuCount == 3);
    CHECK(topology.switches == std::vector<std::string>{"sw0", "sw3"});
    CHECK(topology.links[0].from == "npu0");
    CHECK(topology.links[1].from == "npu1");
    CHECK(topology.links[2].from == "npu2");
    CHECK(importer.Outcome("nodes") ==
          "c-topology.yaml: npu0 to npu2, in the order of their ids; there ranks are ids");
}

TEST_CASE("ImportAstraSim: parallel links are kept, and told", "[unit][importers]")
{
    const Ns3ImportBench importer(
        With({}), "3 1 3\n2\n0 2 400Gbps 1us 0\n1 2 400Gbps 1us 0\n2 1 400Gbps 1us 0\n", "[2]");
    CHECK(importer.ReadTopology().links.size() == 3);
    CHECK(Contains(importer.Outcome("links"), "3 links; 1 of them beside another"));
}

TEST_CASE("ImportAstraSim: what is wrong in a topology of the ns-3 backend is named",
          "[unit][importers]")
{
    const auto error = [](const std::string& topology)
    { return Ns3ImportBench(With({}), topology).Error(); };
    const std::string link = "0 1 400Gbps 1us 0\n";
    CHECK(error("") == "t.txt: is empty; its first line is: nodes switches links");
    CHECK(error("5 1\n") == "t.txt:1: has 2 words; the first line is: nodes switches links");
    CHECK(error("16 8 1 4 24 A100\n") ==
          "t.txt:1: is a topology of SimAI, which counts NVSwitches of their own and is not read; "
          "the first line is: nodes switches links");
    CHECK(error("two 0 1\n" + link) ==
          "t.txt:1: nodes: \"two\" is not valid; write a number from 0");
    CHECK(error("2 2 1\n") ==
          "t.txt:1: switches: 2 of 2 nodes leave no host; nodes counts hosts too");
    CHECK(error("3 1 1\n3\n" + link) == "t.txt:2: switch 3 does not exist; ids go from 0 to 2");
    CHECK(error("4 2 1\n3\n\n3\n" + link) == "t.txt:4: switch 3 is listed twice");
    CHECK(
        error("3 1 1\n" + link) ==
        "t.txt:2: has 5 ids of switches where 1 are left of the 1 that line 1 counts; write those");
    CHECK(error("3 1 1\n") == "t.txt: ends before the ids of all 1 switches that line 1 counts");
    CHECK(error("2 0 2\n" + link) ==
          "t.txt:1: links: the file has 1 link, line 1 counts 2; they should agree");
    CHECK(error("2 0 1\n0 1 400Gbps 1us\n") ==
          "t.txt:2: has 4 words; a link is: source destination rate delay error-rate");
    CHECK(error("2 0 1\n0 2 400Gbps 1us 0\n") ==
          "t.txt:2: destination: node 2 does not exist; ids go from 0 to 1");
    CHECK(error("2 0 1\n0 1 400Gbqs 1us 0\n") ==
          "t.txt:2: rate: \"400Gbqs\" is not a rate; write one above 0 such as 400Gbps");
    CHECK(error("2 0 1\n0 1 400Gbps soon 0\n") ==
          "t.txt:2: delay: \"soon\" is not a time; write one such as 500ns or 0.0005ms");
    CHECK(error("2 0 1\n0 1 400Gbps 1us 2\n") ==
          "t.txt:2: error-rate: \"2\" is not valid; write a number from 0 to 1");
    CHECK(error("3 0 1\n" + link) == "t.txt:1: no link ends at npu2; every node needs one");
    CHECK(error("2 0 1\n1 1 400Gbps 1us 0\n") ==
          "t.txt:2: the link leads from \"npu1\" to itself; name two different nodes");
}
