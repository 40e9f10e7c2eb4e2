// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/kernel-times/kernel-timer.h"
#include "workload/what-if/what-if.h"
#include "workload/what-if/wish.h"

namespace nadi
{

/// Applies what a wish asks of kernels one by one, in this order: those that are removed, those
/// that are fused, another accelerator, speeds. Adds what is different to the changes. Throws
/// ConfigError as the edits do.
void ApplyKernelEdits(const WhatIf& wish, KernelTimer& timer, WhatIfJob& result);

} // namespace nadi
