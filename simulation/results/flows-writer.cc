// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/flows-writer.h"

#include "network/message-kind.h"
#include "network/path-metrics.h"
#include "simulation/results/frame-spread.h"
#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

#include <map>
#include <utility>

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
    FrameSpread spread;
    SimTime ideal;

    SimTime Time() const
    {
        return flow.delivered - flow.sent;
    }
};

/// Empty where the time depends on how frames are spread.
std::string
IdealText(const FlowRow& row)
{
    return row.spread == FrameSpread::Unpredictable ? "" : NsText(row.ideal);
}

std::string
SlowdownText(const FlowRow& row)
{
    return row.spread == FrameSpread::Unpredictable
               ? ""
               : RatioText(ComputeSlowdown(row.Time(), row.ideal));
}

/// Empty where there are several.
std::string
PathText(const FlowRow& row)
{
    return row.spread == FrameSpread::OneWay ? CsvText(DescribeRoute(row.route, row.topology)) : "";
}

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
      "faults; what a library's protocol carries beside the payload counts. Empty where a load "
      "balancer other than `ecmp` spreads frames over ways whose links are slower than those that "
      "all ways share, or over unequal ways: the time then depends on how it spreads them",
      &IdealText},
     {"slowdown",
      ColumnKind::Quantity,
      "",
      "`fct_ns` / `ideal_fct_ns`: 1 if nothing was in its way; `inf` where the ideal time is 0; "
      "empty where that time is. It is a little less than 1 where the last frame of a message of "
      "few frames, which is shorter, overtakes another one on one of several equally good ways",
      &SlowdownText},
     {"path",
      ColumnKind::Identity,
      "",
      "the NPUs, switches and memories that it crossed, joined with `>`; parallel links between "
      "two of them "
      "look alike. It is the way while no link has failed: after a reroute, frames may have gone "
      "other ways. Empty where each frame may take another way: with a `load-balancing` other than "
      "`ecmp`, for messages that have several equally good ways",
      &PathText},
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

/// Finds the spread behind each first link to each end once: a job sends by the same ones again and
/// again.
class KnownSpreads
{
  public:
    explicit KnownSpreads(const RunInput& input)
        : m_input(input)
    {
    }

    FrameSpread Find(const std::vector<LinkId>& route, VertexId destination)
    {
        const std::pair ends(route.front(), destination);
        const auto [place, isNew] = m_spreads.try_emplace(ends, FrameSpread::OneWay);
        if (isNew)
        {
            place->second = FindFrameSpread(route, m_input);
        }
        return place->second;
    }

  private:
    const RunInput& m_input;
    std::map<std::pair<LinkId, VertexId>, FrameSpread> m_spreads;
};

SimTime
FindIdeal(const FlowRecord& flow, const std::vector<LinkId>& route, const RunInput& input)
{
    // The overhead crosses the links as well, so it is part of the ideal time.
    return IdealTransferTime(
        input.Topology(), route, flow.size + flow.overhead, input.Config().network.packet);
}

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
    KnownSpreads spreads(input);
    for (size_t id = 0; id < flows.size(); ++id)
    {
        const FlowRecord& flow = flows[id];
        const std::vector<LinkId> route = FindRoute(flow, input);
        FLOWS.WriteRow({.id = id,
                        .flow = flow,
                        .topology = input.Topology(),
                        .route = route,
                        .spread = spreads.Find(route, flow.destination),
                        .ideal = FindIdeal(flow, route, input)},
                       file);
    }
}

} // namespace nadi
