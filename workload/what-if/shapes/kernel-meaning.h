// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"
#include "workload/what-if/shapes/shape-sizes.h"

#include <cstdint>

namespace nadi
{

struct SizeChange;

/// What each size of a kernel counts.
struct KernelMeaning
{
    SizeMeaning m = {};
    SizeMeaning n = {};
    SizeMeaning k = {};
    SizeMeaning batch = {};
    SizeMeaning context = {};

    bool operator==(const KernelMeaning&) const = default;
};

/// Whether the kernel multiplies matrices: gemm, grouped-gemm, batched-gemm or router.
bool IsProduct(const KernelLaunch& kernel);

bool IsAttention(const KernelLaunch& kernel);

/// Of Y = X W: that of the gradient of X, whose n and k are swapped.
KernelMeaning OfInputGradient(KernelMeaning product);
/// That of the gradient of W, whose m and k are swapped.
KernelMeaning OfWeightGradient(KernelMeaning product);
/// The same as W^T is written, whose m and n are swapped besides.
KernelMeaning OfTransposedWeightGradient(KernelMeaning product);

/// Whether the sizes of a kernel are those that a part of the model gives their meanings.
bool Fits(const KernelLaunch& kernel, const KernelMeaning& meaning, const ShapeSizes& part);

/// The kernel with the sizes that `change.after` gives their meanings. Operations grow with the
/// products of the sizes. Bytes of a product are those of its matrices (ResizeProductBytes); others
/// grow with queries, keys, values and outputs of attention, else with rows and columns, rounded
/// half up. Requires: Fits(kernel, meaning, change.before).
///
/// Throws ConfigError beyond 2^62 operations or bytes.
KernelLaunch
ResizeKernel(const KernelLaunch& kernel, const KernelMeaning& meaning, const SizeChange& change);

} // namespace nadi
