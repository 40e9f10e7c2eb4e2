// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// What is to be other than recorded; nothing: it stays.
struct WhatIf
{
    std::optional<uint32_t> layers; ///< of the whole model
    std::optional<uint32_t> copies; ///< data-parallel ones (dp)
};

/// An edited job, and what is different, a sentence each.
struct WhatIfJob
{
    Workload job;
    std::vector<std::string> changes;
};

/// Reads settings such as "layers=96" and "dp=16". Throws UsageError for one that is not known, is
/// no number, or stands twice.
WhatIf ParseWhatIf(const std::vector<std::string>& settings);

/// Applies the edits, always in this order: layers, copies. Throws ConfigError as they do.
/// Requires: `structure` was found in `job`.
WhatIfJob ApplyWhatIf(const Workload& job, const JobStructure& structure, const WhatIf& wish);

} // namespace nadi
