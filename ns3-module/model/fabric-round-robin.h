// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_ROUND_ROBIN_H
#define FABRIC_ROUND_ROBIN_H

#include "fabric-queue-pair.h"

#include <cstddef>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// The queue pairs of a NIC port that have frames to send; they take turns frame by frame, in the
/// order of their keys after the one served last, whether or not that one still has frames.
///
/// Holds: m_active is sorted by key, each of its queue pairs has a frame, and m_next is the number
/// of those whose key is at most the key served last.
class FabricRoundRobin
{
  public:
    bool IsEmpty() const
    {
        return m_active.empty();
    }

    /// Lets `queuePair` take part; no effect if it does. Requires: it has a frame, and outlives
    /// its turns.
    void Activate(FabricQueuePair& queuePair);

    /// Who is next. Requires: not empty.
    const FabricQueuePair& Peek() const
    {
        return *m_active[FindNext()];
    }

    /// Starts the frame of the next in turn. Requires: not empty.
    FabricFrame Take();

  private:
    std::size_t FindNext() const
    {
        return m_next < m_active.size() ? m_next : 0;
    }

    std::vector<FabricQueuePair*> m_active;
    std::size_t m_next = 0;
    FabricQueuePairKey m_lastServed; ///< meaningful once m_hasServed
    bool m_hasServed = false;
};

} // namespace ns3

#endif /* FABRIC_ROUND_ROBIN_H */
