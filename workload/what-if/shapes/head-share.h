// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/shape-sizes.h"

namespace nadi
{

/// Tensor-parallel ranks share the heads evenly: a degree divides them, and divides the heads of
/// keys and values or is a multiple of these. Other sizes may differ by one unit from rank to rank,
/// as frameworks pad them; a head is never cut nor padded.
///
/// Throws ConfigError where that does not hold of a target that has other heads or another degree
/// than the recording, which may share them otherwise.
void CheckHeadShare(const ShapeSizes& recorded, const ShapeSizes& target);

} // namespace nadi
