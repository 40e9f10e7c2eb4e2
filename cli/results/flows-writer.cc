// SPDX-License-Identifier: GPL-2.0-only
#include "cli/results/flows-writer.h"

#include "cli/results/text-format.h"
#include "network/path-metrics.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// The route that the packet backend took: a rank is the vertex of its number.
std::vector<LinkId>
FindRoute(const FlowRecord& record, const RunInput& input)
{
    const VertexId from{record.source.value};
    const VertexId to{record.destination.value};
    const uint64_t flow = MakeFlowHash(from, to, record.stream.value);
    return input.Routing().FindPath(from, to, flow, input.Config().network.packet.seed);
}

/// Requires: the route is not empty.
std::string
DescribeRoute(const std::vector<LinkId>& route, const Topology& topology)
{
    std::string text = topology.Vertex(topology.Link(route.front()).from).name;
    for (const LinkId link : route)
    {
        text += ">" + topology.Vertex(topology.Link(link).to).name;
    }
    return text;
}

/// 1 where both are 0: an empty message without header or latency.
double
ComputeSlowdown(SimTime time, SimTime ideal)
{
    return time == ideal ? 1 : static_cast<double>(time.Ps()) / static_cast<double>(ideal.Ps());
}

std::string
WriteRow(size_t id, const FlowRecord& flow, const RunInput& input)
{
    const std::vector<LinkId> route = FindRoute(flow, input);
    const SimTime time = flow.delivered - flow.sent;
    const SimTime ideal =
        IdealTransferTime(input.Topology(), route, flow.size, input.Config().network.packet);
    return fmt::format("{},{},{},{},{},{},{},{},{:.6f},{},{}\n",
                       id,
                       flow.source.value,
                       flow.destination.value,
                       flow.size.Count(),
                       NsText(flow.sent),
                       NsText(flow.delivered),
                       NsText(time),
                       NsText(ideal),
                       ComputeSlowdown(time, ideal),
                       CsvText(DescribeRoute(route, input.Topology())),
                       flow.retransmissions);
}

} // namespace

void
WriteFlows(const std::deque<FlowRecord>& flows, const RunInput& input, std::ostream& file)
{
    file << "id,src,dst,size_bytes,start_ns,end_ns,fct_ns,ideal_fct_ns,slowdown,path,"
            "retransmissions\n";
    for (size_t id = 0; id < flows.size(); ++id)
    {
        file << WriteRow(id, flows[id], input);
    }
}

} // namespace nadi
