// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/links-writer.h"

#include "simulation/link-capacities.h"
#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

struct LinkRow
{
    const Topology& topology;
    const TopologyLink& link;
    const LinkCounters& counters;
    double utilization;
};

const Table<LinkRow> LINKS{
    "links.csv",
    {{"from",
      ColumnKind::Identity,
      "",
      "the node that sends: `npu<number>`, `dim<d>.switch<k>`, or its name in the topology file",
      [](const LinkRow& row) { return CsvText(row.topology.Vertex(row.link.from).name); }},
     {"to",
      ColumnKind::Identity,
      "",
      "the node that receives",
      [](const LinkRow& row) { return CsvText(row.topology.Vertex(row.link.to).name); }},
     {"bandwidth_gbps",
      ColumnKind::Quantity,
      "Gb/s",
      "bandwidth of this direction",
      [](const LinkRow& row) { return GbpsText(row.link.bandwidth); }},
     {"bytes",
      ColumnKind::Quantity,
      "bytes",
      "wire bytes of all frames (headers and control frames too) whose transmission ended",
      [](const LinkRow& row) { return std::to_string(row.counters.bytes.Count()); }},
     {"packets",
      ColumnKind::Quantity,
      "",
      "the data frames among these frames",
      [](const LinkRow& row) { return std::to_string(row.counters.packets); }},
     {"utilization",
      ColumnKind::Quantity,
      "",
      "`bytes` / what the link could carry until `finish_time_ns`, from 0 to 1; it can exceed 1 "
      "where acknowledgements, or frames that are sent again in vain, outlast the finish",
      [](const LinkRow& row) { return RatioText(row.utilization); }},
     {"max_queue_bytes",
      ColumnKind::Quantity,
      "bytes",
      "the most bytes of whole frames that waited at the sending port; messages in a NIC's queue "
      "pairs do not count",
      [](const LinkRow& row) { return std::to_string(row.counters.maxQueue.Count()); }},
     {"ecn_marks",
      ColumnKind::Quantity,
      "",
      "frames marked at this port",
      [](const LinkRow& row) { return std::to_string(row.counters.ecnMarks); }},
     {"pauses",
      ColumnKind::Quantity,
      "",
      "how often a pause frame stopped the port",
      [](const LinkRow& row) { return std::to_string(row.counters.pauses); }},
     {"paused_ns",
      ColumnKind::Quantity,
      "ns",
      "time in which some priority of the port was stopped",
      [](const LinkRow& row) { return NsText(row.counters.paused); }},
     {"drops",
      ColumnKind::Quantity,
      "",
      "frames lost on this link, or refused for want of memory by the node that would have sent "
      "them over it",
      [](const LinkRow& row) { return std::to_string(row.counters.drops); }},
     {"retransmitted_bytes",
      ColumnKind::Quantity,
      "bytes",
      "wire bytes of frames sent again",
      [](const LinkRow& row) { return std::to_string(row.counters.retransmitted.Count()); }}}};

} // namespace

TableDescription
DescribeLinksTable()
{
    return LINKS.Describe();
}

/// Links that carried nothing have a row, too: every run of a topology has the same rows.
void
WriteLinks(const RunInput& input, const RunResults& results, std::ostream& file)
{
    const Topology& topology = input.Topology();
    const LinkCapacities capacities(topology, input.Faults());
    LINKS.WriteHeader(file);
    for (uint32_t id = 0; id < topology.LinkCount(); ++id)
    {
        const TopologyLink& link = topology.Link(LinkId{id});
        const LinkCounters& counters = results.links[id];
        const double utilization =
            capacities.ComputeUtilization(link.id, counters.bytes, results.finish);
        LINKS.WriteRow({topology, link, counters, utilization}, file);
    }
}

} // namespace nadi
