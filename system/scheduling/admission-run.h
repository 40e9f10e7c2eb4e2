// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-schedule.h"
#include "system/scheduling/intra-dimension-policy.h"
#include "system/scheduling/phase-cost.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

namespace nadi
{

/// What the run needs to know of one phase.
struct PhaseEstimate
{
    uint32_t dimension = 0;
    Bytes held; ///< nominal, at entry
    PhaseCost cost;
};

/// Runs an intra-dimension policy once, without contention and in integer time, to find the order
/// in which phases enter the dimensions.
///
/// A dimension has one wire and `chunksInFlight` slots. A phase that enters takes a slot and the
/// wire; the wire is free again when its bytes are through, the slot when its latency has passed
/// too. So with one slot phases follow each other entirely; with more, the latency of one overlaps
/// the transfer of the next. A phase enters when a slot and the wire are free.
///
/// Example: two chunks cross dimension 0 and then 1, each phase with a transfer of 10 and a latency
/// of 3. Chunk 0 enters dimension 0 at 0. With two slots chunk 1 enters at 10, when the wire is
/// free; with one slot at 13. Chunk 0 enters dimension 1 at 13. The admission of both dimensions is
/// chunk 0, chunk 1.
///
/// Order: all that ends at an instant is queued before any dimension chooses; the policy's ties go
/// to the lower (chunk, phase). Holds: the phases of a chunk enter in order, each once.
class AdmissionRun
{
  public:
    struct Options
    {
        uint32_t dimensions = 0;
        uint32_t chunksInFlight = 1;
    };

    /// `phases[chunk]` are the phases of a chunk, in order. `policy` outlives the run.
    AdmissionRun(std::vector<std::vector<PhaseEstimate>> phases,
                 const IntraDimensionPolicy& policy,
                 const Options& options);

    /// Runs to the end, once, and returns when that is.
    SimTime Run();

    /// Per dimension, the phases in the order in which they entered.
    const std::vector<std::vector<PhaseReference>>& Admission() const
    {
        return m_admission;
    }

  private:
    using WaitingSet =
        std::set<WaitingPhase, std::function<bool(const WaitingPhase&, const WaitingPhase&)>>;

    struct DimensionState
    {
        WaitingSet waiting;
        SimTime wireFreeAt;
        uint32_t freeSlots = 0;
    };

    const PhaseEstimate& EstimateOf(PhaseReference phase) const
    {
        return m_phases[phase.chunk][phase.phase];
    }

    void Queue(PhaseReference phase);
    void EndPhases();
    void Admit(uint32_t dimension);

    std::vector<std::vector<PhaseEstimate>> m_phases; // by chunk
    std::vector<DimensionState> m_dimensions;
    std::vector<std::vector<PhaseReference>> m_admission;
    /// What ends when; an instant without phases is one at which a wire becomes free.
    std::map<SimTime, std::vector<PhaseReference>> m_agenda;
    SimTime m_now;
};

} // namespace nadi
