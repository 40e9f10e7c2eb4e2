// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_SHARED_BUFFER_SCENARIO_H
#define FABRIC_SHARED_BUFFER_SCENARIO_H

#include "ns3/fabric-shared-buffer.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// \ingroup fabric
/// A lossless buffer for examples: round numbers, and shorthands for what happens to it.
struct FabricSharedBufferScenario
{
    static constexpr uint32_t FULL_FRAME = 1000;
    static constexpr uint64_t POOL = 10 * FULL_FRAME;

    /// Each port has a headroom of three full frames; the pool has POOL bytes.
    static FabricBufferSettings MakeSettings(uint32_t ports, uint32_t priorities, double alpha)
    {
        FabricBufferSettings settings;
        settings.isLossless = true;
        settings.alpha = alpha;
        settings.resumeOffset = FULL_FRAME;
        settings.fullFrame = FULL_FRAME;
        settings.priorities = priorities;
        settings.headroom.assign(ports, 3 * FULL_FRAME);
        SetPool(settings, POOL);
        return settings;
    }

    /// Sets the size so that the pool has `bytes`.
    static void SetPool(FabricBufferSettings& settings, uint64_t bytes)
    {
        settings.size = FabricSharedBuffer::ComputeLeastSize(settings) - FULL_FRAME + bytes;
    }

    static FabricIngress MakeIngress(uint32_t port, uint32_t priority)
    {
        FabricIngress ingress;
        ingress.port = static_cast<uint16_t>(port);
        ingress.priority = static_cast<FabricPriority>(priority);
        return ingress;
    }

    /// An instant in which each of `arrivals` receives a frame. \return Who is paused then.
    static std::vector<FabricIngress> Arrive(FabricSharedBuffer& buffer,
                                             const std::vector<FabricIngress>& arrivals,
                                             uint32_t bytes = FULL_FRAME)
    {
        buffer.BeginArrivals();
        for (const FabricIngress& ingress : arrivals)
        {
            buffer.Store(ingress, bytes, 0);
        }
        return buffer.TakePauses();
    }
};

} // namespace ns3

#endif /* FABRIC_SHARED_BUFFER_SCENARIO_H */
