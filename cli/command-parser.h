// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"

#include <string>
#include <vector>

namespace nadi
{

/// Reads the arguments of the program and runs the command that they name. `--help` and `--version`
/// are answered here. Throws UsageError, and what commands throw.
ExitCode RunCommands(const std::vector<Command>& commands,
                     std::vector<std::string> arguments,
                     const ProgramStart& start);

} // namespace nadi
