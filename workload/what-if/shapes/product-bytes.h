// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/what-if/shapes/kernel-meaning.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What a recording counts as the bytes of a product besides each matrix once. Recordings differ
/// in it, and one recording counts all its products alike.
struct ByteCounting
{
    bool countsGates = true;   ///< a gated pair reads its rows twice
    bool countsExperts = true; ///< the matrix of each expert counts
    bool isSure = true;        ///< no other counting explains the products as well

    bool operator==(const ByteCounting&) const = default;
};

/// A product of a job, and what its sizes count.
struct MeantProduct
{
    KernelLaunch kernel;
    KernelMeaning meaning;
};

/// The counting that explains most of the products of a job; of those that explain as many, the
/// one by which most weights have numbers of the size of the rows.
ByteCounting FindByteCounting(const std::vector<MeantProduct>& products);

/// Bytes of a number of its rows: of the type that it names, else as its bytes follow from its
/// matrices, else 2.
uint64_t FindRowNumberBytes(const MeantProduct& product, const ByteCounting& counting);

/// The bytes of a product after an edit, whose new sizes are those of `resized`: of its matrices,
/// each read or written once besides what `counting` adds. Weights, or their gradients, may have
/// numbers of another size than rows. Bytes that follow from no sizes of numbers grow as the usual
/// ones do, rounded half up.
uint64_t ResizeProductBytes(const MeantProduct& product,
                            const KernelLaunch& resized,
                            const ByteCounting& counting);

} // namespace nadi
