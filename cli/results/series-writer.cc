// SPDX-License-Identifier: GPL-2.0-only
#include "cli/results/series-writer.h"

#include "cli/results/text-format.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

bool
IsIdle(const SeriesSample& sample)
{
    return sample.queue == Bytes{} && sample.utilization == 0 && sample.paused == SimTime{} &&
           sample.ecnMarks == 0;
}

} // namespace

void
WriteSeries(const std::vector<SeriesSample>& series, const Topology& topology, std::ostream& file)
{
    file << "time_ns,from,to,queue_bytes,utilization,paused_ns,ecn_marks\n";
    for (const SeriesSample& sample : series)
    {
        if (IsIdle(sample))
        {
            continue;
        }
        const TopologyLink& link = topology.Link(sample.link);
        file << fmt::format("{},{},{},{},{:.6f},{},{}\n",
                            NsText(sample.time),
                            CsvText(topology.Vertex(link.from).name),
                            CsvText(topology.Vertex(link.to).name),
                            sample.queue.Count(),
                            sample.utilization,
                            NsText(sample.paused),
                            sample.ecnMarks);
    }
}

} // namespace nadi
