// SPDX-License-Identifier: GPL-2.0-only
#include "system/phase-traffic.h"

#include "common/check.h"

namespace nadi
{

Bytes
PhaseTraffic(CollectiveType type, Bytes held, uint32_t ranks)
{
    // The own part is rounded down, so what is left is rounded up.
    const Bytes allButOwnPart = held - Bytes(held.Count() / ranks);
    switch (type)
    {
    case CollectiveType::AllReduce:
        return allButOwnPart * 2;
    case CollectiveType::ReduceScatter:
    case CollectiveType::AllToAll:
    case CollectiveType::Scatter:
        return allButOwnPart;
    case CollectiveType::AllGather:
    case CollectiveType::Gather:
        return held * (ranks - 1);
    case CollectiveType::Broadcast:
    case CollectiveType::Reduce:
        return held;
    case CollectiveType::Barrier:
        return Bytes(0);
    }
    NADI_CHECK(false);
}

} // namespace nadi
