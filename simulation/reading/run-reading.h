// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/reading/run-facts.h"

#include <string>

namespace nadi
{

/// What a run's numbers say, in a few sentences: what bounds the slowest rank, and what would help.
///
/// Holds: it advises only what the facts show. Ranks that come late, faults, losses and congestion
/// are named before bandwidth and latency, since they make links look idle; where something may
/// hold messages back that no counter shows, it says what bounds the job and no more. Empty for a
/// job that takes no time.
std::string ReadFacts(const RunFacts& facts);

/// The same of a run; empty where the job did not end.
std::string ReadRun(const RunInput& input, const RunResults& results);

} // namespace nadi
