// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/style.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/text.h"
#include "workload/tools/inspection/check-json.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct TraceCheckArguments
{
    std::vector<std::string> traces;
    std::string groups;
    bool isJson = false;
    bool isStrict = false;
};

/// What several ranks have in common is one line, but counts for each of them at the end.
std::string
DescribeCheck(const TraceCheck& check, const Style& style)
{
    std::string text;
    for (const Finding& finding : MergeFindings(check.findings))
    {
        const auto severity = std::string(ToText(finding.severity));
        text += fmt::format("{}: {}\n",
                            finding.severity == Severity::Error ? style.Bold(severity) : severity,
                            DescribeFinding(finding));
    }
    return text + fmt::format("{}, {}, {} in {} of {}\n",
                              CountText(check.Count(Severity::Error), "error"),
                              CountText(check.Count(Severity::Warning), "warning"),
                              CountText(check.Count(Severity::Note), "note"),
                              CountText(check.rankCount, "trace"),
                              CountText(check.nodeCount, "node"));
}

ExitCode
RunTraceCheck(const TraceCheckArguments& arguments)
{
    const TraceCheck check = CheckTraces(FindTraceInputs(arguments.traces).files,
                                         FindInputGroups(arguments.traces, arguments.groups));
    fmt::print(
        "{}", arguments.isJson ? FormatCheckJson(check) : DescribeCheck(check, Style::For(stdout)));
    const bool isBad = check.Count(Severity::Error) > 0 ||
                       (arguments.isStrict && check.Count(Severity::Warning) > 0);
    return isBad ? EXIT_CONFIG : EXIT_DONE;
}

} // namespace

Command
MakeTraceCheckCommand()
{
    const auto arguments = std::make_shared<TraceCheckArguments>();
    return {
        .name = "check",
        .help = "Look for everything in traces that would make a simulation wrong or stuck",
        .examples = {"nadi trace check traces/llama/llama3-70b.{rank}.et --groups "
                     "traces/llama/groups.json"},
        .options =
            {{.name = "TRACES",
              .target = &arguments->traces,
              .help = "a directory, a path with {rank}, a pattern with *, or the files by rank",
              .isRequired = true},
             {.name = "--groups",
              .target = &arguments->groups,
              .help = "the JSON file that lists the ranks of each group",
              .valueName = "FILE"},
             {.name = "--json", .target = &arguments->isJson, .help = "print the findings as JSON"},
             {.name = "--strict",
              .target = &arguments->isStrict,
              .help = "end with exit code 3 for warnings too, not only for errors"}},
        .run = [arguments](const ProgramStart&) { return RunTraceCheck(*arguments); }};
}

} // namespace nadi
