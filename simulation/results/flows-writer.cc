// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/flows-writer.h"

#include "network/message-kind.h"
#include "network/path-metrics.h"
#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

/// The route that the packet backend took: a rank is the vertex of its number.
std::vector<LinkId>
FindRoute(const FlowRecord& record, const RunInput& input)
{
    const VertexId from = record.source;
    const VertexId to = record.destination;
    const FlowChoice flow = MakeFlowChoice(from, to, record.stream);
    return input.Routing().FindPath(from, to, flow, input.Config().network.packet.seed);
}

/// The rank; of what hosts none, the name.
/// NPUs come first among the vertices, numbered by their ranks.
std::string
EndText(VertexId end, const Topology& topology)
{
    return end.value < topology.NpuCount() ? std::to_string(end.value)
                                           : CsvText(topology.Vertex(end).name);
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

std::string
KindText(StreamId stream)
{
    if (const std::optional<MessageKind> kind = MessageKindOf(stream))
    {
        return std::string(ToText(*kind));
    }
    return IsMemoryStream(stream) ? "remote-memory" : "collective";
}

/// 1 where both are 0: an empty message without header or latency.
double
ComputeSlowdown(SimTime time, SimTime ideal)
{
    return time == ideal ? 1 : static_cast<double>(time.Ps()) / static_cast<double>(ideal.Ps());
}

struct FlowRow
{
    size_t id;
    const FlowRecord& flow;
    const Topology& topology;
    const std::vector<LinkId>& route;
    SimTime ideal;

    SimTime Time() const
    {
        return flow.delivered - flow.sent;
    }
};

const Table<FlowRow> FLOWS{
    "flows.csv",
    {{"id",
      ColumnKind::Identity,
      "",
      "number of the row, from 0",
      [](const FlowRow& row) { return std::to_string(row.id); }},
     {"src",
      ColumnKind::Identity,
      "",
      "the rank that sent it, or the name of the switch or memory",
      [](const FlowRow& row) { return EndText(row.flow.source, row.topology); }},
     {"dst",
      ColumnKind::Identity,
      "",
      "the rank that received it, or the name of the switch or memory",
      [](const FlowRow& row) { return EndText(row.flow.destination, row.topology); }},
     {"size_bytes",
      ColumnKind::Quantity,
      "bytes",
      "payload",
      [](const FlowRow& row) { return std::to_string(row.flow.size.Count()); }},
     {"start_ns",
      ColumnKind::Quantity,
      "ns",
      "when it was handed to the network",
      [](const FlowRow& row) { return NsText(row.flow.sent); }},
     {"end_ns",
      ColumnKind::Quantity,
      "ns",
      "when its last byte arrived; the endpoint delay comes after this time",
      [](const FlowRow& row) { return NsText(row.flow.delivered); }},
     {"fct_ns",
      ColumnKind::Quantity,
      "ns",
      "the flow completion time, `end_ns` - `start_ns`",
      [](const FlowRow& row) { return NsText(row.Time()); }},
     {"ideal_fct_ns",
      ColumnKind::Quantity,
      "ns",
      "the time that the packet network would need for this message alone on this path, without "
      "faults; what a library's protocol carries beside the payload counts",
      [](const FlowRow& row) { return NsText(row.ideal); }},
     {"slowdown",
      ColumnKind::Quantity,
      "",
      "`fct_ns` / `ideal_fct_ns`: 1 if nothing was in its way; `inf` where the ideal time is 0",
      [](const FlowRow& row) { return RatioText(ComputeSlowdown(row.Time(), row.ideal)); }},
     {"path",
      ColumnKind::Identity,
      "",
      "the NPUs, switches and memories that it crossed, joined with `>`; parallel links between "
      "two of them "
      "look alike. It is the way that ECMP gives while no link has failed: with another "
      "`load-balancing`, or after a reroute, frames may have gone other ways",
      [](const FlowRow& row) { return CsvText(DescribeRoute(row.route, row.topology)); }},
     {"retransmissions",
      ColumnKind::Quantity,
      "",
      "frames that its queue pair (source, destination, stream) had sent again by `end_ns`",
      [](const FlowRow& row) { return std::to_string(row.flow.retransmissions); }},
     {"kind",
      ColumnKind::Identity,
      "",
      "what it belongs to: of a message between two ranks its kind (`pipeline`, `kv`, `dispatch`, "
      "`combine`, `memory`), each of which has a queue pair of its own; else `collective`, or "
      "`remote-memory` for an access to remote memory",
      [](const FlowRow& row) { return KindText(row.flow.stream); }}}};

} // namespace

TableDescription
DescribeFlowsTable()
{
    return FLOWS.Describe();
}

void
WriteFlows(const std::deque<FlowRecord>& flows, const RunInput& input, std::ostream& file)
{
    FLOWS.WriteHeader(file);
    for (size_t id = 0; id < flows.size(); ++id)
    {
        const std::vector<LinkId> route = FindRoute(flows[id], input);
        // The overhead crosses the links as well, so it is part of the ideal time.
        const Bytes carried = flows[id].size + flows[id].overhead;
        const SimTime ideal =
            IdealTransferTime(input.Topology(), route, carried, input.Config().network.packet);
        FLOWS.WriteRow({id, flows[id], input.Topology(), route, ideal}, file);
    }
}

} // namespace nadi
