// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command.h"
#include "cli/exit-code.h"

#include <string>
#include <vector>

namespace nadi
{

/// Runs the program on its arguments. Whatever is thrown below ends here, as a line on stderr and
/// an exit code.
ExitCode RunCommandLine(const std::vector<std::string>& arguments, const ProgramStart& start);

} // namespace nadi
