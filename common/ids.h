// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <compare>
#include <cstdint>

/// \file
/// Identities as types, so that a rank is never passed where a link is meant.

namespace nadi
{

/// An identity: a number that only names. `Tag` makes each kind a type of its own.
template <class Tag, class Number>
struct Id
{
    Number value = 0;

    constexpr auto operator<=>(const Id&) const = default;
};

/// A rank of the job; the vertex with the same number hosts it (Topology::PlaceRanks).
using RankId = Id<struct RankTag, uint32_t>;
/// A node of one rank's execution trace, as numbered in the trace.
using NodeId = Id<struct NodeTag, uint64_t>;
/// A vertex (NPU or switch) of the topology, dense from 0. NPUs come first, in the order of the
/// ranks that they host.
using VertexId = Id<struct VertexTag, uint32_t>;
/// One direction of a link of the topology, dense from 0.
using LinkId = Id<struct LinkTag, uint32_t>;
/// A communicator (its rank list), dense from 0; 0 is the communicator of all ranks.
using CommunicatorId = Id<struct CommunicatorTag, uint32_t>;

/// The vertex that hosts the rank.
constexpr VertexId
VertexOf(RankId rank)
{
    return {rank.value};
}

} // namespace nadi
