// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-sizes.h"

#include <array>
#include <utility>

namespace nadi
{

namespace
{

/// The units of [0, count) that one of `parts` places has.
std::pair<uint64_t, uint64_t>
PartAt(uint64_t count, uint64_t place, uint64_t parts)
{
    return {place * count / parts, (place + 1) * count / parts};
}

uint64_t
LengthAt(uint64_t count, uint64_t place, uint64_t parts)
{
    const auto [begin, end] = PartAt(count, place, parts);
    return end - begin;
}

void
CutHeads(ShapeSizes& part, uint64_t place)
{
    if (part.heads == 0)
    {
        return;
    }
    const uint64_t headsOfGroup = part.heads / part.kvHeads;
    // Whole heads of keys and values go to a rank, with all heads of queries that share them.
    if (part.kvHeads >= part.tensor)
    {
        part.kvHeads = LengthAt(part.kvHeads, place, part.tensor);
        part.heads = part.kvHeads * headsOfGroup;
        return;
    }
    // With more ranks than heads of keys and values, heads of queries are dealt out, and several
    // ranks may need the same head of keys.
    const auto [begin, end] = PartAt(part.heads, place, part.tensor);
    part.kvHeads = (end - 1) / headsOfGroup - begin / headsOfGroup + 1;
    part.heads = end - begin;
}

} // namespace

ShapeSizes
CutSizes(const ShapeSizes& whole, uint64_t place)
{
    ShapeSizes part = whole;
    CutHeads(part, place);
    part.ffn = LengthAt(whole.ffn, place, whole.tensor);
    part.expertFfn = LengthAt(whole.expertFfn, place, whole.tensor);
    part.vocabulary = LengthAt(whole.vocabulary, place, whole.tensor);
    return part;
}

uint64_t
TokenShare(const ShapeSizes& sizes)
{
    return sizes.Tokens() / sizes.tensor;
}

uint64_t
ValueOf(SizeMeaning meaning, const ShapeSizes& part, uint64_t fixed)
{
    // In the order of SizeKind.
    const std::array<uint64_t, 20> values{fixed,
                                          part.microBatch,
                                          part.sequence,
                                          part.Tokens(),
                                          TokenShare(part),
                                          part.Tokens() * part.topK,
                                          part.hidden,
                                          part.heads,
                                          part.headSize,
                                          part.heads * part.headSize,
                                          part.kvHeads * part.headSize,
                                          (part.heads + 2 * part.kvHeads) * part.headSize,
                                          part.ffn,
                                          part.expertFfn,
                                          part.sharedExperts * part.expertFfn,
                                          part.experts,
                                          part.LocalExperts(),
                                          part.vocabulary,
                                          part.tensor,
                                          part.microBatch * part.heads};
    return meaning.times * values[static_cast<size_t>(meaning.kind)];
}

std::string
ToText(SizeMeaning meaning)
{
    // In the order of SizeKind.
    static constexpr std::array<const char*, 20> WORDS{"a size that stays",
                                                       "the sequences of a micro-batch",
                                                       "the tokens of a sequence",
                                                       "the tokens",
                                                       "a rank's part of the tokens",
                                                       "the tokens that experts get",
                                                       "the hidden width",
                                                       "the heads",
                                                       "the size of a head",
                                                       "heads times their size",
                                                       "heads of keys times their size",
                                                       "queries, keys and values",
                                                       "the width of the MLP",
                                                       "the width of an expert",
                                                       "the width of the shared experts",
                                                       "the experts",
                                                       "the experts of a rank",
                                                       "the vocabulary",
                                                       "the tensor-parallel degree",
                                                       "the heads of all sequences"};
    return WORDS[static_cast<size_t>(meaning.kind)];
}

} // namespace nadi
