// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/info-text.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "workload/tools/inspection/info-json.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct InfoArguments
{
    std::vector<std::string> traces;
    std::string groups;
    bool isJson = false;
};

void
PrintInfo(const InfoArguments& arguments)
{
    const JobInfo info = InspectTraces(FindTraceInputs(arguments.traces).files,
                                       FindInputGroups(arguments.traces, arguments.groups));
    fmt::print("{}",
               arguments.isJson ? FormatInfoJson(info) : DescribeInfo(info, Style::For(stdout)));
}

} // namespace

Command
MakeTraceInfoCommand()
{
    const auto arguments = std::make_shared<InfoArguments>();
    return {
        .name = "info",
        .help = "Say what traces hold: nodes, dependencies, groups, communication, compute",
        .examples = {"nadi trace info traces/llama/llama3-70b.{rank}.et --groups "
                     "traces/llama/groups.json"},
        .options = {{.name = "TRACES",
                     .target = &arguments->traces,
                     .help =
                         "a directory, a path with {rank}, a pattern with *, or the files by rank",
                     .isRequired = true},
                    {.name = "--groups",
                     .target = &arguments->groups,
                     .help = "the JSON file that lists the ranks of each group",
                     .valueName = "FILE"},
                    {.name = "--json",
                     .target = &arguments->isJson,
                     .help = "print JSON, which has every rank and every group"}},
        .run = [arguments](const ProgramStart&)
        {
            PrintInfo(*arguments);
            return EXIT_DONE;
        }};
}

} // namespace nadi
