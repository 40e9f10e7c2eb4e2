// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"

#include <vector>

namespace nadi
{

Command MakeRunCommand();
Command MakeCheckCommand();
Command MakeConfigCommand();
Command MakeImportCommand();
Command MakeListCommand();
Command MakeSchemaCommand();
Command MakeSweepCommand();
Command MakeSynthesizeCommand();
Command MakeTraceCommand();

/// All of them, in the order of the help.
std::vector<Command> MakeAllCommands();

} // namespace nadi
