// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "system/collective-schedule.h"

#include <cstdint>
#include <functional>

namespace nadi
{

/// What one member does in one phase of one chunk: what a PlanRequest of the phase needs.
struct PhaseShape
{
    /// Whether the member's line runs the phase at all. Rooted collectives cross only the lines
    /// that hold, or still need, the data; other members are done with the phase at once.
    bool takesPart = true;
    uint64_t elements = 0; ///< PlanRequest::elements of the line's plan
    uint32_t root = 0;     ///< PlanRequest::root: a coordinate along the phase's dimension
};

/// Exact sizes of the phases of a chunk, from one member's point of view.
///
/// Floor divisions make shards differ by an element or more, so the elements that meet in a phase
/// depend on the line. They follow from the phases before it:
///   reduce-scatter along d leaves what the member owns of the line's buffer;
///   an all-gather that closes a reduce-scatter along d restores the buffer before it;
///   an all-gather or gather of its own multiplies the size by the line's length;
///   a scatter starts from all shards at the root and divides by the line's length;
///   all-reduce, all-to-all, broadcast and reduce leave it unchanged.
///
/// Example: an all-reduce of 7 elements over the dimensions 2 and 3. The reduce-scatter along
/// dimension 0 cuts 7 into [0, 3) and [3, 7), so a member with coordinate 0 goes on with 3
/// elements, one with coordinate 1 with 4. The all-reduce along dimension 1 works on these 3 or 4,
/// and the all-gather along dimension 0 restores 7. A program that took 7 / 2 for all would send
/// other bytes than it receives.
///
/// Holds:
///   all members of a line get the same shape in a phase along that line, takesPart included;
///   after a chunk's reduce-scatters, the shards of all members partition the chunk;
///   after all phases of an all-reduce, the size is the chunk's again.
/// Pure. Cost: one call of OwnedLength for each reduce-scatter before the phase.
class PhaseSizes
{
  public:
    /// What coordinate `coordinate` owns of `elements` after a reduce-scatter along `dimension`:
    /// the sum of CollectivePlan::OwnedRanges of that line's plan.
    using OwnedLength =
        std::function<uint64_t(uint32_t dimension, uint64_t elements, uint32_t coordinate)>;

    /// `members` is CommunicatorLayout::Members(), which outlives this; `root` is a member's index
    /// (any, where the collective has no root).
    PhaseSizes(const RankGrid& members, uint32_t root, OwnedLength owned);

    /// Requires: `phase` is a phase of `chunk`. A caller whose members bring different sizes
    /// (all-to-all, gather, scatter) sets `chunk.elements` to the size it wants.
    PhaseShape ShapeOf(const ChunkSchedule& chunk, uint32_t phase, uint32_t member) const;

    /// What the member holds of the chunk when `phase` begins; with `phase` = the number of phases,
    /// what it ends with: its shard after a reduce-scatter or scatter, everything after an
    /// all-reduce, an all-gather, or (at the root) a gather.
    uint64_t ElementsBefore(const ChunkSchedule& chunk, uint32_t phase, uint32_t member) const;

  private:
    bool TakesPart(const ChunkSchedule& chunk, uint32_t phase, uint32_t member) const;

    const RankGrid& m_members;
    uint32_t m_root;
    OwnedLength m_owned;
};

} // namespace nadi
