// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <filesystem>
#include <string>
#include <vector>

namespace nadi
{

/// Simulates what a configuration file describes, as `nadi run` does, and writes no files: the
/// whole of Nadi behind one call, for tests, bindings and programs that have a question of their
/// own.
///
///     const RunResults results = Simulate("cluster.yaml", {"system.chunks=4"});
///     std::cout << results.finish.Ps() << " ps\n";
///
/// `settings` are those of `--set`: KEY=VALUE, which replace what the file says. Who wants
/// progress, captures or files of results, or to stop a run, makes the parts himself: RunInput,
/// Simulation, WriteResultFiles.
///
/// A deadlock is a result, not an error: RunResults::status and RunResults::waits tell of it.
/// Throws ConfigError for anything wrong with the configuration, the topology or the traces, and
/// std::overflow_error when simulated time passes the end of the clock, 106 days.
/// Requires: one call at a time in a process, as ns-3 has one clock.
RunResults Simulate(const std::filesystem::path& file,
                    const std::vector<std::string>& settings = {},
                    const TestModes& modes = {});

/// The same for an input that was read before, which whoever asks for more than the results needs
/// too: its topology, its workload.
RunResults Simulate(const RunInput& input);

} // namespace nadi
