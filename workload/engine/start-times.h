// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace nadi
{

/// When the nodes that a rank has under way were started.
///
/// Holds: memory follows the most nodes that were ever under way at once, not the trace's length.
/// A hash table with linear probing; a removal moves what follows up, so no mark is left behind.
class StartTimes
{
  public:
    /// Requires: the node is not under way.
    void Add(uint32_t node, SimTime start);

    /// Removes the node; its start. Requires: it is under way.
    SimTime Take(uint32_t node);

    bool Contains(uint32_t node) const
    {
        return !m_places.empty() && m_places[FindPlace(node)].node == node;
    }

  private:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    struct Place
    {
        SimTime start;
        uint32_t node = NONE;
    };

    /// Where the search for a node begins.
    size_t HomeOf(uint32_t node) const
    {
        constexpr uint32_t GOLDEN = 2654435769U; // 2^32 / golden ratio: spreads what is consecutive
        return (node * GOLDEN) & (m_places.size() - 1);
    }

    size_t Next(size_t place) const
    {
        return (place + 1) & (m_places.size() - 1);
    }

    size_t FindPlace(uint32_t node) const;
    void Grow();

    std::vector<Place> m_places; // a power of two, at most half of them taken
    size_t m_count = 0;
};

} // namespace nadi
