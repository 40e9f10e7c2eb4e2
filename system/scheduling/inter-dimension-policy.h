// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "system/collective-schedule.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A permutation of a communicator's dimensions: the order in which a chunk crosses them. For an
/// all-reduce, the order of its reduce-scatters; the all-gathers mirror it.
using DimensionOrder = std::vector<uint32_t>;

/// Chooses the order of dimensions of each chunk; `system.inter-dimension`.
///
/// To add one: copy `baseline.cc`, edit, register, add it to CMakeLists.txt here.
class InterDimensionPolicy
{
  public:
    virtual ~InterDimensionPolicy() = default;

    /// Whether all chunks of a collective cross the dimensions in one order, BaselineOrder; so that
    /// an algorithm which cannot scatter and gather may stand on the dimension that is always last.
    virtual bool HasFixedOrder() const
    {
        return false;
    }

    /// One order for each chunk; `chunkElements` has the sizes of the chunks, in their order. Pure,
    /// so that every rank computes the same.
    virtual std::vector<DimensionOrder>
    OrderChunks(const ScheduleRequest& request,
                const std::vector<uint64_t>& chunkElements) const = 0;
};

/// The fixed order of the baseline: all-gather, broadcast and scatter cross the outermost of
/// `dimensions` first; all others the innermost first.
DimensionOrder BaselineOrder(CollectiveType type, uint32_t dimensions);

} // namespace nadi
