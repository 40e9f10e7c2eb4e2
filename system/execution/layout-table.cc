// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/layout-table.h"

#include <algorithm>
#include <utility>

namespace nadi
{

LayoutTable::LayoutTable(const std::vector<Dimension>& stack,
                         RankPlacement places,
                         size_t communicators)
    : m_stackGrid(MakeGrid(stack))
    , m_places(std::move(places))
    , m_flatGrid({m_stackGrid.RankCount()})
    , m_layouts(communicators)
{
}

const CommunicatorLayout&
LayoutTable::Find(const Communicator& communicator, LayoutKind kind)
{
    Layouts& layouts = m_layouts[communicator.id.value];
    if (!layouts.stacked)
    {
        layouts.stacked.emplace(communicator, m_stackGrid, m_places);
    }
    const bool isOfOne = layouts.stacked->Dimensions().size() <= 1;
    const bool hasNoOrder = std::is_sorted(communicator.ranks.begin(), communicator.ranks.end());
    if (kind == LayoutKind::Stacked || (isOfOne && hasNoOrder))
    {
        return *layouts.stacked;
    }
    if (!layouts.flat)
    {
        const RankGrid& grid = isOfOne ? m_stackGrid : m_flatGrid;
        layouts.flat.emplace(communicator, grid, m_places, MemberOrder::List);
    }
    return *layouts.flat;
}

} // namespace nadi
