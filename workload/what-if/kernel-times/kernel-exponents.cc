// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/kernel-times/kernel-exponents.h"

#include <cmath>

namespace nadi
{

namespace
{

/// The exponent of each dimension.
struct Exponents
{
    int hidden = 0;
    int microBatch = 0;
    int sequence = 0;
    int heads = 0;
    int tensor = 0;
    int tokenCut = 0; ///< of the tensor degree, where it cuts tokens too
    int parameters = 0;
    int shards = 0;
    int vocabulary = 0;
    const char* words = "";
};

// Products and attention grow with their operations, a softmax with its scores, all others with
// their bytes.
constexpr Exponents MATRIX{
    .hidden = 2, .microBatch = 1, .sequence = 1, .tensor = -1, .words = "h^2 b s / t"};
constexpr Exponents VOCABULARY{.hidden = 1,
                               .microBatch = 1,
                               .sequence = 1,
                               .tensor = -1,
                               .vocabulary = 1,
                               .words = "h V b s / t"};
constexpr Exponents ATTENTION{
    .hidden = 1, .microBatch = 1, .sequence = 2, .tensor = -1, .words = "h b s^2 / t"};
constexpr Exponents SCORES{
    .microBatch = 1, .sequence = 2, .heads = 1, .tensor = -1, .words = "a b s^2 / t"};
constexpr Exponents ACTIVATIONS{.hidden = 1,
                                .microBatch = 1,
                                .sequence = 1,
                                .tokenCut = -1,
                                .words = "h b s, with sequence parallelism / t"};
constexpr Exponents STATES{
    .tensor = -1, .parameters = 1, .shards = -1, .words = "parameters / (t x shards)"};

const Exponents&
FindExponents(KernelOp kind, KernelPlace place)
{
    switch (kind)
    {
    case KernelOp::Gemm:
    case KernelOp::GroupedGemm:
        return place == KernelPlace::Vocabulary ? VOCABULARY : MATRIX;
    case KernelOp::BatchedGemm:
    case KernelOp::AttentionPrefill:
    case KernelOp::AttentionDecode:
    case KernelOp::AttentionForward:
    case KernelOp::AttentionBackward:
        return ATTENTION;
    case KernelOp::Softmax:
        return SCORES;
    case KernelOp::Optimizer:
        return STATES;
    default:
        return ACTIVATIONS;
    }
}

} // namespace

double
FindScale(KernelOp kind, KernelPlace place, const DimensionRatios& ratios)
{
    const Exponents& of = FindExponents(kind, place);
    // Activations between blocks are on all tensor-parallel ranks, unless these cut the tokens.
    return std::pow(ratios.hidden, of.hidden) * std::pow(ratios.microBatch, of.microBatch) *
           std::pow(ratios.sequence, of.sequence) * std::pow(ratios.heads, of.heads) *
           std::pow(ratios.tensor, of.tensor + (ratios.cutsTokens ? of.tokenCut : 0)) *
           std::pow(ratios.parameters, of.parameters) * std::pow(ratios.shards, of.shards) *
           std::pow(ratios.vocabulary, of.vocabulary);
}

const char*
DescribeGrowth(KernelOp kind, KernelPlace place)
{
    return FindExponents(kind, place).words;
}

} // namespace nadi
