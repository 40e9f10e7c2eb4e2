// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/message-programs/message-program.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// The plan of a stored program for a collective of some size. One stage; its lanes are those of
/// the program.
///
/// Ranges of places beyond the whole buffer begin where no other place's do; a message of several
/// chunks is as long as that many chunks in a row from its first.
class ProgramPlan : public CollectivePlan
{
  public:
    /// `elements` as in PlanRequest. Requires: the program outlives the plan.
    ProgramPlan(const MessageProgram& program, uint64_t elements, uint32_t elementBytes = 1);

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;

    bool HasWaits() const override
    {
        return true;
    }

    uint64_t ScratchElements() const override;
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    Transfer TransferOf(const ProgramLane& lane,
                        const ProgramStep& step,
                        uint32_t peer,
                        const Interval& range) const;
    Interval MessageRange(uint32_t rank, uint32_t number, const ProgramStep& step) const;
    Interval RangeOf(uint32_t place, uint32_t chunk, uint32_t count) const;
    uint64_t LengthOf(uint32_t chunk, uint32_t count) const;
    uint64_t BeginOf(uint32_t place) const;

    const MessageProgram& m_program;
    uint64_t m_elements;
    uint32_t m_elementBytes;
    uint64_t m_pitch; // of places beyond the whole buffer
};

} // namespace nadi
