// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/run-summary.h"

#include "cli/terminal/mechanism-summary.h"
#include "cli/terminal/run-reading.h"
#include "cli/terminal/table.h"
#include "common/unit-parser.h"
#include "system/collective-bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace nadi
{

namespace
{

constexpr size_t ROWS = 5;
constexpr size_t BAR_WIDTH = 40;
constexpr size_t NAME_WIDTH = 32;

using Rows = std::vector<std::vector<std::string>>;

double
Share(SimTime part, SimTime whole)
{
    return whole == SimTime{} ? 0
                              : static_cast<double>(part.Ps()) / static_cast<double>(whole.Ps());
}

std::string
PercentText(double share)
{
    return fmt::format("{:.1f} %", share * 100);
}

/// Names of traces can be longer than a line.
std::string
Shorten(const std::string& name)
{
    return name.size() <= NAME_WIDTH ? name : name.substr(0, NAME_WIDTH - 3) + "...";
}

std::string
Titled(const std::string& title, const Rows& rows, const Style& style)
{
    std::string text = "\n" + style.Bold(title) + "\n";
    for (const std::string& line : AlignTable(rows))
    {
        text += line + "\n";
    }
    return text;
}

/// The first ROWS of 0..count-1 under `precedes`, ties by index.
template <class Order>
std::vector<size_t>
FindFirst(size_t count, const Order& precedes)
{
    std::vector<size_t> order(count);
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), precedes);
    order.resize(std::min(count, ROWS));
    return order;
}

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
    if (metrics.finish == SimTime{})
    {
        return "";
    }
    const auto row = [&](const std::string& name, SimTime time)
    {
        const double share = Share(time, metrics.finish);
        return std::vector<std::string>{
            name,
            ToRoundedText(time),
            PercentText(share),
            fmt::format("{:<{}}", MakeBar(share, BAR_WIDTH), BAR_WIDTH)};
    };
    std::string text = Titled(fmt::format("Where the time of the slowest rank ({}) went", slowest),
                              {row("compute", metrics.compute),
                               row("exposed communication", metrics.exposedCommunication),
                               row("idle", metrics.idle)},
                              style);
    const SimTime hidden = metrics.communication - metrics.exposedCommunication;
    return text +
           style.Dim(fmt::format("  communication in progress for {}, of which {} behind "
                                 "compute",
                                 ToRoundedText(metrics.communication),
                                 ToRoundedText(hidden))) +
           "\n";
}

/// The busiest link's utilization while the slowest rank communicated. Bytes that others moved in
/// the meantime count too, so it is cut at 1.
double
FindBusiestUse(const Topology& topology, const RunResults& results)
{
    const SimTime span = results.ranks[results.SlowestRank()].metrics.communication;
    double busiest = 0;
    for (uint32_t id = 0; id < results.links.size(); ++id)
    {
        const Bandwidth bandwidth = topology.Link(LinkId{id}).bandwidth;
        busiest = std::max(busiest, ComputeUtilization(results.links[id].bytes, bandwidth, span));
    }
    return std::min(busiest, 1.0);
}

std::string
DescribeReading(const Topology& topology, const RunResults& results)
{
    if (results.status != RunStatus::Done)
    {
        return "";
    }
    const RankMetrics& metrics = results.ranks[results.SlowestRank()].metrics;
    const std::string text = ReadMetrics(metrics, FindBusiestUse(topology, results));
    return text.empty() ? "" : "\n" + text + "\n";
}

std::string
DescribeLinks(const RunInput& input, const RunResults& results, const Style& style)
{
    if (results.finish == SimTime{})
    {
        return "";
    }
    const Topology& topology = input.Topology();
    const auto utilization = [&](size_t id)
    {
        const TopologyLink& link = topology.Link(LinkId{static_cast<uint32_t>(id)});
        return ComputeUtilization(results.links[id].bytes, link.bandwidth, results.finish);
    };
    Rows rows{{"link", "bandwidth", "used", "carried", "longest queue"}};
    for (const size_t id :
         FindFirst(results.links.size(),
                   [&](size_t a, size_t b) { return utilization(a) > utilization(b); }))
    {
        const TopologyLink& link = topology.Link(LinkId{static_cast<uint32_t>(id)});
        rows.push_back({topology.Vertex(link.from).name + " -> " + topology.Vertex(link.to).name,
                        ToRoundedText(link.bandwidth),
                        PercentText(utilization(id)),
                        ToRoundedText(results.links[id].bytes),
                        ToRoundedText(results.links[id].maxQueue)});
    }
    return rows.size() == 1 ? "" : Titled("Busiest links", rows, style);
}

std::vector<std::string>
CollectiveRow(const CollectiveResult& result)
{
    const CollectiveRecord& record = result.record;
    const SimTime duration = record.end - record.start;
    const double busGBps = BusBandwidthGBps({record.type, record.size, record.ranks}, duration);
    const bool isBounded = result.lowerBound > SimTime{};
    return {Shorten(record.name),
            std::string(ToText(record.type)),
            std::to_string(record.ranks),
            ToRoundedText(record.size),
            ToRoundedText(duration),
            fmt::format("{:.1f} GB/s", busGBps),
            ToRoundedText(result.lowerBound),
            isBounded ? fmt::format("{:.2f} x", 1 / Share(result.lowerBound, duration)) : "-"};
}

std::string
DescribeCollectives(const RunResults& results, const Style& style)
{
    const auto& collectives = results.collectives;
    const auto duration = [&](size_t id)
    { return collectives[id].record.end - collectives[id].record.start; };
    Rows rows{
        {"collective", "type", "ranks", "size", "time", "busbw", "lower bound", "time/bound"}};
    for (const size_t id : FindFirst(collectives.size(),
                                     [&](size_t a, size_t b) { return duration(a) > duration(b); }))
    {
        rows.push_back(CollectiveRow(collectives[id]));
    }
    const std::string title = collectives.size() > ROWS
                                  ? fmt::format("Slowest of {} collectives", collectives.size())
                                  : "Collectives";
    return rows.size() == 1 ? "" : Titled(title, rows, style);
}

} // namespace

std::string
DescribeRun(const RunInput& input,
            const RunResults& results,
            double wallSeconds,
            const Style& style)
{
    return style.Bold(DescribeEnd(results)) +
           fmt::format(" ({} ranks, {} sent in {} packets, simulated in {:.2f} s)\n",
                       results.ranks.size(),
                       ToRoundedText(results.BytesSent()),
                       results.totals.packets,
                       wallSeconds) +
           DescribeBreakdown(results, style) + DescribeCollectives(results, style) +
           DescribeLinks(input, results, style) +
           DescribeMechanisms(results, input.Topology(), style) +
           DescribeReading(input.Topology(), results);
}

} // namespace nadi
