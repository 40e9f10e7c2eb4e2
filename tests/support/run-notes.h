// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/workload-yaml.h"

#include <string>
#include <vector>

/// \file
/// What a user reads beside the results.

namespace nadi::test
{

using Sentences = std::vector<std::string>;

/// Three NPUs in a ring, links 0/1 (npu0, npu1), 2/3 (npu1, npu2) and 4/5 (npu2, npu0); lines of
/// `network` and below it.
inline std::string
WithNetwork(const std::string& keys)
{
    return WORKLOAD +
           "network:\n"
           "  dimensions: [{shape: ring, size: 3, bandwidth: 1 GB/s, latency: 1 us}]\n" +
           keys + "\n";
}

/// The notes on a configuration.
inline Sentences
NotesOf(const std::string& yaml)
{
    const ScratchDirectory scratch("run-notes");
    return RunInput(scratch.Write("c.yaml", yaml), {}).Notes();
}

} // namespace nadi::test
