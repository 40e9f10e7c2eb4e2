// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/config-file.h"
#include "simulation/run-input.h"
#include "simulation/simulation.h"
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/workload-yaml.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

/// \file
/// Configurations that are wrong, each with the line that the user reads.

namespace nadi::test
{

struct Broken
{
    std::string yaml;
    std::string message; ///< the scratch directory's path taken out
};

inline const std::string NETWORK =
    "network: {dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]}\n";

/// What the user reads about the whole input; empty when it is valid.
inline std::string
MessageOf(const std::string& yaml)
{
    const ScratchDirectory scratch("config-errors");
    const auto file = scratch.Write("c.yaml", yaml);
    return scratch.WithoutPath(ConfigErrorText([&] { const RunInput input(file, {}); }));
}

/// What reading alone says, before any network is built; empty when it is valid.
inline std::string
ReadingErrorOf(const std::string& yaml)
{
    const ScratchDirectory scratch("config-errors");
    const auto file = scratch.Write("c.yaml", yaml);
    return scratch.WithoutPath(ConfigErrorText([&] { ReadConfig(file, {}); }));
}

inline void
CheckAll(const std::vector<Broken>& cases)
{
    for (const Broken& broken : cases)
    {
        CAPTURE(broken.yaml);
        CHECK(MessageOf(broken.yaml) == broken.message);
    }
}

/// One line of `network`, wrong.
inline std::string
WithDimension(const std::string& dimension)
{
    return WORKLOAD + "network:\n  dimensions:\n    - " + dimension + "\n";
}

inline std::string
WithPacket(const std::string& keys)
{
    return WORKLOAD +
           "network:\n"
           "  dimensions: [{shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}]\n"
           "  packet: " +
           keys + "\n";
}

inline std::string
WithSystem(const std::string& keys)
{
    return WORKLOAD + NETWORK + "system: " + keys + "\n";
}

inline std::string
WithWorkload(const std::string& keys)
{
    return NETWORK + "workload: " + keys + "\n";
}

} // namespace nadi::test
