// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/demands/job-demands.h"

#include "simulation/demands/call-planner.h"
#include "workload/engine/compute-work.h"
#include "workload/engine/node-route.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// Reads the nodes of one rank after the other.
class Collector
{
  public:
    explicit Collector(const RunInput& input)
        : m_workload(input.Workload())
        , m_compute(input.Compute())
        , m_planner(input)
    {
    }

    RankDemands Collect(RankId rank)
    {
        RankDemands demands{.first = rank, .compute = {}, .calls = {}};
        std::map<std::pair<NodeRoute, uint32_t>, SimTime> busy; // by resource
        for (const ExecutionNode& node : m_workload.GraphOf(rank).Nodes())
        {
            const NodeRoute route = FindRoute(node);
            if (route == NodeRoute::Collective)
            {
                ++demands.calls[m_planner.PlanCollective(rank, node)];
            }
            else if (route == NodeRoute::Send)
            {
                ++demands.calls[m_planner.PlanSend(rank, node)];
            }
            else if (IsKernel(route) || route == NodeRoute::Cpu)
            {
                SimTime& sum = busy[{route, node.stream}];
                sum = sum + DurationOf(rank, node);
                // Resources work side by side, so the bound for the rank is the busiest one, and
                // not their sum.
                demands.compute = std::max(demands.compute, sum);
            }
        }
        return demands;
    }

  private:
    SimTime DurationOf(RankId rank, const ExecutionNode& node) const
    {
        return m_compute.ComputeDuration(
            DescribeWork(m_workload, m_workload.GraphOf(rank), node, rank));
    }

    const Workload& m_workload;
    const ComputeModel& m_compute;
    CallPlanner m_planner;
};

} // namespace

std::vector<RankDemands>
CollectDemands(const RunInput& input, WorkProgress* progress)
{
    Collector collector(input);
    std::vector<RankDemands> found;
    // Where each combination stands in `found`.
    std::map<std::pair<SimTime, std::map<CallDemand, uint64_t>>, size_t> known;
    WorkProgress unwatched;
    WorkProgress& watched = progress == nullptr ? unwatched : *progress;
    watched.Begin(input.Workload().RankCount());
    for (uint32_t rank = 0; rank < input.Workload().RankCount(); ++rank)
    {
        RankDemands demands = collector.Collect(RankId{rank});
        const auto [place, isNew] =
            known.try_emplace({demands.compute, demands.calls}, found.size());
        if (isNew)
        {
            found.push_back(std::move(demands));
        }
        else
        {
            ++found[place->second].count;
        }
        watched.done = rank + 1;
    }
    return found;
}

} // namespace nadi
