// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "cli/terminal/style.h"
#include "workload/tools/fitting/kernel-fit.h"

#include <string>

namespace nadi
{

/// How well the models of `nadi trace fit` meet what they were fitted to, for a person: a table of
/// kinds, and one of the shapes that take most time.
std::string DescribeFit(const KernelFit& fit, const Style& style);

/// The same as JSON, with every shape.
std::string FormatFitJson(const KernelFit& fit);

} // namespace nadi
