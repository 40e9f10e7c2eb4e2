// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/collective-summary.h"

#include "cli/terminal/summary-text.h"
#include "common/unit-parser.h"
#include "simulation/reading/share.h"
#include "system/collective-bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace nadi
{

namespace
{

constexpr size_t COLLECTIVES_SHOWN = 5;
constexpr size_t CALLS = 4; // columns of the table
constexpr size_t WAITS = 5;

/// Collectives that look alike to a user: repeats, those of other layers, and those of the same
/// kind on other groups.
struct AlikeCollectives
{
    std::string name;
    uint64_t calls = 0;
    const CollectiveResult* slowest = nullptr;
};

SimTime
RunTime(const CollectiveRecord& record)
{
    return record.end - record.begin;
}

/// "layer 12 gradients" -> "layer * gradients": names of one kind count iterations and layers.
std::string
WithoutNumbers(const std::string& name)
{
    std::string pattern;
    bool isInNumber = false;
    for (const char letter : name)
    {
        const bool isDigit = letter >= '0' && letter <= '9';
        if (!isDigit)
        {
            pattern += letter;
        }
        else if (!isInNumber)
        {
            pattern += '*';
        }
        isInNumber = isDigit;
    }
    return pattern;
}

/// A group has the name of its members where all have the same, else their pattern. Takes n log n
/// for n collectives.
std::vector<AlikeCollectives>
GroupAlike(const std::vector<CollectiveResult>& collectives)
{
    using Key = std::tuple<std::string, CollectiveType, uint32_t, int64_t>;
    std::map<Key, size_t> places;
    std::vector<AlikeCollectives> groups; // in the order of their first member
    for (const CollectiveResult& result : collectives)
    {
        const CollectiveRecord& record = result.record;
        const std::string pattern = WithoutNumbers(record.name);
        const Key key{pattern, record.type, record.ranks, record.size.Count()};
        // The place of a known key; a new key gets the next free place.
        const size_t place = places.emplace(key, groups.size()).first->second;
        groups.resize(std::max(groups.size(), place + 1));
        AlikeCollectives& group = groups[place];
        const bool isOneName = group.calls == 0 || group.name == record.name;
        group.name = isOneName ? record.name : pattern;
        ++group.calls;
        if (group.slowest == nullptr || RunTime(record) > RunTime(group.slowest->record))
        {
            group.slowest = &result;
        }
    }
    return groups;
}

std::vector<std::string>
MakeCollectiveRow(const AlikeCollectives& group)
{
    const CollectiveResult& result = *group.slowest;
    const CollectiveRecord& record = result.record;
    const SimTime time = RunTime(record);
    const double busGBps = BusBandwidthGBps({record.type, record.size, record.ranks}, time);
    // A bound of 0 limits nothing, and no ratio to it exists.
    const bool isBounded = result.lowerBound > SimTime{};
    return {ShortenName(group.name),
            std::string(ToText(record.type)),
            std::to_string(record.ranks),
            ToRoundedText(record.size),
            std::to_string(group.calls),
            // From the first member's call until all have called and have a free slot. The network
            // has no part in this, so the bandwidth is that of the time after it. Of unequal sizes
            // none says how many bytes moved.
            ToRoundedText(record.begin - record.start),
            ToRoundedText(time),
            record.size == record.smallestSize ? fmt::format("{:.1f} GB/s", busGBps) : "-",
            ToRoundedText(result.lowerBound),
            isBounded ? fmt::format("{:.2f} x", 1 / ShareOf(result.lowerBound, time)) : "-"};
}

/// Leaves out the columns that say the same of every collective: one call, no wait.
Rows
WithoutIdleColumns(const Rows& rows)
{
    const auto isIdle = [&](size_t column)
    {
        // Other columns stay, even where all their rows are equal.
        const std::string idle =
            column == CALLS ? "1" : (column == WAITS ? ToRoundedText(SimTime{}) : "");
        return !idle.empty() && std::all_of(rows.begin() + 1,
                                            rows.end(),
                                            [&](const auto& row) { return row[column] == idle; });
    };
    Rows kept(rows.size());
    for (size_t column = 0; column < rows.front().size(); ++column)
    {
        for (size_t row = 0; row < rows.size() && !isIdle(column); ++row)
        {
            kept[row].push_back(rows[row][column]);
        }
    }
    return kept;
}

} // namespace

std::string
DescribeCollectives(const RunResults& results, const Style& style)
{
    const std::vector<AlikeCollectives> groups = GroupAlike(results.collectives);
    if (groups.empty())
    {
        return "";
    }
    Rows rows{{"collective",
               "type",
               "ranks",
               "size",
               "calls",
               "waits",
               "runs",
               "busbw",
               "lower bound",
               "runs/bound"}};
    for (const size_t id : FindFirst(groups.size(),
                                     COLLECTIVES_SHOWN,
                                     [&](size_t a, size_t b) {
                                         return RunTime(groups[a].slowest->record) >
                                                RunTime(groups[b].slowest->record);
                                     }))
    {
        rows.push_back(MakeCollectiveRow(groups[id]));
    }
    // "Slowest of" where a row stands for several collectives, or where some are not shown.
    const std::string title =
        results.collectives.size() == groups.size() && groups.size() <= COLLECTIVES_SHOWN
            ? "Collectives"
            : fmt::format("Slowest of {} collectives", results.collectives.size());
    return TitledTable(title, WithoutIdleColumns(rows), style);
}

} // namespace nadi
