// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "cli/trace/trace-analysis.h"

#include <nlohmann/json.hpp>

#include <string>

namespace nadi
{

/// What `nadi trace analyze` tells besides the breakdown and the collectives: kernels,
/// dependencies, the critical path of the slowest rank, exchanges of experts; for people.
std::string DescribeAnalysisDetails(const TraceAnalysis& analysis, const Style& style);

/// Adds the same to the JSON of an analysis, with the path of every rank.
void AddAnalysisDetails(const TraceAnalysis& analysis, nlohmann::ordered_json& whole);

} // namespace nadi
