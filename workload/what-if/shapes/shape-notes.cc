// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/shape-notes.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace nadi
{

namespace
{

/// A size that may change, as the subject of a sentence: "A hidden width of 96".
struct SizeWord
{
    uint64_t ShapeSizes::*size;
    const char* subject;
};

constexpr std::array WORDS{
    SizeWord{&ShapeSizes::hidden, "A hidden width of {}"},
    SizeWord{&ShapeSizes::ffn, "An inner width of MLPs of {}"},
    SizeWord{&ShapeSizes::expertFfn, "An inner width of experts of {}"},
    SizeWord{&ShapeSizes::heads, "Attention heads: {}"},
    SizeWord{&ShapeSizes::kvHeads, "Heads of keys and values: {}"},
    SizeWord{&ShapeSizes::headSize, "A size of heads of {}"},
    SizeWord{&ShapeSizes::sequence, "Sequences of {} tokens"},
    SizeWord{&ShapeSizes::microBatch, "Micro-batches of so many sequences: {}"},
    SizeWord{&ShapeSizes::expert, "Experts of a layer over so many ranks: {}"},
    SizeWord{&ShapeSizes::tensor, "Tensor-parallel ranks: {}"}};

} // namespace

std::string
DescribeSizes(const ShapeSizes& whole)
{
    std::string text = fmt::format("Sizes of the recorded model, from the places of its kernels: "
                                   "hidden width {}, {} heads of {} ({} of keys and values)",
                                   whole.hidden,
                                   whole.heads,
                                   whole.headSize,
                                   whole.kvHeads);
    text += whole.ffn == 0 ? "" : fmt::format(", MLPs of width {}", whole.ffn);
    text += whole.experts == 0 ? ""
                               : fmt::format(", {} experts of width {}, {} for each token",
                                             whole.experts,
                                             whole.expertFfn,
                                             whole.topK);
    text += whole.vocabulary == 0 ? "" : fmt::format(", a vocabulary of {}", whole.vocabulary);
    return text + fmt::format("; {} sequences of {} tokens in a micro-batch",
                              whole.microBatch,
                              whole.sequence);
}

std::vector<std::string>
DescribeSizeChanges(const ShapeSizes& before, const ShapeSizes& after)
{
    std::vector<std::string> changes;
    for (const SizeWord& word : WORDS)
    {
        if (before.*word.size != after.*word.size)
        {
            changes.push_back(fmt::format("{} in place of {}",
                                          fmt::format(fmt::runtime(word.subject), after.*word.size),
                                          before.*word.size));
        }
    }
    return changes;
}

std::string
DescribeByteCounting(const ByteCounting& counting)
{
    return fmt::format("Two ways of counting the bytes of products explain the recording equally "
                       "well; taken: {}, and {}",
                       counting.countsGates ? "a gated pair of matrices reads its rows twice"
                                            : "a gated pair of matrices reads its rows once",
                       counting.countsExperts ? "the matrix of each expert counts"
                                              : "the matrices of all experts count as one");
}

} // namespace nadi
