// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/cut-text.h"

#include "common/rate-texts.h"
#include "common/text.h"
#include "common/unit-parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace nadi
{

namespace
{

constexpr size_t RANGES_SHOWN = 4;
constexpr size_t RATES_SHOWN = 3;

/// "node0 to node2, node5"
std::string
DescribeNumbers(const std::string& noun, const std::set<uint32_t>& numbers)
{
    std::vector<std::string> ranges;
    for (auto at = numbers.begin(); at != numbers.end();)
    {
        const uint32_t first = *at;
        uint32_t last = first;
        for (++at; at != numbers.end() && *at == last + 1; ++at)
        {
            last = *at;
        }
        const std::string end = first == last ? "" : fmt::format(" to {}{}", noun, last);
        ranges.push_back(fmt::format("{}{}{}", noun, first, end));
    }
    const bool hasMore = ranges.size() > RANGES_SHOWN;
    ranges.resize(std::min(ranges.size(), RANGES_SHOWN));
    return fmt::format("{}{}", fmt::join(ranges, ", "), hasMore ? ", ..." : "");
}

/// Names the nodes where the side has all NPUs of each of its nodes, else the NPUs. NPU i is of
/// node i / npusPerNode.
std::string
DescribeSide(const std::set<uint32_t>& npus, uint32_t npusPerNode)
{
    std::map<uint32_t, uint32_t> counts; // by node
    for (const uint32_t npu : npus)
    {
        ++counts[npu / npusPerNode];
    }
    std::set<uint32_t> nodes;
    for (const auto& [node, count] : counts)
    {
        // If part of one node is on the other side, names of nodes would say too much.
        if (npusPerNode == 1 || count < npusPerNode)
        {
            return DescribeNumbers("npu", npus);
        }
        nodes.insert(node);
    }
    return DescribeNumbers("node", nodes);
}

/// The links that leave the cut, counted by rate, the fastest first.
std::string
DescribeCutLinks(const NamedCut& cut)
{
    std::map<Bandwidth, uint32_t, std::greater<>> counts;
    const Topology& topology = cut.bandwidths != nullptr ? *cut.bandwidths : cut.topology;
    for (LinkId id{0}; id.value < topology.LinkCount(); ++id.value)
    {
        const TopologyLink& link = topology.Link(id);
        if (cut.inside[link.from.value] && !cut.inside[link.to.value])
        {
            ++counts[link.bandwidth];
        }
    }
    std::vector<Bandwidth> shown;
    for (const auto& [rate, count] : counts)
    {
        shown.push_back(rate);
    }
    shown.resize(std::min(shown.size(), RATES_SHOWN));
    const std::vector<std::string> texts = ToTextsInOneUnit(shown);
    std::vector<std::string> parts;
    for (size_t i = 0; i < shown.size(); ++i)
    {
        parts.push_back(fmt::format("{} of {}", CountText(counts.at(shown[i]), "link"), texts[i]));
    }
    return fmt::format(
        "{}{}", fmt::join(parts, " and "), counts.size() > shown.size() ? " and others" : "");
}

} // namespace

std::string
DescribeCut(const NamedCut& cut)
{
    const auto membersInside =
        std::count_if(cut.members.begin(),
                      cut.members.end(),
                      [&cut](VertexId member) { return cut.inside[member.value]; });
    // Where both sides have equally many members, the side that the links lead into is named.
    const bool isInsideSmaller = 2 * static_cast<size_t>(membersInside) < cut.members.size();
    std::set<uint32_t> npus;
    for (uint32_t vertex = 0; vertex < cut.topology.NpuCount(); ++vertex)
    {
        if (cut.inside[vertex] == isInsideSmaller)
        {
            // The vertex of a rank has the rank's number. Users see the number of its NPU.
            npus.insert(cut.topology.Placement().PlaceOf(vertex));
        }
    }
    return fmt::format("{} {} {}",
                       DescribeCutLinks(cut),
                       isInsideSmaller ? "out of" : "into",
                       DescribeSide(npus, cut.npusPerNode));
}

} // namespace nadi
