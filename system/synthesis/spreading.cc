// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/spreading.h"

#include "system/synthesis/replay.h"
#include "system/synthesis/way-paths.h"

#include <algorithm>
#include <utility>

namespace nadi::synthesis
{

namespace
{

uint32_t
CountChunks(const SpreadingTask& task)
{
    return static_cast<uint32_t>(task.owners.size());
}

/// The attempt with the time that it takes when ranks send in its order.
Attempt
Judge(const GroupRoutes& routes, const MessageTimes& times, Schedule schedule, uint32_t chunks)
{
    const TransferWaits waits(routes.forward, schedule, chunks, ChunkFlow::Spread);
    Replayed replayed = Replay(routes.forward, times, schedule, waits).Run(WayOrder::Kept);
    return {.schedule = std::move(replayed.schedule),
            .chunks = chunks,
            .flow = ChunkFlow::Spread,
            .predicted = replayed.end};
}

/// The same messages in the order in which they start if links are never idle while one is ready.
Schedule
Hurry(const GroupRoutes& routes,
      const MessageTimes& times,
      const Schedule& schedule,
      const TransferWaits& waits)
{
    return Replay(routes.forward, times, schedule, waits).Run(WayOrder::Free).schedule;
}

/// One schedule after the other.
Schedule
Join(Schedule first, const Schedule& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

/// Makes a reduction of a spreading on the reversed ways. Reversed ways keep their numbers
/// (RouteModel::Reversed), so each message has the right way already.
Schedule
Mirror(Schedule schedule)
{
    std::reverse(schedule.begin(), schedule.end());
    for (Transfer& transfer : schedule)
    {
        transfer.reduces = 1;
    }
    return schedule;
}

Schedule
MatchReduction(const GroupRoutes& routes, const MessageTimes& times, const SpreadingTask& task)
{
    // A rank adds a message that has come before it sends the sum on. So the matching counts the
    // time of the addition as a part of each message.
    const MessageTimes slower = times.WithReduction();
    return Mirror(
        Matching(routes.backward, slower, routes.backwardGroups, task.owners, task.rules).Run());
}

Schedule
MatchSpreading(const GroupRoutes& routes, const MessageTimes& times, const SpreadingTask& task)
{
    return Matching(routes.forward, times, routes.groups, task.owners, task.rules).Run();
}

} // namespace

Attempt
SpreadChunks(const GroupRoutes& routes, const SpreadingTask& task)
{
    const MessageTimes times(routes.forward, routes.costs, task.chunk);
    // The matching uses the same WireClock as Replay, and its order is that of the program. So its
    // own end is the prediction, and no replay is needed.
    Matching matching(routes.forward, times, routes.groups, task.owners, task.rules);
    Schedule schedule = matching.Run();
    return {.schedule = std::move(schedule),
            .chunks = CountChunks(task),
            .flow = ChunkFlow::Spread,
            .predicted = matching.End()};
}

Attempt
ReduceChunks(const GroupRoutes& routes, const SpreadingTask& task)
{
    const MessageTimes times(routes.forward, routes.costs, task.chunk);
    return Judge(routes, times, MatchReduction(routes, times, task), CountChunks(task));
}

Attempt
ReduceAndSpread(const GroupRoutes& routes, const SpreadingTask& task)
{
    const MessageTimes times(routes.forward, routes.costs, task.chunk);
    const uint32_t chunks = CountChunks(task);
    const Schedule joint =
        Join(MatchReduction(routes, times, task), MatchSpreading(routes, times, task));
    // In the joint schedule all reductions on a way go before the copies of complete sums. In the
    // hurried one a copy may use a way while its next reduction is not ready yet.
    const TransferWaits waits(routes.forward, joint, chunks, ChunkFlow::Spread);
    Attempt best = Judge(routes, times, joint, chunks);
    Attempt hurried = Judge(routes, times, Hurry(routes, times, joint, waits), chunks);
    return hurried.predicted < best.predicted ? hurried : best;
}

uint32_t
FindCentre(const RouteModel& model, const MessageTimes& times)
{
    uint32_t centre = 0;
    int64_t least = INT64_MAX;
    // Of a large group every so many a rank: each costs a search through all ways.
    const uint32_t stride = 1 + model.RankCount() / 256;
    for (uint32_t rank = 0; rank < model.RankCount(); rank += stride)
    {
        const std::vector<int64_t> distances = FindWayDistances(model, times, rank);
        const int64_t farthest = *std::max_element(distances.begin(), distances.end());
        if (farthest < least)
        {
            least = farthest;
            centre = rank;
        }
    }
    return centre;
}

} // namespace nadi::synthesis
