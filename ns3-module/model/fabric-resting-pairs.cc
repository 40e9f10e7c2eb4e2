// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-resting-pairs.h"

#include <algorithm>

namespace ns3
{

void
FabricRestingPairs::Add(const FabricQueuePairKey& turn, uint64_t frames)
{
    Entries& entries = m_pairs[turn.stream];
    const auto place = entries.begin() + (FindPlace(entries, turn.destination) - entries.cbegin());
    if (place != entries.end() && place->turn == turn.destination)
    {
        place->frames = frames;
        return;
    }
    entries.insert(place, {frames, turn.destination});
}

uint64_t
FabricRestingPairs::Find(const FabricQueuePairKey& turn) const
{
    const auto stream = m_pairs.find(turn.stream);
    if (stream == m_pairs.end())
    {
        return 0;
    }
    const auto place = FindPlace(stream->second, turn.destination);
    const bool isFound = place != stream->second.end() && place->turn == turn.destination;
    return isFound ? place->frames : 0;
}

FabricRestingPairs::Entries::const_iterator
FabricRestingPairs::FindPlace(const Entries& entries, uint32_t turn)
{
    return std::lower_bound(entries.begin(),
                            entries.end(),
                            turn,
                            [](const Entry& entry, uint32_t sought)
                            { return entry.turn < sought; });
}

} // namespace ns3
