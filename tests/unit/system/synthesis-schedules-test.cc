// SPDX-License-Identifier: GPL-2.0-only
#include "network/make-routing.h"
#include "system/synthesis/balanced-paths.h"
#include "system/synthesis/free-trees.h"
#include "system/synthesis/moving.h"
#include "system/synthesis/replay.h"
#include "system/synthesis/spreading.h"
#include "tests/support/grid-topology.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace nadi;
using namespace nadi::synthesis;
using namespace nadi::test;

namespace
{

constexpr int64_t GRID_RATE = 1'000'000'000;

/// One frame for each message, without header.
const PacketOptions&
WholeFrames()
{
    static const PacketOptions options = []
    {
        PacketOptions made;
        made.payload = Bytes(int64_t{1} << 40);
        made.header = Bytes(0);
        return made;
    }();
    return options;
}

GroupRoutes
GridRoutes(const GridSpec& spec, std::optional<Bandwidth> reduction = std::nullopt)
{
    const Topology topology = MakeGridTopology(spec);
    return GroupRoutes(
        RouteModel(topology, *MakeRouting(topology), SimTime(), FirstRanks(topology.NpuCount())),
        {.packet = WholeFrames(), .endpointDelay = SimTime(), .reductionBandwidth = reduction});
}

/// A line of NPUs: 1 byte per nanosecond, 10 ns.
GridSpec
LineGrid(uint32_t npus)
{
    return {{npus}, {GRID_RATE}, SimTime::FromNs(10)};
}

GridSpec
SquareGrid(uint32_t side)
{
    return {{side, side}, {GRID_RATE, GRID_RATE}, SimTime()};
}

} // namespace

TEST_CASE("Spreading: a broadcast along a line sends chunk after chunk", "[unit][system]")
{
    const GroupRoutes routes = GridRoutes(LineGrid(4));
    SpreadingTask task;
    task.owners.assign(5, 0);
    task.chunk = Bytes(100);
    const Attempt attempt = SpreadChunks(routes, task);
    CHECK(attempt.schedule.size() == 5 * 3);
    // The last of five chunks leaves after 400 ns and takes 110 ns on each of three links.
    CHECK(attempt.predicted == SimTime::FromNs(400 + 3 * 110));
}

TEST_CASE("Spreading: a reduction is the broadcast backwards, with the time of its sums",
          "[unit][system]")
{
    const GroupRoutes routes = GridRoutes(LineGrid(4), Bandwidth::FromBytesPerSecond(GRID_RATE));
    SpreadingTask task;
    task.owners.assign(1, 0);
    task.chunk = Bytes(100);
    const Attempt attempt = ReduceChunks(routes, task);
    REQUIRE(attempt.schedule.size() == 3);
    for (uint32_t step = 0; step < 3; ++step)
    {
        CHECK(attempt.schedule[step].reduces == 1);
        CHECK(routes.forward.At(attempt.schedule[step].way).from == 3 - step);
        CHECK(routes.forward.At(attempt.schedule[step].way).to == 2 - step);
    }
    CHECK(attempt.predicted == SimTime::FromNs(3 * (110 + 100)));
}

TEST_CASE("Spreading: the centre of a line is in its middle", "[unit][system]")
{
    const GroupRoutes routes = GridRoutes(LineGrid(7));
    CHECK(FindCentre(routes.forward, MessageTimes(routes.forward, routes.costs, Bytes(8))) == 3);
}

TEST_CASE("Replay: a way in order waits for what it must send first", "[unit][system]")
{
    // 0 - 1 - 2. Rank 1 sends rank 2 chunk 0 of rank 0 first, then its own chunk 1.
    const GroupRoutes routes = GridRoutes(LineGrid(3));
    const RouteModel& model = routes.forward;
    const auto wayFrom = [&](uint32_t from, uint32_t to)
    {
        const auto ways = model.WaysFrom(from);
        return *std::find_if(
            ways.begin(), ways.end(), [&](uint32_t way) { return model.At(way).to == to; });
    };
    const Schedule schedule{
        MakeCopy(wayFrom(0, 1), 0), MakeCopy(wayFrom(1, 2), 0), MakeCopy(wayFrom(1, 2), 1)};
    const TransferWaits waits(model, schedule, 2, ChunkFlow::Spread);
    const MessageTimes times(model, routes.costs, Bytes(100));
    const Replayed kept = Replay(model, times, schedule, waits).Run(WayOrder::Kept);
    CHECK(kept.end == SimTime::FromNs(110 + 100 + 110));
    CHECK(kept.schedule == schedule);
    // As data comes, chunk 1 goes at once, and chunk 0 when it has come.
    const Replayed hurried = Replay(model, times, schedule, waits).Run(WayOrder::Free);
    CHECK(hurried.end == SimTime::FromNs(110 + 110));
    CHECK(hurried.schedule.back() == schedule[1]);
}

TEST_CASE("Balanced paths: relays take what shortest paths would put on one link", "[unit][system]")
{
    // A ring of five: two links join neighbours in one way, three in the other.
    const GroupRoutes routes = GridRoutes({{5}, {GRID_RATE}, SimTime(), true});
    std::vector<Journey> journeys;
    for (uint32_t chunk = 0; chunk < 10; ++chunk)
    {
        journeys.push_back({.from = 0, .to = 1, .chunk = chunk, .ways = {}});
    }
    const MessageTimes times(routes.forward, routes.costs, Bytes(100));
    BalancedPaths paths(routes.forward, times, journeys, 1);
    const auto countLongest = [](const std::vector<Journey>& all)
    {
        return std::count_if(
            all.begin(), all.end(), [](const Journey& one) { return one.ways.size() == 4; });
    };
    CHECK(countLongest(paths.Quickest()) == 0);
    CHECK(countLongest(paths.Balance(6)) == 5);
}

TEST_CASE("Moving: an all-to-all of a mesh comes near to what its middle lets through",
          "[unit][system]")
{
    // 5x5, chunks of 1000 ns: 10 x 15 pairs cross the five links between columns 1 and 2.
    const GroupRoutes routes = GridRoutes(SquareGrid(5));
    MovingTask task;
    task.type = CollectiveType::AllToAll;
    task.parts = 4;
    task.chunk = Bytes(1000);
    const SimTime bound = SimTime::FromUs(4 * 10 * 15 / 5);
    const Attempt balanced = MoveChunks(routes, task);
    CHECK(balanced.predicted >= bound);
    CHECK(balanced.predicted.Ps() * 95 / 100 <= bound.Ps());
    task.isBalanced = false;
    CHECK(MoveChunks(routes, task).predicted > balanced.predicted);
}

TEST_CASE("Moving: a scatter uses all links of its root", "[unit][system]")
{
    // From a corner of 3x3: eight chunks, four over each of two links.
    const GroupRoutes routes = GridRoutes(SquareGrid(3));
    MovingTask task;
    task.type = CollectiveType::Scatter;
    task.chunk = Bytes(1000);
    const Attempt scatter = MoveChunks(routes, task);
    CHECK(scatter.predicted >= SimTime::FromUs(4));
    CHECK(scatter.predicted <= SimTime::FromUs(6));
    task.type = CollectiveType::Gather;
    CHECK(MoveChunks(routes, task).predicted <= SimTime::FromUs(6));
}

TEST_CASE("Free trees: what they load is as even as trees can be", "[unit][system]")
{
    // 40 links carry 24 messages each way for each tree: 0.6 of a message for each tree.
    const GroupRoutes routes = GridRoutes(SquareGrid(5));
    auto trees = FreeTrees::Find(routes.forward);
    REQUIRE(trees.has_value());
    const MessageTimes times(routes.forward, routes.costs, Bytes(1000));
    const std::vector<FreeTree> packed = trees->Pack(times, 200, 12);
    CHECK(trees->MostLoad() >= SimTime::FromUs(200 * 2 * 24 / 80));
    CHECK(trees->MostLoad() <= SimTime::FromUs(200 * 2 * 24 / 80 + 2));
    for (const FreeTree& tree : packed)
    {
        std::vector<bool> isReached(25, false);
        isReached[tree.root] = true;
        for (const uint32_t way : tree.ways)
        {
            CHECK(isReached[routes.forward.At(way).from]);
            CHECK_FALSE(isReached[routes.forward.At(way).to]);
            isReached[routes.forward.At(way).to] = true;
        }
        CHECK(std::count(isReached.begin(), isReached.end(), true) == 25);
    }
}

TEST_CASE("Free trees: on a mesh an all-reduce is quicker than its two halves", "[unit][system]")
{
    // 5x5, 1.6 MB: the halves take 24 shards over the two links of a corner each.
    const GroupRoutes routes = GridRoutes(SquareGrid(5));
    const int64_t size = 1'600'000;
    const Attempt attempt =
        ReduceOverTrees(routes, *FreeTrees::Find(routes.forward), 1600, Bytes(size / 1600), 12);
    const SimTime byMessages = SimTime::FromNs(2 * 24 * size / 80);
    const SimTime byHalves = SimTime::FromNs(2 * 24 * (size / 25) / 2);
    CHECK(attempt.predicted >= byMessages);
    CHECK(attempt.predicted.Ps() * 100 <= byMessages.Ps() * 108);
    CHECK(attempt.predicted < byHalves);
}
