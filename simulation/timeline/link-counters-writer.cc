// SPDX-License-Identifier: GPL-2.0-only
#include "simulation/timeline/link-counters-writer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

namespace nadi
{

namespace
{

/// The network's process comes after those of the ranks, whose numbers end below this.
constexpr uint64_t NETWORK = uint64_t{1} << 62;

/// Sums of utilization, by the number of the interval.
using Values = std::map<int64_t, double>;

/// In the order of bytes, most first, then of ids. Links that carried nothing are not drawn.
std::vector<LinkId>
FindBusiest(const std::vector<LinkCounters>& links)
{
    std::vector<LinkId> ids;
    for (uint32_t id = 0; id < links.size(); ++id)
    {
        if (links[id].bytes > Bytes())
        {
            ids.push_back(LinkId{id});
        }
    }
    std::stable_sort(ids.begin(),
                     ids.end(),
                     [&](LinkId a, LinkId b)
                     { return links[a.value].bytes > links[b.value].bytes; });
    ids.resize(std::min(ids.size(), MOST_LINK_COUNTERS));
    return ids;
}

/// By link and number of the interval, which may hold several of those of the series.
std::map<LinkId, Values>
SumUp(const std::vector<SeriesSample>& series, const std::vector<LinkId>& links, SimTime interval)
{
    std::map<LinkId, Values> sums;
    for (const LinkId link : links)
    {
        // Makes an empty entry: only links with an entry are summed up below.
        sums[link];
    }
    for (const SeriesSample& sample : series)
    {
        const auto values = sums.find(sample.link);
        if (values != sums.end())
        {
            // A row at t covers (t - interval, t]. With an interval of 10 us, the row at 10 us is
            // number 0, and that at 20 us number 1; after the interval has doubled, both are number
            // 0.
            values->second[(sample.time.Ps() - 1) / interval.Ps()] += sample.utilization;
        }
    }
    return sums;
}

size_t
CountValues(const std::map<LinkId, Values>& sums)
{
    size_t count = 0;
    for (const auto& [link, values] : sums)
    {
        count += values.size();
    }
    return count;
}

void
Describe(PerfettoWriter& writer, uint64_t track, const std::string& name)
{
    PerfettoWriter::Track counter;
    counter.set_uuid(track);
    counter.set_parent_uuid(NETWORK);
    counter.set_name(name);
    counter.mutable_counter()->set_unit_name("utilization");
    writer.Describe(counter);
}

std::string
DescribeLink(const Topology& topology, LinkId id)
{
    const TopologyLink& link = topology.Link(id);
    return topology.Vertex(link.from).name + " > " + topology.Vertex(link.to).name;
}

uint64_t
TrackOf(LinkId link)
{
    return NETWORK + 1 + link.value;
}

/// What a value stands for: `factor` intervals of the series.
struct Step
{
    SimTime interval;
    int64_t factor = 1;
};

/// A counter keeps its value until the next one, and intervals of zero have no row. So a zero is
/// written where a row is followed by a gap, and not for each interval of it.
///
/// A row has the sum of `factor` utilizations, each of one interval of the series; their mean is
/// what is drawn.
void
WriteValues(PerfettoWriter& writer, uint64_t track, const Values& values, const Step& step)
{
    for (auto value = values.begin(); value != values.end(); ++value)
    {
        const SimTime at = step.interval * value->first;
        writer.Count(track, value->second / static_cast<double>(step.factor), at);
        const auto next = std::next(value);
        if (next == values.end() || next->first > value->first + 1)
        {
            writer.Count(track, 0, at + step.interval);
        }
    }
}

void
DescribeNetwork(PerfettoWriter& writer, size_t ranks)
{
    PerfettoWriter::Track process;
    process.set_uuid(NETWORK);
    process.mutable_process()->set_pid(static_cast<int32_t>(ranks + 1));
    process.mutable_process()->set_process_name("network");
    writer.Describe(process);
}

} // namespace

void
WriteLinkCounters(const RunResults& results, const RunInput& input, PerfettoWriter& writer)
{
    if (results.series.empty())
    {
        return;
    }
    const std::vector<LinkId> links = FindBusiest(results.links);
    Step step{*input.Config().output.series};
    auto sums = SumUp(results.series, links, step.interval);
    while (CountValues(sums) > MOST_LINK_VALUES)
    {
        // Coarser for all links together, so that they can be compared at each time.
        step = {step.interval * 2, step.factor * 2};
        sums = SumUp(results.series, links, step.interval);
    }
    DescribeNetwork(writer, results.ranks.size());
    for (const auto& [link, values] : sums)
    {
        Describe(writer, TrackOf(link), DescribeLink(input.Topology(), link));
        WriteValues(writer, TrackOf(link), values, step);
    }
}

} // namespace nadi
