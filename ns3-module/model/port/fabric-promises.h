// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PROMISES_H
#define FABRIC_PROMISES_H

#include "fabric-train.h"

#include "ns3/abort.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The promises of a port that are in force, at most one for each flow.
///
/// Holds: each still covers a frame (next < end). Several promises exist where several local queue
/// pairs take turns, so the flows are asked for in the order in which the promises were added. Find
/// begins where the last search ended, and takes constant time then.
class FabricPromises
{
  public:
    bool IsEmpty() const
    {
        return m_promises.empty();
    }

    /// Null: nothing was promised about this flow.
    const FabricPromise* Find(uint32_t flow)
    {
        const std::size_t size = m_promises.size();
        for (std::size_t i = 0; i < size; ++i)
        {
            const std::size_t place = m_cursor + i < size ? m_cursor + i : m_cursor + i - size;
            if (m_promises[place].flow == flow)
            {
                m_cursor = place;
                return &m_promises[place];
            }
        }
        return nullptr;
    }

    /// Requires: promise.next < promise.end; nothing was promised about its flow.
    void Add(const FabricPromise& promise)
    {
        m_promises.push_back(promise);
    }

    /// `count` frames of `flow` from number `sequence` on have started.
    /// \return Whether they were promised.
    bool Keep(uint32_t flow, uint64_t sequence, uint64_t count)
    {
        if (Find(flow) == nullptr)
        {
            return false;
        }
        FabricPromise& promise = m_promises[m_cursor];
        NS_ABORT_MSG_IF(sequence != promise.next, "frames start in another order than promised");
        promise.next += count;
        if (promise.next == promise.end)
        {
            Erase(m_cursor);
            return true;
        }
        // The next frame to start belongs to the flow that is next in turn.
        m_cursor = m_cursor + 1 < m_promises.size() ? m_cursor + 1 : 0;
        return true;
    }

    /// The promise about `flow` now ends before frame `end`. \return The port that expected more
    /// and must be told; null if it did not.
    FabricPort* Shorten(uint32_t flow, uint64_t end)
    {
        if (Find(flow) == nullptr || m_promises[m_cursor].end <= end)
        {
            return nullptr;
        }
        FabricPromise& promise = m_promises[m_cursor];
        FabricPort* const egress = promise.egress;
        promise.end = end;
        if (promise.next >= end)
        {
            Erase(m_cursor);
        }
        return egress;
    }

    const std::vector<FabricPromise>& GetAll() const
    {
        return m_promises;
    }

    /// Takes all back.
    void Clear()
    {
        m_promises.clear();
        m_cursor = 0;
    }

  private:
    void Erase(std::size_t place)
    {
        // The order of the others stays, which is the order of turns.
        m_promises.erase(m_promises.begin() + static_cast<std::ptrdiff_t>(place));
        m_cursor = place < m_promises.size() ? place : 0;
    }

    std::vector<FabricPromise> m_promises;
    std::size_t m_cursor = 0; ///< where Find looks first
};

} // namespace ns3

#endif /* FABRIC_PROMISES_H */
