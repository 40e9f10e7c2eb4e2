// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/collective-program.h"

#include "common/check.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// A job repeats few sizes of collectives many times; a program of 64 chunks takes some 10 kB.
constexpr size_t PROGRAMS_KEPT = 1024;

} // namespace

ProgramLibrary::ProgramLibrary(const SystemOptions& options,
                               const std::vector<Dimension>& stack,
                               AlgorithmTable& algorithms)
    : m_options(options)
    , m_algorithms(algorithms)
    , m_models(stack, options, algorithms)
    , m_cache(PROGRAMS_KEPT)
    , m_effects(options.scheduling)
{
}

ProgramLibrary::Entry&
ProgramLibrary::Acquire(ProgramKey request, const CommunicatorLayout& layout)
{
    ProgramKey key = std::move(request);
    for (const CommunicatorDimension& dimension : layout.Dimensions())
    {
        const uint32_t place = dimension.stackDimension ? *dimension.stackDimension + 1 : 0;
        // Communicators that lie alike in the stack share a program: 64 tensor-parallel groups of 8
        // ranks all have the one entry (8, innermost dimension).
        key.dimensions.emplace_back(dimension.size, place);
    }
    return m_cache.Acquire(key, [&] { return Make(key, layout); });
}

Bytes
ProgramLibrary::SizeOf(const ProgramKey& key) const
{
    return Bytes(static_cast<int64_t>(key.elements)) * m_options.elementBytes;
}

CollectiveProgram
ProgramLibrary::Make(const ProgramKey& key, const CommunicatorLayout& layout)
{
    CollectiveProgram program{
        .type = key.type, .schedule = {}, .algorithms = {}, .lines = {}, .algorithmText = {}};
    if (layout.Size() == 1)
    {
        return program; // nothing to exchange: no phases
    }
    ScheduleRequest request{.type = key.type,
                            .elements = key.elements,
                            .elementBytes = m_options.elementBytes,
                            .dimensions =
                                m_models.Make(key.type, SizeOf(key), layout.Dimensions())};
    if (key.isUneven)
    {
        request.dimensions.front().timesSent.clear(); // `direct` runs it, whatever was chosen
    }
    program.schedule = PlanCollective(request, m_options.scheduling);
    m_effects.Look(request, program.schedule);
    m_mostChunks = std::max(m_mostChunks, static_cast<uint32_t>(program.schedule.chunks.size()));
    m_mostDimensions = std::max(m_mostDimensions, program.DimensionCount());
    NADI_CHECK(program.schedule.admission.size() == layout.Dimensions().size());
    ChooseAlgorithms(program, key, layout);
    return program;
}

void
ProgramLibrary::ChooseAlgorithms(CollectiveProgram& program,
                                 const ProgramKey& key,
                                 const CommunicatorLayout& layout)
{
    const auto find = [&](uint32_t index, CollectiveType phase)
    {
        if (key.isUneven)
        {
            // With unequal sizes the plans of other algorithms, which cut the buffer into equal
            // shares, do not fit.
            return &m_algorithms.FindDirect();
        }
        const CommunicatorDimension& dimension = layout.Dimensions()[index];
        return &m_algorithms.Find({.collective = program.type,
                                   .phase = phase,
                                   .stackDimension = dimension.stackDimension,
                                   .ranks = dimension.size,
                                   .size = SizeOf(key)});
    };
    for (const ChunkSchedule& chunk : program.schedule.chunks)
    {
        for (const Phase& phase : chunk.phases)
        {
            program.algorithms[{phase.dimension, phase.type}] = find(phase.dimension, phase.type);
        }
    }
    for (uint32_t dimension = 0; dimension < layout.Dimensions().size(); ++dimension)
    {
        program.lines.push_back(
            m_algorithms.LineAlong(layout.Dimensions()[dimension].stackDimension));
        program.algorithmText += dimension == 0 ? "" : "+";
        program.algorithmText += find(dimension, program.type)->name;
    }
}

} // namespace nadi
