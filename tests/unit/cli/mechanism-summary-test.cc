// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/mechanism-summary.h"
#include "common/unit-parser.h"

#include <catch2/catch.hpp>

using namespace nadi;

namespace
{

/// Two NPUs, one link: npu0 -> npu1 is link 0.
Topology
MakeNpuPair()
{
    Topology topology;
    const VertexId npu0 = topology.AddVertex(VertexKind::Npu, "npu0");
    const VertexId npu1 = topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddLink(npu0, npu1, Bandwidth::FromBitsPerSecond(8), SimTime::FromNs(1));
    return topology;
}

RunResults
MakeResults()
{
    RunResults results;
    results.links.resize(2);
    results.links[0].paused = SimTime::FromUs(1);
    results.links[1].paused = SimTime::FromUs(2);
    results.links[0].maxQueue = Bytes(2048);
    return results;
}

} // namespace

TEST_CASE("DescribeMechanisms: nothing acted, nothing is shown", "[unit][cli]")
{
    CHECK(DescribeMechanisms(MakeResults(), MakeNpuPair(), Style::Plain()).empty());
}

TEST_CASE("DescribeMechanisms: a line for each that acted, and where the most of it was",
          "[unit][cli]")
{
    RunResults results = MakeResults();
    results.totals.ecnMarks = 12;
    results.totals.cnps = 1;
    results.totals.pauses = 4;
    results.totals.drops = 3;
    results.totals.retransmissions = 5;
    results.totals.reroutes = 2;
    CHECK(DescribeMechanisms(results, MakeNpuPair(), Style::Plain()) ==
          "\nNetwork\n"
          "  12 ECN marks\n"
          "  1 CNP\n"
          "  4 pauses: ports stood for 3 us in all, most npu1 -> npu0 (2 us)\n"
          "  3 drops\n"
          "  5 retransmissions\n"
          "  2 reroutes\n"
          "  longest queue 2 KiB at npu0 -> npu1\n");
}

TEST_CASE("DescribeMechanisms: what did not act is left out", "[unit][cli]")
{
    RunResults results = MakeResults();
    results.links.assign(2, LinkCounters{});
    results.totals.drops = 1;
    CHECK(DescribeMechanisms(results, MakeNpuPair(), Style::Plain()) == "\nNetwork\n  1 drop\n");
}

TEST_CASE("DescribeMechanisms: pauses of all links together may pass the clock's range",
          "[unit][cli]")
{
    RunResults results = MakeResults();
    results.links[0].paused = SimTime::Max() - SimTime::FromUs(1);
    results.links[1].paused = SimTime::FromUs(2);
    results.totals.pauses = 2;
    const std::string most = ToRoundedText(SimTime::Max());
    CHECK(DescribeMechanisms(results, MakeNpuPair(), Style::Plain())
              .find("  2 pauses: ports stood for more than " + most +
                    " in all, most npu0 -> npu1 (" + most + ")\n") != std::string::npos);
}
