// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/collective-type.h"

#include <cstdint>

/// \file
/// What any implementation of a collective must move, and the bandwidths that people compare:
/// payload only, functions of the call alone. S is the size of the call as CollectiveType means
/// it, p the number of members.

namespace nadi
{

/// Who may reduce what members send.
enum class ReducedBy : uint8_t
{
    Members,
    Switches, ///< and members
};

/// A collective as its bounds see it.
struct CollectiveExtent
{
    CollectiveType type = CollectiveType::AllReduce;
    Bytes size;         ///< S
    uint32_t ranks = 1; ///< p > 0
    ReducedBy reducedBy = ReducedBy::Members;
};

/// What a member is to the collective; the root's traffic differs from that of all others.
enum class MemberRole : uint8_t
{
    Root, ///< of broadcast, reduce, gather, scatter
    Peer, ///< any other member, and every member of a collective without a root
};

/// Payload that must cross the ports of a member.
struct MandatoryTraffic
{
    Bytes out;
    Bytes in;

    bool operator==(const MandatoryTraffic&) const = default;
};

/// The least that a member sends and receives, whatever the algorithm:
///
///   collective      out                      in
///   all-reduce      S                        S
///   all-gather      S                        S (p-1)
///   reduce-scatter  S (p-1)/p                S/p
///   all-to-all      S (p-1)/p                S (p-1)/p
///   broadcast       root S, peer 0           root 0, peer S
///   reduce          root 0, peer S           root S, peer 0
///   gather          root 0, peer S           root S (p-1), peer 0
///   scatter         root S (p-1), peer 0     root 0, peer S
///   barrier         0                        0
///
/// In an all-reduce each element of a member leaves it, in a sum or alone, and the sum comes to it.
/// Rounded down to whole bytes; nothing for p = 1.
MandatoryTraffic ComputeMandatoryTraffic(const CollectiveExtent& extent, MemberRole role);

/// The least that members send, and receive, on average over all of them, where that can be more
/// than each of them must:
///
///   all-reduce                         2 S (p-1)/p
///   all-gather                         S (p-1)
///   reduce-scatter, broadcast, reduce  S (p-1)/p
///
/// An element that p-1 members get needs p-1 messages, and so does one to which p-1 members add;
/// each message leaves a member and enters one. Zero where switches copy or reduce, and for other
/// collectives, in which the parts of members add up to no more. Rounded down to whole bytes.
Bytes ComputeAverageTraffic(const CollectiveExtent& extent);

/// The size that nccl-tests prints: p S for all-gather, gather and scatter, S for the others.
Bytes ComputeNcclSize(const CollectiveExtent& extent);

/// What nccl-tests multiplies algorithm bandwidth by, to get at the bandwidth of the wires:
/// 2 (p-1)/p for all-reduce, (p-1)/p for all-gather, reduce-scatter, all-to-all, gather and
/// scatter, 1 for broadcast and reduce; 0 for a barrier, which moves nothing.
double BusBandwidthFactor(CollectiveType type, uint32_t ranks);

/// ComputeNcclSize / duration, in units of 10^9 bytes per second; 0 for a duration of 0.
double AlgorithmBandwidthGBps(const CollectiveExtent& extent, SimTime duration);

/// Algorithm bandwidth x BusBandwidthFactor.
double BusBandwidthGBps(const CollectiveExtent& extent, SimTime duration);

} // namespace nadi
