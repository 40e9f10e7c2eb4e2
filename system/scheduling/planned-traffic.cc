// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/planned-traffic.h"

#include <cstddef>

namespace nadi
{

namespace
{

/// What all members of a line send together if no byte is relayed. `held`: what a member (of a
/// scatter, the root) holds before the phase.
double
LineTraffic(CollectiveType type, double held, double ranks)
{
    switch (type)
    {
    case CollectiveType::AllReduce:
        return 2 * held * (ranks - 1);
    case CollectiveType::AllGather:
        return held * (ranks - 1) * ranks;
    case CollectiveType::Scatter:
        return held * (ranks - 1) / ranks;
    case CollectiveType::Barrier:
        return 0;
    default:
        return held * (ranks - 1);
    }
}

/// Whether the lines along one phase's dimension differ in another dimension while they run it.
bool
AreLinesSpreadOver(CollectiveType type, size_t other, size_t phase)
{
    switch (type)
    {
    case CollectiveType::Broadcast:
    case CollectiveType::Scatter:
        return other < phase; // it was crossed before, so all its coordinates have the data
    case CollectiveType::Reduce:
    case CollectiveType::Gather:
        return other > phase; // it is still to be crossed, so all its coordinates hold data
    default:
        return true;
    }
}

double
CountLines(const ScheduleRequest& request, const ChunkSchedule& chunk, size_t phase)
{
    const uint32_t own = chunk.phases[phase].dimension;
    std::vector<bool> isSpread(request.dimensions.size());
    for (size_t other = 0; other < chunk.phases.size(); ++other)
    {
        const uint32_t dimension = chunk.phases[other].dimension;
        // An all-reduce crosses most dimensions twice. Both times its lines are spread over all
        // other dimensions, so it does not matter that the later phase overwrites the earlier one.
        isSpread[dimension] = dimension != own && AreLinesSpreadOver(request.type, other, phase);
    }
    double lines = 1;
    for (size_t dimension = 0; dimension < isSpread.size(); ++dimension)
    {
        lines *= isSpread[dimension] ? request.dimensions[dimension].size : 1;
    }
    return lines;
}

} // namespace

double
EstimateTraffic(const ScheduleRequest& request,
                const std::vector<ChunkSchedule>& chunks,
                const std::vector<std::vector<PhaseEstimate>>& estimates)
{
    double sum = 0;
    for (size_t chunk = 0; chunk < chunks.size(); ++chunk)
    {
        for (size_t phase = 0; phase < chunks[chunk].phases.size(); ++phase)
        {
            const auto [dimension, type] = chunks[chunk].phases[phase];
            const auto held = static_cast<double>(estimates[chunk][phase].held.Count());
            const DimensionModel& model = request.dimensions[dimension];
            sum += CountLines(request, chunks[chunk], phase) * LineTraffic(type, held, model.size) *
                   model.TimesSent(type);
        }
    }
    return sum;
}

} // namespace nadi
