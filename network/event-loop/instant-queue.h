// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "common/units.h"
#include "network/event-loop/instant-chains.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nadi
{

/// Items that are due at known instants; InstantChains with the items.
///
/// Order: of the items of an instant, those that were added one after the other come out so; no
/// more is promised.
template <class Item>
class InstantQueue
{
  public:
    bool IsEmpty() const
    {
        return m_chains.IsEmpty();
    }

    /// Items that were added and not taken.
    size_t Size() const
    {
        return m_nodes.Live();
    }

    /// The earliest instant. Requires: not empty.
    SimTime Next() const
    {
        return m_chains.Next();
    }

    void Add(SimTime at, const Item& item)
    {
        m_chains.Add(m_nodes, at, m_nodes.Make({item}));
    }

    /// Forgets items for which `isStale(item)` holds, as far as they stand in front: the next
    /// instant is one at which there is something to do.
    template <class Predicate>
    void DropStale(const Predicate& isStale)
    {
        while (!IsEmpty() && isStale(m_nodes[m_chains.First()].item))
        {
            const uint32_t node = m_chains.First();
            m_chains.DropFirst(m_nodes);
            m_nodes.Free(node);
        }
    }

    /// Appends the items of the instant `now` to `due`. Requires: nothing is left of before.
    void TakeDue(SimTime now, std::vector<Item>& due)
    {
        m_chains.TakeDue(m_nodes,
                         now,
                         [&](uint32_t node)
                         {
                             due.push_back(m_nodes[node].item);
                             m_nodes.Free(node);
                         });
    }

  private:
    struct Node
    {
        Item item;
        uint32_t next = 0; ///< of InstantChains
    };

    SlotPool<Node> m_nodes;
    InstantChains<Node> m_chains;
};

} // namespace nadi
