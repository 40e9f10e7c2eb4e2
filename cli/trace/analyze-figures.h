// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/trace/trace-analysis.h"

#include <filesystem>

namespace nadi
{

/// Draws an analysis as SVG files in a directory, which is made where it is absent:
///
/// * `breakdown.svg`: the four parts of each rank's time, as stacked bars;
/// * `busy.svg`: the share of each millisecond in which the slowest rank runs something;
/// * `kernels.svg`: durations of kernels as a cumulative distribution, by kind, logarithmic;
/// * `memory.svg`: what tensors of the first ranks have over time, where there are allocations.
///
/// Throws UsageError where a file cannot be written.
void DrawAnalysis(const TraceAnalysis& analysis, const std::filesystem::path& directory);

} // namespace nadi
