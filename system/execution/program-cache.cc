// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/program-cache.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// A job repeats few sizes of collectives many times; a program of 64 chunks takes some 10 kB.
constexpr size_t PROGRAMS_KEPT = 1024;

} // namespace

ProgramCache::ProgramCache(InstalledLibrary& library, const SchedulingOptions& options)
    : m_library(library)
    , m_cache(PROGRAMS_KEPT)
    , m_effects(options)
{
}

ProgramCache::Entry&
ProgramCache::Acquire(ProgramKey request, const CommunicatorLayout& layout)
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

CollectiveProgram
ProgramCache::Make(const ProgramKey& key, const CommunicatorLayout& layout)
{
    CollectiveProgram program = m_library.MakeProgram({.type = key.type,
                                                       .elements = key.elements,
                                                       .isUneven = key.isUneven,
                                                       .isWithoutSwitches = key.isWithoutSwitches,
                                                       .layout = layout,
                                                       .node = key.node});
    program.number = ++m_made;
    NADI_CHECK(program.protocol != nullptr && program.lanesAtOnce > 0);
    if (program.planned)
    {
        // Whether a scheduling key matters is judged when a program is made, and not for each of
        // its calls.
        m_effects.Look(*program.planned, program.schedule);
    }
    m_mostChunks = std::max(m_mostChunks, static_cast<uint32_t>(program.schedule.chunks.size()));
    m_mostDimensions = std::max(m_mostDimensions, program.DimensionCount());
    return program;
}

} // namespace nadi
