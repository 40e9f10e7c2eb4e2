// SPDX-License-Identifier: GPL-2.0-only
// What does the proof cost beside the synthesis?
#include "network/make-routing.h"
#include "system/message-programs/program-proof.h"
#include "system/synthesis/synthesis.h"
#include "tests/support/dgx-1.h"
#include "tests/support/drawn-network.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <ctime>
#include <functional>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct CostCase
{
    std::string name;
    std::function<Topology()> makeTopology;
    std::vector<CollectiveType> types;
};

Topology
MakeSquare(uint32_t side, bool isTorus)
{
    constexpr int64_t rate = 50'000'000'000;
    return MakeGridTopology({.sizes = {side, side},
                             .rates = {rate, rate},
                             .latency = SimTime::FromNs(500),
                             .isTorus = isTorus});
}

/// `ranks` NPUs at one switch.
Topology
MakeStar(uint32_t ranks)
{
    Topology topology;
    for (uint32_t npu = 0; npu < ranks; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId middle = topology.AddVertex(VertexKind::Switch, "switch");
    for (uint32_t npu = 0; npu < ranks; ++npu)
    {
        topology.AddLink(VertexId{npu},
                         middle,
                         Bandwidth::FromBytesPerSecond(50'000'000'000),
                         SimTime::FromNs(500));
    }
    return topology;
}

std::vector<CostCase>
ListCostCases()
{
    const std::vector<CollectiveType> sums{
        CollectiveType::AllReduce, CollectiveType::AllGather, CollectiveType::ReduceScatter};
    return {{"torus 8x8", [] { return MakeSquare(8, true); }, sums},
            {"mesh 5x5", [] { return MakeSquare(5, false); }, AllCollectiveTypes()},
            {"DGX-1", [] { return MakeDgx1(); }, AllCollectiveTypes()},
            {"star of 16", [] { return MakeStar(16); }, AllCollectiveTypes()},
            {"mesh 10x10", [] { return MakeSquare(10, false); }, {CollectiveType::AllGather}}};
}

SynthesisResult
SynthesizeCostCase(const Topology& topology,
                   CollectiveType type,
                   const SynthesisOptions& options = {})
{
    const PacketOptions packet;
    SynthesisRequest request;
    request.type = type;
    for (uint32_t rank = 0; rank < topology.NpuCount(); ++rank)
    {
        request.ranks.push_back(RankId{rank});
    }
    request.elements = type == CollectiveType::Barrier ? 0 : 64 << 20;
    request.options = options;
    return Synthesize({.topology = topology, .routing = *MakeRouting(topology), .packet = packet},
                      request);
}

/// Of the processor.
double
MillisecondsOf(const std::function<void()>& work)
{
    const std::clock_t begin = std::clock();
    work();
    return 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

} // namespace

TEST_CASE("Proof: it looks at each step of a synthesised program once or twice", "[property]")
{
    for (const CostCase& test : ListCostCases())
    {
        const Topology topology = test.makeTopology();
        for (const CollectiveType type : test.types)
        {
            CAPTURE(test.name, ToText(type));
            SynthesisOptions options;
            options.tries = 1;
            options.chunks = 2;
            const MessageProgram program = SynthesizeCostCase(topology, type, options).program;
            ProofEffort effort;
            CHECK_FALSE(FindProgramFault(program, &effort));
            CHECK(effort.visited == program.StepCount());
            // Steps wait for what they need by name, so that nothing has to be searched for.
            CHECK(effort.searched <= program.StepCount());
        }
    }
}

// Not run by default: build/tests/property "[.proof-cost]" prints the table.
TEST_CASE("Proof: its time beside that of the synthesis", "[.proof-cost]")
{
    for (const CostCase& test : ListCostCases())
    {
        const Topology topology = test.makeTopology();
        for (const CollectiveType type : test.types)
        {
            SynthesisResult made;
            const double synthesis =
                MillisecondsOf([&] { made = SynthesizeCostCase(topology, type); });
            ProofEffort effort;
            const double proof =
                MillisecondsOf([&] { CHECK_FALSE(FindProgramFault(made.program, &effort)); });
            fmt::print("{:<12} {:<15} {:>3} attempts {:>9.2f} ms; {:>7} steps, proof {:>8.2f} ms, "
                       "{:>4.1f} %; {} searched\n",
                       test.name,
                       ToText(type),
                       made.candidates.size(),
                       synthesis,
                       made.program.StepCount(),
                       proof,
                       100 * proof / synthesis,
                       effort.searched);
        }
    }
}
