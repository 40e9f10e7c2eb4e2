// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>

namespace nadi
{

/// The sizes of a recorded transformer: of the whole model, or of what one rank of a tensor group
/// holds of each layer. 0: the recording does not show it.
struct ShapeSizes
{
    uint64_t microBatch = 0; ///< sequences
    uint64_t sequence = 0;   ///< tokens of a sequence
    uint64_t hidden = 0;     ///< the width of what layers pass on
    uint64_t heads = 0;
    uint64_t kvHeads = 0; ///< of keys and values
    uint64_t headSize = 0;
    uint64_t ffn = 0;   ///< the inner width of the MLP of a dense layer
    uint64_t gates = 0; ///< matrices that lead to an inner width: 1, or 2 of a gated MLP
    uint64_t vocabulary = 0;
    uint64_t experts = 0; ///< of a layer, over all ranks
    uint64_t topK = 0;
    uint64_t expertFfn = 0;
    uint64_t sharedExperts = 0;
    uint64_t tensor = 1; ///< the degree that cuts layers
    uint64_t expert = 1; ///< the degree over which the experts of a layer are spread

    uint64_t Tokens() const
    {
        return microBatch * sequence;
    }

    uint64_t LocalExperts() const
    {
        return experts / expert;
    }

    bool operator==(const ShapeSizes&) const = default;
};

/// What the rank at `place` of a tensor group holds of the whole model.
///
/// Heads, inner widths and the vocabulary are cut: part i of n is floor((i+1) n / t) - floor(i n /
/// t). Query heads stay with the head of keys and values that they share, where there are at least
/// t of the latter; else query heads are cut, and a rank has each head of keys and values that it
/// needs. Requires: no part is empty; kvHeads divides heads.
ShapeSizes CutSizes(const ShapeSizes& whole, uint64_t place);

/// The tokens of a micro-batch on a rank of a tensor group whose ranks have a part each.
uint64_t TokenShare(const ShapeSizes& sizes);

/// What a size of a kernel counts.
enum class SizeKind : uint8_t
{
    Fixed, ///< nothing that an edit changes
    MicroBatch,
    Sequence,
    Tokens,
    TokenShare,   ///< tokens of a rank of a tensor group
    RoutedTokens, ///< tokens times the experts that each goes to
    Hidden,
    Heads,
    HeadSize,
    Queries,           ///< heads x head size
    Keys,              ///< heads of keys x head size: keys, or values, alone
    QueriesKeysValues, ///< of one matrix
    Ffn,
    ExpertFfn,
    SharedFfn, ///< of all shared experts together
    Experts,
    LocalExperts,
    Vocabulary,
    TensorDegree,
    BatchedHeads, ///< heads of all sequences
};

/// What a size counts, and how many times.
struct SizeMeaning
{
    SizeKind kind = SizeKind::Fixed;
    uint64_t times = 1;

    bool IsTokens() const
    {
        return kind == SizeKind::Tokens || kind == SizeKind::TokenShare ||
               kind == SizeKind::RoutedTokens;
    }

    bool operator==(const SizeMeaning&) const = default;
};

/// Of a part of the model. `fixed` is the value of SizeKind::Fixed.
uint64_t ValueOf(SizeMeaning meaning, const ShapeSizes& part, uint64_t fixed);

/// "the tokens", for messages.
std::string ToText(SizeMeaning meaning);

} // namespace nadi
