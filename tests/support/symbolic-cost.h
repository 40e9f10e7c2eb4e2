// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nadi::symbolic
{

/// What a rank sends and receives in a plan.
struct Traffic
{
    uint64_t elementsSent = 0;
    uint64_t elementsReceived = 0;
    uint32_t messagesSent = 0;
    uint32_t messagesReceived = 0;
};

/// All steps of a rank in one lane, in order.
inline std::vector<PlanStep>
StepsOf(const CollectivePlan& plan, uint32_t rank, uint32_t stage, uint32_t lane)
{
    std::vector<PlanStep> steps;
    for (uint32_t step = 0; step < plan.StepCount(rank, stage, lane); ++step)
    {
        steps.push_back(plan.StepAt(rank, stage, lane, step));
    }
    return steps;
}

inline Traffic
TrafficOf(const std::vector<PlanStep>& steps)
{
    Traffic traffic;
    for (const PlanStep& step : steps)
    {
        traffic.elementsSent += step.send ? step.send->range.Length() : 0;
        traffic.messagesSent += step.send ? 1 : 0;
        traffic.elementsReceived += step.receive ? step.receive->range.Length() : 0;
        traffic.messagesReceived += step.receive ? 1 : 0;
    }
    return traffic;
}

/// Over all stages and lanes.
inline Traffic
TrafficOf(const CollectivePlan& plan, uint32_t rank)
{
    std::vector<PlanStep> all;
    for (uint32_t stage = 0; stage < plan.StageCount(); ++stage)
    {
        for (uint32_t lane = 0; lane < plan.LaneCount(rank, stage); ++lane)
        {
            const std::vector<PlanStep> steps = StepsOf(plan, rank, stage, lane);
            all.insert(all.end(), steps.begin(), steps.end());
        }
    }
    return TrafficOf(all);
}

inline std::unique_ptr<CollectivePlan>
MakePlan(const std::string& algorithm,
         const PlanRequest& request,
         const std::map<std::string, std::string>& parameters = {})
{
    const ComponentChoice choice{algorithm, parameters};
    return Registry<CollectiveAlgorithm>::Instance().Make(choice)->MakePlan(request);
}

} // namespace nadi::symbolic
