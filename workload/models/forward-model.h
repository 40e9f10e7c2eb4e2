// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/kernels/kernel-launch.h"
#include "workload/models/generated-graph.h"
#include "workload/models/transformer-shape.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// A transformer that is served, and how it is cut over the ranks of an instance: tp x dp ranks in
/// each of pp stages, rank = (pp * dp.size + dp) * tp.size + tp. Each of the dp replicas has
/// batches of its own.
///
/// Tensor parallelism cuts heads, inner widths and the vocabulary (TransformerParts). With `expert`
/// above 1 the experts of a layer lie whole on `expert` neighbouring ranks of a stage, whatever
/// replica these are of; else they are cut as MLPs are.
struct ForwardModel
{
    TransformerShape shape;
    uint32_t tensor = 1;
    uint32_t pipeline = 1;
    uint32_t expert = 1;
    bool isWithoutExperts = false; ///< those that tokens are routed to lie elsewhere
    uint64_t elementBytes = 2;     ///< of activations and weights
    uint64_t expertBytes = 2;      ///< of the weights of experts, and of what is sent to them
    uint64_t kvBytes = 2;          ///< of a number in the KV cache
    NumberType elementType = NumberType::None; ///< what these numbers are, for tables of kernels
    NumberType expertType = NumberType::None;
    NumberType kvType = NumberType::None;

    /// Of each stage: what the ranks of a tensor group hold. Ranks of equal parts share one.
    std::vector<TransformerShape> Parts() const;
    uint32_t PartOf(uint32_t tensorRank) const; ///< index in Parts()

    /// The layers [first, last) of a stage; the first stages have one more where they do not divide
    /// evenly.
    uint64_t FirstLayer(uint32_t stage) const;

    uint64_t LayersOf(uint32_t stage) const
    {
        return FirstLayer(stage + 1) - FirstLayer(stage);
    }

    /// Bytes of keys and values of a token in one layer, over all heads: 2 x kv-heads x head-size
    /// numbers; of latent attention kv-rank + rope-head-size.
    uint64_t KvBytesOfLayer() const;

    /// The same on a rank of part `part`: latent vectors are on each rank of a tensor group.
    uint64_t KvBytesOfLayer(const TransformerShape& part) const;

    /// Of a token in all layers.
    uint64_t KvBytesOfToken() const
    {
        return shape.layers * KvBytesOfLayer();
    }

    /// Weights that a rank of `part` in `stage` holds: dense ones by its part, and its experts.
    uint64_t WeightBytes(const TransformerShape& part, uint32_t stage) const;

    /// Weights of one expert of one layer on a rank of `part`. With several expert ranks each
    /// expert lies whole on one; else all are cut over the tensor group.
    uint64_t BytesOfExpert(const TransformerShape& part) const
    {
        return part.MlpParameters(expert > 1 ? shape.expertFfn : part.expertFfn) * expertBytes;
    }

    /// Experts of a layer that lie on one rank. Requires: there are experts.
    uint64_t ExpertsOfRank() const
    {
        return shape.experts / expert;
    }

    /// What a token that is sent to an expert takes: numbers of one byte have a scale of 4 B for
    /// each 128 (DeepSeek-AI, "DeepEP").
    uint64_t DispatchBytesOfToken() const
    {
        return shape.hidden * expertBytes + (expertBytes == 1 ? (shape.hidden + 127) / 128 * 4 : 0);
    }

    /// What the result of an expert takes on its way back.
    uint64_t CombineBytesOfToken() const
    {
        return shape.hidden * elementBytes;
    }

    /// Throws ConfigError at the degree that does not fit the shape or the `data` replicas.
    void Check(uint32_t data) const;
};

/// What one replica computes in a pass: sums over its sequences.
struct PassBatch
{
    uint64_t tokens = 0;       ///< new ones
    uint64_t prefillPairs = 0; ///< of a token and one that it attends to, itself included
    uint64_t decodePairs = 0;  ///< the same, of sequences with one new token
    uint64_t keys = 0;         ///< tokens whose keys and values are read, the new ones included
    uint64_t sampled = 0;      ///< sequences that a token is made of
    uint64_t prefills = 0;     ///< sequences with several new tokens
    uint64_t decodes = 0;      ///< sequences with one new token

    /// A sequence of `newTokens` after `context` tokens that are in the cache. Attention is causal:
    /// token i of them attends to context + i.
    void Add(uint64_t newTokens, uint64_t context, bool makesToken);

    /// New tokens of the sequences with several.
    uint64_t PrefillTokens() const
    {
        return tokens - decodes;
    }

    /// Tokens whose keys and values these sequences read, the new ones included. (A decode has as
    /// many pairs as it reads keys.)
    uint64_t PrefillKeys() const
    {
        return keys - decodePairs;
    }

    bool operator==(const PassBatch&) const = default;
};

/// What the experts of one rank compute in a layer.
struct ExpertLoad
{
    uint64_t copies = 0;   ///< tokens that were sent to them, once for each expert
    uint64_t distinct = 0; ///< experts that got one or more: whose weights are read
};

/// The experts that `tokens` reach, in the mean, when each goes to `topK` of `experts` that are
/// drawn evenly: experts (1 - (1 - topK / experts)^tokens).
double ExpectedDistinctExperts(uint64_t experts, uint64_t topK, double tokens);

} // namespace nadi
