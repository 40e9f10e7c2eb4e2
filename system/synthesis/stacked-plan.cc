// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/stacked-plan.h"

#include "common/check.h"

#include <utility>

namespace nadi::synthesis
{

StackedPlan::StackedPlan(const CollectiveAlgorithm& algorithm,
                         const std::vector<uint32_t>& sizes,
                         const PlanRequest& request,
                         uint32_t pieces)
    : m_grid(sizes)
    , m_request(request)
    , m_pieces(pieces)
{
    NADI_CHECK(m_grid.RankCount() == request.ranks &&
               request.elements % (uint64_t{request.ranks} * pieces) == 0);
    const uint32_t dimensions = m_grid.DimensionCount();
    if (request.type != CollectiveType::AllGather)
    {
        for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
        {
            AddPhase(algorithm, CollectiveType::ReduceScatter, dimension);
        }
    }
    if (request.type != CollectiveType::ReduceScatter)
    {
        for (uint32_t dimension = dimensions; dimension-- > 0;)
        {
            AddPhase(algorithm, CollectiveType::AllGather, dimension);
        }
    }
}

void
StackedPlan::AddPhase(const CollectiveAlgorithm& algorithm, CollectiveType type, uint32_t dimension)
{
    if (m_grid.Size(dimension) == 1)
    {
        return;
    }
    // A line along this dimension works on the part of a piece that its ranks own with regard to
    // the inner dimensions. All lines of the dimension do the same on their parts, so one plan
    // serves them all.
    m_phases.push_back({dimension,
                        algorithm.MakePlan({.type = type,
                                            .ranks = m_grid.Size(dimension),
                                            .elements = PartLength(dimension),
                                            .elementBytes = m_request.elementBytes})});
    for (uint32_t stage = 0; stage < m_phases.back().plan->StageCount(); ++stage)
    {
        m_stages.push_back({m_phases.size() - 1, stage});
    }
}

/// Of the part of a piece that the coordinates along so many of the innermost dimensions name.
uint64_t
StackedPlan::PartLength(uint32_t dimensions) const
{
    uint64_t length = PieceLength();
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
    {
        length /= m_grid.Size(dimension);
    }
    return length;
}

/// Where in a piece the rank's part of PartLength begins.
uint64_t
StackedPlan::OffsetOf(uint32_t rank, uint32_t dimensions) const
{
    uint64_t offset = 0;
    for (uint32_t dimension = 0; dimension < dimensions; ++dimension)
    {
        offset += m_grid.Coordinate(rank, dimension) * PartLength(dimension + 1);
    }
    return offset;
}

/// Stages are numbered piece by piece, although pieces overlap (StagesBefore).
uint32_t
StackedPlan::StageCount() const
{
    return static_cast<uint32_t>(m_stages.size()) * m_pieces;
}

uint32_t
StackedPlan::LaneCount(uint32_t rank, uint32_t stage) const
{
    const LinePhase& phase = m_phases[StageOf(stage).phase];
    return phase.plan->LaneCount(m_grid.Coordinate(rank, phase.dimension), StageOf(stage).stage);
}

uint32_t
StackedPlan::StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const
{
    const LinePhase& phase = m_phases[StageOf(stage).phase];
    return phase.plan->StepCount(
        m_grid.Coordinate(rank, phase.dimension), StageOf(stage).stage, lane);
}

PlanStep
StackedPlan::StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const
{
    const LinePhase& phase = m_phases[StageOf(stage).phase];
    PlanStep at = phase.plan->StepAt(
        m_grid.Coordinate(rank, phase.dimension), StageOf(stage).stage, lane, step);
    // The plan of a line counts ranks along the line, and elements from the begin of the line's
    // part. Here both are translated to those of the whole group.
    const uint64_t piece = stage / m_stages.size();
    const uint64_t offset = piece * PieceLength() + OffsetOf(rank, phase.dimension);
    for (std::optional<nadi::Transfer>* transfer : {&at.send, &at.receive})
    {
        if (*transfer)
        {
            (*transfer)->peer = m_grid.WithCoordinate(rank, phase.dimension, (*transfer)->peer);
            (*transfer)->range = {(*transfer)->range.begin + offset,
                                  (*transfer)->range.end + offset};
        }
    }
    return at;
}

std::vector<Interval>
StackedPlan::OwnedRanges(uint32_t rank) const
{
    // A rank owns a part of each piece, so what it owns does not lie side by side. MakePlanProgram
    // numbers chunks by their owners for that reason.
    std::vector<Interval> ranges;
    for (uint32_t piece = 0; piece < m_pieces; ++piece)
    {
        const uint64_t begin = piece * PieceLength() + OffsetOf(rank, m_grid.DimensionCount());
        ranges.push_back({begin, begin + PartLength(m_grid.DimensionCount())});
    }
    return ranges;
}

std::vector<uint32_t>
StackedPlan::StagesBefore(uint32_t stage) const
{
    const auto ofPiece = static_cast<uint32_t>(m_stages.size());
    std::vector<uint32_t> before;
    if (stage % ofPiece > 0)
    {
        before.push_back(stage - 1);
    }
    if (stage >= PIECES_AT_ONCE * ofPiece)
    {
        before.push_back(stage - PIECES_AT_ONCE * ofPiece);
    }
    return before;
}

} // namespace nadi::synthesis
