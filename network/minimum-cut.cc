// SPDX-License-Identifier: GPL-2.0-only
#include "network/minimum-cut.h"

#include <algorithm>

// Levels are counted from the sink. Each round finds how far vertices are from the sink over arcs
// with room, and pushes along arcs that lead one level down until no more fits; so the shortest way
// grows with each round. When the source is reached no more, the flow is as large as the smallest
// cut. The last search has then gone through all that reaches the sink, and its levels tell the two
// sides (IsAtSource).
namespace nadi
{

MinimumCut::MinimumCut(uint32_t vertexCount, const std::vector<Joint>& joints)
    : m_vertexCount(vertexCount)
    , m_firstArc(vertexCount + 1)
    , m_arcs(2 * joints.size())
    , m_levels(vertexCount)
    , m_next(vertexCount)
{
    for (const Joint& joint : joints)
    {
        ++m_firstArc[joint.first + 1];
        ++m_firstArc[joint.second + 1];
    }
    for (uint32_t vertex = 0; vertex < vertexCount; ++vertex)
    {
        m_firstArc[vertex + 1] += m_firstArc[vertex];
    }
    // Arcs lie sorted by the vertex that they leave, as in a compressed sparse matrix: `m_firstArc`
    // says where those of each vertex begin, and `free` where the next one goes.
    std::vector<uint32_t> free(m_firstArc);
    for (const Joint& joint : joints)
    {
        const uint32_t forth = free[joint.first]++;
        const uint32_t back = free[joint.second]++;
        m_arcs[forth] = {joint.second, back, joint.forth, 0};
        m_arcs[back] = {joint.first, forth, joint.back, 0};
    }
}

MinimumCut::Amount
MinimumCut::Compute(uint32_t source, uint32_t sink, Amount enough)
{
    // Compute is called for many pairs of vertices, so each call begins with empty arcs.
    for (Arc& arc : m_arcs)
    {
        arc.room = arc.capacity;
    }
    Amount flow = 0;
    while (flow < enough)
    {
        FindLevels(source, sink);
        if (m_levels[source] == UNREACHED)
        {
            break;
        }
        std::copy_n(m_firstArc.begin(), m_vertexCount, m_next.begin());
        flow += Push(source, sink, enough - flow);
    }
    return flow;
}

/// How many arcs with room each vertex is away from the sink. Stops at the source: what is farther
/// away is on no shortest way.
void
MinimumCut::FindLevels(uint32_t source, uint32_t sink)
{
    std::fill(m_levels.begin(), m_levels.end(), UNREACHED);
    m_levels[sink] = 0;
    m_queue.assign(1, sink);
    for (size_t head = 0; head < m_queue.size(); ++head)
    {
        const uint32_t at = m_queue[head];
        for (uint32_t i = m_firstArc[at]; i < m_firstArc[at + 1]; ++i)
        {
            const uint32_t from = m_arcs[i].to;
            // The search goes against the flow, so what counts is the room of the arc from there to
            // here.
            if (m_levels[from] != UNREACHED || m_arcs[m_arcs[i].reverse].room == 0)
            {
                continue;
            }
            m_levels[from] = m_levels[at] + 1;
            if (from == source)
            {
                return;
            }
            m_queue.push_back(from);
        }
    }
}

/// Sends what fits, `most` at most, over arcs that lead one level down.
MinimumCut::Amount
MinimumCut::Push(uint32_t from, uint32_t sink, Amount most)
{
    if (from == sink)
    {
        return most;
    }
    Amount pushed = 0;
    // `i` is a reference into m_next: arcs that can take no more are not tried again in this round,
    // whichever way leads to the vertex next. That bounds the work of a round.
    for (uint32_t& i = m_next[from]; i < m_firstArc[from + 1]; ++i)
    {
        Arc& arc = m_arcs[i];
        if (arc.room == 0 || m_levels[arc.to] == UNREACHED ||
            m_levels[arc.to] + 1 != m_levels[from])
        {
            continue;
        }
        const Amount sent = Push(arc.to, sink, std::min(most - pushed, arc.room));
        arc.room -= sent;
        // What was sent may be sent back, so the other direction has that much more room.
        m_arcs[arc.reverse].room += sent;
        pushed += sent;
        if (pushed == most)
        {
            return pushed; // the arc may have room left, so it stays the next one
        }
    }
    return pushed;
}

} // namespace nadi
