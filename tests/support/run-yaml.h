// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/simulate.h"
#include "tests/support/test-paths.h"

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A whole run of a configuration, from its text to its results, without files of results.
struct YamlRun
{
    std::string yaml;                       ///< relative paths in it start in the scratch directory
    std::vector<std::string> settings = {}; ///< as `--set`
    std::optional<uint64_t> scrambleSeed = std::nullopt;
};

inline RunResults
RunYaml(const YamlRun& run)
{
    const std::filesystem::path scratch(TEST_SCRATCH);
    std::filesystem::create_directories(scratch);
    const std::filesystem::path file = scratch / "run.yaml";
    std::ofstream(file) << run.yaml;
    return Simulate(file, run.settings, {.scrambleSeed = run.scrambleSeed});
}

} // namespace nadi
