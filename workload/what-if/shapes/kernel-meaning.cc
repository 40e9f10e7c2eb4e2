// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/kernel-meaning.h"

#include "workload/models/kernel-work.h"
#include "workload/what-if/parameter-share.h"
#include "workload/what-if/shapes/product-bytes.h"
#include "workload/what-if/shapes/size-change.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

/// What the operations of a kernel are in proportion to: of a product m x n x k, of an attention
/// tokens x heads x size of a head x tokens that each looks at, else the elements.
uint64_t
UnitsOf(const KernelLaunch& kernel)
{
    if (IsProduct(kernel))
    {
        const uint64_t each = kernel.op == KernelOp::BatchedGemm ? kernel.batch : 1;
        return MultiplyCounts({std::max<uint64_t>(each, 1), kernel.m, kernel.n, kernel.k});
    }
    if (IsAttention(kernel))
    {
        return MultiplyCounts({kernel.m, kernel.n, kernel.k, kernel.context});
    }
    return MultiplyCounts({std::max<uint64_t>(kernel.m, 1), std::max<uint64_t>(kernel.n, 1)});
}

/// In the unit in which the bytes of a kernel that is no product grow.
uint64_t
TrafficOf(const KernelLaunch& kernel, const ShapeSizes& part)
{
    if (IsAttention(kernel))
    {
        // Queries and outputs, keys and values: twice this sum. In a ratio the factor of two does
        // not matter.
        return MultiplyCounts({kernel.m, part.heads + part.kvHeads, part.headSize});
    }
    return UnitsOf(kernel);
}

uint64_t
Grow(uint64_t number, uint64_t before, uint64_t after)
{
    return before == 0 ? number : ParameterShare{.after = after, .before = before}.Of(number);
}

} // namespace

bool
IsProduct(const KernelLaunch& kernel)
{
    return kernel.op == KernelOp::Gemm || kernel.op == KernelOp::GroupedGemm ||
           kernel.op == KernelOp::BatchedGemm || kernel.op == KernelOp::Router;
}

bool
IsAttention(const KernelLaunch& kernel)
{
    return kernel.op == KernelOp::AttentionForward || kernel.op == KernelOp::AttentionBackward;
}

KernelMeaning
OfInputGradient(KernelMeaning product)
{
    std::swap(product.n, product.k);
    return product;
}

KernelMeaning
OfWeightGradient(KernelMeaning product)
{
    std::swap(product.m, product.k);
    return product;
}

KernelMeaning
OfTransposedWeightGradient(KernelMeaning product)
{
    std::swap(product.m, product.k);
    std::swap(product.m, product.n);
    return product;
}

bool
Fits(const KernelLaunch& kernel, const KernelMeaning& meaning, const ShapeSizes& part)
{
    return kernel.m == ValueOf(meaning.m, part, kernel.m) &&
           kernel.n == ValueOf(meaning.n, part, kernel.n) &&
           kernel.k == ValueOf(meaning.k, part, kernel.k) &&
           kernel.batch == ValueOf(meaning.batch, part, kernel.batch) &&
           kernel.context == ValueOf(meaning.context, part, kernel.context) &&
           // A kernel that does not name the degree fits any.
           (kernel.tp == 0 || kernel.tp == part.tensor);
}

KernelLaunch
ResizeKernel(const KernelLaunch& kernel, const KernelMeaning& meaning, const SizeChange& change)
{
    const ShapeSizes& after = change.after;
    KernelLaunch resized = kernel;
    resized.m = ValueOf(meaning.m, after, kernel.m);
    resized.n = ValueOf(meaning.n, after, kernel.n);
    resized.k = ValueOf(meaning.k, after, kernel.k);
    resized.batch = ValueOf(meaning.batch, after, kernel.batch);
    resized.context = ValueOf(meaning.context, after, kernel.context);
    resized.tp = kernel.tp == 0 ? 0 : after.tensor;
    resized.operations = Grow(kernel.operations, UnitsOf(kernel), UnitsOf(resized));
    resized.bytes =
        IsProduct(kernel)
            ? ResizeProductBytes({kernel, meaning}, resized, change.byteCounting)
            : Grow(kernel.bytes, TrafficOf(kernel, change.before), TrafficOf(resized, after));
    return resized;
}

} // namespace nadi
