// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "simulation/run-input.h"
#include "simulation/run-results.h"

#include <string>
#include <vector>

namespace nadi
{

/// A sentence where the table of `system.compute.kernels` timed no kernel, or not all kernels of
/// an op that it has rows of. Kernels of an op without any row need none: nobody measured them.
///
/// An interrupted run has none: kernels that the table has might have followed.
std::vector<std::string> FindTableWarnings(const RunInput& input, const RunResults& results);

} // namespace nadi
