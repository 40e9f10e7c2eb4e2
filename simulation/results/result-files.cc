// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/results/result-files.h"

#include "configuration/config-file.h"
#include "simulation/results/breakdown-writer.h"
#include "simulation/results/collectives-writer.h"
#include "simulation/results/communication-writer.h"
#include "simulation/results/experts-writer.h"
#include "simulation/results/flows-writer.h"
#include "simulation/results/instances-writer.h"
#include "simulation/results/links-writer.h"
#include "simulation/results/ranks-writer.h"
#include "simulation/results/recording-writer.h"
#include "simulation/results/series-writer.h"
#include "simulation/results/waits-writer.h"
#include "simulation/timeline/timeline-writer.h"

#include <ostream>

namespace nadi
{

namespace
{

/// requests.csv is not among them: RequestsWriter has filled it during the run.
void
WriteServingTables(OutputDirectory& directory, const ServingTotals& serving)
{
    directory.WriteStream("instances.csv",
                          [&](std::ostream& file) { WriteInstances(serving, file); });
    if (!serving.experts.IsEmpty())
    {
        directory.WriteStream("experts.csv",
                              [&](std::ostream& file) { WriteExperts(serving.experts, file); });
    }
}

/// Row by row, since tables can be larger than the memory.
void
WriteTables(OutputDirectory& directory, const RunInput& input, const RunResults& results)
{
    const Topology& topology = input.Topology();
    directory.WriteStream("ranks.csv", [&](std::ostream& file) { WriteRanks(results, file); });
    directory.WriteStream("collectives.csv",
                          [&](std::ostream& file) { WriteCollectives(results, file); });
    directory.WriteStream("communication.csv",
                          [&](std::ostream& file)
                          { WriteCommunication(results, input.Workload(), file); });
    directory.WriteStream("breakdown.csv",
                          [&](std::ostream& file) { WriteBreakdown(results, file); });
    directory.WriteStream("links.csv",
                          [&](std::ostream& file) { WriteLinks(input, results, file); });
    if (results.serving)
    {
        WriteServingTables(directory, *results.serving);
    }
    if (results.flows)
    {
        directory.WriteStream("flows.csv",
                              [&](std::ostream& file) { WriteFlows(*results.flows, input, file); });
    }
    // Decided by the configuration instead of the rows: a table that was asked for is written even
    // if it has no row.
    if (input.Config().output.series)
    {
        directory.WriteStream(
            "series.csv", [&](std::ostream& file) { WriteSeries(results.series, topology, file); });
    }
}

} // namespace

void
WriteResultFiles(OutputDirectory& directory, const RunInput& input, const RunResults& results)
{
    // OutputDirectory knows a directory of results by this file and summary.json (IsResult).
    directory.Write("config.yaml", WriteConfig(input.Config()));
    WriteTables(directory, input, results);
    if (results.timeline)
    {
        directory.WriteStream("timeline.pftrace",
                              [&](std::ostream& file) { WriteTimeline(results, input, file); });
    }
    if (results.recording)
    {
        WriteRecording(directory, input, *results.recording);
    }
    if (results.waits)
    {
        directory.Write("waits.json", WriteWaits(*results.waits));
    }
}

} // namespace nadi
