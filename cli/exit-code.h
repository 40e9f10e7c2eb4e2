// SPDX-License-Identifier: GPL-2.0-only
#pragma once

namespace nadi
{

/// What the process ends with; scripts rely on the numbers.
enum ExitCode
{
    EXIT_DONE = 0,
    EXIT_USAGE = 2,        ///< wrong command line
    EXIT_CONFIG = 3,       ///< invalid configuration or trace
    EXIT_STUCK = 4,        ///< the simulated job cannot finish
    EXIT_INTERRUPTED = 5,  ///< partial results are kept
    EXIT_UNAVAILABLE = 69, ///< something that Nadi needs is not there: a program, or memory
    EXIT_BUG = 70,         ///< ours
};

} // namespace nadi
