// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "workload/serving/sequence.h"

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace nadi
{

/// Preempted sequences of a replica whose keys and values are in remote memory, or on their way
/// there. The one that was preempted last comes back first, as it was admitted before the others.
class SwapQueue
{
  public:
    /// Its keys and values are to be stored.
    void Add(Sequence& sequence)
    {
        m_new.push_back(&sequence);
        m_storing.push_back(&sequence);
    }

    /// Those added since the last call.
    std::vector<Sequence*> TakeNew()
    {
        return std::exchange(m_new, {});
    }

    bool IsStoring() const
    {
        return !m_storing.empty();
    }

    void EndStore(Sequence& sequence)
    {
        NADI_CHECK(std::erase(m_storing, &sequence) == 1);
        m_stored.push_front(&sequence);
    }

    /// The next to come back. Null: none is stored.
    Sequence* Next() const
    {
        return m_stored.empty() ? nullptr : m_stored.front();
    }

    void RemoveNext()
    {
        m_stored.pop_front();
    }

    /// Stored, or being stored.
    size_t Count() const
    {
        return m_storing.size() + m_stored.size();
    }

  private:
    std::vector<Sequence*> m_new;
    std::vector<Sequence*> m_storing;
    std::deque<Sequence*> m_stored; // in the order in which they come back
};

} // namespace nadi
