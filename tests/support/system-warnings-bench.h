// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-file.h"
#include "simulation/notes/system-warnings.h"
#include "simulation/simulate.h"
#include "tests/support/run-notes.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace nadi::test
{

inline const std::string ONE_DIMENSION =
    "[{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}]";
inline const std::string TWO_DIMENSIONS =
    "[{shape: switch, size: 4, bandwidth: 50 GB/s, latency: 1 us}, "
    "{shape: switch, size: 2, bandwidth: 25 GB/s, latency: 1 us}]";

/// One collective with a section `system`.
struct WarnedJob
{
    std::string system;
    std::string dimensions = TWO_DIMENSIONS;
    std::string collective = "{type: all-reduce, size: 64 MiB}";
};

/// The warnings of a run, and of a run of its effective configuration: the same.
inline Sentences
SystemWarningsOf(const WarnedJob& job, const std::string& workload)
{
    const ScratchDirectory scratch("system-warnings");
    const auto run = [&](const std::string& yaml)
    {
        const RunInput input(scratch.Write("c.yaml", yaml), {});
        const RunResults results = Simulate(input);
        return std::pair(FindSystemWarnings(input, results), WriteConfig(input.Config()));
    };
    const auto [warnings, effective] =
        run("workload: {" + workload + "}\nsystem: {" + job.system +
            "}\nnetwork: {backend: analytical, dimensions: " + job.dimensions + "}\n");
    CHECK(run(effective).first == warnings);
    return warnings;
}

inline Sentences
SystemWarningsOf(const WarnedJob& job)
{
    return SystemWarningsOf(job, "collective: " + job.collective);
}

/// The warnings of a run by default over so many NPUs of a switch.
inline Sentences
WarningsOverSwitch(uint32_t npus, const std::string& collective, const std::string& system = "")
{
    return SystemWarningsOf(
        {.system = system,
         .dimensions =
             fmt::format("[{{shape: switch, size: {}, bandwidth: 50 GB/s, latency: 1 us}}]", npus),
         .collective = collective});
}

inline WarnedJob
OverOne(const std::string& system)
{
    return {.system = system, .dimensions = ONE_DIMENSION};
}

} // namespace nadi::test
