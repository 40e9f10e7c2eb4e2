// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/serving-instance.h"

#include <deque>

namespace nadi
{

/// The instances of the options, in order, and the ranks dealt out to them. Throws ConfigError for
/// a cluster that cannot serve: see ServingInstance and CheckMemory; prefill without decode,
/// attention without ffn, or the reverse. `seed`: of the run.
std::deque<ServingInstance> MakeServingInstances(const ServeOptions& options, uint64_t seed);

} // namespace nadi
