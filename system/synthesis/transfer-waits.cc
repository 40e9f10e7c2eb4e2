// SPDX-License-Identifier: GPL-2.0-only
#include "system/synthesis/transfer-waits.h"

#include <algorithm>

namespace nadi::synthesis
{

TransferWaits::TransferWaits(const RouteModel& model,
                             const Schedule& schedule,
                             uint32_t chunks,
                             ChunkFlow flow)
{
    // A chunk that moves is at one rank at a time, so its next message waits for its last one. Then
    // one row of `last` serves all ranks.
    const size_t ranks = flow == ChunkFlow::Spread ? model.RankCount() : 1;
    std::vector<uint32_t> last(ranks * chunks, NONE);
    const auto lastAt = [&](uint32_t rank, uint32_t chunk) -> uint32_t&
    { return last[(flow == ChunkFlow::Spread ? size_t{rank} * chunks : 0) + chunk]; };
    if (std::any_of(schedule.begin(), schedule.end(), [](const Transfer& t) { return t.reduces; }))
    {
        m_before.assign(schedule.size(), NONE);
    }
    m_latest.reserve(schedule.size());
    for (uint32_t index = 0; index < schedule.size(); ++index)
    {
        const Transfer& transfer = schedule[index];
        const Way& way = model.At(transfer.way);
        m_latest.push_back(lastAt(way.from, transfer.chunk));
        uint32_t& received = lastAt(way.to, transfer.chunk);
        // Additions at a rank form a chain from the latest to the first. A copy ends the chain:
        // what the rank had before is gone.
        if (transfer.reduces)
        {
            m_before[index] = received;
        }
        received = index;
    }
}

} // namespace nadi::synthesis
