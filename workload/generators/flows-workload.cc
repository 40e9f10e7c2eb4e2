// SPDX-License-Identifier: GPL-2.0-only
#include "workload/generators/flows-workload.h"

#include "common/error.h"
#include "workload/execution-graph-builder.h"
#include "workload/generators/uniform-workload.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

void
CheckFlow(const FlowsWorkloadOptions& options, size_t number)
{
    const FlowSpec& flow = options.flows[number];
    for (const uint32_t rank : {flow.source, flow.destination})
    {
        if (rank >= options.ranks)
        {
            throw ConfigError(options.where,
                              fmt::format("flow {} names rank {}; the ranks are 0 to {}",
                                          number,
                                          rank,
                                          options.ranks - 1));
        }
    }
    if (flow.source == flow.destination)
    {
        throw ConfigError(options.where,
                          fmt::format("flow {} goes from rank {} to itself; name two ranks",
                                      number,
                                      flow.source));
    }
}

// One end of a flow on one rank: a delay until its start, then the call. Ids: two for each flow.
void
AddEnd(ExecutionGraphBuilder& builder, const FlowSpec& flow, uint64_t number, NodeType type)
{
    // The ids are unique on a rank, as no rank is both ends of a flow (CheckFlow).
    const uint64_t delay = 2 * number;
    builder.AddNode({.id = delay, .durationPs = flow.start.Ps(), .type = NodeType::Delay},
                    fmt::format("start of flow {}", number));
    builder.AddNode({.id = delay + 1,
                     .size = static_cast<uint64_t>(flow.size.Count()),
                     .tag = number,
                     .peer = type == NodeType::Send ? flow.destination : flow.source,
                     .type = type},
                    fmt::format("flow {}", number),
                    {delay});
}

} // namespace

Workload
MakeFlowsWorkload(const FlowsWorkloadOptions& options)
{
    std::vector<ExecutionGraphBuilder> builders(options.ranks,
                                                ExecutionGraphBuilder("workload.flows"));
    for (size_t number = 0; number < options.flows.size(); ++number)
    {
        CheckFlow(options, number);
        const FlowSpec& flow = options.flows[number];
        AddEnd(builders[flow.source], flow, number, NodeType::Send);
        AddEnd(builders[flow.destination], flow, number, NodeType::Receive);
    }
    Workload workload = MakeEmptyWorkload(options.ranks);
    for (uint32_t rank = 0; rank < options.ranks; ++rank)
    {
        workload.graphs.push_back(builders[rank].Build());
        workload.graphOfRank.push_back(rank);
    }
    return workload;
}

} // namespace nadi
