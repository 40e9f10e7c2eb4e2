// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command-line.h"
#include "cli/source-version.h"

#include <chrono>

int
main(int argc, char** argv)
{
    const auto start = std::chrono::steady_clock::now();
    return nadi::RunCommandLine(
        {argv + 1, argv + argc},
        {.program = {nadi::SOURCE_VERSION, nadi::ReadBuildId()}, .start = start});
}
