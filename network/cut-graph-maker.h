// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/cut-graph.h"

#include <map>
#include <vector>

namespace nadi
{

/// Makes a CutGraph: it starts with the whole topology, takes out what no cut has to decide about,
/// and numbers the rest.
class CutGraphMaker
{
  public:
    CutGraphMaker(const Topology& topology, const std::vector<VertexId>& members);

    /// Once.
    void Make(CutGraph& graph);

  private:
    using Amount = CutGraph::Amount;

    struct Rates
    {
        Amount out = 0;
        Amount in = 0;
    };

    void AddLinks(const Topology& topology);
    void Join(uint32_t from, uint32_t to, Rates rates);
    bool CanFold(uint32_t vertex) const;
    CutGraph::Fold FoldOut(uint32_t vertex);
    void NumberVertices(CutGraph& graph) const;

    std::vector<VertexId> m_members;
    std::vector<bool> m_isMember;                        // by vertex of the topology
    std::vector<std::map<uint32_t, Rates>> m_neighbours; // likewise: its neighbours
    std::vector<bool> m_isFolded;                        // likewise
};

} // namespace nadi
