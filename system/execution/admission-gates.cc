// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/admission-gates.h"

#include "common/check.h"

#include <algorithm>
#include <limits>

namespace nadi
{

AdmissionGates::AdmissionGates(const CollectiveSchedule& schedule,
                               uint32_t members,
                               uint32_t chunksInFlight)
    : m_schedule(schedule)
    , m_chunksInFlight(chunksInFlight)
    , m_gates(members * schedule.admission.size())
    , m_progress(members * schedule.chunks.size(), Encode(0, State::Waiting))
{
    NADI_CHECK(chunksInFlight > 0);
    size_t phases = 0;
    for (const ChunkSchedule& chunk : schedule.chunks)
    {
        // m_progress has 16 bits for each chunk of a member. They hold the phase and its state. The
        // number after the last phase stands for the end, so it must fit too.
        NADI_CHECK(chunk.phases.size() <
                   std::numeric_limits<uint16_t>::max() / static_cast<size_t>(State::Count));
        phases += chunk.phases.size();
    }
    m_remaining.assign(members, static_cast<uint32_t>(phases));
}

/// Only the phase at `next` is looked at, so a turn costs the same however long the plan is.
std::optional<PhaseReference>
AdmissionGates::FindNext(uint32_t member, uint32_t dimension) const
{
    const Gate& gate = m_gates[GateIndex(member, dimension)];
    const std::vector<PhaseReference>& order = OrderOf(dimension);
    if (gate.next == order.size() || gate.underWay == m_chunksInFlight ||
        !IsReady(member, order[gate.next]))
    {
        return std::nullopt;
    }
    return order[gate.next];
}

std::optional<PhaseReference>
AdmissionGates::FindEarly(uint32_t member, uint32_t dimension) const
{
    const Gate& gate = m_gates[GateIndex(member, dimension)];
    // At most n - 1 phases that began early may be under way, so one slot always stays for the
    // phase whose turn it is. This is what keeps the members from a deadlock: see the class
    // comment.
    if (gate.underWay == m_chunksInFlight || gate.early + 1 == m_chunksInFlight)
    {
        return std::nullopt;
    }
    const std::vector<PhaseReference>& order = OrderOf(dimension);
    const auto found = std::find_if(order.begin() + gate.next,
                                    order.end(),
                                    [&](PhaseReference phase) { return IsReady(member, phase); });
    return found == order.end() ? std::nullopt : std::optional(*found);
}

void
AdmissionGates::Begin(uint32_t member, PhaseReference phase)
{
    NADI_CHECK(IsReady(member, phase));
    const uint32_t dimension = DimensionOf(phase);
    const std::vector<PhaseReference>& order = OrderOf(dimension);
    Gate& gate = m_gates[GateIndex(member, dimension)];
    // FindEarly may have found the phase whose turn it is, which then counts as in turn. `next` is
    // within the list, since `phase`, at least, has not begun.
    const State state = order[gate.next] == phase ? State::InTurn : State::Early;
    m_progress[ProgressIndex(member, phase)] = Encode(phase.phase, state);
    ++gate.underWay;
    gate.early += state == State::Early ? 1 : 0;
    // The turn passes over phases that went early before.
    while (gate.next < order.size() && HasBegun(member, order[gate.next]))
    {
        ++gate.next;
    }
}

void
AdmissionGates::End(uint32_t member, PhaseReference phase)
{
    NADI_CHECK(HasBegun(member, phase));
    Gate& gate = m_gates[GateIndex(member, DimensionOf(phase))];
    uint16_t& progress = m_progress[ProgressIndex(member, phase)];
    --gate.underWay;
    gate.early -= progress == Encode(phase.phase, State::Early) ? 1 : 0;
    progress = Encode(phase.phase + 1, State::Waiting);
    --m_remaining[member];
}

} // namespace nadi
