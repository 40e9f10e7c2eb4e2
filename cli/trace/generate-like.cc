// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/generate-arguments.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"
#include "common/usage-error.h"
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

/// What the statistics do not keep, in nodes of all ranks.
struct DroppedAttributes
{
    uint64_t priorities = 0;
    uint64_t memoryGroups = 0;
    uint64_t kernels = 0;
};

/// Nodes of a graph count for each rank that has it.
DroppedAttributes
CountDropped(const Workload& workload)
{
    DroppedAttributes dropped;
    for (const uint32_t graph : workload.graphOfRank)
    {
        for (const ExecutionNode& node : workload.graphs[graph].Nodes())
        {
            dropped.priorities += node.priority != 0 ? 1 : 0;
            dropped.memoryGroups += node.isOfGroup ? 1 : 0;
            dropped.kernels += workload.graphs[graph].KernelsOf(node).empty() ? 0 : 1;
        }
    }
    return dropped;
}

void
TellDropped(const char* attribute, uint64_t count, const char* effect)
{
    if (count > 0)
    {
        fmt::print(stderr,
                   "note: the attribute {} of {} is not kept{}\n",
                   attribute,
                   CountText(count, "node"),
                   effect);
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
    const DroppedAttributes dropped = CountDropped(recorded);
    TellDropped("comm_priority", dropped.priorities, "");
    TellDropped("pg_name",
                dropped.memoryGroups,
                ": each rank accesses remote memory by itself, where a group did it together");
    TellDropped("kernels",
                dropped.kernels,
                ": their times follow from num_ops and tensor_size, or are those recorded");
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
