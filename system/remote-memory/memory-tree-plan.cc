// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/memory-tree-plan.h"

#include "common/error.h"

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

uint32_t
CountSlicesOf(uint64_t elements, Bytes slice)
{
    const auto bytes = static_cast<uint64_t>(slice.Count());
    const uint64_t slices = std::max<uint64_t>(1, elements / bytes + (elements % bytes != 0));
    if (slices > std::numeric_limits<uint32_t>::max())
    {
        throw ConfigError("system.memory.remote.slice",
                          "a memory holds more than 2^32 slices of a tensor; write a larger slice");
    }
    return static_cast<uint32_t>(slices);
}

} // namespace

MemoryTreePlan::MemoryTreePlan(const AggregationTree& tree, const Request& request)
    : m_tree(tree)
    , m_request(request)
    , m_slices(CountSlicesOf(request.elements, request.slice))
{
}

uint32_t
MemoryTreePlan::LaneCount(uint32_t member, uint32_t stage) const
{
    if (IsLoad() && stage == 0)
    {
        return 1;
    }
    // Without multicast the memory has a child for each member (MakeMemoryStar). Each copy of a
    // slice is then a lane, so that the copies take turns.
    return IsMemory(member) ? m_slices * ChildCount(member) : m_slices;
}

uint32_t
MemoryTreePlan::StepCount(uint32_t member, uint32_t stage, uint32_t /*lane*/) const
{
    const bool isRequest = IsLoad() && stage == 0;
    if (IsMemory(member))
    {
        return isRequest ? ChildCount(member) : 2;
    }
    return ChildCount(member) + 1;
}

PlanStep
MemoryTreePlan::StepAt(uint32_t member, uint32_t stage, uint32_t lane, uint32_t step) const
{
    if (IsLoad() && stage == 0)
    {
        return RequestStep(member, step);
    }
    if (IsMemory(member))
    {
        return MemoryStep(lane, step);
    }
    const std::vector<uint32_t>& children = m_tree.ChildrenOf(member);
    const Transfer above = TransferWith(*m_tree.ParentOf(member), lane);
    if (IsLoad())
    {
        return step == 0 ? PlanStep{.receive = above}
                         : PlanStep{.send = TransferWith(children[step - 1], lane)};
    }
    return step == children.size() ? PlanStep{.send = above}
                                   : PlanStep{.receive = TransferWith(children[step], lane),
                                              .action = PlanStep::Action::Reduce};
}

PlanStep
MemoryTreePlan::RequestStep(uint32_t member, uint32_t step) const
{
    const std::vector<uint32_t>& children = m_tree.ChildrenOf(member);
    const bool isReceived = step < children.size();
    const Transfer request{.peer = isReceived ? children[step] : *m_tree.ParentOf(member),
                           .range = {}};
    return isReceived ? PlanStep{.receive = request} : PlanStep{.send = request};
}

/// Each copy that leaves or comes in takes its own turn at the memory.
PlanStep
MemoryTreePlan::MemoryStep(uint32_t lane, uint32_t step) const
{
    const std::vector<uint32_t>& children = m_tree.ChildrenOf(m_tree.Root());
    // Lanes open in their order, so a slice is read for all children before the next slice.
    const uint32_t slice = lane / static_cast<uint32_t>(children.size());
    const uint32_t child = children[lane % children.size()];
    const Transfer transfer = TransferWith(child, slice);
    // The work is from the range to itself, since only the time at the memory matters.
    const PlanStep work{.local = LocalWork{transfer.range, transfer.range}};
    if (IsLoad())
    {
        return step == 0 ? work : PlanStep{.send = transfer};
    }
    return step == 0 ? PlanStep{.receive = transfer, .action = PlanStep::Action::Reduce} : work;
}

Interval
MemoryTreePlan::RangeOf(uint32_t slice) const
{
    const auto bytes = static_cast<uint64_t>(m_request.slice.Count());
    const uint64_t begin = slice * bytes;
    return {begin, std::min(begin + bytes, m_request.elements)};
}

Transfer
MemoryTreePlan::TransferWith(uint32_t peer, uint32_t slice) const
{
    return {.peer = peer, .channel = slice, .range = RangeOf(slice)};
}

} // namespace nadi
