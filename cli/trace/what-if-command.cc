// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/memory-text.h"
#include "cli/trace/structure-hints.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-limits.h"
#include "cli/trace/trace-output.h"
#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "common/usage-error.h"
#include "configuration/kernel-times-file.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/tools/structure/job-doubts.h"
#include "workload/trace-names.h"
#include "workload/what-if/known-job.h"
#include "workload/what-if/wanted-layers.h"
#include "workload/what-if/what-if-settings.h"
#include "workload/what-if/what-if.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

constexpr size_t MOST_ODDITIES = 4; // on the terminal: recordings have them by rank

struct WhatIfArguments
{
    std::vector<std::string> traces;
    std::string groups;
    std::vector<std::string> settings;
    HintArguments hints;
    std::string kernels;
    std::string memory;
    std::string out;
};

std::optional<Bytes>
ReadMemoryLimit(const WhatIfArguments& arguments)
{
    try
    {
        return arguments.memory.empty() ? std::nullopt
                                        : std::optional(ParseBytes(arguments.memory));
    }
    catch (const UnitError& error)
    {
        throw UsageError(fmt::format("--memory: {}", error.what()));
    }
}

/// Nothing where the edits took away all kernels of a rank that fit --layer-pattern. They do not
/// need it any more, so that is no fault.
std::optional<JobStructure>
FindEditedStructure(const WhatIfArguments& arguments, const Workload& job)
{
    try
    {
        return FindStructure(
            job, {}, {.layerPattern = arguments.hints.layerPattern, .degrees = {}});
    }
    catch (const ConfigError&)
    {
        return std::nullopt;
    }
}

/// What the edited job needs of memory: a chapter of the page, and a warning or "".
struct MemoryText
{
    std::string chapter;
    std::string warning;
};

/// Edits change what ranks keep, so the structure of the edited job is found anew. The degrees of
/// the hints are those of the given traces, and say nothing of the edited job.
MemoryText
EstimateMemory(const WhatIfArguments& arguments, const Workload& job)
{
    const std::optional<Bytes> limit = ReadMemoryLimit(arguments);
    const auto withoutEstimate = [&limit](const std::string& why)
    {
        const std::string problem = "memory is not estimated, as " + why;
        // Whoever gave a limit expects an answer and gets a warning. Else the page is enough.
        return MemoryText{"\n## Memory\n\n* " + problem + ".\n", limit ? problem : ""};
    };
    const std::optional<JobStructure> structure = FindEditedStructure(arguments, job);
    if (!structure)
    {
        return withoutEstimate("on some rank no kernel that is left fits --layer-pattern; one "
                               "that fits others helps");
    }
    if (!structure->HasLayers())
    {
        return withoutEstimate("no layers are found; --layer-pattern helps");
    }
    const MemoryEstimate estimate = EstimateFullestRank(job, *structure);
    if (estimate.Sum() == 0)
    {
        return withoutEstimate("no gradients are summed and kernels name no sizes; a recording "
                               "with the host trace has sizes");
    }
    const std::string warning = WarnOfMemory(estimate, limit);
    return {DescribeMemoryEstimate(estimate) +
                (warning.empty() ? "" : "\n**Warning**: " + warning + ".\n"),
            warning};
}

/// The page, in Markdown: the changes, the evidence for the structure that they build on, what was
/// assumed, and the memory.
std::string
WritePage(const WhatIfArguments& arguments,
          const JobStructure& structure,
          const WhatIfJob& made,
          const MemoryText& memory)
{
    std::string page = "# What was changed\n\n";
    for (const std::string& trace : arguments.traces)
    {
        page += fmt::format("From `{}`:\n\n", trace);
    }
    for (const std::string& change : made.changes)
    {
        page += fmt::format("* {}.\n", change);
    }
    if (made.changes.empty())
    {
        page += "* Nothing.\n";
    }
    page += fmt::format("\n## What the changes rest on\n\n* {}, found by {}; {:.0f} % of the "
                        "kernels are in layers.\n",
                        CountText(structure.layers, "layer"),
                        ToText(structure.evidence),
                        structure.confidence * 100);
    for (const std::string& note : structure.notes)
    {
        page += fmt::format("* {}\n", note);
    }
    for (const std::string& note : made.notes)
    {
        page += fmt::format("* {}.\n", note);
    }
    page += "* Kernels outside of the changes take as long as recorded. Recorded starts, and what "
            "a simulation does not read, are left out.\n";
    return page + memory.chapter;
}

void
PrintNotes(const std::vector<std::string>& notes)
{
    for (const std::string& note : notes)
    {
        fmt::print("note: {}\n", note);
    }
}

void
PrintWarning(const std::string& warning)
{
    if (!warning.empty())
    {
        fmt::print("warning: {}\n", warning);
    }
}

/// What is odd in the traces that were given; the page has it among the notes of the structure.
void
PrintOddities(const KnownJob& known)
{
    std::vector<std::string> oddities = ListOddities(known.job, known.structure);
    const size_t all = oddities.size();
    oddities.resize(std::min(all, MOST_ODDITIES));
    PrintNotes(oddities);
    if (all > oddities.size())
    {
        fmt::print("note: what-if.md has {} like these\n",
                   CountText(all - oddities.size(), "more note"));
    }
}

/// The page comes after the traces, because the directory appears only when all are written.
void
WritePageFile(const WhatIfArguments& arguments, const std::string& page)
{
    const std::filesystem::path path = std::filesystem::path(arguments.out) / "what-if.md";
    std::ofstream file(path);
    file << page;
    file.close();
    if (!file)
    {
        throw UsageError("cannot write \"" + path.string() + "\"");
    }
}

/// Without a change the traces are those that were given, byte for byte. The page tells what memory
/// they take.
void
WriteUnchanged(const WhatIfArguments& arguments,
               const RecordedInputs& inputs,
               const KnownJob& known,
               const WhatIfJob& made,
               const MemoryText& memory)
{
    const std::optional<std::string> groups = FindInputGroups(arguments.traces, arguments.groups);
    WriteDocuments(
        {.name = inputs.name,
         .directory = arguments.out,
         .ranks = inputs.Ranks(),
         .makeGroups = [&] { return ReadGroups(groups.value_or(""), inputs.files.size()); },
         .makeDocument = [&](uint32_t rank) { return ReadDocument(inputs.FileOf(rank)); }});
    WritePageFile(arguments, WritePage(arguments, known.structure, made, memory));
    fmt::print("nothing is changed: the traces are as they were, in {}; what-if.md there tells "
               "their memory\n",
               arguments.out);
    PrintNotes(made.notes);
    PrintWarning(memory.warning);
}

void
WriteChanged(const WhatIfArguments& arguments,
             const std::string& name,
             const KnownJob& known,
             const WhatIfJob& made,
             const MemoryText& memory)
{
    WriteTraceFiles(made.job, name, arguments.out);
    WritePageFile(arguments, WritePage(arguments, known.structure, made, memory));
    for (const std::string& change : made.changes)
    {
        fmt::print("{}\n", change);
    }
    PrintOddities(known);
    PrintNotes(made.notes);
    PrintWarning(memory.warning);
    fmt::print("{}, and what-if.md, which says what they rest on, in {}; to run them:\n{}",
               CountText(made.job.RankCount(), "trace"),
               arguments.out,
               DescribeRun(arguments.out, name, made.job.communicators.size() > 1));
}

void
MakeWhatIf(const WhatIfArguments& arguments)
{
    if (arguments.settings.empty())
    {
        throw UsageError("what is to change? write --set layers=96, pp=4, micro-batches=8, "
                         "schedule=gpipe, dp=16, tp=4, hidden=8192, speed=REGEX:2, remove=REGEX or "
                         "fuse=REGEX; docs/what-if.md has all edits");
    }
    const WhatIf wish = ParseWhatIf(arguments.settings);
    // Too many ranks are refused before they are made. Too many tasks are known only then, and are
    // refused before files are written.
    ReadMemoryLimit(arguments); // refused before anything is read
    const RecordedInputs inputs = FindRecordedInputs(arguments.traces);
    const KnownJob known = ReadKnownJob(
        inputs.files, FindInputGroups(arguments.traces, arguments.groups), arguments.hints.Parse());
    CheckWrittenRanks(CountWantedRanks(known.job, known.structure, wish));
    WhatIfJob made =
        ApplyWhatIf(known.job,
                    known.structure,
                    wish,
                    arguments.kernels.empty() ? KernelTimes()
                                              : ReadKernelTimes(arguments.kernels, "--kernels"));
    CheckWrittenTasks(made.job);
    // Edits build on what the reading assumed, so its notes come first.
    made.notes.insert(made.notes.begin(), known.notes.begin(), known.notes.end());
    const MemoryText memory = EstimateMemory(arguments, made.job);
    // Ranks without a given trace have got one from others. That is written even if no edit changes
    // anything.
    made.changes.empty() && known.job.RankCount() == inputs.files.size()
        ? WriteUnchanged(arguments, inputs, known, made, memory)
        : WriteChanged(arguments, inputs.name, known, made, memory);
}

} // namespace

Command
MakeTraceWhatIfCommand()
{
    const auto arguments = std::make_shared<WhatIfArguments>();
    return {.name = "what-if",
            .help = "Make the traces of another configuration of a recorded or generated job",
            .examples = {"nadi trace what-if traces/llama --set layers=96 --out traces/llama-96",
                         "nadi trace what-if traces/llama --set dp=4 --set layers=48 --out "
                         "traces/llama-dp4"},
            .options = {MakeTracesOption(arguments->traces),
                        MakeGroupsOption(arguments->groups),
                        {.name = "--set",
                         .target = &arguments->settings,
                         .help = "what is to be other than recorded: hidden=N, ffn=N, heads=N, "
                                 "sequence=N and micro-batch=N of the model, tp=N, sp=on or off, "
                                 "ep=N of its layers, layers=N of the whole model, "
                                 "durations=cycle or median of repeated ones, pp=N pipeline "
                                 "stages, micro-batches=N of each copy, schedule=1f1b, gpipe or "
                                 "interleaved of pipeline stages, chunks=N of layers on each of "
                                 "them, dp=N data-parallel copies, bucket=SIZE of gradients that "
                                 "are summed together, "
                                 "speed=REGEX:2 kernels twice as fast, "
                                 "remove=REGEX kernels taken out, fuse=REGEX neighbouring kernels "
                                 "made one, gpu.peak=RATE and gpu.memory-bandwidth=RATE of another "
                                 "accelerator; once for each",
                         .valueName = "EDIT=VALUE"},
                        arguments->hints.PatternOption(),
                        arguments->hints.DegreesOption(),
                        {.name = "--kernels",
                         .target = &arguments->kernels,
                         .help = "what kernels of other sizes take: a table of measured ones "
                                 "(.csv), or the models of nadi trace fit (.yaml); without it "
                                 "models are fitted to the traces",
                         .valueName = "FILE"},
                        {.name = "--memory",
                         .target = &arguments->memory,
                         .help = "the memory of a rank; a warning says where the estimate of "
                                 "what-if.md is above it",
                         .valueName = "SIZE"},
                        {.name = "--out",
                         .target = &arguments->out,
                         .help = "a directory, absent or empty",
                         .valueName = "DIR",
                         .isRequired = true}},
            .run = [arguments](const ProgramStart&)
            {
                MakeWhatIf(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
