// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/list-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/unit-parser.h"
#include "common/usage-error.h"
#include "workload/tools/editing/trace-slice.h"
#include "workload/trace/file-contents.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <sstream>

namespace nadi
{

namespace
{

constexpr int64_t PS_PER_NS = 1000;

struct SliceArguments
{
    EditArguments edit;
    std::string iterations;
    std::string from;
    std::string to;
    std::string types;
    std::string nodes;
    std::string ranks;
};

/// Nothing for an option that is absent. Cut to whole nanoseconds, as recorded starts are.
std::optional<int64_t>
ParseNanos(const std::string& option, const std::string& text)
{
    if (text.empty())
    {
        return std::nullopt;
    }
    try
    {
        return ParseTime(text).Ps() / PS_PER_NS;
    }
    catch (const UnitError& error)
    {
        throw UsageError(fmt::format("{} {}", option, error.what()));
    }
}

/// A list of ids, or a file that has such a list on each line.
std::vector<WholeRange>
ReadNodes(const std::string& text)
{
    if (!std::filesystem::is_regular_file(text))
    {
        return ParseRanges("--nodes", text);
    }
    std::vector<WholeRange> ranges;
    std::istringstream lines(ReadFileContents(text));
    for (std::string line; std::getline(lines, line);)
    {
        if (!line.empty())
        {
            const std::vector<WholeRange> some = ParseRanges("--nodes", line);
            ranges.insert(ranges.end(), some.begin(), some.end());
        }
    }
    if (ranges.empty())
    {
        throw UsageError(fmt::format("--nodes {} holds no ids; write one on each line", text));
    }
    return ranges;
}

SliceConditions
ReadConditions(const SliceArguments& arguments)
{
    SliceConditions conditions;
    if (!arguments.iterations.empty())
    {
        conditions.iterations = ParseRange("--iterations", arguments.iterations);
    }
    conditions.fromNanos = ParseNanos("--from", arguments.from);
    conditions.toNanos = ParseNanos("--to", arguments.to);
    if (!arguments.types.empty())
    {
        conditions.types = ParseNodeTypes("--types", arguments.types);
    }
    if (!arguments.nodes.empty())
    {
        conditions.nodes = ReadNodes(arguments.nodes);
    }
    if (!arguments.ranks.empty())
    {
        conditions.ranks = ParseNumbers("--ranks", arguments.ranks);
    }
    return conditions;
}

void
Slice(const SliceArguments& arguments)
{
    // Without a condition the slice would be a copy of everything.
    const bool isCut = !(arguments.iterations + arguments.from + arguments.to + arguments.types +
                         arguments.nodes + arguments.ranks)
                            .empty();
    if (!isCut)
    {
        throw UsageError("which part? write --iterations, --from, --to, --types, --nodes or "
                         "--ranks");
    }
    const SliceConditions conditions = ReadConditions(arguments);
    const TraceInputs inputs = FindTraceInputs(arguments.edit.traces);
    const TraceJob job = ReadTraceJob(inputs.files, arguments.edit.GroupsFile());
    TraceSlice slice(job, conditions);
    WriteEdit(slice, inputs.name, arguments.edit.out);
}

std::vector<CommandOption>
MakeConditionOptions(SliceArguments& arguments)
{
    return {{.name = "--iterations",
             .target = &arguments.iterations,
             .help = "keep these iterations, as 1-2; they are found by the attribute iteration, "
                     "by nodes named ProfilerStep#1, or by names that repeat (counted from 1)",
             .valueName = "RANGE"},
            {.name = "--from",
             .target = &arguments.from,
             .help = "keep nodes that were recorded to start this long after the first one, or "
                     "later, as \"2 ms\"",
             .valueName = "TIME"},
            {.name = "--to",
             .target = &arguments.to,
             .help = "keep nodes that were recorded to start before this time",
             .valueName = "TIME"},
            {.name = "--types",
             .target = &arguments.types,
             .help = "keep nodes of these types, as COMP_NODE,COMM_COLL_NODE",
             .valueName = "LIST"},
            {.name = "--nodes",
             .target = &arguments.nodes,
             .help = "keep nodes with these ids on every rank, as 1-5,9, or a file of such lines",
             .valueName = "LIST"},
            {.name = "--ranks",
             .target = &arguments.ranks,
             .help = "keep these ranks, as 0-3, which are numbered from 0 then; their messages to "
                     "others are refused",
             .valueName = "LIST"}};
}

} // namespace

Command
MakeTraceSliceCommand()
{
    const auto arguments = std::make_shared<SliceArguments>();
    Command command{
        .name = "slice",
        .help = "Cut a part out of traces; what depended on nodes that are cut off depends on what "
                "these depended on",
        .examples =
            {"nadi trace slice recorded/gpt.{rank}.et --iterations 2-3 --out traces/steady",
             "nadi trace slice traces/mlp/mlp.{rank}.et --types COMM_COLL_NODE --out traces/calls"},
        .options = arguments->edit.Options(),
        .run = [arguments](const ProgramStart&)
        {
            Slice(*arguments);
            return EXIT_DONE;
        }};
    for (CommandOption& option : MakeConditionOptions(*arguments))
    {
        command.options.push_back(std::move(option));
    }
    return command;
}

} // namespace nadi
