// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/program-identity.h"
#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <cstdint>
#include <string>

namespace nadi
{

/// What the run cost on this machine: the only values that differ from run to run.
struct RunCost
{
    double wallSeconds = 0;
    uint64_t peakMemoryBytes = 0;
};

/// `summary.json`: the run in one mapping.
std::string WriteSummary(const RunInput& input,
                         const RunResults& results,
                         const RunCost& cost,
                         const ProgramIdentity& program);

} // namespace nadi
