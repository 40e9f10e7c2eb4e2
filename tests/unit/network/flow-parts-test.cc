// SPDX-License-Identifier: GPL-2.0-only
// The small parts of the flow backend: its numbers, its queue of instants, its queue pairs.
#include "common/hash.h"
#include "network/event-loop/instant-queue.h"
#include "network/flow/flow-group.h"
#include "network/flow/flow-scale.h"
#include "network/flow/queue-pair-table.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace nadi;

namespace
{

Topology
MakePair(Bandwidth rate)
{
    Topology topology;
    topology.AddVertex(VertexKind::Npu, "npu0");
    topology.AddVertex(VertexKind::Npu, "npu1");
    topology.AddLink(VertexId{0}, VertexId{1}, rate, SimTime());
    return topology;
}

} // namespace

TEST_CASE("FlowScale: work at a link's rate takes what the bytes take on the link",
          "[unit][network]")
{
    // Below and above the rate that fits with small parts; some do not divide a picosecond.
    for (const int64_t bits : {int64_t{1},
                               int64_t{37},
                               int64_t{400'000'000'000},
                               int64_t{7'200'000'000'001},
                               int64_t{900'000'000'000'000}})
    {
        const Bandwidth rate = Bandwidth::FromBitsPerSecond(bits);
        const FlowScale scale(MakePair(rate));
        for (const int64_t count : {1, 64, 4160, 1'000'003})
        {
            CAPTURE(bits, count);
            const Bytes wire(count);
            FlowGroup group;
            group.SetRate(SimTime::FromPs(5), scale.Rate(rate));
            CHECK(group.EndOf(scale.Work(wire)) == SimTime::FromPs(5) + wire / rate);
            CHECK(scale.WireOf(scale.Work(wire)) == wire);
            CHECK(scale.WireOf(scale.Work(wire) - 1) == wire - Bytes(1));
        }
    }
}

TEST_CASE("InstantQueue: what was added to an instant is due then, and only then",
          "[unit][network]")
{
    InstantQueue<uint64_t> queue;
    std::map<int64_t, std::vector<uint64_t>> expected;
    uint64_t added = 0;
    const auto add = [&](int64_t at)
    {
        queue.Add(SimTime::FromPs(at), added);
        expected[at].push_back(added++);
    };
    for (uint64_t i = 0; i < 2000; ++i)
    {
        add(static_cast<int64_t>(Hash64({i}) % 700));
    }
    while (!expected.empty())
    {
        const auto [at, items] = *expected.begin();
        REQUIRE(queue.Next() == SimTime::FromPs(at));
        std::vector<uint64_t> due;
        queue.TakeDue(SimTime::FromPs(at), due);
        std::sort(due.begin(), due.end());
        REQUIRE(due == items);
        expected.erase(expected.begin());
        if (added < 5000)
        {
            add(at + 1 + static_cast<int64_t>(Hash64({added}) % 900));
            add(at + 1);
        }
        std::vector<uint64_t> none;
        queue.TakeDue(SimTime::FromPs(at), none);
        REQUIRE(none.empty());
    }
    CHECK(queue.IsEmpty());
    CHECK(queue.Size() == 0);
}

TEST_CASE("InstantQueue: one instant keeps the order of adding", "[unit][network]")
{
    InstantQueue<uint32_t> queue;
    const SimTime at = SimTime::FromNs(3);
    for (uint32_t i = 0; i < 100; ++i)
    {
        queue.Add(at, i);
    }
    std::vector<uint32_t> due;
    queue.TakeDue(at, due);
    REQUIRE(due.size() == 100);
    CHECK(std::is_sorted(due.begin(), due.end()));
}

TEST_CASE("InstantQueue: stale items in front are no reason to wake", "[unit][network]")
{
    InstantQueue<uint32_t> queue;
    for (const uint32_t item : {1U, 2U, 3U, 4U, 5U, 6U})
    {
        queue.Add(SimTime::FromPs((item + 1) / 2), item); // two at each of 1, 2 and 3 ps
    }
    const auto isBelow = [](uint32_t bound)
    { return [bound](uint32_t item) { return item < bound; }; };
    queue.DropStale(isBelow(1));
    CHECK(queue.Size() == 6);
    queue.DropStale(isBelow(4)); // all of the first instant, one of the second
    CHECK(queue.Next() == SimTime::FromPs(2));
    CHECK(queue.Size() == 3);
    std::vector<uint32_t> due;
    queue.TakeDue(SimTime::FromPs(2), due);
    CHECK(due == std::vector<uint32_t>{4});
    queue.Add(SimTime::FromPs(3), 7);
    queue.DropStale(isBelow(8));
    CHECK(queue.IsEmpty());
    queue.Add(SimTime::FromPs(3), 9); // the instant is usable again
    CHECK(queue.Next() == SimTime::FromPs(3));
}

TEST_CASE("QueuePairTable: finds what was added and not removed; the oldest idle goes first",
          "[unit][network]")
{
    QueuePairTable table;
    const auto nameOf = [](uint32_t i) {
        return QueuePairName{VertexId{i % 7}, VertexId{i / 7}, StreamId{i % 3}};
    };
    const uint32_t count = 500;
    for (uint32_t i = 0; i < count; ++i)
    {
        REQUIRE(table.Find(nameOf(i)) == FlowQueuePair::NONE);
        table.Add(i, nameOf(i));
    }
    CHECK(table.RemoveOldestIdle() == FlowQueuePair::NONE); // all are busy
    for (uint32_t i = 0; i < count; i += 2)
    {
        table.SetIdle(i);
    }
    table.SetBusy(0);
    table.SetBusy(100);
    for (uint32_t i = 2; i < count; i += 2)
    {
        if (i != 100)
        {
            REQUIRE(table.RemoveOldestIdle() == i);
        }
    }
    CHECK(table.RemoveOldestIdle() == FlowQueuePair::NONE);
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool isKept = i % 2 == 1 || i == 0 || i == 100;
        REQUIRE(table.Find(nameOf(i)) == (isKept ? i : FlowQueuePair::NONE));
    }
    CHECK(table.Size() == count / 2 + 2);
}
