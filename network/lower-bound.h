// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/topology.h"

#include <vector>

/// \file
/// How fast a collective could be at best on a topology (`lower_bound_ns`, docs/semantics.md 8).

namespace nadi
{

/// What an NPU must send and receive in a collective, whatever the algorithm: payload.
struct MandatoryBytes
{
    RankId rank;
    Bytes out;
    Bytes in;
};

/// What all members of a collective must send and receive.
struct CollectiveBytes
{
    std::vector<MandatoryBytes> members;
    Bytes average; ///< what a member must send, and receive, on average over the members
};

/// No algorithm and no network protocol is faster: the longest time that an NPU needs to send (or
/// receive) its mandatory bytes over all its links at once, or that all members need for the
/// average over all their links at once, plus `smallestLatency`, that between the nearest two
/// members (FindSmallestLatency).
/// Requires: an NPU that has mandatory bytes has links.
SimTime
ComputeLowerBound(const Topology& topology, const CollectiveBytes& bytes, SimTime smallestLatency);

/// The smallest latency from one member to another, by whatever path, `switchLatency` being added
/// for each switch on it. Zero where there are fewer than two members.
SimTime FindSmallestLatency(const Topology& topology,
                            const std::vector<RankId>& members,
                            SimTime switchLatency);

} // namespace nadi
