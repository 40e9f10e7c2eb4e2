// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/kernel-tensors.h"

#include "common/units.h"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace nadi
{

namespace
{

/// 0 where it passes 64 bits.
uint64_t
MultiplySizes(std::initializer_list<uint64_t> sizes)
{
    detail::Wide product = 1;
    for (const uint64_t size : sizes)
    {
        product *= size;
        if (product > std::numeric_limits<uint64_t>::max())
        {
            return 0;
        }
    }
    return static_cast<uint64_t>(product);
}

bool
IsAttention(KernelOp op)
{
    return op == KernelOp::AttentionPrefill || op == KernelOp::AttentionDecode ||
           op == KernelOp::AttentionForward || op == KernelOp::AttentionBackward;
}

bool
WritesProduct(KernelOp op)
{
    return op == KernelOp::Gemm || op == KernelOp::GroupedGemm || op == KernelOp::BatchedGemm ||
           op == KernelOp::Router;
}

uint64_t
CountProducts(const KernelLaunch& kernel)
{
    // Grouped products share the rows among their matrices, so m counts all of them. Batched ones
    // have m rows each.
    return kernel.op == KernelOp::BatchedGemm ? std::max<uint64_t>(kernel.batch, 1) : 1;
}

} // namespace

uint64_t
SizeOf(NumberType type)
{
    switch (type)
    {
    case NumberType::Bf16:
    case NumberType::Fp16:
        return 2;
    case NumberType::Fp32:
        return 4;
    case NumberType::Fp8:
        return 1;
    case NumberType::None:
        break;
    }
    return 0;
}

uint64_t
CountWritten(const KernelLaunch& kernel)
{
    if (IsAttention(kernel.op))
    {
        return MultiplySizes({kernel.m, kernel.n, kernel.k});
    }
    if (WritesProduct(kernel.op))
    {
        return MultiplySizes({CountProducts(kernel), kernel.m, kernel.n});
    }
    return MultiplySizes({kernel.m, std::max<uint64_t>(kernel.n, 1)});
}

uint64_t
CountRead(const KernelLaunch& kernel)
{
    return WritesProduct(kernel.op) ? MultiplySizes({CountProducts(kernel), kernel.m, kernel.k})
                                    : CountWritten(kernel);
}

} // namespace nadi
