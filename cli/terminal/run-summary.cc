// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/run-summary.h"

#include "cli/terminal/collective-summary.h"
#include "cli/terminal/communication-summary.h"
#include "cli/terminal/mechanism-summary.h"
#include "cli/terminal/serving-summary.h"
#include "cli/terminal/summary-text.h"
#include "cli/terminal/table.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "simulation/link-capacities.h"
#include "simulation/reading/run-reading.h"
#include "simulation/reading/share.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

constexpr size_t LINKS_SHOWN = 5;
constexpr size_t BAR_WIDTH = 40;
constexpr size_t TEXT_WIDTH = 96;

std::string
DescribeEnd(const RunResults& results)
{
    const std::string time = ToRoundedText(results.finish);
    switch (results.status)
    {
    case RunStatus::Done:
        return "The job takes " + time;
    case RunStatus::Stuck:
        return "The job cannot finish: nothing happens after " + time;
    case RunStatus::Interrupted:
        break;
    }
    return "Interrupted after " + time + " of simulated time; results are partial";
}

std::string
DescribeBreakdown(const RunResults& results, const Style& style)
{
    const size_t slowest = results.SlowestRank();
    const RankMetrics& metrics = results.ranks[slowest].metrics;
    // Shares of a job that takes no time would be divisions by 0.
    if (metrics.finish == SimTime{})
    {
        return "";
    }
    const auto row = [&](const std::string& name, SimTime time)
    {
        const double share = ShareOf(time, metrics.finish);
        return std::vector<std::string>{
            name,
            ToRoundedText(time),
            PercentText(share),
            // The table aligns this column to the right. Padding lets all bars begin at one place.
            fmt::format("{:<{}}", MakeBar(share, BAR_WIDTH), BAR_WIDTH)};
    };
    std::string text =
        TitledTable(fmt::format("Where the time of the slowest rank ({}) went", slowest),
                    {row("compute", metrics.compute),
                     row("exposed communication", metrics.exposedCommunication),
                     row("idle", metrics.idle)},
                    style);
    // Communication behind compute has no row, as the rows add up to the whole time without it.
    const SimTime hidden = metrics.communication - metrics.exposedCommunication;
    return text +
           style.Dim(fmt::format("  communication in progress for {}, of which {} behind "
                                 "compute",
                                 ToRoundedText(metrics.communication),
                                 ToRoundedText(hidden))) +
           "\n";
}

std::string
DescribeReading(const RunInput& input, const RunResults& results)
{
    const std::string text = ReadRun(input, results);
    return text.empty() ? "" : "\n" + WrapText(text, TEXT_WIDTH) + "\n";
}

/// Links are ranked by their bytes over what they could have carried until the end of the job. A
/// link that was full for a moment only does not rank high.
std::string
DescribeLinks(const RunInput& input, const RunResults& results, const Style& style)
{
    if (results.finish == SimTime{})
    {
        return "";
    }
    const Topology& topology = input.Topology();
    const LinkCapacities capacities(topology, input.Faults());
    const auto utilization = [&](size_t id)
    {
        return capacities.ComputeUtilization(
            LinkId{static_cast<uint32_t>(id)}, results.links[id].bytes, results.finish);
    };
    Rows rows{{"link", "bandwidth", "used", "carried", "longest queue"}};
    for (const size_t id :
         FindFirst(results.links.size(),
                   LINKS_SHOWN,
                   [&](size_t a, size_t b) { return utilization(a) > utilization(b); }))
    {
        const TopologyLink& link = topology.Link(LinkId{static_cast<uint32_t>(id)});
        rows.push_back({topology.Vertex(link.from).name + " -> " + topology.Vertex(link.to).name,
                        ToRoundedText(link.bandwidth),
                        PercentText(utilization(id)),
                        ToRoundedText(results.links[id].bytes),
                        ToRoundedText(results.links[id].maxQueue)});
    }
    return rows.size() == 1 ? "" : TitledTable("Busiest links", rows, style);
}

} // namespace

std::string
DescribeRun(const RunInput& input,
            const RunResults& results,
            double wallSeconds,
            const Style& style)
{
    return style.Bold(DescribeEnd(results)) +
           fmt::format(" ({}, {} sent in {}, simulated in {:.2f} s)\n",
                       CountText(results.ranks.size(), "rank"),
                       ToRoundedText(results.BytesSent()),
                       CountText(results.totals.packets, "packet"),
                       wallSeconds) +
           DescribeServing(input, results, style) + DescribeBreakdown(results, style) +
           DescribeWaiting(results, style) + DescribeCommunication(input, results, style) +
           DescribeCollectives(results, style) + DescribeLinks(input, results, style) +
           DescribeMechanisms(results, input.Topology(), style) + DescribeReading(input, results);
}

} // namespace nadi
