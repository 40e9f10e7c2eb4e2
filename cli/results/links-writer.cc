// SPDX-License-Identifier: GPL-2.0-only
#include "cli/results/links-writer.h"

#include "cli/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

void
WriteLinks(const RunResults& results, const Topology& topology, std::ostream& file)
{
    file << "from,to,bandwidth_gbps,bytes,packets,utilization,max_queue_bytes,ecn_marks,pauses,"
            "paused_ns,drops,retransmitted_bytes\n";
    for (uint32_t id = 0; id < topology.LinkCount(); ++id)
    {
        const TopologyLink& link = topology.Link(LinkId{id});
        const LinkCounters& counters = results.links[id];
        file << fmt::format("{},{},{},{},{},{:.6f},{},{},{},{},{},{}\n",
                            CsvText(topology.Vertex(link.from).name),
                            CsvText(topology.Vertex(link.to).name),
                            GbpsText(link.bandwidth),
                            counters.bytes.Count(),
                            counters.packets,
                            ComputeUtilization(counters.bytes, link.bandwidth, results.finish),
                            counters.maxQueue.Count(),
                            counters.ecnMarks,
                            counters.pauses,
                            NsText(counters.paused),
                            counters.drops,
                            counters.retransmitted.Count());
    }
}

} // namespace nadi
