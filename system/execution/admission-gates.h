// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-schedule.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// Which phases the members of a collective may begin, in each dimension (docs/semantics.md 3).
///
/// Phases take turns in the order of the plan, and n = `chunksInFlight` of a dimension may be under
/// way on a member. A phase is ready when the chunk's phase before it has ended on that member.
/// While the phase whose turn it is is not ready, later ones that are ready may begin early; but at
/// most n - 1 that began early are under way, so that a slot is kept for turns.
///
/// Example with n = 2 and the plan A, B, C, D for a dimension. A is not ready on this member, B and
/// C are. B begins early and takes one slot. C may not: the other slot is kept for turns. When A
/// gets ready it begins at once. If B ends first, C begins early in its place.
///
/// Holds: the phase of the plan that is the earliest not ended somewhere may begin wherever it has
/// not: what is under way in its dimension there has all begun early. So members never wait for
/// each other in a circle, whatever they begin early. With n = 1 all keep to the plan.
///
/// Owner: the schedule outlives the gates. Memory is 12 bytes for each (member, dimension) and 2
/// bytes for each (member, chunk).
class AdmissionGates
{
  public:
    AdmissionGates(const CollectiveSchedule& schedule, uint32_t members, uint32_t chunksInFlight);

    /// The phase whose turn it is, if it may begin.
    std::optional<PhaseReference> FindNext(uint32_t member, uint32_t dimension) const;

    /// The first phase, in the order of the plan, that may begin early (or in its turn, if FindNext
    /// was not asked before).
    std::optional<PhaseReference> FindEarly(uint32_t member, uint32_t dimension) const;

    /// Requires: FindNext or FindEarly found it.
    void Begin(uint32_t member, PhaseReference phase);

    /// With which `chunksInFlight`, at the least, what is under way now could be.
    uint32_t LeastLimit(uint32_t member, uint32_t dimension) const
    {
        const Gate& gate = m_gates[GateIndex(member, dimension)];
        return std::max(gate.underWay, gate.early + 1);
    }

    /// Requires: it has begun.
    void End(uint32_t member, PhaseReference phase);

    /// Whether all phases have ended.
    bool IsComplete(uint32_t member) const
    {
        return m_remaining[member] == 0;
    }

  private:
    /// A member's place in one dimension.
    struct Gate
    {
        uint32_t next = 0;     ///< position in the plan of the first phase that has not begun
        uint32_t underWay = 0; ///< phases
        uint32_t early = 0;    ///< of these, those that began early
    };

    /// What a chunk's phase is doing on a member.
    enum class State : uint8_t
    {
        Waiting,
        InTurn, ///< under way
        Early,  ///< under way
        Count,
    };

    static uint16_t Encode(uint32_t phase, State state)
    {
        return static_cast<uint16_t>(phase * static_cast<uint32_t>(State::Count) +
                                     static_cast<uint32_t>(state));
    }

    const std::vector<PhaseReference>& OrderOf(uint32_t dimension) const
    {
        return m_schedule.admission[dimension];
    }

    uint32_t DimensionOf(PhaseReference phase) const
    {
        return m_schedule.chunks[phase.chunk].phases[phase.phase].dimension;
    }

    size_t GateIndex(uint32_t member, uint32_t dimension) const
    {
        return member * m_schedule.admission.size() + dimension;
    }

    size_t ProgressIndex(uint32_t member, PhaseReference phase) const
    {
        return member * m_schedule.chunks.size() + phase.chunk;
    }

    bool IsReady(uint32_t member, PhaseReference phase) const
    {
        return m_progress[ProgressIndex(member, phase)] == Encode(phase.phase, State::Waiting);
    }

    bool HasBegun(uint32_t member, PhaseReference phase) const
    {
        return m_progress[ProgressIndex(member, phase)] > Encode(phase.phase, State::Waiting);
    }

    const CollectiveSchedule& m_schedule;
    uint32_t m_chunksInFlight;
    std::vector<Gate> m_gates;         // member x dimension
    std::vector<uint16_t> m_progress;  // member x chunk: the phase that has not ended, encoded
    std::vector<uint32_t> m_remaining; // by member: phases that have not ended
};

} // namespace nadi
