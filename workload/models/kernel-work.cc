// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/kernel-work.h"

#include "common/check.h"
#include "common/error.h"

#include <utility>

namespace nadi
{

namespace
{

bool
IsProduct(const KernelLaunch& kernel)
{
    return kernel.op == KernelOp::Gemm || kernel.op == KernelOp::GroupedGemm ||
           kernel.op == KernelOp::BatchedGemm || kernel.op == KernelOp::Router;
}

/// Of a product X^T dY: as many as its result has. Experts have a result each.
uint64_t
CountWeights(const KernelLaunch& kernel)
{
    const uint64_t results = kernel.op == KernelOp::GroupedGemm ? kernel.batch : 1;
    return MultiplyCounts({results, kernel.m, kernel.n});
}

/// Of each product.
Work
SwapSizes(Work work, uint64_t KernelLaunch::*one, uint64_t KernelLaunch::*other)
{
    for (KernelLaunch& kernel : work.kernels)
    {
        if (IsProduct(kernel))
        {
            std::swap(kernel.*one, kernel.*other);
        }
    }
    return work;
}

} // namespace

uint64_t
MultiplyCounts(std::initializer_list<uint64_t> factors)
{
    constexpr uint64_t most = uint64_t{1} << 62;
    uint64_t product = 1;
    for (const uint64_t factor : factors)
    {
        // Products are at most 2^62, so that sums of up to three need no check.
        if (factor != 0 && product > most / factor)
        {
            throw ConfigError("",
                              "asks for more than 2^62 operations or bytes in one step of a "
                              "rank; write smaller numbers");
        }
        product *= factor;
    }
    return product;
}

Work
operator+(Work work, const Work& other)
{
    work.operations += other.operations;
    work.bytes += other.bytes;
    work.kernels.insert(work.kernels.end(), other.kernels.begin(), other.kernels.end());
    return work;
}

Work
Work::operator*(uint64_t count) const
{
    Work product{MultiplyCounts({operations, count}), MultiplyCounts({bytes, count})};
    for (uint64_t i = 0; i < count && !kernels.empty(); ++i)
    {
        product.kernels.insert(product.kernels.end(), kernels.begin(), kernels.end());
    }
    return product;
}

Work
WorkOf(const KernelLaunch& kernel)
{
    return {kernel.operations, kernel.bytes, {kernel}};
}

Work
MatrixProduct::Cost() const
{
    return WorkOf({.op = KernelOp::Gemm,
                   .type = type,
                   .m = rows,
                   .n = out,
                   .k = in,
                   .tp = tensor,
                   .bytes = MultiplyCounts({rows, in, elementBytes}) +
                            MultiplyCounts({in, out, elementBytes}) +
                            MultiplyCounts({rows, out, elementBytes}),
                   .operations = MultiplyCounts({2, rows, in, out})});
}

/// Of one of the matrices, over all experts.
uint64_t
MlpProduct::MatrixBytes() const
{
    // The matrices of each of `experts` are read once.
    const uint64_t copies = op == KernelOp::GroupedGemm ? experts : 1;
    return MultiplyCounts({copies, hidden, width, weightElementBytes});
}

Work
MlpProduct::Cost() const
{
    const auto product = [this](uint64_t count, uint64_t in, uint64_t out)
    {
        return WorkOf({.op = op,
                       .type = type,
                       .m = rows,
                       .n = count * out,
                       .k = in,
                       .batch = experts,
                       .tp = tensor,
                       .bytes = MultiplyCounts({rows, hidden + width, count, elementBytes}) +
                                MultiplyCounts({MatrixBytes(), count}),
                       .operations = MultiplyCounts({2, rows, hidden, width, count})});
    };
    return product(matrices - 1, hidden, width) + product(1, width, hidden);
}

// With X of m x k and W of k x n, dY W^T is m x n by n x k: n and k change places. X^T dY below is
// k x m by m x n. Operations are the same in all three, and so are bytes but for the type of dW.
Work
MakeInputGradient(Work work)
{
    return SwapSizes(std::move(work), &KernelLaunch::n, &KernelLaunch::k);
}

Work
MakeWeightGradient(Work work, const NumberSizes& sizes)
{
    work = SwapSizes(std::move(work), &KernelLaunch::m, &KernelLaunch::k);
    if (sizes.gradient == sizes.element)
    {
        return work;
    }
    for (KernelLaunch& kernel : work.kernels)
    {
        const uint64_t written = IsProduct(kernel) ? CountWeights(kernel) : 0;
        const uint64_t added = MultiplyCounts({written, sizes.gradient});
        const uint64_t gone = MultiplyCounts({written, sizes.element});
        kernel.bytes = kernel.bytes - gone + added;
        work.bytes = work.bytes - gone + added;
    }
    return work;
}

Work
DivideWork(Work work, uint64_t parts)
{
    work.operations = ShareOf(work.operations, parts);
    work.bytes = ShareOf(work.bytes, parts);
    for (KernelLaunch& kernel : work.kernels)
    {
        // A part of an attention meets a part of the keys.
        kernel.context = ShareOf(kernel.context, parts);
        kernel.operations = ShareOf(kernel.operations, parts);
        kernel.bytes = ShareOf(kernel.bytes, parts);
    }
    return work;
}

Work
SubtractWork(Work work, const Work& part)
{
    NADI_CHECK(work.kernels.size() >= part.kernels.size());
    work.operations -= part.operations;
    work.bytes -= part.bytes;
    work.kernels.resize(work.kernels.size() - part.kernels.size());
    return work;
}

} // namespace nadi
