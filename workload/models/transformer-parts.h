// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/transformer-job.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What each rank of a tensor group holds of a layer: tensor parallelism cuts the heads, the inner
/// widths of the MLPs and the vocabulary. Part i of n units is floor((i+1) n / tp) - floor(i n /
/// tp) of them (docs/semantics.md 3), so parts differ by one unit where tp does not divide n.
///
/// Query heads stay with the head of keys and values that they share: where there are at least tp
/// of the latter, they are what is cut. Where there are fewer, the query heads are cut, and each
/// rank keeps every head of keys and values that its query heads need; some are then copies.
///
/// Holds: the parts of all ranks together are the whole, but for those copies.
class TransformerParts
{
  public:
    /// Requires: the job came from CutJob, so no part is empty.
    explicit TransformerParts(const TransformerJob& job);

    /// The parts that differ, in the order of the first rank that holds them. Ranks with equal
    /// parts share one.
    const std::vector<TransformerShape>& Kinds() const
    {
        return m_kinds;
    }

    /// The index in Kinds() of what `tensorRank` holds. Requires: tensorRank < tp.
    uint32_t KindOf(uint32_t tensorRank) const
    {
        return m_kindOfRank[tensorRank];
    }

  private:
    std::vector<TransformerShape> m_kinds;
    std::vector<uint32_t> m_kindOfRank;
};

} // namespace nadi
