// SPDX-License-Identifier: GPL-2.0-only
// What the library decides by what the switches of nodes can do.
#include "network/topology.h"
#include "system/in-network/tree-table.h"
#include "system/library/communication-library.h"
#include "tests/support/make-communicator.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint32_t NODE_NPUS = 8;
const Bandwidth INTO_NODE = Bandwidth::FromBytesPerSecond(450'000'000'000);
const Bandwidth OUT_OF_NODE = Bandwidth::FromBytesPerSecond(50'000'000'000);

/// Two nodes; all NPUs hang on a leaf too.
Topology
MakeNodes()
{
    Topology topology;
    for (uint32_t npu = 0; npu < 2 * NODE_NPUS; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId first = topology.AddVertex(VertexKind::Switch, "first");
    const VertexId second = topology.AddVertex(VertexKind::Switch, "second");
    const VertexId leaf = topology.AddVertex(VertexKind::Switch, "leaf");
    for (uint32_t npu = 0; npu < 2 * NODE_NPUS; ++npu)
    {
        topology.AddLink(VertexId{npu}, npu < NODE_NPUS ? first : second, INTO_NODE, SimTime());
        topology.AddLink(VertexId{npu}, leaf, OUT_OF_NODE, SimTime());
    }
    return topology;
}

/// The library on H100 whose switches with these names compute.
class NodesBench
{
  public:
    explicit NodesBench(const std::vector<std::string>& switches)
        : m_topology(MakeNodes())
        , m_trees(m_topology, Only(switches))
    {
        m_options.library = {"nccl", {{"preset", "h100"}}};
        m_library = InstallLibrary(
            {.options = m_options, .stack = m_stack, .nodes = MakeHardware(), .trees = &m_trees});
    }

    /// Of an all-reduce of 1 GiB.
    CollectiveProgram MakeProgram(const Communicator& communicator, bool isWithoutSwitches = false)
    {
        const CommunicatorLayout layout(communicator, RankGrid({2 * NODE_NPUS}));
        return m_library->MakeProgram({.type = CollectiveType::AllReduce,
                                       .elements = (uint64_t{1} << 30) / m_options.elementBytes,
                                       .isWithoutSwitches = isWithoutSwitches,
                                       .layout = layout});
    }

    uint32_t PlaceOf(const Communicator& communicator)
    {
        return m_library->PlaceOf(communicator);
    }

  private:
    static InNetworkOptions Only(const std::vector<std::string>& switches)
    {
        InNetworkOptions options;
        options.switches = switches;
        return options;
    }

    static NodeHardware MakeHardware()
    {
        return {.npusPerNode = NODE_NPUS,
                .nodes = 2,
                .npuBandwidth = INTO_NODE,
                .nicsPerNode = NODE_NPUS,
                .nicBandwidth = OUT_OF_NODE,
                .pathBandwidth = OUT_OF_NODE,
                .insideLatency = {},
                .outsideLatency = {}};
    }

    Topology m_topology;
    TreeTable m_trees;
    SystemOptions m_options;
    std::vector<Dimension> m_stack{
        {.shape = "switch", .size = NODE_NPUS, .bandwidth = INTO_NODE, .latency = SimTime()},
        {.shape = "switch", .size = 2, .bandwidth = OUT_OF_NODE, .latency = SimTime()}};
    std::unique_ptr<InstalledLibrary> m_library;
};

/// `count` ranks from `first` on.
Communicator
MakeRow(uint32_t first, uint32_t count, uint32_t id)
{
    std::vector<uint32_t> ranks;
    for (uint32_t rank = first; rank < first + count; ++rank)
    {
        ranks.push_back(rank);
    }
    return MakeCommunicator(ranks, id);
}

const Communicator FIRST_NODE = MakeRow(0, NODE_NPUS, 0);
const Communicator SECOND_NODE = MakeRow(NODE_NPUS, NODE_NPUS, 1);
const Communicator BOTH_NODES = MakeRow(0, 2 * NODE_NPUS, 2);

} // namespace

TEST_CASE("Nccl: NVLS needs trees where the switch of the node computes, and is none where it does "
          "not",
          "[unit][system][nccl]")
{
    NodesBench bench({"first", "leaf"});
    const CollectiveProgram first = bench.MakeProgram(FIRST_NODE);
    CHECK(first.decision.algorithm == "nvls");
    CHECK(first.NeedsTrees());
    // The leaf joins the NPUs of the second node, but not at the rate of their links inside it.
    const CollectiveProgram second = bench.MakeProgram(SECOND_NODE);
    CHECK(second.decision.algorithm != "nvls");
    CHECK_FALSE(second.NeedsTrees());
    CHECK(bench.PlaceOf(FIRST_NODE) != bench.PlaceOf(SECOND_NODE));
}

TEST_CASE("Nccl: nodes whose switches compute have one place in common", "[unit][system][nccl]")
{
    NodesBench bench({"first", "second"});
    CHECK(bench.PlaceOf(FIRST_NODE) == bench.PlaceOf(SECOND_NODE));
    CHECK(bench.MakeProgram(SECOND_NODE).decision.algorithm == "nvls");
}

TEST_CASE("Nccl: without a place on the switch, NVLS is none of the choices",
          "[unit][system][nccl]")
{
    NodesBench bench({"first", "second"});
    const CollectiveProgram program = bench.MakeProgram(FIRST_NODE, true);
    CHECK(program.decision.algorithm != "nvls");
    CHECK_FALSE(program.NeedsTrees());
}

TEST_CASE("Nccl: NVLSTree needs the switch of every node", "[unit][system][nccl]")
{
    NodesBench bench({"first", "second"});
    const CollectiveProgram program = bench.MakeProgram(BOTH_NODES);
    CHECK(program.decision.algorithm == "nvls-tree");
    CHECK(program.NeedsTrees());
    NodesBench half({"first", "leaf"});
    CHECK(half.MakeProgram(BOTH_NODES).decision.algorithm != "nvls-tree");
}
