// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-models.h"
#include "system/kernels/kernel-table.h"

#include <optional>

namespace nadi
{

/// What the user says of the times of kernels (`--kernels FILE`), in place of what the recording
/// itself shows. At most one of both.
struct KernelTimes
{
    std::optional<KernelTable> table = std::nullopt;   ///< measured
    std::optional<KernelModels> models = std::nullopt; ///< fitted elsewhere
};

} // namespace nadi
