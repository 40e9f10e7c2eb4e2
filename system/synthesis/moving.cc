// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/moving.h"

#include "common/check.h"
#include "system/synthesis/balanced-paths.h"
#include "system/synthesis/replay.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace nadi::synthesis
{

namespace
{

constexpr uint32_t PASSES = 6;
constexpr uint64_t MOST_LOOKS = 300'000'000; ///< of all passes at ways: some seconds

/// A journey for each chunk that changes its rank; what a rank has for itself stays. Chunks are
/// numbered by shard and part, where the shard of an all-to-all is (source, destination).
std::vector<Journey>
ListJourneys(uint32_t ranks, const MovingTask& task)
{
    const bool isGather = task.type == CollectiveType::Gather;
    std::vector<Journey> journeys;
    const auto add = [&](uint32_t from, uint32_t to, uint32_t shard)
    {
        for (uint32_t part = 0; from != to && part < task.parts; ++part)
        {
            journeys.push_back(
                {.from = from, .to = to, .chunk = shard * task.parts + part, .ways = {}});
        }
    };
    for (uint32_t one = 0; one < ranks; ++one)
    {
        if (task.type != CollectiveType::AllToAll)
        {
            add(isGather ? one : task.root, isGather ? task.root : one, one);
            continue;
        }
        for (uint32_t other = 0; other < ranks; ++other)
        {
            add(one, other, one * ranks + other);
        }
    }
    return journeys;
}

/// Those whose ways take longest first; then by how far apart the ranks are, so that at no time
/// many send to one.
Schedule
OrderJourneys(const GroupRoutes& routes, const MessageTimes& times, std::vector<Journey> journeys)
{
    const uint32_t ranks = routes.forward.RankCount();
    std::vector<std::tuple<int64_t, uint32_t, uint32_t, uint32_t>> order;
    for (uint32_t index = 0; index < journeys.size(); ++index)
    {
        const Journey& journey = journeys[index];
        int64_t time = 0;
        for (const uint32_t way : journey.ways)
        {
            time += times.ToUse(way);
        }
        const uint32_t steps = (journey.to + ranks - journey.from) % ranks;
        order.emplace_back(-time, steps, journey.chunk, index);
    }
    std::sort(order.begin(), order.end());
    Schedule schedule;
    for (const auto& [time, steps, chunk, index] : order)
    {
        for (const uint32_t way : journeys[index].ways)
        {
            schedule.push_back(MakeCopy(way, chunk));
        }
    }
    return schedule;
}

} // namespace

Attempt
MoveChunks(const GroupRoutes& routes, const MovingTask& task)
{
    const RouteModel& model = routes.forward;
    const uint32_t ranks = model.RankCount();
    const MessageTimes times(model, routes.costs, task.chunk);
    BalancedPaths paths(model, times, ListJourneys(ranks, task), task.seed);
    // Balancing looks at every way for every chunk in each pass. In an all-to-all of a hundred
    // ranks or more that may be too much, and chunks keep their quickest paths.
    const bool isWorthIt = task.isBalanced && paths.PassCost() * PASSES <= MOST_LOOKS;
    const Schedule listed =
        OrderJourneys(routes, times, isWorthIt ? paths.Balance(PASSES) : paths.Quickest());
    // Transfer::chunk has 31 bits.
    NADI_CHECK(uint64_t{ranks} * ranks * task.parts < uint64_t{1} << 31);
    const uint32_t rows = task.type == CollectiveType::AllToAll ? ranks : 1;
    const uint32_t chunks = rows * ranks * task.parts;
    // The list has the whole path of one chunk after that of another. The first replay lets
    // messages go as soon as data and links allow, and gives the order of the lanes. The second one
    // times the program of this order. Waits name messages by their index, so each order has its
    // own waits.
    const TransferWaits listedWaits(model, listed, chunks, ChunkFlow::Moved);
    Schedule hurried = Replay(model, times, listed, listedWaits).Run(WayOrder::Free).schedule;
    const TransferWaits waits(model, hurried, chunks, ChunkFlow::Moved);
    Replayed replayed = Replay(model, times, hurried, waits).Run(WayOrder::Kept);
    return {.schedule = std::move(replayed.schedule),
            .chunks = chunks,
            .flow = ChunkFlow::Moved,
            .predicted = replayed.end};
}

} // namespace nadi::synthesis
