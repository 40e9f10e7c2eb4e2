// SPDX-License-Identifier: GPL-2.0-only
#include "common/check.h"
#include "system/collective-plan.h"
#include "system/collective-schedule.h"
#include "system/scheduling/admission-run.h"
#include "system/scheduling/chunk-phases.h"
#include "system/scheduling/inter-dimension-policy.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "system/scheduling/planned-phases.h"
#include "system/scheduling/planned-traffic.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// The sizes of the chunks: the parts of the buffer that are not empty; of an empty buffer, one
/// empty chunk, since a barrier has no data but still takes place.
std::vector<uint64_t>
CutIntoChunks(uint64_t elements, uint32_t parts)
{
    std::vector<uint64_t> chunks;
    for (uint32_t part = 0; part < parts; ++part)
    {
        chunks.push_back(PartOf({.begin = 0, .end = elements}, part, parts).Length());
    }
    std::erase(chunks, 0);
    return chunks.empty() ? std::vector<uint64_t>{0} : chunks;
}

std::vector<DimensionOrder>
OrderChunks(const ScheduleRequest& request,
            const SchedulingOptions& options,
            const std::vector<uint64_t>& chunkElements)
{
    if (options.perDimension && request.type == CollectiveType::AllReduce)
    {
        // Every dimension carries the whole chunk whatever the order, so a policy has nothing to
        // even out.
        const auto dimensions = static_cast<uint32_t>(request.dimensions.size());
        return std::vector(chunkElements.size(), BaselineOrder(request.type, dimensions));
    }
    return Registry<InterDimensionPolicy>::Instance()
        .Make(options.interDimension)
        ->OrderChunks(request, chunkElements);
}

/// Cuts the buffer, lets the policy between dimensions order each chunk, turns the orders into
/// phases, and runs the policy inside a dimension on their estimates. The order in which the phases
/// enter there is the plan.
CollectiveSchedule
PlanWith(uint32_t chunks, const ScheduleRequest& request, const SchedulingOptions& options)
{
    const std::vector<uint64_t> sizes = CutIntoChunks(request.elements, chunks);
    const std::vector<DimensionOrder> orders = OrderChunks(request, options, sizes);
    CollectiveSchedule schedule;
    for (size_t chunk = 0; chunk < sizes.size(); ++chunk)
    {
        schedule.chunks.push_back(
            {.elements = sizes[chunk], .phases = MakePhases(request.type, orders[chunk], options)});
    }
    const auto intra = Registry<IntraDimensionPolicy>::Instance().Make(options.intraDimension);
    const std::vector<std::vector<PhaseEstimate>> estimates =
        EstimatePhases(request, schedule.chunks);
    schedule.trafficBytes = EstimateTraffic(request, schedule.chunks, estimates);
    AdmissionRun run(estimates,
                     *intra,
                     {.dimensions = static_cast<uint32_t>(request.dimensions.size()),
                      .chunksInFlight = options.chunksInFlight});
    schedule.predicted = run.Run();
    schedule.admission = run.Admission();
    return schedule;
}

/// Whether a plan counts as good as the best one. Rounding makes plans differ by picoseconds, and
/// the run without contention is an estimate, so a difference of a sixteenth is a tie, which the
/// larger number of chunks wins.
bool
IsAsGood(SimTime predicted, SimTime best)
{
    constexpr int64_t tolerance = 16;
    return predicted <= best + SimTime::FromPs(best.Ps() / tolerance);
}

/// None where the plan would end after the simulated clock does.
std::optional<CollectiveSchedule>
PlanWithinClock(uint32_t chunks, const ScheduleRequest& request, const SchedulingOptions& options)
{
    try
    {
        return PlanWith(chunks, request, options);
    }
    catch (const std::overflow_error&)
    {
        return std::nullopt;
    }
}

/// With the latencies that count where a number of chunks is chosen. Over several dimensions,
/// chunks fill the waits of others that are in another dimension.
ScheduleRequest
WithIdleTimes(ScheduleRequest request)
{
    if (request.dimensions.size() > 1)
    {
        return request;
    }
    for (DimensionModel& dimension : request.dimensions)
    {
        dimension.detours.resize(std::max(dimension.detours.size(), dimension.idle.size()));
        for (size_t type = 0; type < dimension.idle.size(); ++type)
        {
            dimension.detours[type] += dimension.idle[type];
        }
    }
    return request;
}

/// The order of phases is planned without what frames add.
ScheduleRequest
WithoutForwarding(ScheduleRequest request)
{
    for (DimensionModel& dimension : request.dimensions)
    {
        dimension.forwarding.clear();
    }
    return request;
}

/// Where even a single chunk would end after the clock, it is one.
uint32_t
ChooseChunks(const ScheduleRequest& request, const SchedulingOptions& options)
{
    std::vector<std::pair<uint32_t, SimTime>> plans; // the most chunks first
    for (const uint32_t chunks : {16U, 8U, 4U, 2U, 1U})
    {
        const auto schedule =
            chunks <= request.mostChunks ? PlanWithinClock(chunks, request, options) : std::nullopt;
        if (schedule)
        {
            plans.emplace_back(chunks, schedule->predicted);
        }
    }
    if (plans.empty())
    {
        return 1;
    }
    const auto best =
        std::min_element(plans.begin(),
                         plans.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const auto chosen = std::find_if(plans.begin(),
                                     plans.end(),
                                     [limit = best->second](const auto& plan)
                                     { return IsAsGood(plan.second, limit); });
    return chosen->first;
}

} // namespace

CollectiveSchedule
PlanCollective(const ScheduleRequest& request, const SchedulingOptions& options)
{
    ScheduleRequest effective = request;
    // A barrier moves nothing, whatever size its call has.
    if (request.type == CollectiveType::Barrier)
    {
        effective.elements = 0;
    }
    const std::optional<uint32_t> given = request.chunks ? request.chunks : options.chunks;
    NADI_CHECK(!given || *given > 0);
    const uint32_t chunks = given ? *given : ChooseChunks(WithIdleTimes(effective), options);
    return PlanWith(chunks, WithoutForwarding(std::move(effective)), options);
}

} // namespace nadi
