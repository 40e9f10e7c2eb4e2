// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/host/host-gaps.h"

#include <algorithm>
#include <vector>

namespace nadi
{

namespace
{

double
SumOf(const ExecutionGraph& graph, const TaskList& operators)
{
    double sum = 0;
    for (const uint32_t node : operators)
    {
        sum += static_cast<double>(graph.Node(node).durationPs);
    }
    return sum;
}

} // namespace

std::optional<HostGaps>
FindHostGaps(const RecordedHost& host,
             const RankStructure& rank,
             const LayerPlaces& places,
             uint32_t kept)
{
    std::vector<double> all;
    double sumOfAll = 0;
    double keptSum = 0;
    size_t keptCount = 0;
    for (uint32_t pass = 0; pass < places.PassCount(); ++pass)
    {
        for (uint32_t position = 0; position < places.LayerCount(); ++position)
        {
            double sum = 0;
            // The work of a layer is what led up to the launches of its tasks, and what waited for
            // them: that is what WeaveHost copies with them.
            for (const uint32_t task : places.TasksAt(pass, position))
            {
                sum += SumOf(host.Graph(), host.LeadOf(task));
                sum += SumOf(host.Graph(), host.TrailOf(task));
            }
            all.push_back(sum);
            sumOfAll += sum;
            // New layers repeat the first ones, in turn, so the page compares with those that are
            // kept.
            const bool isForward = rank.passes[pass].isForward;
            const uint32_t layer = isForward ? position : places.LayerCount() - 1 - position;
            keptSum += layer < kept ? sum : 0;
            keptCount += layer < kept ? 1 : 0;
        }
    }
    // Tasks without operators, or operators without recorded times.
    if (sumOfAll == 0)
    {
        return std::nullopt;
    }
    return HostGaps{.least = std::ranges::min(all),
                    .most = std::ranges::max(all),
                    .mean = sumOfAll / static_cast<double>(all.size()),
                    .keptMean = keptSum / static_cast<double>(std::max<size_t>(1, keptCount))};
}

} // namespace nadi
