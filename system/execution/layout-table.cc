// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/layout-table.h"

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
    if (kind == LayoutKind::Stacked || layouts.stacked->Dimensions().size() <= 1)
    {
        return *layouts.stacked;
    }
    if (!layouts.flat)
    {
        // No placement is given: along a single dimension of all ranks it could change only the
        // order of the members.
        layouts.flat.emplace(communicator, m_flatGrid);
    }
    return *layouts.flat;
}

} // namespace nadi
