// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/mechanism-summary.h"

#include "common/text.h"
#include "common/unit-parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

std::string
DescribeLink(const Topology& topology, size_t id)
{
    const TopologyLink& link = topology.Link(LinkId{static_cast<uint32_t>(id)});
    return topology.Vertex(link.from).name + " -> " + topology.Vertex(link.to).name;
}

/// The link with the largest `value`, of equals the first. Requires: there are links.
template <class Value>
size_t
FindMost(const std::vector<LinkCounters>& links, Value LinkCounters::*value)
{
    const auto most = std::max_element(links.begin(),
                                       links.end(),
                                       [value](const LinkCounters& a, const LinkCounters& b)
                                       { return a.*value < b.*value; });
    return static_cast<size_t>(most - links.begin());
}

/// ": ports stood for 3 us in all, most npu0 -> leaf0 (2 us)".
std::string
DescribePauses(const RunResults& results, const Topology& topology)
{
    SimTime sum; // of many links, so that it may pass the clock's range where no link does
    for (const LinkCounters& link : results.links)
    {
        sum = sum.AddUpToMax(link.paused);
    }
    if (sum == SimTime{})
    {
        return "";
    }
    const size_t most = FindMost(results.links, &LinkCounters::paused);
    return fmt::format(": ports stood for {}{} in all, most {} ({})",
                       sum == SimTime::Max() ? "more than " : "",
                       ToRoundedText(sum),
                       DescribeLink(topology, most),
                       ToRoundedText(results.links[most].paused));
}

/// Any network has queues, so the caller shows this line only beside a mechanism that acted.
std::string
DescribeLongestQueue(const RunResults& results, const Topology& topology)
{
    const size_t most = FindMost(results.links, &LinkCounters::maxQueue);
    const Bytes queue = results.links[most].maxQueue;
    return queue == Bytes{} ? ""
                            : fmt::format("  longest queue {} at {}\n",
                                          ToRoundedText(queue),
                                          DescribeLink(topology, most));
}

/// Empty where the count is 0. `more` follows the count.
std::string
CountLine(uint64_t count, const std::string& what, const std::string& more = "")
{
    return count == 0 ? "" : fmt::format("  {}{}\n", CountText(count, what), more);
}

} // namespace

std::string
DescribeMechanisms(const RunResults& results, const Topology& topology, const Style& style)
{
    const NetworkTotals& totals = results.totals;
    const std::string text =
        CountLine(totals.ecnMarks, "ECN mark") + CountLine(totals.cnps, "CNP") +
        CountLine(totals.pauses, "pause", DescribePauses(results, topology)) +
        CountLine(totals.drops, "drop") + CountLine(totals.retransmissions, "retransmission") +
        CountLine(totals.reroutes, "reroute");
    return text.empty() ? ""
                        : "\n" + style.Bold("Network") + "\n" + text +
                              DescribeLongestQueue(results, topology);
}

} // namespace nadi
