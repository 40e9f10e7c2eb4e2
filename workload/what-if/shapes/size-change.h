// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/parameter-rules.h"
#include "workload/what-if/shapes/product-bytes.h"
#include "workload/what-if/shapes/shape-sizes.h"

namespace nadi
{

/// What ranks hold of a model before and after an edit of its sizes, and how the recording counts
/// parameters and bytes.
struct SizeChange
{
    ShapeSizes before;
    ShapeSizes after;
    ParameterRules rules;
    ByteCounting byteCounting;
};

} // namespace nadi
