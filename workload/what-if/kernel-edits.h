// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// A job with other speeds, and what is different, a sentence each.
struct SpeedEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// The same job with kernels that are `factor` times as fast: those whose names the regular
/// expression fits (anywhere in the name). Their recorded durations are divided by it, and so are
/// their operations and bytes, from which a roofline has its times. A note counts those that have
/// none of these.
///
/// Throws ConfigError for a pattern that is none, or fits no kernel. Requires: factor > 0.
SpeedEdit ChangeSpeed(Workload job, const std::string& pattern, double factor);

/// How many kernels fit several of the patterns of speed (`speeds`), so that their factors
/// multiply, as a note; nothing where none does.
std::optional<std::string> NoteSeveralSpeeds(const Workload& job,
                                             const std::map<std::string, double>& speeds);

/// Throws ConfigError where all kernels of an edit's pattern are among those that `removed` takes
/// out, so that the edit would have nothing left. `edit` is its key.
void CheckIsNotRemoved(const Workload& job,
                       const std::string& edit,
                       const std::string& pattern,
                       const std::string& removed);

/// The same job without the kernels whose names fit. What waited for one of them waits for what
/// that one waited for.
///
/// Throws ConfigError as ChangeSpeed.
Workload RemoveKernels(Workload job, const std::string& pattern);

} // namespace nadi
