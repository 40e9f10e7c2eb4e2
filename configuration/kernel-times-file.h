// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/kernel-times/kernel-times.h"

#include <string>

namespace nadi
{

/// What a file says of the times of kernels: a table of measured ones (`.csv`, KernelTable), or
/// models as `nadi trace fit` writes them (`.yaml`, ReadKernelModels). `where` is the place that
/// names it. Throws ConfigError for any other file, and as both of these do.
KernelTimes ReadKernelTimes(const std::string& file, const std::string& where);

} // namespace nadi
