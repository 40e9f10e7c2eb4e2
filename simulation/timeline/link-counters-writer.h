// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"
#include "workload/timeline/perfetto-writer.h"

namespace nadi
{

/// The links whose utilization is drawn: those that carried most.
constexpr size_t MOST_LINK_COUNTERS = 64;
/// Values of all of them together; beyond, each is the mean of several intervals.
constexpr size_t MOST_LINK_VALUES = 200'000;

/// A counter for each of the busiest links, from the samples of `output.series`; nothing without.
///
/// Holds: a value stands for the time from its own on to that of the next.
void WriteLinkCounters(const RunResults& results, const RunInput& input, PerfettoWriter& writer);

} // namespace nadi
