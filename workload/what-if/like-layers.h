// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/tools/structure/job-structure.h"
#include "workload/workload.h"

#include <string>

namespace nadi
{

/// An edit that repeats layers, takes them out, or deals them anew.
struct LayerDeal
{
    std::string edit;             ///< its key
    bool isToOtherChunks = false; ///< else each stage and chunk keeps layers of its own
};

/// Checks that the layers of all stages and chunks have as many kernels in a forward pass, products
/// of the same inner sizes and as many operations, so that one may stand for another. Where the
/// first ones are dense and others have experts, they are not. Ranks of the same place in their
/// stage are compared, as tensor-parallel ones may have uneven parts. Operations may differ by 2 %,
/// and by a factor of two where routing has a say: products of experts, and kernels without shapes.
/// Where chunks keep layers of their own, these may differ among each other, but not from those of
/// other chunks.
///
/// Throws ConfigError.
void CheckLayersAlike(const Workload& job, const JobStructure& found, const LayerDeal& deal);

} // namespace nadi
