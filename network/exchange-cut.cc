// SPDX-License-Identifier: GPL-2.0-only
#include "network/exchange-bounds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

using Amount = CutGraph::Amount;

/// The neighbours of each vertex.
struct GrowthArc
{
    uint32_t to;
    Amount out; // what can flow there
    Amount in;  // and back
};

using GrowthArcs = std::vector<std::vector<GrowthArc>>;

GrowthArcs
ListNeighbours(const CutGraph& graph)
{
    GrowthArcs arcs(graph.VertexCount());
    for (const CutGraph::Joint& joint : graph.Joints())
    {
        arcs[joint.first].push_back({joint.second, joint.forth, joint.back});
        arcs[joint.second].push_back({joint.first, joint.back, joint.forth});
    }
    return arcs;
}

/// A side that grows from one member until half of the members are in it.
class GrowingSide
{
  public:
    GrowingSide(const CutGraph& graph, const GrowthArcs& arcs)
        : m_graph(graph)
        , m_arcs(arcs)
        , m_inside(graph.VertexCount())
        , m_changes(graph.VertexCount())
    {
        const std::vector<CutGraph::Ports> ports = graph.FindPorts();
        for (uint32_t vertex = 0; vertex < graph.VertexCount(); ++vertex)
        {
            m_changes[vertex] = {ports[vertex].out, ports[vertex].in};
        }
    }

    void Grow(uint32_t from, LoadedCut& best)
    {
        Add(from);
        Offer(best);
        while (const auto next = FindNext())
        {
            Add(*next);
            Offer(best);
        }
    }

    /// The members among them, by vertex.
    const std::vector<bool>& Inside() const
    {
        return m_inside;
    }

  private:
    /// Blocks that cross the cut in one direction, with so many more members inside.
    Amount LoadWith(uint32_t more) const
    {
        const Amount inside = m_membersInside + more;
        return inside * (m_graph.MemberCount() - inside);
    }

    void Add(uint32_t vertex)
    {
        m_inside[vertex] = true;
        m_membersInside += vertex < m_graph.MemberCount() ? 1 : 0;
        m_rates.out += m_changes[vertex].out;
        m_rates.in += m_changes[vertex].in;
        // The sums are kept up to date, arc by arc. Working out the rates of each side anew would
        // take a look at all links for each candidate.
        for (const GrowthArc& arc : m_arcs[vertex])
        {
            // If this neighbour came in too, links between the two would no longer cross the cut.
            m_changes[arc.to].out -= arc.in + arc.out;
            m_changes[arc.to].in -= arc.in + arc.out;
            if (!m_inside[arc.to])
            {
                m_frontier.push_back(arc.to);
            }
        }
    }

    void Offer(LoadedCut& best) const
    {
        const Amount load = LoadWith(0);
        if (IsTighter({{}, load, m_rates.out}, best))
        {
            best = {m_inside, load, m_rates.out};
        }
        // As many blocks come in as go out, and the links may have less rate in that direction. The
        // cut around the other side, which sends these blocks, is then the tighter one.
        if (IsTighter({{}, load, m_rates.in}, best))
        {
            best = {m_inside, load, m_rates.in};
            best.inside.flip();
        }
    }

    /// The neighbour that makes the cut tightest, of equals the first that was found; nothing when
    /// half of the members are inside, as the sides of the others grow too.
    std::optional<uint32_t> FindNext()
    {
        if (2 * m_membersInside >= m_graph.MemberCount())
        {
            return std::nullopt;
        }
        std::erase_if(m_frontier, [this](uint32_t vertex) { return m_inside[vertex]; });
        std::optional<uint32_t> next;
        // Candidates have no list of the vertices inside, as IsTighter does not look at that.
        LoadedCut tightest;
        for (const uint32_t vertex : m_frontier)
        {
            const LoadedCut cut{
                {},
                LoadWith(vertex < m_graph.MemberCount() ? 1 : 0),
                std::min(m_rates.out + m_changes[vertex].out, m_rates.in + m_changes[vertex].in)};
            if (!next || IsTighter(cut, tightest))
            {
                next = vertex;
                tightest = cut;
            }
        }
        return next;
    }

    const CutGraph& m_graph;
    const GrowthArcs& m_arcs;
    std::vector<bool> m_inside;
    std::vector<CutGraph::Ports> m_changes; // by vertex: of m_rates, if it came in
    std::vector<uint32_t> m_frontier;       // neighbours of what is inside, some of them twice
    uint32_t m_membersInside = 0;
    CutGraph::Ports m_rates; // of the links that leave the side, and of those that enter it
};

/// The narrowest cut between the members inside and the others, wherever all else stands: a side
/// that grows by one vertex at a time may have passed the narrow links behind a switch.
LoadedCut
FindCutBetween(const CutGraph& graph, const std::vector<bool>& inside)
{
    const uint32_t source = graph.VertexCount();
    const uint32_t sink = source + 1;
    std::vector<CutGraph::Joint> joints = graph.Joints();
    Amount more = 1; // than all links carry together
    for (const CutGraph::Joint& joint : joints)
    {
        more += joint.forth + joint.back;
    }
    Amount membersInside = 0;
    for (uint32_t member = 0; member < graph.MemberCount(); ++member)
    {
        membersInside += inside[member] ? 1 : 0;
        joints.push_back(inside[member] ? CutGraph::Joint{member, source, 0, more}
                                        : CutGraph::Joint{member, sink, more, 0});
    }
    MinimumCut flows(sink + 1, joints);
    LoadedCut cut{std::vector<bool>(graph.VertexCount()),
                  membersInside * (graph.MemberCount() - membersInside),
                  flows.Compute(source, sink, more)};
    for (uint32_t vertex = 0; vertex < graph.VertexCount(); ++vertex)
    {
        cut.inside[vertex] = flows.IsAtSource(vertex);
    }
    return cut;
}

} // namespace

LoadedCut
FindExchangeCut(const CutGraph& graph)
{
    const GrowthArcs arcs = ListNeighbours(graph);
    const CutGraph mirrored = graph.Mirrored();
    // This has no load, so any cut that is offered is tighter.
    LoadedCut best{{}, 0, 1};
    for (uint32_t member = 0; member < graph.MemberCount(); ++member)
    {
        // Each step adds one vertex and looks at the whole frontier. So the work for a member is
        // quadratic in the vertices at worst, and callers bound the size of the graph.
        GrowingSide side(graph, arcs);
        side.Grow(member, best);
        if (const LoadedCut out = FindCutBetween(graph, side.Inside()); IsTighter(out, best))
        {
            best = out;
        }
        // As many blocks come in as go out; see Offer.
        if (LoadedCut in = FindCutBetween(mirrored, side.Inside()); IsTighter(in, best))
        {
            best = std::move(in);
            best.inside.flip();
        }
    }
    return best;
}

} // namespace nadi
