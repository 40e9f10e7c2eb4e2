// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_HEADROOM_H
#define FABRIC_HEADROOM_H

#include <cstdint>

namespace ns3
{

class FabricPort;
class FabricProtocol;

/// \ingroup fabric
/// How many bytes of a priority may still come in by a port after its node has decided to pause the
/// peer, at the rates that the link has of its own: docs/semantics.md, section 5, "Headroom of an
/// ingress". At most 2^62.
///
/// The pause frame waits for a frame that has just begun in its direction, the longest there is,
/// and for pause frames of other priorities. Until it has arrived, the sender starts frames, the
/// last of them just before. So what can still come is the sender's rate x this reaction time, and
/// the rest of one full frame.
///
/// Requires: the port is connected.
uint64_t ComputeFabricHeadroom(const FabricPort& ingress,
                               const FabricProtocol& protocol,
                               uint32_t priorities);

/// \ingroup fabric
/// Whether faults of the link let more come than that: where it is faster than its own rate, or
/// where a frame in the direction of the pause may begin while that is slow, and the sender is fast
/// before it ends.
///
/// Requires: the port is connected, and its faults and those of its peer are known.
bool OutgrowsFabricHeadroom(const FabricPort& ingress,
                            const FabricProtocol& protocol,
                            uint32_t priorities);

} // namespace ns3

#endif /* FABRIC_HEADROOM_H */
