// SPDX-License-Identifier: GPL-2.0-only
#include "network/throughput-cut.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

using Amount = CutGraph::Amount;

/// The method of Newton and Dinkelbach for the smallest ratio rate / load. With the best cut so
/// far, an additional vertex feeds each source with `rate`, and all links are multiplied by `load`.
/// If all of it reaches a sink, no cut that leaves out this sink is tighter. If not, let A be the
/// smallest cut, without the additional vertex. It is smaller than what is fed:
///
///     rate * (sources outside A) + load * RateOut(A) < rate * (all sources).
///
/// So RateOut(A) / (sources in A) < rate / load: A is tighter, and becomes the best cut. The ratio
/// falls with each step and there are finitely many cuts, so the search ends.
class ThroughputSearch
{
  public:
    ThroughputSearch(const CutGraph& graph, const std::vector<uint32_t>& sources)
        : m_graph(graph)
        , m_sources(sources)
        , m_isSource(graph.VertexCount())
    {
        for (const uint32_t source : sources)
        {
            m_isSource[source] = true;
        }
    }

    std::optional<LoadedCut> Search(const std::vector<uint32_t>& sinks)
    {
        TryPorts(sinks);
        if (!m_best)
        {
            return std::nullopt;
        }
        // What a sink let pass it lets pass at every smaller rate too, so each is asked once more
        // only after it has made the rate smaller itself.
        for (const uint32_t sink : sinks)
        {
            while (Improve(sink))
            {
            }
        }
        return m_best;
    }

  private:
    /// What all sources send at once at the rate that is tried, in the unit of MakeFlows().
    Amount Demand() const
    {
        return m_best->rate * static_cast<Amount>(m_sources.size());
    }

    void TryPorts(const std::vector<uint32_t>& sinks)
    {
        const std::vector<CutGraph::Ports> ports = m_graph.FindPorts();
        // Cuts around one vertex need no flow. The smaller the first ratio is, the fewer flows are
        // needed.
        for (const uint32_t sink : sinks)
        {
            const size_t others = m_sources.size() - (m_isSource[sink] ? 1 : 0);
            TryPort(sink, static_cast<Amount>(others), ports[sink].in, false);
        }
        for (const uint32_t source : m_sources)
        {
            // The data of a source has to leave it if another member wants them.
            const bool isOnlySink = sinks.size() == 1 && sinks.front() == source;
            TryPort(source, isOnlySink ? 0 : 1, ports[source].out, true);
        }
    }

    /// The vertex alone on its side, which is inside or not.
    void TryPort(uint32_t vertex, Amount load, Amount rate, bool isInside)
    {
        if (load > 0 && (!m_best || IsTighter({{}, load, rate}, *m_best)))
        {
            m_best = {std::vector<bool>(m_graph.VertexCount(), !isInside), load, rate};
            m_best->inside[vertex] = isInside;
            m_flows.reset();
        }
    }

    /// Whether the flow to `sink` shows a cut that is tighter than the best one; then it is the
    /// best.
    bool Improve(uint32_t sink)
    {
        if (!m_flows)
        {
            m_flows = MakeFlows();
        }
        // The additional vertex has the first number behind those of the graph.
        if (m_flows->Compute(m_graph.VertexCount(), sink, Demand()) == Demand())
        {
            return false;
        }
        LoadedCut cut{std::vector<bool>(m_graph.VertexCount()), 0, 0};
        for (uint32_t vertex = 0; vertex < m_graph.VertexCount(); ++vertex)
        {
            cut.inside[vertex] = m_flows->IsAtSource(vertex);
            cut.load += cut.inside[vertex] && m_isSource[vertex] ? 1 : 0;
        }
        cut.rate = m_graph.RateOut(cut.inside);
        m_best = std::move(cut);
        m_flows.reset();
        return true;
    }

    /// Each source is fed with rate / load. All is multiplied by load, so that it is whole.
    std::optional<MinimumCut> MakeFlows() const
    {
        std::vector<MinimumCut::Joint> joints = m_graph.Joints();
        for (MinimumCut::Joint& joint : joints)
        {
            joint.forth *= m_best->load;
            joint.back *= m_best->load;
        }
        for (const uint32_t source : m_sources)
        {
            joints.push_back({m_graph.VertexCount(), source, m_best->rate, 0});
        }
        return MinimumCut(m_graph.VertexCount() + 1, joints);
    }

    const CutGraph& m_graph;
    const std::vector<uint32_t>& m_sources;
    std::vector<bool> m_isSource; // by vertex
    std::optional<LoadedCut> m_best;
    std::optional<MinimumCut> m_flows; // at the rate of the best cut; none: it has changed
};

Amount
FindGreatestCommonDivisor(Amount one, Amount other)
{
    while (other != 0)
    {
        one = std::exchange(other, one % other);
    }
    return one;
}

} // namespace

std::optional<LoadedCut>
FindThroughputCut(const CutGraph& graph,
                  const std::vector<uint32_t>& sources,
                  const std::vector<uint32_t>& sinks)
{
    return ThroughputSearch(graph, sources).Search(sinks);
}

Amount
CountTrees(const CutGraph& graph, const LoadedCut& limit)
{
    // As in the search, all links are multiplied by the load, so that each root sends `rate`. In
    // units of the greatest common divisor all of these are whole numbers. By Edmonds' theorem they
    // can be packed with trees of one unit each: rate / unit trees for each root.
    Amount unit = limit.rate;
    for (const CutGraph::Joint& joint : graph.Joints())
    {
        unit = FindGreatestCommonDivisor(unit, joint.forth * limit.load);
        unit = FindGreatestCommonDivisor(unit, joint.back * limit.load);
    }
    return limit.rate / unit;
}

} // namespace nadi
