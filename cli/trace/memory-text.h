// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/what-if/memory/memory-estimate.h"

#include <optional>
#include <string>

namespace nadi
{

/// A chapter of a page: what takes memory, how much, and what tells it.
std::string DescribeMemoryEstimate(const MemoryEstimate& estimate);

/// A sentence that warns where the estimate is above the limit; "" where it is not.
std::string WarnOfMemory(const MemoryEstimate& estimate, std::optional<Bytes> limit);

} // namespace nadi
