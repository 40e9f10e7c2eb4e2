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

/// Records of a pool, chained by the instants at which they are due. Those of one instant are taken
/// together: adding one to an instant that was added to lately takes constant time, however many
/// there are.
///
/// Symmetric jobs put thousands of records on one instant, so a heap of records would be deep and
/// slow. Here the heap holds chains, each of one instant, and a small table by hash of the instant
/// finds the chain that was added to lately. If that is overwritten by another instant, a second
/// chain of the same instant begins, which costs time but changes nothing.
///
/// A Record has a member `uint32_t next`, which belongs to its chain. The owner of the records
/// frees them. Requires: every call is given the same pool.
///
/// Order: of the records of an instant, those that were added one after the other come out so; no
/// more is promised.
template <class Record>
class InstantChains
{
  public:
    using Pool = SlotPool<Record>;

    bool IsEmpty() const
    {
        return m_heap.empty();
    }

    /// The earliest instant. Requires: not empty.
    SimTime Next() const
    {
        return m_heap.front().at;
    }

    /// The first record of the earliest instant. Requires: not empty.
    uint32_t First() const
    {
        return m_chains[m_heap.front().chain].first;
    }

    void Add(Pool& pool, SimTime at, uint32_t record)
    {
        pool[record].next = NONE;
        uint32_t& recent = m_recent[Mix64(static_cast<uint64_t>(at.Ps())) % m_recent.size()];
        if (recent < m_chains.Slots().size() && m_chains[recent].at == at)
        {
            pool[m_chains[recent].last].next = record;
            m_chains[recent].last = record;
            return;
        }
        recent = m_chains.Make({.at = at, .first = record, .last = record});
        m_heap.push_back({at, recent});
        std::push_heap(m_heap.begin(), m_heap.end(), IsLater());
    }

    /// Takes the first record of the earliest instant off. Requires: not empty.
    void DropFirst(const Pool& pool)
    {
        Chain& chain = m_chains[m_heap.front().chain];
        chain.first = pool[chain.first].next;
        if (chain.first == NONE)
        {
            PopChain();
        }
    }

    /// Takes the records of the instant `now` off, and calls `take` with the index of each, which
    /// may free it. Requires: nothing is left of before.
    template <class Take>
    void TakeDue(const Pool& pool, SimTime now, const Take& take)
    {
        NADI_CHECK(IsEmpty() || Next() >= now);
        while (!IsEmpty() && Next() == now)
        {
            for (uint32_t record = First(); record != NONE;)
            {
                const uint32_t next = pool[record].next;
                take(record);
                record = next;
            }
            PopChain();
        }
    }

  private:
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();
    static constexpr SimTime NEVER = SimTime::FromPs(-1);

    /// The records of an instant, or some of them.
    struct Chain
    {
        SimTime at; ///< NEVER: free
        uint32_t first = NONE;
        uint32_t last = NONE;
    };

    struct Entry
    {
        SimTime at;
        uint32_t chain = 0;
    };

    struct IsLater // a type and no function, so that the heap's functions contain it
    {
        bool operator()(const Entry& a, const Entry& b) const
        {
            return a.at > b.at;
        }
    };

    void PopChain()
    {
        const uint32_t chain = m_heap.front().chain;
        std::pop_heap(m_heap.begin(), m_heap.end(), IsLater());
        m_heap.pop_back();
        m_chains[chain].at = NEVER;
        m_chains.Free(chain);
    }

    std::vector<Entry> m_heap; // the earliest in front
    SlotPool<Chain> m_chains;
    std::array<uint32_t, 256> m_recent{}; // by hash of the instant: a chain that may be of it
};

} // namespace nadi
