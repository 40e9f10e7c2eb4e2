// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/ring-all-to-all-plan.h"

namespace nadi
{

RingAllToAllPlan::RingAllToAllPlan(const RingOrder& order, Interval row)
    : m_order(order)
    , m_row(row)
{
}

uint32_t
RingAllToAllPlan::LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const
{
    return 1;
}

uint32_t
RingAllToAllPlan::StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const
{
    return m_order.Size() - 1;
}

PlanStep
RingAllToAllPlan::StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t /*lane*/, uint32_t step) const
{
    const uint32_t sentRow = m_order.Behind(rank, step);
    const uint32_t receivedRow = m_order.Behind(rank, step + 1);
    return {.send = Transfer{.origin = sentRow,
                             .peer = m_order.Ahead(rank, 1),
                             .tag = step,
                             .range = BlocksUnderway(sentRow, step)},
            .receive = Transfer{.origin = receivedRow,
                                .peer = m_order.Behind(rank, 1),
                                .tag = step,
                                .range = BlocksUnderway(receivedRow, step)},
            .action = PlanStep::Action::Copy};
}

std::vector<Interval>
RingAllToAllPlan::OwnedRanges(uint32_t rank) const
{
    return {PartOf(m_row, m_order.PlaceOf(rank), m_order.Size())};
}

/// The blocks of `origin`'s row for the members step + 1 .. p - 1 places ahead of it.
Interval
RingAllToAllPlan::BlocksUnderway(uint32_t origin, uint32_t step) const
{
    const uint32_t size = m_order.Size();
    const uint32_t first = (m_order.PlaceOf(origin) + step + 1) % size;
    const uint32_t last = first + (size - 2 - step);
    const uint64_t begin = PartOf(m_row, first, size).begin;
    if (last < size)
    {
        return {begin, PartOf(m_row, last, size).end};
    }
    // The blocks go on at the begin of the row, which is what a range past the end of the row means
    // (Interval).
    return {begin, PartOf(m_row, last - size, size).end + m_row.Length()};
}

} // namespace nadi
