// SPDX-License-Identifier: GPL-2.0-only
#include "network/equal-ways.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

/// The ways of all messages to one destination.
class WaysTo
{
  public:
    WaysTo(VertexId destination, const Topology& topology, const Routing& routing)
        : m_destination(destination)
        , m_topology(topology)
        , m_routing(routing)
        , m_isCrossed(topology.VertexCount(), false)
    {
    }

    WayChoice FindChoice()
    {
        bool choosesAtSource = false;
        for (VertexId at{0}; at.value < m_topology.VertexCount(); ++at.value)
        {
            choosesAtSource = (IsSource(at) && Follow(at)) || choosesAtSource;
        }
        while (!m_waiting.empty())
        {
            const VertexId at = m_waiting.back();
            m_waiting.pop_back();
            if (Follow(at))
            {
                return WayChoice::OnTheWay;
            }
        }
        return choosesAtSource ? WayChoice::AtSources : WayChoice::None;
    }

  private:
    /// No message of a job begins at a switch, but for those of switches that compute, and their
    /// trees are fixed. Memories send nothing to each other.
    bool IsSource(VertexId at) const
    {
        return at != m_destination && m_topology.Vertex(at).kind != VertexKind::Switch &&
               !(m_topology.IsMemory(at) && m_topology.IsMemory(m_destination));
    }

    /// The vertices behind the next links are crossed, too. Whether there are several links.
    bool Follow(VertexId at)
    {
        const auto& links = m_routing.FindNextLinks(at, m_destination);
        for (const LinkId link : links)
        {
            const VertexId next = m_topology.Link(link).to;
            if (next != m_destination && !m_isCrossed[next.value])
            {
                m_isCrossed[next.value] = true;
                m_waiting.push_back(next);
            }
        }
        return links.size() > 1;
    }

    VertexId m_destination;
    const Topology& m_topology;
    const Routing& m_routing;
    std::vector<bool> m_isCrossed; // by vertex: it forwards frames to the destination
    std::vector<VertexId> m_waiting;
};

} // namespace

WayChoice
FindWayChoice(const Topology& topology, const Routing& routing)
{
    if (!topology.Dimensions().empty() && topology.MemoryCount() == 0)
    {
        return WayChoice::None; // a stack: one way, fixed by the dimensions
    }
    // Each for a pair of an NPU, or about as many memories, and a vertex where a frame may be.
    constexpr uint64_t mostLookups = 1U << 22;
    if (uint64_t{topology.NpuCount()} * topology.VertexCount() > mostLookups)
    {
        return WayChoice::OnTheWay;
    }
    WayChoice found = WayChoice::None;
    for (VertexId to{0}; to.value < topology.VertexCount(); ++to.value)
    {
        // Nor does a message of a job end at a switch.
        if (found != WayChoice::OnTheWay && topology.Vertex(to).kind != VertexKind::Switch)
        {
            found = std::max(found, WaysTo(to, topology, routing).FindChoice());
        }
    }
    return found;
}

} // namespace nadi
