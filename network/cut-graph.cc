// SPDX-License-Identifier: GPL-2.0-only
#include "network/cut-graph.h"

#include "network/cut-graph-maker.h"

#include <tuple>
#include <utility>

namespace nadi
{

CutGraph::CutGraph(const Topology& topology, const std::vector<VertexId>& members)
{
    CutGraphMaker(topology, members).Make(*this);
}

CutGraph
CutGraph::Mirrored() const
{
    CutGraph mirrored(*this);
    for (Joint& joint : mirrored.m_joints)
    {
        std::swap(joint.forth, joint.back);
    }
    return mirrored;
}

std::vector<CutGraph::Ports>
CutGraph::FindPorts() const
{
    std::vector<Ports> ports(m_vertexCount);
    for (const Joint& joint : m_joints)
    {
        ports[joint.first].out += joint.forth;
        ports[joint.first].in += joint.back;
        ports[joint.second].out += joint.back;
        ports[joint.second].in += joint.forth;
    }
    return ports;
}

CutGraph::Amount
CutGraph::RateOut(const std::vector<bool>& inside) const
{
    Amount rate = 0;
    for (const Joint& joint : m_joints)
    {
        if (inside[joint.first] != inside[joint.second])
        {
            rate += inside[joint.first] ? joint.forth : joint.back;
        }
    }
    return rate;
}

std::vector<bool>
CutGraph::Expand(const std::vector<bool>& inside) const
{
    std::vector<bool> sides(m_vertices.size() + m_folds.size());
    for (size_t vertex = 0; vertex < m_vertices.size(); ++vertex)
    {
        sides[m_vertices[vertex].value] = inside[vertex];
    }
    // Backwards: the neighbours of a folded vertex may have been folded after it, and must have
    // their sides first.
    for (auto fold = m_folds.rbegin(); fold != m_folds.rend(); ++fold)
    {
        sides[fold->vertex.value] = IsInside(*fold, sides);
    }
    return sides;
}

/// On the side where fewer of its links leave the cut. Of equals outside.
bool
CutGraph::IsInside(const Fold& fold, const std::vector<bool>& sides)
{
    const bool isFirstInside = sides[fold.first.value];
    const bool isSecondInside = sides[fold.second.value];
    const Amount whenInside =
        (isFirstInside ? 0 : fold.toFirst) + (isSecondInside ? 0 : fold.toSecond);
    const Amount whenOutside =
        (isFirstInside ? fold.fromFirst : 0) + (isSecondInside ? fold.fromSecond : 0);
    return whenInside < whenOutside;
}

std::strong_ordering
operator<=>(const CutGraph& one, const CutGraph& other)
{
    return std::tie(one.m_memberCount, one.m_vertexCount, one.m_joints) <=>
           std::tie(other.m_memberCount, other.m_vertexCount, other.m_joints);
}

} // namespace nadi
