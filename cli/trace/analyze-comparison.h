// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "cli/trace/trace-analysis.h"

#include <string>

namespace nadi
{

/// Two recordings side by side, as a recording and its replay: the parts of the slowest rank of
/// each, its kinds of kernels, and the collectives that both have; for people.
std::string
DescribeComparison(const TraceAnalysis& left, const TraceAnalysis& right, const Style& style);

/// The whole of both, as JSON: {"a": ..., "b": ...}.
std::string FormatComparisonJson(const TraceAnalysis& left, const TraceAnalysis& right);

} // namespace nadi
