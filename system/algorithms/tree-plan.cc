// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/tree-plan.h"

#include "system/algorithms/reversed-step.h"

namespace nadi
{

TreePlan::TreePlan(std::unique_ptr<const Tree> tree, const Task& task)
    : m_tree(std::move(tree))
    , m_buffer(task.buffer)
    , m_slices(task.slices)
    , m_service(task.service)
    , m_hasWayUp(task.type != CollectiveType::Broadcast)
    , m_hasWayDown(task.type != CollectiveType::Reduce)
{
}

uint32_t
TreePlan::LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const
{
    return m_slices;
}

uint32_t
TreePlan::StepCount(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/) const
{
    // There is a step for each edge of the member, in each direction that the collective takes.
    return EdgeCount(rank) * (m_hasWayUp && m_hasWayDown ? 2 : 1);
}

PlanStep
TreePlan::StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const
{
    const Interval slice = PartOf(m_buffer, lane, m_slices);
    const uint32_t edges = EdgeCount(rank);
    if (!m_hasWayUp)
    {
        return StepDown(rank, slice, step);
    }
    // The way up is the way down reversed: receive from the last child first, send to the parent
    // last.
    if (step < edges)
    {
        return ReversedStep(StepDown(rank, slice, edges - 1 - step), PlanStep::Action::Reduce);
    }
    return StepDown(rank, slice, step - edges);
}

std::vector<Interval>
TreePlan::OwnedRanges(uint32_t /*rank*/) const
{
    return {}; // no collective of a tree leaves members with parts of their own
}

uint32_t
TreePlan::EdgeCount(uint32_t rank) const
{
    return m_tree->ChildCount(rank) + (m_tree->ParentOf(rank) ? 1 : 0);
}

PlanStep
TreePlan::StepDown(uint32_t rank, Interval slice, uint32_t step) const
{
    const std::optional<uint32_t> parent = m_tree->ParentOf(rank);
    PlanStep down;
    if (parent && step == 0)
    {
        down.receive = Transfer{.peer = *parent, .range = slice};
        return down;
    }
    const uint32_t child = parent ? step - 1 : step;
    down.send = Transfer{.peer = m_tree->ChildOf(rank, child), .range = slice};
    // No child is served after the last one, so nothing waits for the delivery to the last one.
    const bool isLast = child + 1 == m_tree->ChildCount(rank);
    down.awaitsDelivery = m_service == Service::InOrder && !isLast;
    return down;
}

} // namespace nadi
