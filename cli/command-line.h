// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/exit-code.h"
#include "cli/program-identity.h"

#include <chrono>
#include <string>
#include <vector>

namespace nadi
{

/// What only `main` knows.
struct ProgramStart
{
    ProgramIdentity program;
    std::chrono::steady_clock::time_point start; ///< the first line of main
};

/// Runs the program on its arguments. Whatever is thrown below ends here, as a line on stderr and
/// an exit code.
ExitCode RunCommandLine(const std::vector<std::string>& arguments, const ProgramStart& start);

} // namespace nadi
