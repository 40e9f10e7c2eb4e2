// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "common/hash.h"
#include "common/slot-pool.h"
#include "common/units.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace nadi
{

/// Items that are due at known instants. Those of one instant are taken together: adding one to an
/// instant that was added to lately takes constant time, however many there are.
///
/// Symmetric jobs put thousands of items on one instant, so a heap of items would be deep and slow.
/// Here the heap holds batches, each of one instant, and a small table by hash of the instant finds
/// the batch that was added to lately. If that is overwritten by another instant, a second batch of
/// the same instant begins, which costs time but changes nothing.
///
/// Order: of the items of an instant, those that were added one after the other come out so; no
/// more is promised.
template <class Item>
class InstantQueue
{
  public:
    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /// Items that were added and not taken.
    size_t Size() const
    {
        return m_nodes.Live();
    }

    /// The earliest instant. Requires: not empty.
    SimTime Next() const
    {
        return m_heap.front().at;
    }

    void Add(SimTime at, const Item& item)
    {
        const uint32_t node = m_nodes.Make({item});
        uint32_t& recent = m_recent[Mix64(static_cast<uint64_t>(at.Ps())) % m_recent.size()];
        if (recent < m_batches.Slots().size() && m_batches[recent].at == at)
        {
            m_nodes[m_batches[recent].last].next = node;
            m_batches[recent].last = node;
            return;
        }
        recent = m_batches.Make({.at = at, .first = node, .last = node});
        m_heap.push_back({at, recent});
        std::push_heap(m_heap.begin(), m_heap.end(), IsLater);
    }

    /// Forgets items for which `isStale(item)` holds, as far as they stand in front: the next
    /// instant is one at which there is something to do.
    template <class Predicate>
    void DropStale(const Predicate& isStale)
    {
        while (!IsEmpty())
        {
            Batch& batch = m_batches[m_heap.front().batch];
            if (!isStale(m_nodes[batch.first].item))
            {
                return;
            }
            const uint32_t node = batch.first;
            batch.first = m_nodes[node].next;
            m_nodes.Free(node);
            if (batch.first == NONE)
            {
                PopBatch();
            }
        }
    }

    /// Appends the items of the instant `now` to `due`. Requires: nothing is left of before.
    void TakeDue(SimTime now, std::vector<Item>& due)
    {
        NADI_CHECK(IsEmpty() || Next() >= now);
        while (!IsEmpty() && Next() == now)
        {
            for (uint32_t node = m_batches[m_heap.front().batch].first; node != NONE;)
            {
                due.push_back(m_nodes[node].item);
                m_nodes.Free(node);
                node = m_nodes[node].next;
            }
            PopBatch();
        }
    }

  private:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
    static constexpr SimTime NEVER = SimTime::FromPs(-1);

    struct Node
    {
        Item item;
        uint32_t next = NONE;
    };

    /// The items of an instant, or some of them.
    struct Batch
    {
        SimTime at; ///< NEVER: free
        uint32_t first = NONE;
        uint32_t last = NONE;
    };

    struct Entry
    {
        SimTime at;
        uint32_t batch = 0;
    };

    static bool IsLater(const Entry& a, const Entry& b)
    {
        return a.at > b.at;
    }

    void PopBatch()
    {
        const uint32_t batch = m_heap.front().batch;
        std::pop_heap(m_heap.begin(), m_heap.end(), IsLater);
        m_heap.pop_back();
        m_batches[batch].at = NEVER;
        m_batches.Free(batch);
    }

    std::vector<Entry> m_heap; // the earliest in front
    SlotPool<Batch> m_batches;
    SlotPool<Node> m_nodes;
    std::array<uint32_t, 256> m_recent{}; // by hash of the instant: a batch that may be of it
};

} // namespace nadi
