// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-pause-waits.h"

#include "fabric-port.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric.h"

namespace ns3
{

std::vector<std::pair<FabricHop, FabricHop>>
FindFabricPauseWaits(const Fabric& fabric)
{
    std::vector<std::pair<FabricHop, FabricHop>> waits;
    const auto isPaused = [](const FabricHop& hop)
    { return hop.egress->GetPausedSince(hop.priority) != FabricPort::NEVER; };
    for (uint32_t index = 0; index < fabric.GetNNodes(); ++index)
    {
        const FabricNode& node = fabric.GetNode(index);
        for (uint32_t i = 0; i < node.GetNPorts(); ++i)
        {
            FabricPort& port = node.GetPort(i);
            const auto visit = [&](const FabricFrame& frame)
            {
                // The frame came from the port `from` and waits for the port `waiting`. Both are
                // paused: `from` cannot send before this node has memory, and this node has none
                // before `waiting` sends.
                const FabricHop waiting{&port, frame.priority};
                const FabricHop from{&node.GetPort(frame.ingress).GetPeer(), frame.ingressPriority};
                if (isPaused(waiting) && isPaused(from))
                {
                    waits.emplace_back(from, waiting);
                }
            };
            port.VisitTransit(visit);
        }
    }
    return waits;
}

} // namespace ns3
