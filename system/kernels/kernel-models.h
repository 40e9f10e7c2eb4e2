// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "system/kernels/kernel-launch.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace nadi
{

/// What a kernel has to do, as far as its time depends on it.
struct KernelWork
{
    KernelOp kind = KernelOp::Other;
    uint64_t operations = 0;
    uint64_t bytes = 0; ///< memory traffic

    auto operator<=>(const KernelWork&) const = default;
};

/// The share of the peak that kernels of a class of sizes reach. Kernels of n operations, n > 0,
/// are of class floor(log4(n)): size classes are powers of four.
struct ClassEfficiency
{
    uint32_t sizeClass = 0;
    double efficiency = 1; ///< of the peak, above 0
};

/// What bounds the kernels that a model was fitted to. The rate of a bound that was not seen is a
/// guess: the least that explains them, or that of other kinds.
enum class SeenBounds
{
    Both,
    Arithmetic,
    Memory,
    Either ///< all of them fit both bounds, so which one holds is unknown
};

std::string_view ToText(SeenBounds bounds);

/// How long kernels of one kind take: max(operations / (peak x efficiency of the size's class),
/// bytes / (memory bandwidth x memory efficiency)) + launch.
struct KindModel
{
    double launchNanos = 0;
    double memoryEfficiency = 1; ///< of the memory bandwidth, above 0
    /// Ascending; sizes of no class take the nearest one.
    std::vector<ClassEfficiency> classes = {};
    uint64_t mostOperations = 0; ///< of the kernels that it was fitted to
    uint64_t mostBytes = 0;      ///< likewise
    SeenBounds seen = SeenBounds::Both;
};

/// The time that a model gives a kernel.
struct KernelEstimate
{
    double nanos = 0;
    /// The kernel does more than twice of what any kernel did that the model was fitted to.
    bool isExtrapolated = false;
    /// What the seen bounds alone say; where either bound fits, the shorter time.
    double seenNanos = 0;
    SeenBounds seen = SeenBounds::Both; ///< by its model
};

/// The size class of a kernel. Requires: operations > 0.
uint32_t FindSizeClass(uint64_t operations);

/// Times of kernels by kind, fitted to recordings; what `nadi trace fit` writes and
/// configuration/kernel-models-file.h reads.
struct KernelModels
{
    FlopRate peak;
    Bandwidth memoryBandwidth;
    std::map<KernelOp, KindModel> kinds;

    /// Nothing: there is no model of the kind, or the kernel does nothing that can be counted.
    std::optional<KernelEstimate> Find(const KernelWork& work) const;
};

} // namespace nadi
