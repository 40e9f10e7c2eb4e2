// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/message.h"
#include "network/topology.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// What decides where a flow goes among equally good links.
struct FlowChoice
{
    /// Without a pin.
    FlowChoice(uint64_t flowHash) // NOLINT: a hash is such a choice
        : hash(flowHash)
    {
    }

    FlowChoice(uint64_t flowHash, std::optional<uint32_t> pinned)
        : hash(flowHash)
        , pin(pinned)
    {
    }

    uint64_t hash;
    /// Takes the link with this number, modulo their count, instead of the pick of ECMP.
    std::optional<uint32_t> pin;
};

/// Which links lead on towards a vertex: a pure function of the topology, which outlives it, and of
/// the links that have failed.
///
/// Holds: following any of the offered links from any vertex reaches the destination, without
/// ever visiting a vertex twice or crossing a failed link.
class Routing
{
  public:
    explicit Routing(const Topology& topology)
        : m_topology(topology)
    {
    }

    virtual ~Routing() = default;

    /// The links out of `at` on the way to `destination`, equally good, ordered by id. Empty
    /// where failed links have left no way; never empty while none has failed.
    /// Requires: at != destination. The reference is valid until the next call.
    virtual const std::vector<LinkId>& FindNextLinks(VertexId at, VertexId destination) const = 0;

    /// The path of one flow: where several links are equally good, PickLink picks. Requires: there
    /// is a way.
    std::vector<LinkId>
    FindPath(VertexId source, VertexId destination, const FlowChoice& flow, uint64_t seed) const;

    /// The same, into a vector that keeps its memory: what it had before is replaced.
    void FindPath(VertexId source,
                  VertexId destination,
                  const FlowChoice& flow,
                  uint64_t seed,
                  std::vector<LinkId>& path) const;

  protected:
    const Topology& m_topology;
};

/// The pick of ECMP among `count` equally good links at `at` (docs/semantics.md 1: random choices
/// are functions of identities). Used by every backend, so that they share routes.
uint32_t PickEcmp(VertexId at, uint64_t flow, uint64_t seed, uint32_t count);

/// The same, or the pin.
uint32_t PickLink(VertexId at, const FlowChoice& flow, uint64_t seed, uint32_t count);

/// The flow identity that ECMP hashes: (source, destination, communicator); see WayIdentity. So
/// every call of a collective takes the ways of the calls before it.
uint64_t MakeFlowHash(VertexId source, VertexId destination, StreamId stream);

/// How messages between these ends go. Those of trees are pinned: each tree keeps to one of
/// parallel links.
FlowChoice MakeFlowChoice(VertexId source, VertexId destination, StreamId stream);

} // namespace nadi
