// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/dimension-programs.h"

#include "common/check.h"

#include <optional>
#include <utility>

namespace nadi
{

// The models come first: they ask for the algorithm of every type along each dimension, and say
// what phases cost with it. From these the planner makes chunks, phases and their order. Last, the
// algorithms of the phases that occur are written into the program.

DimensionPrograms::DimensionPrograms(const LibrarySurroundings& surroundings,
                                     const Protocol& protocol)
    : m_options(surroundings.options)
    , m_protocol(protocol)
    , m_algorithms(surroundings.options, surroundings.stack, protocol)
    , m_models(surroundings.options, surroundings.stack, protocol, m_algorithms, surroundings.trees)
{
}

CollectiveProgram
DimensionPrograms::Make(const ProgramRequest& request)
{
    CollectiveProgram program{.type = request.type,
                              .schedule = {},
                              .algorithms = {},
                              .lines = {},
                              .lanesAtOnce = m_options.sendsInFlight,
                              .sendsAtOnce = m_options.sendsInFlight,
                              .protocol = &m_protocol,
                              .decision = {}};
    if (request.layout.Size() > 1) // one has nothing to exchange: no phases
    {
        Plan(program, request);
        ChooseAlgorithms(program, request);
    }
    return program;
}

void
DimensionPrograms::Plan(CollectiveProgram& program, const ProgramRequest& request)
{
    ScheduleRequest planned{.type = request.type,
                            .elements = request.elements,
                            .elementBytes = m_options.elementBytes,
                            .mostChunks = MostAutomaticChunks(request),
                            .dimensions = m_models.Make(request, SizeOf(request)),
                            .chunks = FindForcedChunks(request)};
    program.schedule = PlanCollective(planned, m_options.scheduling);
    NADI_CHECK(program.schedule.admission.size() == request.layout.Dimensions().size());
    program.planned = std::move(planned);
}

/// A stored program is for the whole of a collective: one chunk. Slices that fill a dimension are
/// one chunk too unless the user says otherwise: chunks in flight would each have their window.
/// None: nothing forces a number.
std::optional<uint32_t>
DimensionPrograms::FindForcedChunks(const ProgramRequest& request)
{
    // An algorithm with stored programs runs over all ranks at once, so the first dimension is the
    // only one.
    const bool isStored = FindAlgorithm(request, 0, request.type)->algorithm->Programs() != nullptr;
    const bool isLeftToSize = !m_options.scheduling.chunks.has_value();
    if (isStored || (isLeftToSize && IsFilledBySlices(request)))
    {
        return 1;
    }
    return std::nullopt;
}

/// Whether trees of switches run it alone, in more than one slice. A single slice gains from
/// chunks: switches pass it on in pieces.
bool
DimensionPrograms::IsFilledBySlices(const ProgramRequest& request)
{
    std::optional<uint32_t> only; // the dimension with several members
    for (uint32_t dimension = 0; dimension < request.layout.Dimensions().size(); ++dimension)
    {
        if (request.layout.Dimensions()[dimension].size > 1)
        {
            if (only)
            {
                return false;
            }
            only = dimension;
        }
    }
    if (!only)
    {
        return false;
    }
    const auto demand = FindAlgorithm(request, *only, request.type)->algorithm->NeedsTrees();
    return demand && SizeOf(request) > demand->slice;
}

/// For `chunks: auto`. Over several dimensions chunks overlap these, which is worth more than what
/// they lose when they drift apart.
uint32_t
DimensionPrograms::MostAutomaticChunks(const ProgramRequest& request)
{
    constexpr uint32_t most = 16;
    constexpr uint32_t mostThatDrift = 8;
    const auto dimensions = static_cast<uint32_t>(request.layout.Dimensions().size());
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
    {
        const uint32_t ranks = request.layout.Dimensions()[dimension].size;
        const CollectiveAlgorithm& algorithm =
            *FindAlgorithm(request, dimension, request.type)->algorithm;
        if (!algorithm.KeepsChunksInStep(request.type, ranks))
        {
            return dimensions == 1 ? 1 : mostThatDrift;
        }
    }
    return most;
}

const ChosenAlgorithm*
DimensionPrograms::FindAlgorithm(const ProgramRequest& request,
                                 uint32_t dimension,
                                 CollectiveType phase)
{
    if (request.isUneven)
    {
        // With unequal sizes the plans of other algorithms, which cut the buffer into equal shares,
        // do not fit.
        return &m_algorithms.FindDirect();
    }
    if (request.node)
    {
        return &m_algorithms.FindForNode(*request.node);
    }
    const CommunicatorDimension& along = request.layout.Dimensions()[dimension];
    return &m_algorithms.Find({.collective = request.type,
                               .phase = phase,
                               .stackDimension = along.stackDimension,
                               .ranks = along.size,
                               .size = SizeOf(request),
                               .isWithoutSwitches = request.isWithoutSwitches});
}

void
DimensionPrograms::ChooseAlgorithms(CollectiveProgram& program, const ProgramRequest& request)
{
    for (const ChunkSchedule& chunk : program.schedule.chunks)
    {
        for (const Phase& phase : chunk.phases)
        {
            program.algorithms[{phase.dimension, phase.type}] =
                FindAlgorithm(request, phase.dimension, phase.type);
        }
    }
    // The decision names the algorithms for the collective's own type. A phase of another type,
    // such as the reduce-scatter of an all-reduce, may run another algorithm.
    std::string& names = program.decision.algorithm;
    for (uint32_t dimension = 0; dimension < program.DimensionCount(); ++dimension)
    {
        const auto& place = request.layout.Dimensions()[dimension].stackDimension;
        program.lines.push_back(m_algorithms.LineAlong(place));
        names += dimension == 0 ? "" : "+";
        names += FindAlgorithm(request, dimension, program.type)->name;
    }
}

Bytes
DimensionPrograms::SizeOf(const ProgramRequest& request) const
{
    return Bytes(static_cast<int64_t>(request.elements)) * m_options.elementBytes;
}

} // namespace nadi
