// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-models.h"

#include <filesystem>
#include <string>

namespace nadi
{

/// The models as YAML, as `nadi trace fit` writes them: `peak`, `memory-bandwidth` and the list
/// `kinds`, with `kind`, `launch` (to a picosecond), `memory-efficiency`, `most-operations`,
/// `most-bytes` and the list `classes` of {operations, efficiency}, where `operations` is the least
/// of the class.
std::string FormatKernelModels(const KernelModels& models);

/// Reads such a file. `where` is the place that names it. Throws ConfigError for what is wrong in
/// it, a kind given twice included.
KernelModels ReadKernelModels(const std::filesystem::path& file, const std::string& where);

} // namespace nadi
