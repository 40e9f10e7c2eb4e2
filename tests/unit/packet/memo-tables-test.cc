// SPDX-License-Identifier: GPL-2.0-only
// What the tables of the memo take, and that they give it back.
#include "network/packet/memo/period-trie.h"
#include "network/packet/memo/way-table.h"
#include "network/shortest-path-routing.h"
#include "tests/support/messages.h"
#include "tests/support/packet-net.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>

#include <utility>
#include <vector>

using namespace nadi;

TEST_CASE("WayTable: it takes as much for each way, and nothing once it is cleared",
          "[unit][packet][memo]")
{
    constexpr uint32_t NPUS = 5;
    const Topology topology = MakeStar(NPUS, RATE, LATENCY);
    const ShortestPathRouting routing(topology);
    WayTable ways(topology, routing, 1, std::vector<bool>(topology.VertexCount()));
    CHECK(ways.Words() == 0);
    ways.Find(MakeMessage(0, 1, Bytes(1)));
    const uint64_t one = ways.Words();
    // Two links there, two back, and these four as what the way shares with others.
    CHECK(one * sizeof(uint64_t) >= sizeof(Way) + 8 * sizeof(uint32_t));
    ways.Find(MakeMessage(0, 1, Bytes(2)));
    CHECK(ways.Words() == one);
    for (uint32_t source = 0; source < NPUS; ++source)
    {
        for (uint32_t step = 1; step < NPUS; ++step)
        {
            ways.Find(MakeMessage(source, (source + step) % NPUS, Bytes(1)));
        }
    }
    CHECK(ways.Words() == NPUS * (NPUS - 1) * one);
    ways.Clear();
    CHECK(ways.Words() == 0);
    CHECK(ways.Find(MakeMessage(3, 4, Bytes(1))) == 0);
    CHECK(ways[0].source == VertexId{3});
}

TEST_CASE("PeriodTrie: inputs, outputs, gains and records count", "[unit][packet][memo]")
{
    PeriodTrie trie;
    CHECK(trie.Words() == 0);
    const uint32_t node = trie.Add(PeriodTrie::ROOT, {0, 1, 2});
    uint64_t words = trie.Words();
    CHECK(words * sizeof(uint64_t) >= sizeof(PeriodNode) + 3 * sizeof(uint64_t));
    const auto hasGrownBy = [&](size_t bytes)
    {
        const uint64_t before = std::exchange(words, trie.Words());
        return words == before + bytes / sizeof(uint64_t);
    };
    trie.AddOutput(node, {10, 0});
    CHECK(hasGrownBy(sizeof(PeriodOutput)));
    trie.AddRecord(std::vector<TrafficMessage>(7));
    CHECK(hasGrownBy(7 * sizeof(TrafficMessage)));
    trie.AddGain(node, {});
    trie.AddGain(node, {});
    CHECK(hasGrownBy(2 * sizeof(ns3::FabricPortCounters)));
    trie.DropGains(node);
    CHECK(trie.Words() == words - 2 * sizeof(ns3::FabricPortCounters) / sizeof(uint64_t));
    CHECK(trie[node].gains.empty());
}
