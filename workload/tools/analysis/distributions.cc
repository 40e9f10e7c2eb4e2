// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/analysis/distributions.h"

#include "workload/tools/fitting/kernel-kind.h"

#include <algorithm>
#include <numeric>

namespace nadi
{

Distribution
MakeDistribution(std::vector<uint64_t> values)
{
    Distribution spread;
    if (values.empty())
    {
        return spread;
    }
    std::ranges::sort(values);
    for (size_t part = 0; part <= 100; ++part)
    {
        spread.hundredths.push_back(values[(values.size() - 1) * part / 100]);
    }
    spread.count = values.size();
    spread.least = values.front();
    spread.tenth = spread.hundredths[10];
    spread.median = spread.hundredths[50];
    spread.ninetieth = spread.hundredths[90];
    spread.most = values.back();
    spread.sum = std::accumulate(values.begin(), values.end(), uint64_t{0});
    return spread;
}

std::map<std::string, Distribution>
FindKernelDurations(const TraceJob& job)
{
    std::map<std::string, std::vector<uint64_t>> nanos;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.GraphOf(rank);
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            // Kernels that a roofline is to time have no duration. They would pull quantiles down.
            if (node.type == NodeType::Compute && !node.isCpu && node.durationPs > 0)
            {
                nanos[std::string(ToText(FindNodeKind(graph, index)))].push_back(
                    static_cast<uint64_t>(node.durationPs / 1000));
            }
        }
    }
    std::map<std::string, Distribution> spreads;
    for (auto& [kind, values] : nanos)
    {
        spreads[kind] = MakeDistribution(std::move(values));
    }
    return spreads;
}

Distribution
FindDependencyCounts(const TraceJob& job)
{
    std::vector<uint64_t> counts;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = job.GraphOf(rank);
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            counts.push_back(graph.ParentCount(index));
        }
    }
    return MakeDistribution(std::move(counts));
}

} // namespace nadi
