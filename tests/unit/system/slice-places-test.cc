// SPDX-License-Identifier: GPL-2.0-only
#include "network/attach-memories.h"
#include "network/stack-topology.h"
#include "system/remote-memory/slice-places.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

using Place = MemoryOptions::Place;

/// A line of six NPUs, with memories 0 and 1 at NPU 1, and memory 2 at NPU 5.
Topology
MakeLineWithMemories()
{
    const Bandwidth rate = Bandwidth::FromBytesPerSecond(1'000'000'000);
    Topology topology = MakeStackTopology({{ComponentChoice("mesh"), 6, rate, SimTime::FromNs(1)}});
    MemoryGroup group;
    group.name = "pool";
    group.count = 3;
    group.attach = {"npu1", "npu1", "npu5"};
    group.linkBandwidth = rate;
    AttachMemories(topology, {group});
    return topology;
}

/// The number of the memory.
uint32_t
NumberOf(const Topology& topology, Place place, uint32_t rank, uint32_t slice)
{
    const SlicePlaces places(topology, place);
    return places.MemoryOf(RankId{rank}, slice).value - topology.FirstMemory().value;
}

} // namespace

TEST_CASE("SlicePlaces: the nearest memory has the fewest links, and of several the lowest number",
          "[unit][system]")
{
    const Topology topology = MakeLineWithMemories();
    const std::vector<uint32_t> nearest{0, 0, 0, 0, 2, 2}; // rank 3 is two NPUs from both
    for (uint32_t rank = 0; rank < nearest.size(); ++rank)
    {
        CAPTURE(rank);
        CHECK(NumberOf(topology, Place::Nearest, rank, 0) == nearest[rank]);
        CHECK(NumberOf(topology, Place::Nearest, rank, 9) == nearest[rank]);
    }
}

TEST_CASE("SlicePlaces: a rank's own memory is that of its NPU's number", "[unit][system]")
{
    Topology topology = MakeLineWithMemories();
    topology.PlaceRanks(RankPlacement({5, 0, 4}, 6));
    CHECK(NumberOf(topology, Place::Own, 0, 0) == 2);
    CHECK(NumberOf(topology, Place::Own, 1, 3) == 0);
    CHECK(NumberOf(topology, Place::Own, 2, 0) == 1);
}

TEST_CASE("SlicePlaces: interleaved slices go around all memories, from another one for each rank",
          "[unit][system]")
{
    const Topology topology = MakeLineWithMemories();
    for (uint32_t rank = 0; rank < 6; ++rank)
    {
        for (uint32_t slice = 0; slice < 7; ++slice)
        {
            CHECK(NumberOf(topology, Place::Interleaved, rank, slice) == (rank + slice) % 3);
        }
    }
}
