// SPDX-License-Identifier: GPL-2.0-only
#include "network/narrowest-cut.h"

#include <algorithm>

namespace nadi
{

std::optional<LoadedCut>
FindNarrowestCut(const CutGraph& graph, uint32_t root)
{
    if (graph.MemberCount() < 2)
    {
        return std::nullopt;
    }
    const std::vector<CutGraph::Ports> ports = graph.FindPorts();
    // The root alone is a cut already. Each flow only has to tell whether it stays below the best
    // cut so far, and stops where it does not.
    LoadedCut best{std::vector<bool>(graph.VertexCount()), 1, ports[root].out};
    best.inside[root] = true;
    MinimumCut flows(graph.VertexCount(), graph.Joints());
    for (uint32_t member = 0; member < graph.MemberCount(); ++member)
    {
        if (member == root)
        {
            continue;
        }
        const CutGraph::Amount flow = flows.Compute(root, member, best.rate);
        if (flow < best.rate)
        {
            best.rate = flow;
            // Read now, since the next flow overwrites what is at the source.
            for (uint32_t vertex = 0; vertex < graph.VertexCount(); ++vertex)
            {
                best.inside[vertex] = flows.IsAtSource(vertex);
            }
        }
    }
    return best;
}

} // namespace nadi
