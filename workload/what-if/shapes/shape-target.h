// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/shape-edit.h"
#include "workload/what-if/shapes/shape-sizes.h"

#include <cstdint>

namespace nadi
{

/// How the ranks of a tensor group work together.
enum class TensorMode : uint8_t
{
    Alone,     ///< groups of one rank
    Summed,    ///< outputs of blocks are summed
    Scattered, ///< sequence parallelism: outputs are summed and scattered, inputs gathered
};

/// Before and after an edit.
struct TensorModes
{
    TensorMode before = TensorMode::Alone;
    TensorMode after = TensorMode::Alone;
};

/// The sizes of the whole model that a wish leads to. Throws ConfigError at the part of the wish
/// that does not fit the others or the recording.
ShapeSizes FindTarget(const ShapeSizes& recorded, const ShapeWish& wish);

/// Throws ConfigError where ranks of a tensor group would get no part, or unequal parts of the
/// tokens.
void CheckCut(const ShapeSizes& target, TensorMode mode);

} // namespace nadi
