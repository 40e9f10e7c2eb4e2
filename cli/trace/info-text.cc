// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/info-text.h"

#include "cli/terminal/summary-text.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "workload/tools/inspection/info-json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

constexpr size_t MOST_RANKS = 16;
constexpr size_t MOST_GROUPS = 24;
constexpr size_t MOST_MEMBERS = 8;
/// The most that SimTime holds, which counts picoseconds in 63 bits.
constexpr uint64_t MOST_NANOS = std::numeric_limits<int64_t>::max() / 1000;
constexpr uint64_t NANOS_PER_DAY = uint64_t{86'400} * 1'000'000'000;

/// Durations of many nodes together can pass the clock's range of 106 days.
std::string
NanosText(uint64_t nanos)
{
    return nanos <= MOST_NANOS ? ToRoundedText(SimTime::FromNs(static_cast<int64_t>(nanos)))
                               : fmt::format("{} days", nanos / NANOS_PER_DAY);
}

std::string
SizeText(uint64_t size)
{
    // Traces count in 64 bits without a sign, Bytes with one. What is too large is cut.
    constexpr uint64_t most = std::numeric_limits<int64_t>::max();
    return ToRoundedText(Bytes(static_cast<int64_t>(std::min(size, most))));
}

VolumeTotal
SumVolumes(const TraceTotals& totals)
{
    VolumeTotal sum;
    for (const auto& [key, volume] : totals.communication)
    {
        sum.calls += volume.calls;
        sum.size += volume.size;
    }
    return sum;
}

WorkTotal
SumStreams(const TraceTotals& totals)
{
    WorkTotal sum;
    for (const auto& [stream, work] : totals.streams)
    {
        sum.nodes += work.nodes;
        sum.nanos += work.nanos;
    }
    return sum;
}

std::vector<std::string>
RankRow(const std::string& name, const TraceTotals& totals)
{
    const DependencyTotal& dependencies = totals.dependencies;
    const VolumeTotal volume = SumVolumes(totals);
    return {name,
            std::to_string(totals.nodes),
            std::to_string(dependencies.data),
            std::to_string(dependencies.control),
            std::to_string(dependencies.danglingData + dependencies.danglingControl),
            NanosText(totals.cpu.nanos),
            NanosText(SumStreams(totals).nanos),
            std::to_string(volume.calls),
            SizeText(volume.size),
            NanosText(totals.criticalPath.nanos)};
}

std::string
DescribeRanks(const JobInfo& info, const Style& style)
{
    Rows rows{{"rank",
               "nodes",
               "data deps",
               "control deps",
               "dangling",
               "CPU",
               "kernels",
               "calls",
               "size",
               "critical path"}};
    for (size_t rank = 0; rank < std::min(info.ranks.size(), MOST_RANKS); ++rank)
    {
        rows.push_back(RankRow(std::to_string(rank), info.ranks[rank].totals));
    }
    // The sums are over all ranks, also those without a row.
    rows.push_back(RankRow("all", info.total));
    return TitledTable("ranks", rows, style) + LeftOutText(info.ranks.size(), MOST_RANKS, "ranks");
}

std::string
DescribeTypes(const JobInfo& info, const Style& style)
{
    Rows rows;
    for (const auto& [type, count] : info.total.types)
    {
        rows.push_back({type, std::to_string(count)});
    }
    return rows.empty() ? "" : TitledTable("nodes by type, over all ranks", rows, style);
}

std::string
DescribeCommunication(const JobInfo& info, const Style& style)
{
    Rows rows{{"type", "group", "calls", "size", "recorded"}};
    for (const auto& [key, volume] : info.total.communication)
    {
        rows.push_back({key.type,
                        key.group.empty() ? "-" : ShortenName(key.group),
                        std::to_string(volume.calls),
                        SizeText(volume.size),
                        NanosText(volume.recordedNanos)});
    }
    return rows.size() == 1
               ? ""
               : TitledTable("communication, the calls of all ranks together", rows, style);
}

std::string
MembersText(const std::vector<uint32_t>& ranks)
{
    const auto shown = static_cast<std::ptrdiff_t>(std::min(ranks.size(), MOST_MEMBERS));
    return fmt::format("{}{}",
                       fmt::join(ranks.begin(), ranks.begin() + shown, ", "),
                       ranks.size() > MOST_MEMBERS ? ", ..." : "");
}

std::string
DescribeGroups(const JobInfo& info, const Style& style)
{
    Rows rows{{"group", "size", "calls", "volume", "listed by", "ranks"}};
    for (const GroupInfo& group : info.groups)
    {
        if (rows.size() <= MOST_GROUPS)
        {
            rows.push_back({group.name.empty() ? "-" : ShortenName(group.name),
                            std::to_string(group.ranks.size()),
                            std::to_string(group.volume.calls),
                            SizeText(group.volume.size),
                            std::string(ToText(group.origin)),
                            MembersText(group.ranks)});
        }
    }
    if (rows.size() == 1)
    {
        return "";
    }
    return TitledTable("groups that call collectives", rows, style) +
           LeftOutText(info.groups.size(), MOST_GROUPS, "groups");
}

/// Recorded durations by where the work runs. Kernels without a stream stand under "accelerator".
/// Places without nodes are left out.
std::string
DescribeCompute(const JobInfo& info, const Style& style)
{
    Rows rows{{"where", "nodes", "recorded"}};
    const auto add = [&rows](const std::string& name, const WorkTotal& work)
    {
        if (work.nodes > 0)
        {
            rows.push_back({name, std::to_string(work.nodes), NanosText(work.nanos)});
        }
    };
    for (const auto& [stream, work] : info.total.streams)
    {
        add(stream ? fmt::format("stream {}", *stream) : "accelerator", work);
    }
    add("memory", info.total.memory);
    add("CPU", info.total.cpu);
    return rows.size() == 1 ? "" : TitledTable("compute, over all ranks", rows, style);
}

std::string
DescribePath(const TraceTotals& totals)
{
    const PathTotal& path = totals.criticalPath;
    std::string text =
        fmt::format("\nThe critical path takes {}, of which {} on the CPU, and has {}. It "
                    "is the longest\nof all ranks, along the dependencies and without the "
                    "network: communication takes no time.\n",
                    NanosText(path.nanos),
                    NanosText(path.cpuNanos),
                    CountText(path.nodes, "node"));
    // The critical path of a trace for a roofline is too short, which only this tells.
    if (totals.unrecordedKernels > 0)
    {
        text += fmt::format(
            "No duration is recorded of {}, only num_ops: here that counts as nothing, and "
            "a run\ncomputes the time from the speed of the accelerator.\n",
            CountText(totals.unrecordedKernels, "kernel"));
    }
    return text;
}

} // namespace

std::string
DescribeInfo(const JobInfo& info, const Style& style)
{
    // The schema is that of the first rank's file alone.
    const RankInfo& first = info.ranks.front();
    std::string text = fmt::format(
        "{}, {}, schema {}{}\n",
        CountText(info.ranks.size(), "rank"),
        CountText(info.total.nodes, "node"),
        // A file of either of these two schemas has the same bytes.
        first.schema == "0.0.4" ? "0.0.4 or 1.0.0" : first.schema,
        first.recordedSchema.empty() ? "" : fmt::format(" (recorded as {})", first.recordedSchema));
    text += DescribeRanks(info, style) + DescribeTypes(info, style) +
            DescribeCommunication(info, style) + DescribeGroups(info, style) +
            DescribeCompute(info, style) + DescribePath(info.total);
    for (const TraceNote& note : info.total.notes)
    {
        text += fmt::format("note: {} {}\n", note.count, note.text);
    }
    return text;
}

} // namespace nadi
