// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/parameters.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The architecture of a transformer, dense or a mixture of experts (MoE): what a preset fixes.
///
/// Attention is multi-head, or grouped with fewer heads for keys and values; with `kvRank` it is
/// latent: keys and values of all heads come from one vector of kvRank numbers for each token
/// (DeepSeek-AI, "DeepSeek-V2", arXiv 2405.04434, section 2.1).
struct TransformerShape
{
    uint64_t layers = 0;
    uint64_t hidden = 0;
    uint64_t heads = 0;
    uint64_t kvHeads = 0;
    uint64_t headSize = 0;
    uint64_t ffn = 0;
    uint64_t vocabulary = 0; ///< 0: neither embedding nor head
    uint64_t sequence = 0;
    bool isGated = false; ///< three matrices in an MLP, not two
    bool hasBiases = true;
    bool hasLayerNorm = true; ///< with two vectors; else RMS norm, with one
    bool hasLearnedPositions = true;
    bool hasTiedEmbeddings = true;

    uint64_t experts = 0; ///< of an MoE layer; 0: all layers are dense
    uint64_t topK = 0;
    uint64_t sharedExperts = 0;
    uint64_t expertFfn = 0;
    uint64_t denseLayers = 0; ///< the first layers of an MoE, which have no experts

    uint64_t queryRank = 0; ///< latent attention
    uint64_t kvRank = 0;
    uint64_t ropeHeadSize = 0;
    uint64_t valueHeadSize = 0;

    static std::vector<ParameterSpec> ParameterSpecs();

    /// Throws ConfigError at the parameter that does not fit the others.
    static TransformerShape Read(const nadi::Parameters& parameters);

    bool IsLatent() const
    {
        return kvRank > 0;
    }

    bool HasExperts(uint64_t layer) const
    {
        return experts > 0 && layer >= denseLayers;
    }

    /// Matrices of an MLP.
    uint64_t MatricesOfMlp() const
    {
        return isGated ? 3 : 2;
    }

    /// Numbers in a query or key of one head, and in a value.
    uint64_t KeySize() const
    {
        return headSize + ropeHeadSize;
    }

    uint64_t ValueSize() const
    {
        return IsLatent() ? valueHeadSize : headSize;
    }

    /// Parameters, exactly.
    uint64_t AttentionParameters() const; ///< of a layer, its norm included
    uint64_t MlpParameters(uint64_t width) const;
    uint64_t NormParameters() const;
    uint64_t EmbeddingParameters() const; ///< tokens and positions
    uint64_t HeadParameters() const;      ///< the last norm, and the matrix if it is not tied
    uint64_t RouterParameters() const;
    uint64_t LayerParameters(uint64_t layer) const;
    uint64_t Parameters() const;
    /// Those that a token meets: of the experts, topK and the shared ones.
    uint64_t ActiveParameters() const;

    bool operator==(const TransformerShape&) const = default;
};

} // namespace nadi
