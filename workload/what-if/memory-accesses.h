// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Requires that no rank loads from or stores to a memory, as where parameters are streamed.
/// Throws ConfigError at `edit`, with the first access and what is `unknown` of it.
void CheckAccessesNothing(const Workload& job, const std::string& edit, const std::string& unknown);

} // namespace nadi
