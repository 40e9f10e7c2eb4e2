// SPDX-License-Identifier: GPL-2.0-only
#include "network/flow/message-cost.h"

#include "network/path-metrics.h"

#include <algorithm>

namespace nadi
{

MessageCost
ComputeMessageCost(const Topology& topology,
                   const std::vector<LinkId>& path,
                   Bytes size,
                   const PacketOptions& options)
{
    // A frame has at least a byte, so that every transmission takes time (docs/semantics.md 1).
    const bool isNothing = size + options.header == Bytes(0);
    const Bytes carried = isNothing ? Bytes(1) : size;
    const int64_t payload = options.payload.Count();
    // The last frame never counts among the full ones, even if it is full: hence the - 1. An empty
    // message has a last frame, too: hence the lower bound 0.
    const int64_t fullFrames = std::max<int64_t>(carried.Count() - 1, 0) / payload;
    Bandwidth slowest = topology.Link(path.front()).bandwidth;
    for (const LinkId link : path)
    {
        slowest = std::min(slowest, topology.Link(link).bandwidth);
    }
    MessageCost cost;
    cost.frames = static_cast<uint64_t>(fullFrames) + 1;
    cost.wire = carried + options.header * (fullFrames + 1);
    PacketOptions stored = options;
    stored.switching = Switching::StoreAndForward;
    // The flow's rate accounts for wire / slowest; all else that a message alone takes goes into
    // the tail.
    cost.tail = IdealTransferTime(topology, path, carried, stored) - cost.wire / slowest;
    const Bytes lastWire = carried - options.payload * fullFrames + options.header;
    cost.lastFrame = lastWire / topology.Link(path.back()).bandwidth;
    return cost;
}

} // namespace nadi
