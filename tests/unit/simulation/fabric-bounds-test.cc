// SPDX-License-Identifier: GPL-2.0-only
// Which collectives have a fabric bound, and how large it is on networks whose cuts are known.
#include "simulation/fabric-bounds.h"
#include "simulation/notes/missing-bounds.h"
#include "simulation/simulate.h"
#include "tests/support/contains.h"
#include "tests/support/dgx-1.h"
#include "tests/support/keeps-bounds.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// "links: [...]" of a topology file of `npus` NPUs.
std::string
WriteTopology(uint32_t npus, const std::string& links)
{
    return fmt::format("nodes: {{npus: {}}}\nlinks:\n{}", npus, links);
}

std::string
WriteLink(uint32_t from, uint32_t to, int64_t gigabytesPerSecond)
{
    return fmt::format("  - {{from: npu{}, to: npu{}, bandwidth: {} GB/s, latency: 500 ns}}\n",
                       from,
                       to,
                       gigabytesPerSecond);
}

std::string
WriteDgx1()
{
    std::string links;
    for (const auto& [from, to, bricks] : ListDgx1Bricks())
    {
        links += WriteLink(from, to, 25 * bricks);
    }
    return WriteTopology(8, links);
}

/// 50 GB/s between neighbours.
std::string
WriteMesh5x5()
{
    std::string links;
    for (uint32_t npu = 0; npu < 25; ++npu)
    {
        links += npu % 5 < 4 ? WriteLink(npu, npu + 1, 50) : "";
        links += npu < 20 ? WriteLink(npu, npu + 5, 50) : "";
    }
    return WriteTopology(25, links);
}

/// The result of one collective on a topology file.
CollectiveResult
RunOn(const std::string& topology,
      const std::string& type,
      const std::string& backend,
      int64_t size)
{
    const ScratchDirectory scratch("fabric-bounds");
    scratch.Write("t.yaml", topology);
    const std::string sizeText = type == "barrier" ? "" : fmt::format(", size: {} B", size);
    const RunInput input(
        scratch.Write("c.yaml",
                      fmt::format("workload: {{collective: {{type: {}{}}}}}\n"
                                  "network: {{backend: {}, topology: {{file: t.yaml}}}}\n",
                                  type,
                                  sizeText,
                                  backend)),
        {});
    const RunResults results = Simulate(input);
    REQUIRE(results.status == RunStatus::Done);
    return results.collectives.at(0);
}

/// `share` bytes at `gigabytesPerSecond`, and a link.
SimTime
TimeOnFabric(int64_t bytes, int64_t gigabytesPerSecond)
{
    return Bytes(bytes) / Bandwidth::FromBytesPerSecond(gigabytesPerSecond * 1'000'000'000) +
           SimTime::FromNs(500);
}

/// The job of one collective on a network, not simulated.
std::unique_ptr<RunInput>
MakeJob(const std::string& collective, const std::string& network)
{
    const ScratchDirectory scratch("fabric-job");
    return std::make_unique<RunInput>(
        scratch.Write("c.yaml",
                      "workload: {collective: " + collective + "}\nnetwork: {" + network + "}\n"),
        std::vector<std::string>{});
}

std::string
OneDimension(const std::string& shape, uint32_t size)
{
    return fmt::format(
        "dimensions: [{{shape: {}, size: {}, bandwidth: 50 GB/s, latency: 1 us}}]", shape, size);
}

bool
HasBound(const RunInput& input, CollectiveType type)
{
    return FabricBounds(input).FindLimits(CommunicatorId{0}, {.type = type}) != nullptr;
}

const std::string ALL_REDUCE_JOB = "{type: all-reduce, size: 1 MiB}";

} // namespace

TEST_CASE("Fabric bound: on a DGX-1 and on a mesh each collective has the bound of its cuts",
          "[unit][simulation]")
{
    const int64_t size = 25 * 8 * 4096;
    const auto boundOn = [size](const std::string& topology, const std::string& type)
    { return RunOn(topology, type, "flow", size).fabricBound; };
    // Six bricks of 25 GB/s at each GPU.
    CHECK(boundOn(WriteDgx1(), "all-gather") == TimeOnFabric(size * 7, 150));
    CHECK(boundOn(WriteDgx1(), "reduce-scatter") == TimeOnFabric(size / 8 * 7, 150));
    CHECK(boundOn(WriteDgx1(), "all-reduce") == TimeOnFabric(size / 8 * 2 * 7, 150));
    CHECK(boundOn(WriteDgx1(), "broadcast") == TimeOnFabric(size, 150));
    CHECK(boundOn(WriteDgx1(), "gather") == TimeOnFabric(size * 7, 150));
    CHECK_FALSE(boundOn(WriteDgx1(), "barrier"));
    // A corner has two links, and the mesh 80 in all, each direction counted. 10 x 15 blocks of an
    // all-to-all cross the five links between the second and the third row.
    CHECK(boundOn(WriteMesh5x5(), "all-gather") == TimeOnFabric(size * 24, 100));
    CHECK(boundOn(WriteMesh5x5(), "reduce-scatter") == TimeOnFabric(size / 25 * 24, 100));
    CHECK(boundOn(WriteMesh5x5(), "reduce") == TimeOnFabric(size, 100));
    CHECK(boundOn(WriteMesh5x5(), "scatter") == TimeOnFabric(size * 24, 100));
    CHECK(boundOn(WriteMesh5x5(), "all-reduce") == TimeOnFabric(size * 2 * 24, 80 * 50));
    CHECK(boundOn(WriteMesh5x5(), "all-to-all") == TimeOnFabric(size / 25 * 150, 250));
}

TEST_CASE("Fabric bound: of an all-to-all over two leaves it is the link between these",
          "[unit][simulation]")
{
    // Two nodes of four NPUs behind each leaf, and one uplink of 50 GB/s to the spine.
    const int64_t block = 64 * 1024;
    const auto job = MakeJob(
        fmt::format("{{type: all-to-all, size: {} B}}", 16 * block),
        "backend: flow, topology: {generator: nodes, nodes: 4, npus-per-node: 4, nics-per-node: 2, "
        "leaves: 2, spines: 1, nvlink: {bandwidth: 450 GB/s, latency: 500 ns}, "
        "pcie: {bandwidth: 64 GB/s, latency: 300 ns}, nic: {bandwidth: 50 GB/s, latency: 1 us}}");
    const FabricQuestion question{.type = CollectiveType::AllToAll};
    const std::vector<FabricLimit>* limits = FabricBounds(*job).FindLimits({}, question);
    REQUIRE(limits != nullptr);
    const CollectiveExtent extent{CollectiveType::AllToAll, Bytes(16 * block), 16, {}};
    CHECK(ComputeFabricTime(*FindTightestLimit(*limits, extent), extent) ==
          Bytes(8 * 8 * block) / Bandwidth::FromBytesPerSecond(50'000'000'000));
}

TEST_CASE("Fabric bound: no backend beats it on irregular networks", "[unit][simulation]")
{
    for (const std::string backend : {"packet", "flow"})
    {
        for (const CollectiveType type : AllCollectiveTypes())
        {
            for (const std::string& topology : {WriteDgx1(), WriteMesh5x5()})
            {
                const std::string name(ToText(type));
                const CollectiveResult result = RunOn(topology, name, backend, 100'000);
                CAPTURE(backend, name);
                CHECK(KeepsBounds(result));
                CHECK(result.fabricBound.has_value() == (type != CollectiveType::Barrier));
            }
        }
    }
}

TEST_CASE("Fabric bound: where messages do not share links there is none, and runs would beat it",
          "[unit][simulation]")
{
    const std::string mesh = WriteMesh5x5();
    const int64_t size = 25 << 20;
    const CollectiveResult shared = RunOn(mesh, "all-to-all", "flow", size);
    const CollectiveResult alone = RunOn(mesh, "all-to-all", "analytical", size);
    CHECK_FALSE(alone.fabricBound);
    CHECK(KeepsBounds(alone));
    CHECK(alone.lowerBound == shared.lowerBound);
    CHECK(alone.record.end - alone.record.start < *shared.fabricBound);
}

TEST_CASE("Fabric bound: large networks, and all-to-alls of more than 64 ranks, have none",
          "[unit][simulation]")
{
    CHECK(HasBound(*MakeJob(ALL_REDUCE_JOB, OneDimension("switch", 16'384)),
                   CollectiveType::Broadcast) == false); // 16 384 flows over 32 768 links
    CHECK(
        HasBound(*MakeJob(ALL_REDUCE_JOB, OneDimension("switch", 16'384)), CollectiveType::Gather));
    CHECK_FALSE(
        HasBound(*MakeJob(ALL_REDUCE_JOB, OneDimension("switch", 16'385)), CollectiveType::Gather));
    CHECK(HasBound(*MakeJob(ALL_REDUCE_JOB, OneDimension("ring", 64)), CollectiveType::AllToAll));
    CHECK_FALSE(
        HasBound(*MakeJob(ALL_REDUCE_JOB, OneDimension("ring", 65)), CollectiveType::AllToAll));
    CHECK_FALSE(
        HasBound(*MakeJob(ALL_REDUCE_JOB, OneDimension("ring", 1)), CollectiveType::AllReduce));
}

TEST_CASE("Fabric bound: a note counts the collectives whose bound was left out",
          "[unit][simulation]")
{
    const auto flow = MakeJob(ALL_REDUCE_JOB, "backend: flow, " + OneDimension("ring", 2));
    RunResults results;
    const auto add = [&results](CollectiveType type, uint32_t ranks)
    {
        CollectiveResult& result = results.collectives.emplace_back();
        result.record.type = type;
        result.record.ranks = ranks;
        return &result;
    };
    add(CollectiveType::Barrier, 8);
    add(CollectiveType::AllReduce, 1);
    add(CollectiveType::AllToAll, 65);
    add(CollectiveType::AllToAll, 64)->fabricBound = SimTime::FromNs(1);
    CHECK(FindMissingBounds(*flow, results).empty()); // these have none, or have it
    add(CollectiveType::AllReduce, 2);
    REQUIRE(FindMissingBounds(*flow, results).size() == 1);
    CHECK(Contains(FindMissingBounds(*flow, results)[0], "empty for 1 of 5 collectives"));
    const auto formula = MakeJob(ALL_REDUCE_JOB, "backend: analytical, " + OneDimension("ring", 2));
    CHECK(FindMissingBounds(*formula, results).empty());
}

TEST_CASE("Fabric bound: groups that stand alike in the network share one", "[unit][simulation]")
{
    const ScratchDirectory scratch("fabric-groups");
    const RunInput input(
        scratch.Write(
            "c.yaml",
            "workload: {generate: {model: transformer, layers: 4, hidden: 256, heads: 4, "
            "sequence: 64, batch: 8, vocabulary: 512, tp: 4}, ranks: 16}\n"
            "system: {dimensions: [16]}\n"
            "network: {topology: {generator: rail, nodes: 4, npus-per-node: 4, spines: 1, "
            "nvlink: {bandwidth: 450 GB/s, latency: 1 us}, "
            "nic: {bandwidth: 50 GB/s, latency: 1 us}}}\n"),
        {});
    FabricBounds bounds(input);
    std::map<const std::vector<FabricLimit>*, uint32_t> groups;
    for (const Communicator& group : input.Workload().communicators)
    {
        if (group.ranks.size() == 4)
        {
            ++groups[bounds.FindLimits(group.id, {.type = CollectiveType::AllGather})];
        }
    }
    REQUIRE(groups.size() == 2); // four nodes, and four rails
    CHECK(groups.begin()->second == 4);
    CHECK(groups.rbegin()->second == 4);
}

TEST_CASE("Bounds: where a fault raises rates, they hold for the highest rate of each link",
          "[unit][simulation]")
{
    // Two faults, one after the other, on all links; the second one is the faster.
    const ScratchDirectory scratch("raised-bounds");
    const auto run = [&](const std::string& faults)
    {
        const RunInput input(
            scratch.Write("c.yaml",
                          "workload: {collective: {type: all-gather, size: 4 MiB}}\n"
                          "network:\n"
                          "  dimensions: [{shape: ring, size: 3, bandwidth: 50 GB/s, "
                          "latency: 500 ns}]\n"
                          "  faults: [" +
                              faults + "]\n"),
            {});
        return Simulate(input).collectives.at(0);
    };
    const auto faultsOf = [](const std::string& times)
    {
        std::string faults;
        for (const std::string link : {"[npu0, npu1]", "[npu1, npu2]", "[npu2, npu0]"})
        {
            faults += (faults.empty() ? "{" : ", {") + times + ", link: " + link + "}";
        }
        return faults;
    };
    const int64_t size = 4 << 20;
    const CollectiveResult raised = run(faultsOf("at: 0 us, until: 9 us, bandwidth: 70 GB/s") +
                                        ", " + faultsOf("at: 9 us, bandwidth: 100 GB/s"));
    CHECK(KeepsBounds(raised));
    CHECK(raised.lowerBound == TimeOnFabric(size * 2, 2 * 100));
    CHECK(raised.fabricBound == raised.lowerBound);
    // A lowered rate leaves the bound as it is: before and after, links are as fast as they were.
    CHECK(run(faultsOf("at: 0 us, until: 9 us, bandwidth: 10 GB/s")).lowerBound ==
          TimeOnFabric(size * 2, 2 * 50));
}

TEST_CASE("Lower bound: members that send slower than they receive send all messages together",
          "[unit][simulation]")
{
    const int64_t size = 8 << 20;
    std::string links;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        links += fmt::format("  - {{from: npu{0}, to: sw0, bandwidth: 20 GB/s, latency: 250 ns, "
                             "direction: forward}}\n"
                             "  - {{from: sw0, to: npu{0}, bandwidth: 50 GB/s, latency: 250 ns, "
                             "direction: forward}}\n",
                             npu);
    }
    const std::string topology = "nodes: {npus: 4, switches: [sw0]}\nlinks:\n" + links;
    const auto boundOf = [&](const std::string& type)
    {
        const CollectiveResult result = RunOn(topology, type, "flow", size);
        CHECK(KeepsBounds(result));
        return result.lowerBound;
    };
    // Four members with 20 GB/s each send 4 x 3 shards, 4 x 3 parts, or 3 whole buffers.
    CHECK(boundOf("all-gather") == TimeOnFabric(size * 12, 80));
    CHECK(boundOf("reduce-scatter") == TimeOnFabric(size / 4 * 12, 80));
    CHECK(boundOf("broadcast") == TimeOnFabric(size, 20)); // the root alone, which is more
    CHECK(boundOf("reduce") == TimeOnFabric(size, 20));
}
