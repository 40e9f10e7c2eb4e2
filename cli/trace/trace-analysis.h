// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/analysis/breakdown.h"
#include "workload/tools/analysis/collective-times.h"
#include "workload/tools/analysis/distributions.h"
#include "workload/tools/analysis/expert-exchanges.h"
#include "workload/tools/analysis/memory-use.h"
#include "workload/tools/analysis/recorded-path.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What `nadi trace analyze` finds.
struct TraceAnalysis
{
    std::string name;                 ///< of the traces, as given
    std::vector<TimeBreakdown> ranks; ///< by rank
    std::vector<RecordedPath> paths;  ///< by rank
    /// By rank; nothing for those whose recording has no events of the allocator.
    std::vector<std::optional<MemoryUse>> memory;
    std::vector<CollectiveTimes> collectives;
    std::map<std::string, Distribution> kernels; ///< durations in nanoseconds, by kind
    Distribution dependencies;                   ///< of a node
    std::vector<ExpertExchange> exchanges;
    std::vector<std::string> notes;
};

/// Reads traces and analyses them. Throws ConfigError where they cannot be read, and where nothing
/// has a recorded start and duration.
TraceAnalysis AnalyzeTraces(const std::vector<std::string>& traces, const std::string& groups);

} // namespace nadi
