// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/summary-text.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/text.h"
#include "workload/tools/inspection/job-diff.h"
#include "workload/trace/process-groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace nadi
{

namespace
{

constexpr size_t MOST_SHOWN = 10; // entries of a list
constexpr size_t MOST_RANKS_SHOWN = 4;
constexpr size_t LONGEST_VALUE = 100;

struct DiffArguments
{
    std::string first;
    std::string second;
    std::string groups;
    std::string secondGroups;
    bool isJson = false;
};

std::string
DescribeValue(const std::optional<std::string>& value)
{
    if (!value)
    {
        return "absent";
    }
    if (value->empty())
    {
        return "empty";
    }
    return value->size() <= LONGEST_VALUE ? *value
                                          : fmt::format("{}...", CutLetters(*value, LONGEST_VALUE));
}

std::string
MoreText(uint64_t count, size_t shown)
{
    if (count <= shown)
    {
        return "";
    }
    const std::string listed = count > TraceDiff::MOST_LISTED
                                   ? fmt::format("the first {}", TraceDiff::MOST_LISTED)
                                   : "them all";
    return fmt::format("    {} more; --json has {}\n", count - shown, listed);
}

/// `nodes` are the first of `count`, as a diff keeps no more.
std::string
DescribeOnly(const char* title, uint64_t count, const std::vector<TraceNodeName>& nodes)
{
    std::string text = count == 0 ? "" : fmt::format("  {}:\n", title);
    const size_t shown = std::min(nodes.size(), MOST_SHOWN);
    for (size_t node = 0; node < shown; ++node)
    {
        text += fmt::format("    node {} \"{}\"\n", nodes[node].id, nodes[node].name);
    }
    return text + MoreText(count, shown);
}

std::string
DescribeValues(const std::vector<ChangedValue>& values, const char* indent)
{
    std::string text;
    for (const ChangedValue& value : values)
    {
        text += fmt::format("{}{}: {} -> {}\n",
                            indent,
                            value.name,
                            DescribeValue(value.from),
                            DescribeValue(value.to));
    }
    return text;
}

/// `dependencies` are those that a node has in the trace `where` only.
std::string
DescribeDependencies(const char* where, const std::vector<std::string>& dependencies)
{
    if (dependencies.empty())
    {
        return "";
    }
    const size_t shown = std::min(dependencies.size(), MOST_SHOWN);
    return fmt::format(
        "      depends in {} only on {}{}\n",
        where,
        fmt::join(
            dependencies.begin(), dependencies.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        dependencies.size() > shown ? fmt::format(" and {} more", dependencies.size() - shown)
                                    : "");
}

std::string
DescribeChanged(const TraceDiff& diff)
{
    std::string text = diff.changedCount == 0 ? "" : "  changed:\n";
    const size_t shown = std::min(diff.changed.size(), MOST_SHOWN);
    for (size_t at = 0; at < shown; ++at)
    {
        const ChangedNode& node = diff.changed[at];
        text += fmt::format(
            "    node {} \"{}\"{}\n",
            node.from.id,
            node.from.name,
            // Nodes are matched by name and order, so their ids may differ.
            node.from.id == node.to.id ? "" : fmt::format(", which is node {} in B", node.to.id));
        text += DescribeValues(node.values, "      ") +
                DescribeDependencies("A", node.dependenciesRemoved) +
                DescribeDependencies("B", node.dependenciesAdded);
    }
    return text + MoreText(diff.changedCount, shown);
}

/// "8 nodes in A, 5 in B; only in A 3, only in B 0, changed 2 (attributes 2, dependencies 1);
/// duration_micros 2, tid 1".
std::string
SummarizeDiff(const TraceDiff& diff)
{
    if (diff.AreEqual())
    {
        return fmt::format("equal, {}", CountText(diff.nodesInFirst, "node"));
    }
    std::string names;
    for (const auto& [name, count] : diff.changedNames)
    {
        names += fmt::format("{}{} {}", names.empty() ? "; " : ", ", name, count);
    }
    return fmt::format("{} in A, {} in B; only in A {}, only in B {}, changed {} (attributes "
                       "{}, dependencies {}){}{}",
                       CountText(diff.nodesInFirst, "node"),
                       diff.nodesInSecond,
                       diff.onlyInFirstCount,
                       diff.onlyInSecondCount,
                       diff.changedCount,
                       diff.changedValuesCount,
                       diff.changedDependencyCount,
                       diff.metadata.empty() ? "" : "; metadata changed",
                       names);
}

std::string
DescribeRankDiff(size_t rank, const TraceDiff& diff)
{
    return fmt::format("\nrank {}\n", rank) + (diff.metadata.empty() ? "" : "  metadata:\n") +
           DescribeValues(diff.metadata, "    ") +
           DescribeOnly("only in A", diff.onlyInFirstCount, diff.onlyInFirst) +
           DescribeOnly("only in B", diff.onlyInSecondCount, diff.onlyInSecond) +
           DescribeChanged(diff);
}

std::string
DescribeDiff(const JobDiff& diff)
{
    std::string text = diff.AreEqual()
                           ? fmt::format("equal: {}\n", CountText(diff.ranks.size(), "trace"))
                           : "different\n";
    if (diff.ranksInFirst != diff.ranksInSecond)
    {
        text += fmt::format("A has {} and B has {}: those that one lacks are not compared\n",
                            CountText(diff.ranksInFirst, "rank"),
                            diff.ranksInSecond);
    }
    // Each rank has its line; only the first few that differ have more.
    for (size_t rank = 0; rank < diff.ranks.size(); ++rank)
    {
        text += fmt::format("rank {}: {}\n", rank, SummarizeDiff(diff.ranks[rank]));
    }
    size_t shown = 0;
    for (size_t rank = 0; rank < diff.ranks.size() && shown < MOST_RANKS_SHOWN; ++rank)
    {
        if (!diff.ranks[rank].AreEqual())
        {
            text += DescribeRankDiff(rank, diff.ranks[rank]);
            ++shown;
        }
    }
    return text;
}

/// The groups file is the one that is named, else the `groups.json` in the directory of traces. One
/// trace alone may be a part of the job whose groups lie beside it, so nothing is looked for.
ComparedJob
FindComparedJob(const std::string& traces, const std::string& groups)
{
    ComparedJob job{.files = FindTraceInputs({traces}).files,
                    .groupsFile = FindInputGroups({traces}, groups)};
    if (!job.groupsFile && job.files.size() > 1)
    {
        job.groupsFile = FindGroupsBeside(job.files.front());
    }
    return job;
}

} // namespace

Command
MakeTraceDiffCommand()
{
    const auto arguments = std::make_shared<DiffArguments>();
    return {.name = "diff",
            .help = "Say how two sets of traces differ; ends with 0 whether or not they do",
            .examples = {"nadi trace diff traces/mlp/mlp.{rank}.et traces/mlp-new/mlp.{rank}.et"},
            .options = {{.name = "A",
                         .target = &arguments->first,
                         .help = "a trace, or a path with {rank} or *",
                         .isRequired = true},
                        {.name = "B",
                         .target = &arguments->second,
                         .help = "what to compare with, likewise; nodes are matched by name and "
                                 "order, not by id",
                         .isRequired = true},
                        {.name = "--groups",
                         .target = &arguments->groups,
                         .help = "the groups file of A",
                         .valueName = "FILE"},
                        {.name = "--second-groups",
                         .target = &arguments->secondGroups,
                         .help = "the groups file of B; without these, the groups.json beside the "
                                 "traces counts. Where both are there, groups are compared by "
                                 "their ranks, not by their names",
                         .valueName = "FILE"},
                        {.name = "--json",
                         .target = &arguments->isJson,
                         .help = "print JSON, which lists more than the first differences"}},
            .run = [arguments](const ProgramStart&)
            {
                const JobDiff diff =
                    CompareJobs(FindComparedJob(arguments->first, arguments->groups),
                                FindComparedJob(arguments->second, arguments->secondGroups));
                fmt::print("{}", arguments->isJson ? FormatDiffJson(diff) : DescribeDiff(diff));
                return EXIT_DONE;
            }};
}

} // namespace nadi
