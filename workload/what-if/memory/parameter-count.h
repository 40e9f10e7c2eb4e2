// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"
#include "workload/tools/structure/job-structure.h"
#include "workload/what-if/memory/copy-traffic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

inline constexpr uint64_t STATE_BYTES = 12; ///< assumed: an fp32 copy and two moments of a number

/// Parameters of one kind that a rank works on, and in how many shards copies have them.
struct ParameterGroup
{
    std::string where; ///< " in experts"; "" of all else
    uint64_t numbers = 0;
    uint64_t gradientBytes = 0;
    uint32_t parameterShards = 1;
    uint32_t gradientShards = 1;
    uint32_t updatedShards = 1;
};

/// All of them, and how that is known.
struct ParameterCount
{
    std::vector<ParameterGroup> groups;
    std::string evidence;
    std::string gradientEvidence = ""; ///< how many bytes a gradient has, where sums do not tell
    uint64_t updated = 0;              ///< that the optimizer updates; 0: its kernels do not say
};

/// Counts the parameters of one rank by the best evidence that there is. `numberSize`: bytes of a
/// parameter, and of a gradient where nothing tells another size.
ParameterCount CountParameters(const ExecutionGraph& graph,
                               const RankStructure& rank,
                               const CopiesTraffic& traffic,
                               uint32_t iterations,
                               uint64_t numberSize);

/// ceil(number / parts). Requires: parts > 0.
inline uint64_t
DivideUp(uint64_t number, uint64_t parts)
{
    return number / parts + (number % parts == 0 ? 0 : 1);
}

} // namespace nadi
