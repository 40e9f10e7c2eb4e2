// SPDX-License-Identifier: GPL-2.0-only
#include "fabric-trains-end.h"

#include "fabric-port.h"

#include "ns3/fabric-node.h"
#include "ns3/fabric-queue-pair.h"
#include "ns3/fabric.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

namespace
{

/// Frames here that have not started on the last link of their way will be seen to arrive.
void
LowerUnseenEnds(const FabricNode& node, std::vector<uint64_t>& unseenEnds)
{
    const Fabric& fabric = node.GetFabric();
    const auto lower = [&](const FabricFrame& frame)
    {
        // A frame that is sent again may have a lower number than frames that arrived unseen long
        // ago, so its number says nothing here.
        if (frame.IsData() && !frame.isRetransmission)
        {
            unseenEnds[frame.flow] = std::min(unseenEnds[frame.flow], frame.sequence);
        }
    };
    node.VisitArrivals(
        [&](const FabricFrame& frame)
        {
            if (frame.hop < fabric.CountLinks(frame.flow)) // else it ends here
            {
                lower(frame);
            }
        });
    for (uint32_t i = 0; i < node.GetNPorts(); ++i)
    {
        node.GetPort(i).VisitTransit(lower);
        node.GetPort(i).VisitInFlight(
            [&](const FabricFrame& frame)
            {
                if (frame.IsData() && frame.hop + 1U < fabric.CountLinks(frame.flow))
                {
                    lower(frame);
                }
            });
    }
}

} // namespace

void
EndFabricTrains(Fabric& fabric, int64_t now)
{
    // Nodes come first: afterwards promised frames are in flight or waiting, where LowerUnseenEnds
    // finds them.
    for (uint32_t node = 0; node < fabric.GetNNodes(); ++node)
    {
        fabric.GetNode(node).EndTrains(now);
    }
    std::vector<uint64_t> unseenEnds; // by flow
    fabric.VisitQueuePairs(
        [&](const FabricQueuePair& queuePair)
        {
            unseenEnds.resize(std::max<size_t>(unseenEnds.size(), queuePair.GetFlow() + 1));
            // All frames that have started may arrive unseen, except those that LowerUnseenEnds
            // finds before their last link.
            unseenEnds[queuePair.GetFlow()] = queuePair.GetStarted();
        });
    for (uint32_t node = 0; node < fabric.GetNNodes(); ++node)
    {
        LowerUnseenEnds(fabric.GetNode(node), unseenEnds);
    }
    fabric.VisitQueuePairs([&](FabricQueuePair& queuePair)
                           { queuePair.EndTrains(unseenEnds[queuePair.GetFlow()]); });
}

} // namespace ns3
