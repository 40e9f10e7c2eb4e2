// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/series-writer.h"

#include "simulation/results/table.h"
#include "simulation/results/text-format.h"

namespace nadi
{

namespace
{

/// SeriesSampler keeps no such samples. Asked again, so that the file keeps its promise for samples
/// of any origin.
bool
IsIdle(const SeriesSample& sample)
{
    return sample.queue == Bytes{} && sample.utilization == 0 && sample.paused == SimTime{} &&
           sample.ecnMarks == 0;
}

struct SeriesRow
{
    const SeriesSample& sample;
    const Topology& topology;

    const std::string& NameOf(VertexId vertex) const
    {
        return topology.Vertex(vertex).name;
    }

    const TopologyLink& Link() const
    {
        return topology.Link(sample.link);
    }
};

const Table<SeriesRow> SERIES{
    "series.csv",
    {{"time_ns",
      ColumnKind::Identity,
      "ns",
      "end of the interval",
      [](const SeriesRow& row) { return NsText(row.sample.time); }},
     {"from",
      ColumnKind::Identity,
      "",
      "the node that sends, as in `links.csv`",
      [](const SeriesRow& row) { return CsvText(row.NameOf(row.Link().from)); }},
     {"to",
      ColumnKind::Identity,
      "",
      "the node that receives",
      [](const SeriesRow& row) { return CsvText(row.NameOf(row.Link().to)); }},
     {"queue_bytes",
      ColumnKind::Quantity,
      "bytes",
      "whole frames waiting at the sending port at that time",
      [](const SeriesRow& row) { return std::to_string(row.sample.queue.Count()); }},
     {"utilization",
      ColumnKind::Quantity,
      "",
      "wire bytes of frames whose transmission ended in the interval / what the link could have "
      "carried in it without faults; a frame that is on the wire when the interval ends counts in "
      "the next one, so a single value may exceed 1 by a frame",
      [](const SeriesRow& row) { return RatioText(row.sample.utilization); }},
     {"paused_ns",
      ColumnKind::Quantity,
      "ns",
      "time within the interval in which the port was stopped",
      [](const SeriesRow& row) { return NsText(row.sample.paused); }},
     {"ecn_marks",
      ColumnKind::Quantity,
      "",
      "frames marked at this port within the interval",
      [](const SeriesRow& row) { return std::to_string(row.sample.ecnMarks); }}}};

} // namespace

TableDescription
DescribeSeriesTable()
{
    return SERIES.Describe();
}

void
WriteSeries(const std::vector<SeriesSample>& series, const Topology& topology, std::ostream& file)
{
    SERIES.WriteHeader(file);
    for (const SeriesSample& sample : series)
    {
        if (!IsIdle(sample))
        {
            SERIES.WriteRow({sample, topology}, file);
        }
    }
}

} // namespace nadi
