// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/product-bytes.h"

#include "workload/models/kernel-work.h"
#include "workload/what-if/kernel-times/kernel-tensors.h"
#include "workload/what-if/parameter-share.h"

#include <algorithm>
#include <array>
#include <compare>
#include <optional>

namespace nadi
{

namespace
{

/// The usual ones first.
constexpr std::array<uint64_t, 4> NUMBER_SIZES{2, 4, 1, 8};

constexpr std::array COUNTINGS{ByteCounting{.countsGates = true, .countsExperts = true},
                               ByteCounting{.countsGates = true, .countsExperts = false},
                               ByteCounting{.countsGates = false, .countsExperts = true},
                               ByteCounting{.countsGates = false, .countsExperts = false}};

/// How often each matrix of a product counts in its bytes.
struct MatrixCounts
{
    uint64_t elementBytes = 2;
    uint64_t weightBytes = 2; ///< of a number of the matrix without tokens
    uint64_t rows = 1;        ///< tokens x hidden
    uint64_t weights = 1;     ///< hidden x inner width

    bool operator==(const MatrixCounts&) const = default;
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
    // `counts` has how often their weights count.
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

/// How the bytes of a product follow from its matrices.
struct ByteRule
{
    uint64_t rowBytes = 2; ///< of a number
    uint64_t weightBytes = 2;
    ByteCounting counting;
};

/// Of the inner width.
uint64_t
TimesOf(const KernelMeaning& meaning)
{
    return std::max({meaning.m.times, meaning.n.times, meaning.k.times});
}

MatrixCounts
CountsOf(const ByteRule& rule, const KernelLaunch& kernel, const KernelMeaning& meaning)
{
    const uint64_t experts =
        kernel.op == KernelOp::GroupedGemm ? std::max<uint64_t>(kernel.batch, 1) : 1;
    return {.elementBytes = rule.rowBytes,
            .weightBytes = rule.weightBytes,
            .rows = rule.counting.countsGates ? TimesOf(meaning) : 1,
            .weights = rule.counting.countsExperts ? experts : 1};
}

uint64_t
BytesBy(const ByteRule& rule, const KernelLaunch& kernel, const KernelMeaning& meaning)
{
    return BytesOf(kernel, meaning, CountsOf(rule, kernel, meaning));
}

/// The sizes of numbers of rows that come into question, the likeliest first.
std::vector<uint64_t>
RowSizesOf(const KernelLaunch& kernel)
{
    const uint64_t named = SizeOf(kernel.type);
    return named > 0 ? std::vector<uint64_t>{named}
                     : std::vector<uint64_t>{NUMBER_SIZES.begin(), NUMBER_SIZES.end()};
}

/// By exactly this counting. Nothing: no sizes of numbers give the product its bytes.
std::optional<ByteRule>
FindRuleBy(const MeantProduct& product, const ByteCounting& counting)
{
    const auto explains = [&](const ByteRule& rule)
    { return BytesBy(rule, product.kernel, product.meaning) == product.kernel.bytes; };
    const std::vector<uint64_t> rowSizes = RowSizesOf(product.kernel);
    // A single size before two: a sum of two may come to the same by chance.
    for (const uint64_t size : rowSizes)
    {
        if (const ByteRule rule{size, size, counting}; explains(rule))
        {
            return rule;
        }
    }
    for (const uint64_t rowSize : rowSizes)
    {
        for (const uint64_t weightSize : NUMBER_SIZES)
        {
            if (const ByteRule rule{rowSize, weightSize, counting}; explains(rule))
            {
                return rule;
            }
        }
    }
    return std::nullopt;
}

/// By the counting of the job, else by another.
std::optional<ByteRule>
FindRule(const MeantProduct& product, const ByteCounting& counting)
{
    if (const auto rule = FindRuleBy(product, counting))
    {
        return rule;
    }
    for (const ByteCounting& other : COUNTINGS)
    {
        if (const auto rule = FindRuleBy(product, other))
        {
            return rule;
        }
    }
    return std::nullopt;
}

ByteRule
UsualRule(const KernelLaunch& kernel, const ByteCounting& counting)
{
    const uint64_t size = RowSizesOf(kernel).front();
    return {size, size, counting};
}

/// How well a counting explains the products of a job. The member that weighs most is the first.
struct Explanation
{
    uint64_t products = 0;
    uint64_t ofOneSize = 0; ///< of those: weights have numbers of the size of the rows

    auto operator<=>(const Explanation&) const = default;
};

Explanation
Explain(const std::vector<MeantProduct>& products, const ByteCounting& counting)
{
    Explanation explanation;
    for (const MeantProduct& product : products)
    {
        if (const auto rule = FindRuleBy(product, counting))
        {
            ++explanation.products;
            explanation.ofOneSize += rule->rowBytes == rule->weightBytes ? 1 : 0;
        }
    }
    return explanation;
}

/// Whether two countings count a matrix of a product unlike often.
bool
Differ(const std::vector<MeantProduct>& products,
       const ByteCounting& one,
       const ByteCounting& other)
{
    return std::ranges::any_of(
        products,
        [&](const MeantProduct& product)
        {
            return CountsOf({.counting = one}, product.kernel, product.meaning) !=
                   CountsOf({.counting = other}, product.kernel, product.meaning);
        });
}

} // namespace

ByteCounting
FindByteCounting(const std::vector<MeantProduct>& products)
{
    ByteCounting best;
    Explanation explanation;
    for (const ByteCounting& counting : COUNTINGS)
    {
        const Explanation found = Explain(products, counting);
        if (found > explanation)
        {
            best = counting;
            explanation = found;
        }
        else if (found == explanation && found.products > 0 && Differ(products, best, counting))
        {
            best.isSure = false;
        }
    }
    return best;
}

uint64_t
FindRowNumberBytes(const MeantProduct& product, const ByteCounting& counting)
{
    const uint64_t named = SizeOf(product.kernel.type);
    return named > 0 ? named : FindRule(product, counting).value_or(ByteRule()).rowBytes;
}

uint64_t
ResizeProductBytes(const MeantProduct& product,
                   const KernelLaunch& resized,
                   const ByteCounting& counting)
{
    const KernelLaunch& kernel = product.kernel;
    if (const auto rule = FindRule(product, counting))
    {
        return BytesBy(*rule, resized, product.meaning);
    }
    const ByteRule usual = UsualRule(kernel, counting);
    const uint64_t before = BytesBy(usual, kernel, product.meaning);
    const uint64_t after = BytesBy(usual, resized, product.meaning);
    return before == 0 ? kernel.bytes
                       : ParameterShare{.after = after, .before = before}.Of(kernel.bytes);
}

} // namespace nadi
