// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-plan.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi::synthesis
{

/// A collective that one algorithm runs dimension by dimension, as one plan over all ranks: an
/// all-gather the outermost dimension first, a reduce-scatter the innermost first, an all-reduce by
/// one of each.
///
/// It may run in pieces, so that some cross a dimension while others cross the next: PIECES_AT_ONCE
/// at most run a stage at a time, as with `chunks-in-flight`.
///
/// Each piece is cut by the innermost coordinate first: rank (c0, c1, ...) owns part c1 of part c0,
/// and so on. So what a line of ranks exchanges lies side by side.
class StackedPlan : public CollectivePlan
{
  public:
    static constexpr uint32_t PIECES_AT_ONCE = 2;

    /// `sizes`: of the dimensions, innermost first. Requires: `request` is one of these three, its
    /// ranks are the product of the sizes; they and the pieces together divide its elements; the
    /// algorithm needs no help.
    StackedPlan(const CollectiveAlgorithm& algorithm,
                const std::vector<uint32_t>& sizes,
                const PlanRequest& request,
                uint32_t pieces);

    /// Those that must have ended on a rank before `stage` begins: the one before it of its piece,
    /// and the same one of an earlier piece.
    std::vector<uint32_t> StagesBefore(uint32_t stage) const;

    uint32_t StageCount() const override;
    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    /// What the ranks of each line along a dimension do together.
    struct LinePhase
    {
        uint32_t dimension = 0;
        std::unique_ptr<CollectivePlan> plan; ///< of the line, on its part of the buffer
    };

    /// A stage of a phase's plan.
    struct LineStage
    {
        size_t phase = 0;
        uint32_t stage = 0; ///< of its plan
    };

    void AddPhase(const CollectiveAlgorithm& algorithm, CollectiveType type, uint32_t dimension);

    const LineStage& StageOf(uint32_t stage) const
    {
        return m_stages[stage % m_stages.size()];
    }

    uint64_t PieceLength() const
    {
        return m_request.elements / m_pieces;
    }

    uint64_t PartLength(uint32_t dimensions) const;
    uint64_t OffsetOf(uint32_t rank, uint32_t dimensions) const;

    RankGrid m_grid;
    PlanRequest m_request;
    std::vector<LinePhase> m_phases;
    std::vector<LineStage> m_stages; // of a piece
    uint32_t m_pieces;
};

} // namespace nadi::synthesis
