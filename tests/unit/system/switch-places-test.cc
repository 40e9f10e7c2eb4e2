// SPDX-License-Identifier: GPL-2.0-only
// Trees on switches that have room for a few of them only.
#include "network/find-aggregation-trees.h"
#include "network/topology.h"
#include "system/execution/collective-slots.h"
#include "system/in-network/place-table.h"
#include "tests/support/make-communicator.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

const Bandwidth TREE_LINK_RATE = Bandwidth::FromBytesPerSecond(100'000'000'000);

/// NPUs 0 and 1 on leaf A, 2 and 3 on leaf B, both leaves on one spine by `parallel` links.
Topology
MakeLeavesAndSpine(uint32_t parallel)
{
    Topology topology;
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(npu));
    }
    const VertexId a = topology.AddVertex(VertexKind::Switch, "A");
    const VertexId b = topology.AddVertex(VertexKind::Switch, "B");
    const VertexId spine = topology.AddVertex(VertexKind::Switch, "S");
    for (uint32_t npu = 0; npu < 4; ++npu)
    {
        topology.AddLink(VertexId{npu}, npu < 2 ? a : b, TREE_LINK_RATE, SimTime());
    }
    for (uint32_t link = 0; link < parallel; ++link)
    {
        topology.AddLink(a, spine, TREE_LINK_RATE, SimTime());
        topology.AddLink(b, spine, TREE_LINK_RATE, SimTime());
    }
    return topology;
}

const std::vector<VertexId> ALL_NPUS{VertexId{0}, VertexId{1}, VertexId{2}, VertexId{3}};

std::vector<AggregationTree>
FindTrees(const Topology& topology)
{
    const std::vector<bool> computes{false, false, false, false, true, true, true};
    return FindAggregationTrees(topology, computes, ALL_NPUS, {.mostTrees = 8, .switchLatency = {}})
        .trees;
}

const PlaceUse EAST{0, 1};
const PlaceUse WEST{1, 1};

/// Two collectives that each want both switches, and take them one after the other, in an order of
/// their own. \return Whether both end.
bool
DoBothEndOneByOne()
{
    PlaceCounts counts(1);
    std::vector<std::vector<PlaceUse>> wanted{{EAST, WEST}, {WEST, EAST}};
    std::vector<size_t> held{0, 0};
    for (bool goesOn = true; goesOn;)
    {
        goesOn = false;
        for (size_t each = 0; each < wanted.size(); ++each)
        {
            if (held[each] < wanted[each].size() && counts.Fit({wanted[each][held[each]]}))
            {
                counts.Take({wanted[each][held[each]++]});
                goesOn = true;
            }
        }
        for (size_t each = 0; each < wanted.size(); ++each)
        {
            if (held[each] == wanted[each].size() && !wanted[each].empty())
            {
                counts.Release(wanted[each]);
                wanted[each].clear();
                held[each] = 0;
                goesOn = true;
            }
        }
    }
    return wanted[0].empty() && wanted[1].empty();
}

} // namespace

TEST_CASE("PlaceTable: a tree takes a place on each of its switches", "[unit][system]")
{
    const Topology topology = MakeLeavesAndSpine(1);
    PlaceTable places(topology, {TreePlaces::Kind::PerSwitch, 1});
    const std::vector<PlaceUse> uses = places.FindUses(FindTrees(topology), ALL_NPUS);
    CHECK(uses == std::vector<PlaceUse>{{0, 1}, {1, 1}, {2, 1}}); // A, B, S
}

TEST_CASE("PlaceTable: trees that share switches but no links differ in their ports",
          "[unit][system]")
{
    const Topology topology = MakeLeavesAndSpine(2);
    const std::vector<AggregationTree> trees = FindTrees(topology);
    REQUIRE(trees.size() == 2); // one for each of the parallel links
    PlaceTable ofSwitches(topology, {TreePlaces::Kind::PerSwitch, 1});
    CHECK(ofSwitches.KeepThoseWithRoom(trees, ALL_NPUS).size() == 1);

    // Between leaves and spine each tree has ports of its own; at the NPUs they share one.
    PlaceTable ofPorts(topology, {TreePlaces::Kind::PerPort, 2});
    CHECK(ofPorts.KeepThoseWithRoom(trees, ALL_NPUS).size() == 2);
    uint32_t shared = 0;
    for (const PlaceUse& use : ofPorts.FindUses(trees, ALL_NPUS))
    {
        shared += use.trees == 2 ? 1 : 0;
    }
    CHECK(shared == 4);
    PlaceTable narrow(topology, {TreePlaces::Kind::PerPort, 1});
    CHECK(narrow.KeepThoseWithRoom(trees, ALL_NPUS).size() == 1);
}

TEST_CASE("CollectiveSlots: two collectives that need the same two switches run after each other",
          "[unit][system]")
{
    const Communicator left = MakeCommunicator({0, 1});
    const Communicator right = MakeCommunicator({2, 3}, 1);
    CollectiveSlots slots(0, 4, {.capacity = 1, .areOptional = false});
    slots.Add({left.id, 0}, SimTime(), left, {EAST, WEST});
    slots.Add({right.id, 0}, SimTime(), right, {WEST, EAST});
    REQUIRE(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{left.id, 0}, true}});
    CHECK(slots.Grant().empty());
    CHECK(slots.ReleasePlaces({EAST, WEST}));
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{right.id, 0}, true}});
}

TEST_CASE("CollectiveSlots: were switches taken one by one, these two would wait for ever",
          "[unit][system]")
{
    CHECK_FALSE(DoBothEndOneByOne());
}

TEST_CASE("CollectiveSlots: one that waits for a place has it before those that come later",
          "[unit][system]")
{
    const Communicator first = MakeCommunicator({0, 1});
    const Communicator second = MakeCommunicator({2, 3}, 1);
    const Communicator third = MakeCommunicator({4, 5}, 2);
    CollectiveSlots slots(0, 6, {.capacity = 1, .areOptional = false});
    slots.Add({first.id, 0}, SimTime::FromNs(1), first, {EAST});
    slots.Add({second.id, 0}, SimTime::FromNs(2), second, {EAST, WEST});
    slots.Add({third.id, 0}, SimTime::FromNs(3), third, {WEST}); // free, but kept for the second
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{first.id, 0}, true}});
    slots.ReleasePlaces({EAST});
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{second.id, 0}, true}});
    slots.ReleasePlaces({EAST, WEST});
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{third.id, 0}, true}});
}

TEST_CASE("CollectiveSlots: a collective waits for slots and places together, and holds neither",
          "[unit][system]")
{
    const Communicator left = MakeCommunicator({0, 1});
    const Communicator both = MakeCommunicator({1, 2}, 1);
    const Communicator right = MakeCommunicator({2, 3}, 2);
    CollectiveSlots slots(1, 4, {.capacity = 1, .areOptional = false});
    slots.Add({left.id, 0}, SimTime::FromNs(1), left);
    slots.Add({both.id, 0}, SimTime::FromNs(2), both, {EAST}); // rank 1 has no slot
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{left.id, 0}, true}});
    slots.Release(left, RankId{0});
    slots.Release(left, RankId{1});
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{both.id, 0}, true}});
    slots.Add({right.id, 0}, SimTime::FromNs(3), right, {EAST});
    CHECK(slots.Grant().empty()); // rank 2 is taken, and so is the switch
    slots.Release(both, RankId{1});
    slots.Release(both, RankId{2});
    CHECK(slots.Grant().empty()); // the switch is still taken
    CHECK(slots.ReleasePlaces({EAST}));
    CHECK(slots.Grant() == std::vector<CollectiveSlots::Granted>{{{right.id, 0}, true}});
}

TEST_CASE("CollectiveSlots: where places are optional, one that finds none runs without",
          "[unit][system]")
{
    const Communicator left = MakeCommunicator({0, 1});
    const Communicator right = MakeCommunicator({2, 3}, 1);
    CollectiveSlots slots(0, 4, {.capacity = 1, .areOptional = true});
    slots.Add({left.id, 0}, SimTime(), left, {EAST});
    slots.Add({right.id, 0}, SimTime(), right, {EAST});
    CHECK(slots.Grant() ==
          std::vector<CollectiveSlots::Granted>{{{left.id, 0}, true}, {{right.id, 0}, false}});
}
