// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/analyze-comparison.h"
#include "cli/trace/analyze-figures.h"
#include "cli/trace/analyze-text.h"
#include "cli/trace/edit-output.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace nadi
{

namespace
{

struct AnalyzeArguments
{
    std::vector<std::string> traces;
    std::string groups;
    std::string figures;
    bool isJson = false;
};

/// Whether two arguments are a recording each, and not the files of two ranks. A directory or a
/// pattern is no file of a rank, so beside one the other argument is a recording too.
bool
AreTwoRecordings(const std::vector<std::string>& traces)
{
    return traces.size() == 2 &&
           std::ranges::any_of(traces,
                               [](const std::string& trace) {
                                   return trace.find_first_of("{*") != std::string::npos ||
                                          std::filesystem::is_directory(trace);
                               });
}

void
PrintComparison(const AnalyzeArguments& arguments)
{
    if (!arguments.figures.empty())
    {
        throw UsageError("--figures draws one recording; analyse the two one after the other");
    }
    for (const std::string& traces : arguments.traces)
    {
        FindTraceInputs({traces}); // what is missing is said before anything is analysed
    }
    // A groups file that is named is that of both. Else each takes that of its own directory.
    const TraceAnalysis left = AnalyzeTraces({arguments.traces[0]}, arguments.groups);
    const TraceAnalysis right = AnalyzeTraces({arguments.traces[1]}, arguments.groups);
    fmt::print("{}",
               arguments.isJson ? FormatComparisonJson(left, right)
                                : DescribeComparison(left, right, Style::For(stdout)));
}

void
PrintAnalysis(const AnalyzeArguments& arguments)
{
    const TraceAnalysis analysis = AnalyzeTraces(arguments.traces, arguments.groups);
    // Drawn before the text is printed: where a figure cannot be written, the error stands alone.
    if (!arguments.figures.empty())
    {
        DrawAnalysis(analysis, arguments.figures);
    }
    fmt::print("{}",
               arguments.isJson ? FormatAnalysisJson(analysis)
                                : DescribeAnalysis(analysis, Style::For(stdout)));
}

} // namespace

Command
MakeTraceAnalyzeCommand()
{
    const auto arguments = std::make_shared<AnalyzeArguments>();
    return {.name = "analyze",
            .help =
                "Say where the time of recorded ranks goes, and what their collectives wait for; "
                "of two recordings, patterns or directories, side by side",
            .examples = {"nadi trace analyze recorded/gpt.{rank}.et --json",
                         "nadi trace analyze recorded/gpt.{rank}.et results/recording"},
            .options = {MakeTracesOption(arguments->traces),
                        MakeGroupsOption(arguments->groups),
                        {.name = "--figures",
                         .target = &arguments->figures,
                         .help = "a directory for figures: breakdown.svg, busy.svg, kernels.svg, "
                                 "and memory.svg where the recording has allocations",
                         .valueName = "DIR"},
                        {.name = "--json",
                         .target = &arguments->isJson,
                         .help = "print JSON, which has every rank and every millisecond"}},
            .run = [arguments](const ProgramStart&)
            {
                if (AreTwoRecordings(arguments->traces))
                {
                    PrintComparison(*arguments);
                }
                else
                {
                    PrintAnalysis(*arguments);
                }
                return EXIT_DONE;
            }};
}

} // namespace nadi
