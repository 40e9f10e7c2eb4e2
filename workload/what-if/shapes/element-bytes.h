// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/product-bytes.h"
#include "workload/what-if/shapes/task-meaning.h"
#include "workload/workload.h"

#include <cstdint>
#include <map>

namespace nadi
{

/// Bytes of a number of what blocks pass on: as in recorded calls and messages, else as in the
/// first product of a block, else 2. `part`: what the rank holds of the model, as recorded.
uint64_t FindActivationBytes(const ExecutionGraph& graph,
                             const RankMeaning& meaning,
                             const ShapeSizes& part,
                             const ByteCounting& counting);

/// Of the products of all blocks of a job.
ByteCounting ReadByteCounting(const Workload& job, const std::map<uint32_t, RankMeaning>& jobs);

} // namespace nadi
