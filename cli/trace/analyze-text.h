// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "cli/trace/trace-analysis.h"

#include <string>

namespace nadi
{

/// For people.
std::string DescribeAnalysis(const TraceAnalysis& analysis, const Style& style);

/// For other programs.
std::string FormatAnalysisJson(const TraceAnalysis& analysis);

} // namespace nadi
