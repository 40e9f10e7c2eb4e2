// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/analyze-comparison.h"

#include "cli/terminal/summary-text.h"
#include "cli/trace/analyze-text.h"
#include "common/unit-parser.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace nadi
{

namespace
{

std::string
ComparedTime(uint64_t nanos)
{
    return ToRoundedText(SimTime::FromNs(static_cast<int64_t>(nanos)));
}

/// "+12.5 %"; "-" from nothing.
std::string
ChangeText(uint64_t from, uint64_t to)
{
    return from == 0 ? "-"
                     : fmt::format("{:+.1f} %",
                                   100 * (static_cast<double>(to) / static_cast<double>(from) - 1));
}

std::vector<std::string>
CompareTimes(const std::string& what, uint64_t left, uint64_t right)
{
    return {what, ComparedTime(left), ComparedTime(right), ChangeText(left, right)};
}

/// Of equals the first. Requires: a rank, which an analysis always has.
const TimeBreakdown&
SlowestOf(const TraceAnalysis& analysis)
{
    return *std::ranges::max_element(analysis.ranks, {}, &TimeBreakdown::Total);
}

std::string
CompareParts(const TraceAnalysis& left, const TraceAnalysis& right, const Style& style)
{
    const TimeBreakdown& a = SlowestOf(left);
    const TimeBreakdown& b = SlowestOf(right);
    return TitledTable(
        fmt::format("A {}\nB {}\nwhere the time of the slowest rank goes", left.name, right.name),
        {{"part", "A", "B", "change"},
         CompareTimes("exposed compute", a.exposedCompute, b.exposedCompute),
         CompareTimes("overlapped", a.overlapped, b.overlapped),
         CompareTimes("exposed communication", a.exposedCommunication, b.exposedCommunication),
         CompareTimes("other", a.other, b.other),
         CompareTimes("together", a.Total(), b.Total())},
        style);
}

std::string
CompareKernels(const TraceAnalysis& left, const TraceAnalysis& right, const Style& style)
{
    // The kinds of either recording: a kind that one of them lacks takes a time of 0 there.
    std::set<std::string> kinds;
    for (const TraceAnalysis* const analysis : {&left, &right})
    {
        for (const auto& [kind, spread] : analysis->kernels)
        {
            kinds.insert(kind);
        }
    }
    const auto sumOf = [](const TraceAnalysis& analysis, const std::string& kind)
    {
        const auto found = analysis.kernels.find(kind);
        return found == analysis.kernels.end() ? 0 : found->second.sum;
    };
    Rows rows{{"kind", "A", "B", "change"}};
    for (const std::string& kind : kinds)
    {
        rows.push_back(CompareTimes(kind, sumOf(left, kind), sumOf(right, kind)));
    }
    return rows.size() == 1 ? "" : TitledTable("kernels of all ranks together", rows, style);
}

/// Collectives of equal type, size and number of members are compared, in the order of the first
/// recording.
std::string
CompareCollectives(const TraceAnalysis& left, const TraceAnalysis& right, const Style& style)
{
    Rows rows{
        {"type", "size", "members", "A transfer", "B transfer", "change", "A waits", "B waits"}};
    for (const CollectiveTimes& a : left.collectives)
    {
        const auto b = std::ranges::find_if(
            right.collectives,
            [&a](const CollectiveTimes& other)
            { return other.type == a.type && other.size == a.size && other.members == a.members; });
        if (b != right.collectives.end())
        {
            rows.push_back({std::string(ToText(a.type)),
                            ToRoundedText(Bytes(static_cast<int64_t>(a.size))),
                            std::to_string(a.members),
                            ComparedTime(a.transferMedian),
                            ComparedTime(b->transferMedian),
                            ChangeText(a.transferMedian, b->transferMedian),
                            ComparedTime(a.waitTotal),
                            ComparedTime(b->waitTotal)});
        }
    }
    return rows.size() == 1
               ? ""
               : TitledTable("collectives that both have, median transfers and waits", rows, style);
}

} // namespace

std::string
DescribeComparison(const TraceAnalysis& left, const TraceAnalysis& right, const Style& style)
{
    return CompareParts(left, right, style) + CompareKernels(left, right, style) +
           CompareCollectives(left, right, style);
}

std::string
FormatComparisonJson(const TraceAnalysis& left, const TraceAnalysis& right)
{
    nlohmann::ordered_json whole;
    // By way of the text of a single analysis, so that both forms have the same keys.
    whole["a"] = nlohmann::ordered_json::parse(FormatAnalysisJson(left));
    whole["b"] = nlohmann::ordered_json::parse(FormatAnalysisJson(right));
    return whole.dump(1) + "\n";
}

} // namespace nadi
