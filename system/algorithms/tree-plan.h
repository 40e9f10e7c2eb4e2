// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace nadi
{

/// A rooted tree over the members of a group; pure.
///
/// Holds: ParentOf(ChildOf(m, i)) = m; from every member the parents lead to the root.
class Tree
{
  public:
    virtual ~Tree() = default;

    /// None for the root.
    virtual std::optional<uint32_t> ParentOf(uint32_t member) const = 0;
    virtual uint32_t ChildCount(uint32_t member) const = 0;
    /// In the order in which a member sends to its children.
    virtual uint32_t ChildOf(uint32_t member, uint32_t index) const = 0;
};

/// Broadcast down a tree, reduce up a tree, or (all-reduce, barrier) reduce up and broadcast down.
///
/// The buffer is cut in slices, each a lane of its own, so that they follow one another through
/// the tree. A member's steps in a lane: receive from the last child .. from the first (reduced),
/// send to the parent; receive from the parent, send to the first child .. to the last. With
/// Service::InOrder all sends down but the last wait for their delivery.
class TreePlan : public CollectivePlan
{
  public:
    /// How a member serves its children.
    enum class Service : uint8_t
    {
        AtOnce,  ///< they share its port
        InOrder, ///< the next one when what was sent to the one before is delivered
    };

    struct Task
    {
        CollectiveType type = CollectiveType::AllReduce;
        Interval buffer;
        uint32_t slices = 1;
        Service service = Service::AtOnce;
    };

    TreePlan(std::unique_ptr<const Tree> tree, const Task& task);

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    uint32_t EdgeCount(uint32_t rank) const;
    PlanStep StepDown(uint32_t rank, Interval slice, uint32_t step) const;

    std::unique_ptr<const Tree> m_tree;
    Interval m_buffer;
    uint32_t m_slices;
    Service m_service;
    bool m_hasWayUp;
    bool m_hasWayDown;
};

} // namespace nadi
