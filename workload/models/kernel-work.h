// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace nadi
{

/// A product of counts that must fit 62 bits. Throws ConfigError where it does not.
uint64_t MultiplyCounts(std::initializer_list<uint64_t> factors);

/// ceil(count / parts). Requires: parts > 0.
constexpr uint64_t
ShareOf(uint64_t count, uint64_t parts)
{
    return (count + parts - 1) / parts;
}

/// What a compute node costs: arithmetic, traffic to memory, and the kernels that it runs.
struct Work
{
    uint64_t operations = 0;
    uint64_t bytes = 0;
    std::vector<KernelLaunch> kernels = {}; ///< that together have these; empty: not said

    /// So often, one after the other.
    Work operator*(uint64_t count) const;
};

/// Both, one after the other.
Work operator+(Work work, const Work& other);

/// The work of one kernel: its operations and bytes.
Work WorkOf(const KernelLaunch& kernel);

/// The cost of Y = X W with X of rows x in, W of in x out: 2 rows in out operations; each matrix is
/// read or written once, an element being `elementBytes`.
struct MatrixProduct
{
    uint64_t rows = 0;
    uint64_t in = 0;
    uint64_t out = 0;
    uint64_t elementBytes = 2;
    NumberType type = NumberType::None; ///< of the elements
    uint64_t tensor = 1;                ///< the degree of tensor parallelism that cut it

    Work Cost() const;
};

/// The cost of an MLP over `rows` rows: `matrices` - 1 products of hidden x width, which are one
/// kernel, and one of width x hidden. Each of them counts its rows, also where they are one kernel.
struct MlpProduct
{
    uint64_t rows = 0;
    uint64_t hidden = 0;
    uint64_t width = 0;
    uint64_t matrices = 2;
    uint64_t elementBytes = 2;       ///< of rows
    uint64_t weightElementBytes = 2; ///< of matrices
    KernelOp op = KernelOp::Gemm;    ///< or GroupedGemm
    NumberType type = NumberType::None;
    uint64_t experts = 0; ///< of a grouped product: those whose weights are read
    uint64_t tensor = 1;

    Work Cost() const;

  private:
    uint64_t MatrixBytes() const;
};

/// The same work, its products Y = X W being those of the gradient of their inputs, dX = dY W^T.
Work MakeInputGradient(Work work);

/// How many bytes numbers have.
struct NumberSizes
{
    uint64_t element = 2;  ///< of rows and weights
    uint64_t gradient = 2; ///< of the gradient of weights
};

/// Likewise of the gradient of their weights, dW = X^T dY, whose numbers have a size of their own.
/// It is written only: gradients of earlier micro-batches, to which it is added, are not read.
Work MakeWeightGradient(Work work, const NumberSizes& sizes = {});

/// ceil(work / parts), of each of its kernels too, whose context is cut.
Work DivideWork(Work work, uint64_t parts);

/// `work` without `part`, whose kernels are the last ones of `work`.
Work SubtractWork(Work work, const Work& part);

} // namespace nadi
