// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/command-line.h"
#include "tests/support/scratch-directory.h"

#include <cstdio>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace nadi::test
{

/// What `nadi trace` with these arguments prints on stdout and ends with.
struct TraceRun
{
    explicit TraceRun(std::vector<std::string> arguments)
    {
        const ScratchDirectory scratch("cli-trace-output");
        const std::string file = scratch.Write("out", "").string();
        std::fflush(stdout);
        const int terminal = dup(STDOUT_FILENO);
        const int target = open(file.c_str(), O_WRONLY);
        dup2(target, STDOUT_FILENO);
        arguments.insert(arguments.begin(), "trace");
        exitCode = RunCommandLine(arguments, {});
        std::fflush(stdout);
        dup2(terminal, STDOUT_FILENO);
        close(target);
        close(terminal);
        out = ReadWholeFile(file);
    }

    ExitCode exitCode = EXIT_BUG;
    std::string out;
};

} // namespace nadi::test
