// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_RESTING_PAIRS_H
#define FABRIC_RESTING_PAIRS_H

#include "fabric-queue-pair.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// What is left of queue pairs that were given back while they rested: how many frames each had
/// sent. 16 bytes each, where a queue pair has more than half a kilobyte.
///
/// FabricQueuePair::CanRest says why the count of frames is enough to continue from.
///
/// Example: in an all-to-all of 4096 NPUs, each NIC sends to 4095 others. Whole queue pairs would
/// take more than 2 MB on each NIC; the counts take 64 kB.
class FabricRestingPairs
{
  public:
    /// Keyed by FabricQueuePair::GetTurn().
    void Add(const FabricQueuePairKey& turn, uint64_t frames);

    /// How many frames it had sent when it was last added; 0: it never was.
    uint64_t Find(const FabricQueuePairKey& turn) const;

    /// No queue pair of this stream will be asked for.
    void Forget(uint64_t stream)
    {
        m_pairs.erase(stream);
    }

  private:
    struct Entry
    {
        uint64_t frames;
        uint32_t turn; ///< the destination's place after the source
    };

    using Entries = std::vector<Entry>;

    static Entries::const_iterator FindPlace(const Entries& entries, uint32_t turn);

    /// By stream. The entries of a stream are sorted by turn; as most come to rest in this order,
    /// an insert is mostly at the end, and a sorted array is smaller than a map.
    std::map<uint64_t, Entries> m_pairs;
};

} // namespace ns3

#endif /* FABRIC_RESTING_PAIRS_H */
