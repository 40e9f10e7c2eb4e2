// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"

#include "cli/trace/trace-inputs.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

namespace nadi
{

std::vector<CommandOption>
EditArguments::Options()
{
    return {MakeTracesOption(traces),
            MakeGroupsOption(groups),
            {.name = "--out",
             .target = &out,
             .help = "the directory for the new traces; it has to be absent or empty",
             .valueName = "DIR",
             .isRequired = true}};
}

std::optional<std::string>
EditArguments::GroupsFile() const
{
    return FindInputGroups(traces, groups);
}

CommandOption
MakeTracesOption(std::vector<std::string>& traces)
{
    return {.name = "TRACES",
            .target = &traces,
            .help =
                "the traces: a directory, a path with {rank}, a pattern with *, or the files by "
                "rank",
            .isRequired = true};
}

CommandOption
MakeGroupsOption(std::string& groups)
{
    return {.name = "--groups",
            .target = &groups,
            .help = "the groups file of the traces, where they have one: {\"1\": [0, 1]}",
            .valueName = "FILE"};
}

std::optional<std::string>
FindGroupsFile(const std::string& groups)
{
    return groups.empty() ? std::nullopt : std::optional(groups);
}

ProcessGroups
ReadGroups(const std::string& groups, size_t rankCount)
{
    return groups.empty() ? ProcessGroups()
                          : ReadGroupsFile(groups, static_cast<uint32_t>(rankCount));
}

// For commands that edit documents, as slice and merge do: they write the same files and end with
// the same lines. What-if writes graphs, and so its files itself.
void
WriteEdit(TraceEdit& edit, const std::string& name, const std::string& directory)
{
    // The groups are known when all documents are made.
    WriteDocuments({.name = name,
                    .directory = directory,
                    .ranks = AllRanks(edit.RankCount()),
                    .makeGroups = [&edit] { return edit.Groups(); },
                    .makeDocument = [&edit](uint32_t rank) { return edit.MakeDocument(rank); }});
    for (const std::string& note : edit.Notes())
    {
        fmt::print(stderr, "note: {}\n", note);
    }
    const size_t groups = edit.Groups().size();
    fmt::print("{}, {}, in {}; to run them:\n{}",
               CountText(edit.RankCount(), "trace"),
               CountText(groups, "group"),
               directory,
               DescribeRun(directory, name, groups > 0));
}

} // namespace nadi
