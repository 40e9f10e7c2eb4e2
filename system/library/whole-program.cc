// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/whole-program.h"

#include "common/check.h"
#include "system/scheduling/planned-traffic.h"

namespace nadi
{

namespace
{

/// What the progress of a run counts with: EstimateTraffic of the one phase.
double
TrafficOf(const CollectiveProgram& program,
          const ProgramRequest& request,
          uint32_t elementBytes,
          const CollectiveAlgorithm& planner)
{
    const uint32_t ranks = request.layout.Size();
    // The root of a scatter holds the shards of all when its phase begins.
    const uint64_t held =
        request.type == CollectiveType::Scatter ? request.elements * ranks : request.elements;
    DimensionModel line{.size = ranks, .rate = {}, .stepLatency = {}, .steps = {}};
    for (const CollectiveType type : AllCollectiveTypes())
    {
        line.timesSent.push_back(planner.TimesSent(type, ranks));
    }
    const PhaseEstimate estimate{
        .dimension = 0, .held = Bytes(static_cast<int64_t>(held)) * elementBytes, .cost = {}};
    return EstimateTraffic({.type = request.type,
                            .elements = request.elements,
                            .elementBytes = elementBytes,
                            .dimensions = {line}},
                           program.schedule.chunks,
                           {{estimate}});
}

} // namespace

CollectiveProgram
MakeWholeProgram(const ProgramRequest& request,
                 uint32_t elementBytes,
                 const ChosenAlgorithm& planner)
{
    NADI_CHECK(request.layout.Dimensions().size() <= 1 &&
               (!request.isUneven || request.type == CollectiveType::AllToAll));
    CollectiveProgram program{
        .type = request.type, .schedule = {}, .algorithms = {}, .lines = {}, .decision = {}};
    program.decision.algorithm = planner.name;
    if (request.layout.Size() == 1)
    {
        return program; // nothing to exchange: no phases
    }
    const Phase phase{.dimension = 0, .type = request.type};
    program.schedule.chunks = {{.elements = request.elements, .phases = {phase}}};
    // One phase needs no plan: it is the whole order.
    program.schedule.admission = {{PhaseReference{.chunk = 0, .phase = 0}}};
    program.schedule.trafficBytes = TrafficOf(program, request, elementBytes, *planner.algorithm);
    program.algorithms[{phase.dimension, phase.type}] = &planner;
    // The plan of the library has an order of its own, and does not ask for this one.
    program.lines = {LineOrder::Cycle};
    return program;
}

} // namespace nadi
