// SPDX-License-Identifier: GPL-2.0-only
// Which programs depend on the communicator, because ECMP picks ways by it?
#include "common/registry.h"
#include "network/make-routing.h"
#include "system/library/algorithm-table.h"
#include "system/message-programs/program-table.h"
#include "system/synthesis/picked-ways.h"
#include "system/synthesis/synthesis-key.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

/// Two NPUs on each of two leaves, and two spines.
Topology
MakePickedFabric()
{
    Topology topology;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    for (const std::string name : {"leaf0", "leaf1", "spine0", "spine1"})
    {
        topology.AddVertex(VertexKind::Switch, name);
    }
    const auto join = [&](uint32_t from, uint32_t to)
    {
        topology.AddLink(VertexId{from},
                         VertexId{to},
                         Bandwidth::FromBytesPerSecond(50'000'000'000),
                         SimTime::FromNs(500));
    };
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        join(npu, 4 + npu / 2);
    }
    for (const uint32_t leaf : {4, 5})
    {
        join(leaf, 6);
        join(leaf, 7);
    }
    return topology;
}

ProgramWish
WishOfRanks(std::vector<RankId> ranks, uint32_t communicator)
{
    return {.type = CollectiveType::AllGather,
            .ranks = std::move(ranks),
            .size = Bytes(100'000),
            .communicator = CommunicatorId{communicator}};
}

const std::vector<RankId> ON_ONE_LEAF{RankId{0}, RankId{1}};
const std::vector<RankId> ON_BOTH_LEAVES{RankId{0}, RankId{1}, RankId{2}};

PacketOptions
BalancedBy(const std::string& name, uint64_t seed = 1)
{
    PacketOptions packet;
    packet.loadBalancing = ComponentChoice(name);
    packet.seed = seed;
    return packet;
}

} // namespace

TEST_CASE("Picked ways: a wish keeps its communicator where ECMP has a choice", "[unit][system]")
{
    const Topology fabric = MakePickedFabric();
    const auto routing = MakeRouting(fabric);
    CHECK(HaveEqualWays(fabric, *routing, ON_BOTH_LEAVES));
    CHECK_FALSE(HaveEqualWays(fabric, *routing, ON_ONE_LEAF));
    const auto keeps = [&](const PacketOptions& packet, const std::vector<RankId>& ranks)
    {
        return DropIdleCommunicator({.topology = fabric, .routing = *routing, .packet = packet},
                                    WishOfRanks(ranks, 3))
            .communicator.has_value();
    };
    const PacketOptions ecmp;
    CHECK(keeps(ecmp, ON_BOTH_LEAVES));
    CHECK_FALSE(keeps(ecmp, ON_ONE_LEAF));
    CHECK_FALSE(keeps(BalancedBy("spray"), ON_BOTH_LEAVES));
    CHECK_FALSE(keeps(BalancedBy("adaptive"), ON_BOTH_LEAVES));
}

TEST_CASE("Picked ways: communicators of the same ranks share a program where no way depends on "
          "them",
          "[unit][system]")
{
    const Topology fabric = MakePickedFabric();
    const auto routing = MakeRouting(fabric);
    const PacketOptions ecmp;
    ProgramTable table({.topology = fabric, .routing = *routing, .packet = ecmp});
    const ChosenAlgorithm chosen{.name = "synthesized",
                                 .algorithm = Registry<CollectiveAlgorithm>::Instance().Make(
                                     CompleteAlgorithm({"synthesized"}))};
    const StoredProgram& inner = table.Require(chosen, WishOfRanks(ON_ONE_LEAF, 0));
    CHECK(&table.Require(chosen, WishOfRanks(ON_ONE_LEAF, 1)) == &inner);
    CHECK(table.Size() == 1);
    const StoredProgram& across = table.Require(chosen, WishOfRanks(ON_BOTH_LEAVES, 0));
    CHECK(&table.Require(chosen, WishOfRanks(ON_BOTH_LEAVES, 1)) != &across);
    CHECK(&table.Require(chosen, WishOfRanks(ON_BOTH_LEAVES, 0)) == &across);
    CHECK(table.Size() == 3);
}

TEST_CASE("Synthesis key: what picks the ways of messages changes it, and nothing else of ECMP",
          "[unit][system]")
{
    const Topology fabric = MakePickedFabric();
    const auto routing = MakeRouting(fabric);
    const auto keyOf =
        [&](const PacketOptions& packet, const std::vector<RankId>& ranks, uint32_t communicator)
    {
        const ProgramSurroundings surroundings{
            .topology = fabric, .routing = *routing, .packet = packet};
        return MakeSynthesisKey(
                   surroundings,
                   DropIdleCommunicator(surroundings, WishOfRanks(ranks, communicator)),
                   {})
            .Hex();
    };
    const std::string key = keyOf(BalancedBy("ecmp"), ON_BOTH_LEAVES, 0);
    CHECK(keyOf(BalancedBy("ecmp"), ON_BOTH_LEAVES, 0) == key);
    CHECK(keyOf(BalancedBy("ecmp"), ON_BOTH_LEAVES, 1) != key);
    CHECK(keyOf(BalancedBy("ecmp", 2), ON_BOTH_LEAVES, 0) != key);
    CHECK(keyOf(BalancedBy("adaptive"), ON_BOTH_LEAVES, 0) != key);
    // On one leaf there is nothing to pick.
    CHECK(keyOf(BalancedBy("ecmp", 2), ON_ONE_LEAF, 1) ==
          keyOf(BalancedBy("adaptive"), ON_ONE_LEAF, 0));
}
