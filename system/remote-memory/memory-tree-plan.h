// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/aggregation-tree.h"
#include "system/collective-plan.h"
#include "system/memory-model.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What the members of a group do to load what one memory holds, or to store it there together,
/// over the tree of the memory (FindMemoryTree). Member i of the plan is node i of the tree; the
/// helpers are its switches and, last, the memory. An element is a byte.
///
/// The elements are cut into slices, the last of which may be smaller. A memory has a lane for each
/// slice and child, and all others one for each slice.
///
/// Load, first stage: requests without payload go up the tree, each node waiting for those of its
/// children. Second stage: the memory reads a slice (local work) and sends it; each node receives
/// it and sends it to its children.
///
/// Store: each node receives a slice from its children, reduces it into its own, and sends it up;
/// the memory receives it and writes it (local work).
///
/// Holds: with windows of any size nothing is ever stuck: no message goes up and comes back.
class MemoryTreePlan : public CollectivePlan
{
  public:
    struct Request
    {
        MemoryDirection direction = MemoryDirection::Load;
        uint64_t elements = 0; ///< 0: one empty slice
        Bytes slice;           ///< > 0
    };

    /// The tree outlives the plan.
    MemoryTreePlan(const AggregationTree& tree, const Request& request);

    uint32_t HelperCount() const override
    {
        return m_tree.SwitchCount();
    }

    uint32_t StageCount() const override
    {
        return IsLoad() ? 2 : 1;
    }

    uint32_t LaneCount(uint32_t member, uint32_t stage) const override;
    uint32_t StepCount(uint32_t member, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t member, uint32_t stage, uint32_t lane, uint32_t step) const override;

    /// Nobody owns a part: after a load all have all, and after a store the memory does.
    std::vector<Interval> OwnedRanges(uint32_t /*rank*/) const override
    {
        return {};
    }

    uint32_t SliceCount() const
    {
        return m_slices;
    }

  private:
    bool IsLoad() const
    {
        return m_request.direction == MemoryDirection::Load;
    }

    bool IsMemory(uint32_t member) const
    {
        return member == m_tree.Root();
    }

    uint32_t ChildCount(uint32_t member) const
    {
        return static_cast<uint32_t>(m_tree.ChildrenOf(member).size());
    }

    Interval RangeOf(uint32_t slice) const;
    Transfer TransferWith(uint32_t peer, uint32_t slice) const;
    PlanStep RequestStep(uint32_t member, uint32_t step) const;
    PlanStep MemoryStep(uint32_t lane, uint32_t step) const;

    const AggregationTree& m_tree;
    Request m_request;
    uint32_t m_slices;
};

} // namespace nadi
