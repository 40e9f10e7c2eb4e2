// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// Layers that no scope names, and that are one layer in several micro-batches: a kernel of
/// each waits for the same kernel of the one before, which nothing else in it waits for. So do
/// gradients of weights that are added up, and never different layers, which pass on what they give
/// out to their first kernels. A sentence, or empty.
///
/// Kernels on streams follow each other as they were launched, so they tell nothing here.
std::string FindAddedGradients(const Workload& workload, const JobStructure& structure);

} // namespace nadi
