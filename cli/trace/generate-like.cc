// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/generate-arguments.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"
#include "common/usage-error.h"
#include "workload/tools/synthesis/dropped-attributes.h"
#include "workload/tools/synthesis/synthesis-report.h"
#include "workload/tools/synthesis/trace-model.h"
#include "workload/tools/synthesis/trace-synthesizer.h"
#include "workload/trace-writer.h"
#include "workload/trace/trace-set.h"

#include <fmt/format.h>

#include <cstdio>

namespace nadi
{

namespace
{

void
CheckLikeArguments(const GenerateArguments& arguments)
{
    if (!arguments.model.model.empty() || !arguments.model.parameters.empty())
    {
        throw UsageError("a model has no place beside --like, whose traces take its place; write "
                         "one of the two");
    }
    if (!arguments.model.dimensions.empty())
    {
        throw UsageError("--dimensions belongs to models; write --ranks");
    }
}

/// Tells on stderr what the reader found, and what the statistics do not keep.
Workload
ReadRecorded(const GenerateArguments& arguments, const TraceInputs& inputs)
{
    TraceOptions options;
    options.files = inputs.files;
    if (!arguments.groups.empty())
    {
        options.groupsFile = arguments.groups;
    }
    Workload recorded = ReadTraces(options);
    for (const std::string& note : recorded.notes)
    {
        fmt::print(stderr, "note: {}\n", note);
    }
    for (const std::string& note : DescribeDropped(recorded))
    {
        fmt::print(stderr, "note: {}\n", note);
    }
    return recorded;
}

} // namespace

void
GenerateLike(const GenerateArguments& arguments)
{
    CheckLikeArguments(arguments);
    const TraceInputs inputs = FindTraceInputs(arguments.like);
    const TraceModel model = LearnTraceModel(ReadRecorded(arguments, inputs));
    const uint32_t ranks = arguments.model.ranks.value_or(model.master.rankCount);
    const TraceSynthesizer synthesizer(model, {.ranks = ranks, .seed = arguments.seed.value_or(1)});
    // The report learns of each rank when it is made, as ranks are not kept.
    SynthesisReport report(model);
    WriteTraces({.name = inputs.name,
                 .directory = arguments.out,
                 .ranks = AllRanks(ranks),
                 .makeGroups = [&] { return synthesizer.Groups(); },
                 .makeTrace =
                     [&](uint32_t rank)
                 {
                     const SyntheticRank made = synthesizer.MakeRank(rank);
                     report.AddRank(made);
                     return FormatTrace(made.graph);
                 }});
    fmt::print("{}\n{}, {}, in {}; to run them:\n{}",
               FormatComparison(report.Compare()),
               CountText(ranks, "trace"),
               CountText(synthesizer.Groups().size(), "group"),
               arguments.out,
               DescribeRun(arguments.out, inputs.name, !synthesizer.Groups().empty()));
}

} // namespace nadi
