// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/kernel-times/kernel-timer.h"
#include "workload/workload.h"

#include <string>
#include <vector>

namespace nadi
{

/// A job with fused kernels, and how many there are, a sentence each.
struct FuseEdit
{
    Workload job;
    std::vector<std::string> notes;
};

/// Kernels whose names fit and which follow each other on one stream become one, where nothing
/// stands between them and nothing but the next waits for all but the last (FuseKernels). The one
/// that does their work stands where the last stood, waits for what each of them waited for, and
/// takes what the timer says (KernelTimer::TimeFused).
///
/// Kernels without a stream follow each other where the second is all that waits for the first.
/// Another collective, message or access to memory that the second waits for stands between them.
/// What the host did to launch the kernels that are gone, and nothing else, goes with them; what
/// waited for it waits for what it waited for.
///
/// Throws ConfigError for a pattern that is none, that no name fits, or that no two neighbours fit.
FuseEdit FuseNeighbours(Workload job, const std::string& pattern, KernelTimer& timer);

} // namespace nadi
