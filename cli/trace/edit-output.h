// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"
#include "workload/tools/editing/trace-edit.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What the commands have in common that make traces of traces.
struct EditArguments
{
    std::vector<std::string> traces;
    std::string groups; ///< a file, or empty
    std::string out;

    /// TRACES, --groups and --out. Requires: this outlives them.
    std::vector<CommandOption> Options();

    std::optional<std::string> GroupsFile() const;
};

/// `TRACES`, as every command describes it.
CommandOption MakeTracesOption(std::vector<std::string>& traces);

/// `--groups`, likewise.
CommandOption MakeGroupsOption(std::string& groups);

/// The file, unless the text is empty.
std::optional<std::string> FindGroupsFile(const std::string& groups);

/// The groups of a file; none where the text is empty.
ProcessGroups ReadGroups(const std::string& groups, size_t rankCount);

/// Writes the traces `<name>.<rank>.et` and their groups into a directory that is absent or empty,
/// and prints the notes and how to run them.
void WriteEdit(TraceEdit& edit, const std::string& name, const std::string& directory);

} // namespace nadi
