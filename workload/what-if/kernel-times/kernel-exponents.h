// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"

#include <cstdint>

namespace nadi
{

/// How many times as large a dimension is after an edit; 1: it stays.
struct DimensionRatios
{
    double hidden = 1;
    double microBatch = 1; ///< sequences that go through together
    double sequence = 1;   ///< tokens of a sequence
    double heads = 1;
    double tensor = 1;     ///< the degree that cuts matrices
    double parameters = 1; ///< of all tensor-parallel ranks
    double shards = 1;     ///< in which the optimizer is cut (ZeRO)
    double vocabulary = 1;
    /// What is not cut by matrices is cut by the tokens (sequence parallelism).
    bool cutsTokens = false;
};

/// Where a kernel stands: matrices next to the vocabulary grow otherwise than those of layers.
enum class KernelPlace : uint8_t
{
    Layer,
    Vocabulary, ///< embedding or head
};

/// How many times as long a kernel takes whose sizes a recording does not name, by its kind: a
/// product of powers of the ratios, with the exponents of what the kernel works on. With hidden
/// size h, micro-batch b, sequence s, heads a, tensor degree t:
///
/// | kind | grows as |
/// |---|---|
/// | gemm, grouped-gemm | h^2 b s / t; at the vocabulary V: h V b s / t |
/// | batched-gemm, attention | h b s^2 / t |
/// | softmax | a b s^2 / t |
/// | norm, elementwise, copy, router, other | h b s, with sequence parallelism / t |
/// | optimizer | parameters / (t x shards) |
///
/// Attention over a cache grows as attention does.
double FindScale(KernelOp kind, KernelPlace place, const DimensionRatios& ratios);

/// The row of the table above, in words: "h^2 b s / t".
const char* DescribeGrowth(KernelOp kind, KernelPlace place);

} // namespace nadi
