// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "workload/tools/analysis/breakdown.h"
#include "workload/tools/analysis/collective-times.h"

#include <string>
#include <vector>

namespace nadi
{

/// What `nadi trace analyze` finds.
struct TraceAnalysis
{
    std::vector<TimeBreakdown> ranks;
    std::vector<CollectiveTimes> collectives;
    std::vector<std::string> notes;
};

/// For people.
std::string DescribeAnalysis(const TraceAnalysis& analysis, const Style& style);

/// For other programs.
std::string FormatAnalysisJson(const TraceAnalysis& analysis);

} // namespace nadi
