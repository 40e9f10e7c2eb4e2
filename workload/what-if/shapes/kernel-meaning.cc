// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/kernel-meaning.h"

#include "workload/models/kernel-work.h"
#include "workload/what-if/parameter-share.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// How often each matrix of a product counts in its bytes.
struct MatrixCounts
{
    uint64_t elementBytes = 2;
    uint64_t weightBytes = 2; ///< of a number of the matrix without tokens
    uint64_t rows = 1;        ///< tokens x hidden
    uint64_t weights = 1;     ///< hidden x inner width
};

/// The matrices of a product are mk, kn and mn, whichever of its gradients it is: the one without
/// tokens holds the weights, of the others one has the hidden width.
uint64_t
BytesOf(const KernelLaunch& kernel, const KernelMeaning& meaning, const MatrixCounts& counts)
{
    struct Matrix
    {
        SizeMeaning one;
        SizeMeaning other;
        uint64_t elements = 0;
    };

    // Each of the batched products has its own matrices. Grouped ones share their rows, and
    // CountsOf counts their weights.
    const uint64_t products =
        kernel.op == KernelOp::BatchedGemm ? std::max<uint64_t>(kernel.batch, 1) : 1;
    const std::array<Matrix, 3> matrices{
        Matrix{meaning.m, meaning.k, MultiplyCounts({products, kernel.m, kernel.k})},
        Matrix{meaning.k, meaning.n, MultiplyCounts({products, kernel.k, kernel.n})},
        Matrix{meaning.m, meaning.n, MultiplyCounts({products, kernel.m, kernel.n})}};
    uint64_t bytes = 0;
    for (const Matrix& matrix : matrices)
    {
        const bool hasTokens = matrix.one.IsTokens() || matrix.other.IsTokens();
        const bool hasHidden =
            matrix.one.kind == SizeKind::Hidden || matrix.other.kind == SizeKind::Hidden;
        const uint64_t copies =
            hasTokens ? (hasHidden ? counts.rows : 1) : (hasHidden ? counts.weights : 1);
        const uint64_t each = hasTokens ? counts.elementBytes : counts.weightBytes;
        bytes += MultiplyCounts({copies, matrix.elements, each});
    }
    return bytes;
}

/// Of the inner width.
uint64_t
TimesOf(const KernelMeaning& meaning)
{
    return std::max({meaning.m.times, meaning.n.times, meaning.k.times});
}

/// How a kernel's bytes follow from its matrices: numbers of 1 to 8 bytes, rows and weights counted
/// as often as there are gates and experts. Weights, or their gradients, may have numbers of
/// another type.
struct ByteRule
{
    uint64_t elementBytes = 2;
    uint64_t weightBytes = 2;
    bool countsGates = false;
    bool countsExperts = false;
};

MatrixCounts
CountsOf(const ByteRule& rule, const KernelLaunch& kernel, const KernelMeaning& meaning)
{
    const bool isGrouped = kernel.op == KernelOp::GroupedGemm;
    return {.elementBytes = rule.elementBytes,
            .weightBytes = rule.weightBytes,
            .rows = rule.countsGates ? TimesOf(meaning) : 1,
            .weights = rule.countsExperts && isGrouped ? std::max<uint64_t>(kernel.batch, 1) : 1};
}

/// The rule with these sizes of numbers that gives the kernel its bytes.
std::optional<ByteRule>
FindByteRuleOf(uint64_t elementBytes,
               uint64_t weightBytes,
               const KernelLaunch& kernel,
               const KernelMeaning& meaning)
{
    // Recordings differ in whether a gated pair reads its rows twice, and whether the weights of
    // each expert count.
    for (const bool countsGates : {true, false})
    {
        for (const bool countsExperts : {true, false})
        {
            const ByteRule rule{elementBytes, weightBytes, countsGates, countsExperts};
            if (BytesOf(kernel, meaning, CountsOf(rule, kernel, meaning)) == kernel.bytes)
            {
                return rule;
            }
        }
    }
    return std::nullopt;
}

std::optional<ByteRule>
FindByteRule(const KernelLaunch& kernel, const KernelMeaning& meaning)
{
    // The usual sizes of numbers first, and a single one before two: a sum of two may come to the
    // same by chance.
    constexpr std::array<uint64_t, 4> sizes{2, 4, 1, 8};
    for (const uint64_t size : sizes)
    {
        if (const auto rule = FindByteRuleOf(size, size, kernel, meaning))
        {
            return rule;
        }
    }
    for (const uint64_t element : sizes)
    {
        for (const uint64_t weight : sizes)
        {
            if (const auto rule = FindByteRuleOf(element, weight, kernel, meaning))
            {
                return rule;
            }
        }
    }
    return std::nullopt;
}

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

uint64_t
FindElementBytesOf(const KernelLaunch& kernel, const KernelMeaning& meaning)
{
    return FindByteRule(kernel, meaning).value_or(ByteRule()).elementBytes;
}

KernelLaunch
ResizeKernel(const KernelLaunch& kernel,
             const KernelMeaning& meaning,
             const ShapeSizes& before,
             const ShapeSizes& after)
{
    KernelLaunch resized = kernel;
    resized.m = ValueOf(meaning.m, after, kernel.m);
    resized.n = ValueOf(meaning.n, after, kernel.n);
    resized.k = ValueOf(meaning.k, after, kernel.k);
    resized.batch = ValueOf(meaning.batch, after, kernel.batch);
    resized.context = ValueOf(meaning.context, after, kernel.context);
    resized.tp = kernel.tp == 0 ? 0 : after.tensor;
    resized.operations = Grow(kernel.operations, UnitsOf(kernel), UnitsOf(resized));
    if (!IsProduct(kernel))
    {
        resized.bytes = Grow(kernel.bytes, TrafficOf(kernel, before), TrafficOf(resized, after));
        return resized;
    }
    // Bytes that no rule explains still grow as those of the usual rule do.
    const std::optional<ByteRule> found = FindByteRule(kernel, meaning);
    const ByteRule rule = found.value_or(ByteRule());
    const uint64_t bytes = BytesOf(resized, meaning, CountsOf(rule, resized, meaning));
    resized.bytes =
        found
            ? bytes
            : Grow(kernel.bytes, BytesOf(kernel, meaning, CountsOf(rule, kernel, meaning)), bytes);
    return resized;
}

} // namespace nadi
