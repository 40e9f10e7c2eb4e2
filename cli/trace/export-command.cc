// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/export-formats.h"
#include "cli/trace/trace-commands.h"
#include "common/text.h"
#include "common/usage-error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct ExportArguments
{
    std::vector<std::string> traces;
    std::string groups;
    std::string format;
    std::string out;
};

struct Format
{
    const char* name;
    ExportReport (*write)(const ExportRequest& request);
    bool hasGroups; ///< what it writes depends on the groups file
};

constexpr std::array FORMATS{Format{"dot", &ExportDot, false},
                             Format{"graphml", &ExportGraphMl, false},
                             Format{"json", &ExportJson, false},
                             Format{"timeline", &ExportTimeline, false},
                             Format{"param", &ExportParam, true}};

const Format*
FindFormat(const std::string& name)
{
    for (const Format& format : FORMATS)
    {
        if (format.name == name)
        {
            return &format;
        }
    }
    return nullptr;
}

std::string
CheckFormat(const std::string& text)
{
    std::vector<std::string> names;
    for (const Format& format : FORMATS)
    {
        names.emplace_back(format.name);
    }
    return FindFormat(text) != nullptr
               ? ""
               : fmt::format("{} is no format; write one of {}", text, fmt::join(names, ", "));
}

void
Export(const ExportArguments& arguments)
{
    const Format& format = *FindFormat(arguments.format);
    const ExportRequest request{.inputs = FindTraceInputs(arguments.traces),
                                .groupsFile = FindInputGroups(arguments.traces, arguments.groups),
                                .out = arguments.out};
    // Also where the format has no use for it, so that a wrong file is not taken in silence.
    ReadGroups(request.groupsFile.value_or(""), request.inputs.files.size());
    // A format writes its files itself: one has a file for each rank, another a file for all.
    ExportReport report = format.write(request);
    if (!arguments.groups.empty() && !format.hasGroups)
    {
        // Nobody asked for a groups file that was found in the directory, so it needs no note.
        report.notes.push_back(
            fmt::format("the groups file has no effect: format {} shows the names of groups as "
                        "they stand in the traces",
                        format.name));
    }
    for (const std::string& note : report.notes)
    {
        fmt::print(stderr, "note: {}\n", note);
    }
    fmt::print("{} as {}, in {}{}\n",
               CountText(request.inputs.files.size(), "trace"),
               format.name,
               arguments.out,
               report.hint.empty() ? "" : "; " + report.hint);
}

} // namespace

Command
MakeTraceExportCommand()
{
    const auto arguments = std::make_shared<ExportArguments>();
    return {
        .name = "export",
        .help = "Write traces in formats that other programs show",
        .examples =
            {"nadi trace export traces/mlp/mlp.0.et --format dot --out mlp.dot",
             "nadi trace export traces/mlp/mlp.{rank}.et --format timeline --out mlp.pftrace"},
        .options =
            {MakeTracesOption(arguments->traces),
             MakeGroupsOption(arguments->groups),
             {.name = "--format",
              .target = &arguments->format,
              .help = "dot for a drawing by Graphviz; graphml for Gephi, yEd and networkx; "
                      "json; timeline for Perfetto; param for PARAM's comm_replay, which plays the "
                      "communication on a real cluster",
              .valueName = "NAME",
              .isRequired = true,
              .check = &CheckFormat},
             {.name = "--out",
              .target = &arguments->out,
              .help = "a file; for several ranks a directory, absent or empty, except for "
                      "a timeline, which is one file",
              .valueName = "FILE",
              .isRequired = true}},
        .run = [arguments](const ProgramStart&)
        {
            Export(*arguments);
            return EXIT_DONE;
        }};
}

} // namespace nadi
