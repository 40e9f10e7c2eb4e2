// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/dimension.h"
#include "network/rank-placement.h"

#include <map>
#include <string>
#include <vector>

namespace nadi
{

/// An NPU computes, sends and receives, and may forward for others. A switch forwards, and sends
/// and receives where it computes. A memory sends and receives, and never forwards: it has one
/// link.
enum class VertexKind : uint8_t
{
    Npu,
    Switch,
    Memory,
};

/// What a vertex of the kind Switch stands for.
enum class SwitchRole : uint8_t
{
    Switch,
    Nic, ///< one that NPUs share: it forwards like a switch, but computes only where it is named
};

/// One end of links. The vertices of the NPUs come first, those of memories last.
struct TopologyVertex
{
    VertexKind kind = VertexKind::Npu;
    std::string name; ///< `npu<number>`, `dim<d>.switch<k>`, or as the user says
    SwitchRole role = SwitchRole::Switch; ///< where it is a switch
};

/// What shortest paths count for a link, the same in both directions.
struct RoutingCost
{
    /// Counted with the NPUs that a path crosses, so before all links: how many of them a path
    /// would rather cross than take this link.
    uint32_t transitNpus = 0;
    uint32_t links = 1;

    auto operator<=>(const RoutingCost&) const = default;
};

/// One direction of a link.
struct TopologyLink
{
    LinkId id;
    VertexId from;
    VertexId to;
    Bandwidth bandwidth;
    SimTime latency;
    LinkId reverse;         ///< the other direction; every link has one
    uint32_t dimension = 0; ///< of a stack, from 0; 0 elsewhere, and for links of memories
    RoutingCost routingCost = {};
};

/// What one direction of a link offers.
struct LinkRate
{
    Bandwidth bandwidth;
    SimTime latency;

    auto operator<=>(const LinkRate&) const = default;
};

/// NPUs, switches, memories and the links between them. Immutable once built and validated; can be
/// moved, and copied with other bandwidths alone.
///
/// Every layer and every backend names NPUs, switches and links by the ids that are given here, so
/// the order in which a maker adds them is part of its contract.
///
/// Makers add NPUs in the order of their numbers. PlaceRanks renumbers them by the ranks that they
/// host, so that whoever has a rank finds its vertex under the same number.
///
/// Holds: vertices 0..NpuCount()-1 are the NPUs in the order of the ranks that they host, switches
/// follow, then memories; a memory has one link, to an NPU or a switch, and the links of memories
/// have the highest ids; link ids are dense and both directions of a link exist; parallel links are
/// allowed; the graph is connected.
class Topology
{
  public:
    Topology() = default;
    Topology(Topology&&) = default;
    Topology& operator=(Topology&&) = default;

    /// A vertex. NPUs must all be added before the first switch, and switches before the first
    /// memory.
    VertexId AddVertex(VertexKind kind, std::string name, SwitchRole role = SwitchRole::Switch);

    /// Both directions of one link, ids n (from -> to) and n + 1. Requires: from != to.
    LinkId AddLink(
        VertexId from, VertexId to, Bandwidth bandwidth, SimTime latency, uint32_t dimension = 0);

    /// The same for a link that shortest paths count as `routingCost`.
    LinkId AddCostlyLink(VertexId from, VertexId to, LinkRate rate, RoutingCost routingCost);

    /// The same, where the directions differ: `forth` from -> to, `back` to -> from.
    LinkId AddUnequalLink(VertexId from, VertexId to, LinkRate forth, LinkRate back);

    using Bandwidths = std::map<LinkId, Bandwidth>;

    /// A copy in which some directions have other bandwidths. All ids are the same.
    Topology WithBandwidths(const Bandwidths& changed) const;

    /// Throws ConfigError at `where` unless there is an NPU, all vertices are connected, and every
    /// link has a bandwidth.
    void Validate(const std::string& where) const;

    uint32_t NpuCount() const;

    uint32_t MemoryCount() const
    {
        return m_memoryCount;
    }

    uint32_t SwitchCount() const
    {
        return VertexCount() - NpuCount() - MemoryCount();
    }

    /// Memories have this number and those above it.
    VertexId FirstMemory() const
    {
        return VertexId{VertexCount() - MemoryCount()};
    }

    bool IsMemory(VertexId vertex) const
    {
        return vertex.value >= FirstMemory().value;
    }

    /// Whether a memory is at one of its ends.
    bool IsMemoryLink(LinkId link) const
    {
        return link.value >= LinkCount() - 2 * MemoryCount();
    }

    uint32_t VertexCount() const;
    uint32_t LinkCount() const; ///< directions
    const TopologyVertex& Vertex(VertexId vertex) const;
    const TopologyLink& Link(LinkId link) const;
    /// Links that leave `vertex`, in order of their ids.
    const std::vector<LinkId>& LinksFrom(VertexId vertex) const;

    /// The stack that this topology was made from, innermost first; empty for other topologies.
    const std::vector<Dimension>& Dimensions() const;
    void SetDimensions(std::vector<Dimension> dimensions);

    /// Sentences for the user about the description that this topology was made of: what is valid
    /// there, and may be a slip.
    const std::vector<std::string>& Notes() const
    {
        return m_notes;
    }

    void AddNote(std::string note);

    /// Gives the vertex of each NPU the number of the rank that it hosts. Names, switches and the
    /// ids of links stay. Requires: called once at most; `placement` is one of all NPUs.
    void PlaceRanks(RankPlacement placement);

    /// Which NPU hosts which rank; by it the position of an NPU vertex in Dimensions().
    const RankPlacement& Placement() const
    {
        return m_placement;
    }

  private:
    Topology(const Topology&) = default;

    void AddDirection(TopologyLink link);
    VertexId FindPlaced(VertexId made) const;
    void CheckConnected(const std::string& where) const;

    uint32_t m_npuCount = 0;
    uint32_t m_memoryCount = 0;
    std::vector<TopologyVertex> m_vertices;
    std::vector<TopologyLink> m_links; // by id
    std::vector<std::vector<LinkId>> m_linksFrom;
    std::vector<Dimension> m_dimensions;
    RankPlacement m_placement;
    std::vector<std::string> m_notes;
};

} // namespace nadi
