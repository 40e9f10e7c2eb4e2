// SPDX-License-Identifier: GPL-2.0-only
#include "system/scheduling/admission-run.h"

#include "common/check.h"

#include <tuple>
#include <utility>

namespace nadi
{

AdmissionRun::AdmissionRun(std::vector<std::vector<PhaseEstimate>> phases,
                           const IntraDimensionPolicy& policy,
                           const Options& options)
    : m_phases(std::move(phases))
    , m_admission(options.dimensions)
{
    NADI_CHECK(options.chunksInFlight > 0);
    // A set keeps only one of several equal elements. So chunk and phase, which differ for all
    // elements, break the ties of the policy.
    const auto precedes = [&policy](const WaitingPhase& a, const WaitingPhase& b)
    {
        if (policy.Precedes(a, b))
        {
            return true;
        }
        return !policy.Precedes(b, a) &&
               std::tie(a.phase.chunk, a.phase.phase) < std::tie(b.phase.chunk, b.phase.phase);
    };
    for (uint32_t dimension = 0; dimension < options.dimensions; ++dimension)
    {
        m_dimensions.push_back({.waiting = WaitingSet(precedes),
                                .wireFreeAt = SimTime(),
                                .freeSlots = options.chunksInFlight});
    }
}

SimTime
AdmissionRun::Run()
{
    for (uint32_t chunk = 0; chunk < m_phases.size(); ++chunk)
    {
        Queue({.chunk = chunk, .phase = 0});
    }
    // An entry without phases: the dimensions choose for the first time at 0.
    m_agenda[SimTime()];
    while (!m_agenda.empty())
    {
        // A phase without bytes and latency ends at the instant at which it entered. That instant
        // is then in the agenda once more.
        m_now = m_agenda.begin()->first;
        EndPhases();
        for (uint32_t dimension = 0; dimension < m_dimensions.size(); ++dimension)
        {
            Admit(dimension);
        }
    }
    return m_now;
}

/// Lets a phase wait for its dimension, unless the chunk has no such phase: it is done.
void
AdmissionRun::Queue(PhaseReference phase)
{
    if (phase.phase < m_phases[phase.chunk].size())
    {
        const PhaseEstimate& estimate = EstimateOf(phase);
        m_dimensions[estimate.dimension].waiting.insert(
            {.phase = phase, .held = estimate.held, .arrival = m_now});
    }
}

/// Frees the slots of the phases that end now, and queues those that follow them.
void
AdmissionRun::EndPhases()
{
    const auto present = m_agenda.extract(m_agenda.begin());
    for (const PhaseReference ended : present.mapped())
    {
        ++m_dimensions[EstimateOf(ended).dimension].freeSlots;
        Queue({.chunk = ended.chunk, .phase = ended.phase + 1});
    }
}

/// Lets waiting phases enter as long as there is a slot and a wire for the next one.
void
AdmissionRun::Admit(uint32_t dimension)
{
    DimensionState& state = m_dimensions[dimension];
    while (!state.waiting.empty() && state.freeSlots > 0 && state.wireFreeAt <= m_now)
    {
        const PhaseReference entering = state.waiting.extract(state.waiting.begin()).value().phase;
        const PhaseCost& cost = EstimateOf(entering).cost;
        m_admission[dimension].push_back(entering);
        --state.freeSlots;
        state.wireFreeAt = m_now + cost.transfer;
        // The dimension must choose again when its wire is free, also if no phase ends then.
        m_agenda[state.wireFreeAt];
        m_agenda[state.wireFreeAt + cost.latency].push_back(entering);
    }
}

} // namespace nadi
