// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/dimension.h"
#include "network/rank-placement.h"
#include "system/communicator.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// How communicators lie in the stack; made when first used, valid as long as the table.
class LayoutTable
{
  public:
    LayoutTable(const std::vector<Dimension>& stack, RankPlacement places, size_t communicators);

    /// A flat layout is in the order of the communicator's list. Ranks that ascend are no order
    /// that somebody chose: along a single dimension such a list has one layout for both kinds, in
    /// the order of the places.
    const CommunicatorLayout& Find(const Communicator& communicator, LayoutKind kind);

    /// Ranks that the stack has room for.
    uint32_t RankCount() const
    {
        return m_stackGrid.RankCount();
    }

  private:
    /// Those of a communicator that were asked for.
    struct Layouts
    {
        std::optional<CommunicatorLayout> stacked;
        std::optional<CommunicatorLayout> flat;
    };

    RankGrid m_stackGrid;
    RankPlacement m_places;
    RankGrid m_flatGrid;
    std::vector<Layouts> m_layouts; // by communicator
};

} // namespace nadi
