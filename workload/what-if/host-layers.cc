// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/host-layers.h"

#include "workload/what-if/graph-copy.h"

#include <algorithm>

namespace nadi
{

HostLayers::HostLayers(const ExecutionGraph& graph,
                       const RankStructure& rank,
                       const LayerPlaces& places,
                       const std::vector<std::vector<uint32_t>>& parents)
    : m_graph(graph)
    , m_launches(graph.NodeCount())
    , m_spans(places.PassCount(),
              std::vector<std::pair<uint32_t, uint32_t>>(places.LayerCount(), {UINT32_MAX, 0}))
    , m_nodes(places.PassCount(), std::vector<TaskList>(places.LayerCount()))
    , m_places(graph.NodeCount())
{
    const bool isOfHost = !rank.tasks.empty() && graph.Node(rank.tasks.front()).isCpu;
    if (isOfHost)
    {
        return;
    }
    FindLaunches(rank, places, parents);
    for (uint32_t pass = 0; pass < places.PassCount(); ++pass)
    {
        for (uint32_t position = 0; position < places.LayerCount(); ++position)
        {
            Deal(pass, position);
        }
    }
}

void
HostLayers::FindLaunches(const RankStructure& rank,
                         const LayerPlaces& places,
                         const std::vector<std::vector<uint32_t>>& parents)
{
    for (const uint32_t task : rank.tasks)
    {
        for (const uint32_t parent : parents[task])
        {
            if (m_graph.Node(parent).isCpu)
            {
                const std::optional<LayerPlace>& of = places.PlaceOf(task);
                m_launches[parent] = {true, of};
                if (of)
                {
                    auto& [first, last] = m_spans[of->pass][of->position];
                    first = std::min(first, parent);
                    last = std::max(last, parent + 1);
                }
            }
        }
    }
}

void
HostLayers::Deal(uint32_t pass, uint32_t position)
{
    const auto isOwn = [&](uint32_t node)
    {
        const std::optional<LayerPlace>& of = m_launches[node].of;
        return of && of->pass == pass && of->position == position;
    };
    auto [first, last] = m_spans[pass][position];
    while (first < last && first > 0 && !m_launches[first - 1].isOne)
    {
        --first;
    }
    TaskList& nodes = m_nodes[pass][position];
    for (uint32_t node = first; node < last; ++node)
    {
        const bool isOthers = m_launches[node].isOne && !isOwn(node);
        if (m_graph.Node(node).isCpu && !m_places[node] && !isOthers)
        {
            m_places[node] = LayerPlace{pass, position, static_cast<uint32_t>(nodes.size())};
            nodes.push_back(node);
            m_isEmpty = false;
        }
    }
}

std::optional<HostGaps>
FindHostGaps(const ExecutionGraph& graph,
             const RankStructure& rank,
             const LayerPlaces& places,
             uint32_t kept)
{
    const HostLayers host(graph, rank, places, FindParents(graph));
    if (host.IsEmpty())
    {
        return std::nullopt;
    }
    std::vector<double> all;
    double keptSum = 0;
    size_t keptCount = 0;
    for (uint32_t pass = 0; pass < places.PassCount(); ++pass)
    {
        for (uint32_t position = 0; position < places.LayerCount(); ++position)
        {
            double sum = 0;
            for (const uint32_t node : host.NodesAt(pass, position))
            {
                sum += static_cast<double>(graph.Node(node).durationPs);
            }
            all.push_back(sum);
            const bool isForward = rank.passes[pass].isForward;
            const uint32_t layer = isForward ? position : places.LayerCount() - 1 - position;
            keptSum += layer < kept ? sum : 0;
            keptCount += layer < kept ? 1 : 0;
        }
    }
    HostGaps gaps;
    gaps.least = *std::ranges::min_element(all);
    gaps.most = *std::ranges::max_element(all);
    for (const double each : all)
    {
        gaps.mean += each / static_cast<double>(all.size());
    }
    gaps.keptMean = keptSum / static_cast<double>(std::max<size_t>(1, keptCount));
    return gaps;
}

} // namespace nadi
