// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-shape.h"

#include "common/error.h"
#include "common/text.h"
#include "workload/models/model-parameters.h"

#include <fmt/format.h>

namespace nadi
{

std::vector<ParameterSpec>
TransformerShape::ParameterSpecs()
{
    return {
        MakeCount("layers", "", "The number of transformer layers.", {.least = 1}),
        MakeCount("hidden",
                  "",
                  "The hidden size: the number of elements in the activation of one token.",
                  {.least = 1}),
        MakeCount(
            "heads",
            "",
            "The number of attention heads. It must divide hidden, unless head-size is given.",
            {.least = 1}),
        MakeCount("kv-heads",
                  "as heads",
                  "The number of heads that keys and values have. It must divide heads; a smaller "
                  "number means grouped-query attention. Latent attention has as many as "
                  "heads.",
                  {.least = 1}),
        MakeCount("head-size",
                  "0",
                  "The number of elements in the query of one head. 0 stands for hidden / heads."),
        MakeCount(
            "ffn", "0", "The inner width of the MLP of a dense layer. 0 stands for 4 * hidden."),
        MakeCount("vocabulary",
                  "0",
                  "The number of tokens in the vocabulary. With 0 the model has neither an "
                  "embedding nor an output head."),
        MakeCount("sequence", "2048", "The number of tokens in a sequence.", {.least = 1}),
        MakeChoice("mlp",
                   {"plain", "gated"},
                   "The form of the MLPs: plain has two matrices, gated has three, as in SwiGLU."),
        MakeSwitch("biases",
                   true,
                   "Whether the matrices of attention and MLPs have biases. Those of latent "
                   "attention and of routers never do."),
        MakeChoice("norm",
                   {"layer", "rms"},
                   "The kind of normalization: layer (layer normalization) has two vectors of "
                   "parameters, rms (root mean square) has one."),
        MakeChoice("positions",
                   {"learned", "rotary"},
                   "The encoding of positions: learned has an embedding of each position as "
                   "parameters, rotary has no parameters."),
        MakeSwitch("tied-embeddings",
                   true,
                   "Whether the output head and the embedding of tokens are one matrix."),
        MakeCount("experts",
                  "0",
                  "The number of experts in an MoE layer among which the router chooses; shared "
                  "experts do not count. With 0 all layers are dense."),
        MakeCount("top-k",
                  "1",
                  "The number of experts to which the router sends each token; from 1 to experts."),
        MakeCount("shared-experts",
                  "0",
                  "The number of shared experts in an MoE layer, to which every token goes."),
        MakeCount("expert-ffn", "as ffn", "The inner width of the MLP of one expert."),
        MakeCount("dense-layers",
                  "0",
                  "The number of layers at the beginning of an MoE model that are dense. It "
                  "must be less than layers where there are experts."),
        MakeCount("query-rank",
                  "0",
                  "The number of elements in the latent vector from which latent attention "
                  "computes queries. With 0 it computes them from the whole activation."),
        MakeCount("kv-rank",
                  "0",
                  "The number of elements in the latent vector from which keys and values of all "
                  "heads are computed. 0 means that attention is not latent."),
        MakeCount("rope-head-size",
                  "0",
                  "The number of rotary elements that latent attention adds to the head-size other "
                  "elements of the query and key of a head."),
        MakeCount("value-head-size",
                  "0",
                  "The number of elements in the value of one head of latent attention. 0 stands "
                  "for head-size."),
    };
}

namespace
{

/// An upper bound of the parameters, in numbers that cannot overflow.
double
BoundParameters(const TransformerShape& shape)
{
    const auto real = [](uint64_t count) { return static_cast<double>(count); };
    // Each term of the exact sums below is in one of these products. Some are larger than needed:
    // all head sizes are added up, each MLP has three matrices, and each layer has the dense MLP
    // and the experts. The small numbers stand for biases and norms.
    const double heads = real(shape.heads + 2 * shape.kvHeads) *
                         real(shape.headSize + shape.ropeHeadSize + shape.valueHeadSize + 1);
    const double mlps =
        real(shape.ffn) + real(shape.experts + shape.sharedExperts + 1) * real(shape.expertFfn + 1);
    const double ranks = real(shape.queryRank + shape.kvRank + shape.ropeHeadSize + 8);
    return real(shape.layers) * ((real(shape.hidden) + ranks) * (2 * heads + 3 * mlps + ranks)) +
           real(2 * shape.vocabulary + shape.sequence) * real(shape.hidden);
}

/// Throws ConfigError at a parameter of experts where there are none. One that has its default
/// cannot be told from one that was not given, and passes.
void
CheckHasNoExperts(const TransformerShape& shape)
{
    if (shape.sharedExperts > 0 || shape.denseLayers > 0)
    {
        throw ConfigError("experts",
                          "is 0, but shared-experts or dense-layers is not; write how many experts "
                          "there are");
    }
    // Of a preset they cannot be removed.
    const auto refuse = [](const char* name, bool isGiven, const std::string& cure)
    {
        if (isGiven)
        {
            throw ConfigError(
                name,
                fmt::format("is for experts, and there are none; write experts, or {}", cure));
        }
    };
    refuse("top-k", shape.topK != 1, "top-k: 1");
    refuse("expert-ffn", shape.expertFfn != shape.ffn, fmt::format("expert-ffn: {}", shape.ffn));
}

/// Throws ConfigError where all layers of a model with experts are dense, so that experts, and how
/// they are shared out, would do nothing.
void
CheckHasExpertLayers(const TransformerShape& shape)
{
    if (shape.experts == 0 || shape.denseLayers < shape.layers)
    {
        return;
    }
    throw ConfigError(
        "dense-layers",
        fmt::format("is {} of {}, which leaves none for experts; write {}, or more layers",
                    shape.denseLayers,
                    CountText(shape.layers, "layer"),
                    shape.layers == 1 ? "0" : fmt::format("0 to {}", shape.layers - 1)));
}

/// Throws ConfigError where attention is not latent and has sizes of it, or the other way round.
void
CheckAttention(const TransformerShape& shape)
{
    if (!shape.IsLatent() && shape.queryRank + shape.ropeHeadSize + shape.valueHeadSize > 0)
    {
        throw ConfigError("kv-rank",
                          "is 0, but query-rank, rope-head-size and value-head-size are for latent "
                          "attention; write kv-rank, or remove them");
    }
    if (shape.IsLatent() && shape.kvHeads != shape.heads)
    {
        throw ConfigError("kv-heads",
                          fmt::format("is {}, but latent attention (kv-rank) computes keys and "
                                      "values of each of the {} heads; remove it, or write {}",
                                      shape.kvHeads,
                                      shape.heads,
                                      shape.heads));
    }
}

void
CheckShape(const TransformerShape& shape)
{
    constexpr double mostParameters = 1e18;
    // First, so that nothing below or later multiplies numbers whose product passes 64 bits.
    if (BoundParameters(shape) > mostParameters)
    {
        throw ConfigError("layers",
                          "has more than 10^18 parameters with these widths; write "
                          "smaller numbers");
    }
    CheckDivides({"kv-heads", "the heads,", shape.heads, "kv-heads", shape.kvHeads});
    if (shape.experts > 0 && (shape.topK == 0 || shape.topK > shape.experts))
    {
        throw ConfigError(
            "top-k",
            fmt::format(
                "{} of {} experts; write 1 to {}", shape.topK, shape.experts, shape.experts));
    }
    if (shape.experts == 0)
    {
        CheckHasNoExperts(shape);
    }
    CheckHasExpertLayers(shape);
    CheckAttention(shape);
}

} // namespace

TransformerShape
TransformerShape::Read(const nadi::Parameters& parameters)
{
    const auto count = [&](const char* name) { return ReadCount(parameters, name); };
    const auto word = [&](const char* name) { return parameters.Get<std::string>(name); };
    const auto orElse = [](uint64_t value, uint64_t other) { return value == 0 ? other : value; };
    TransformerShape shape;
    shape.layers = count("layers");
    shape.hidden = count("hidden");
    shape.heads = count("heads");
    shape.kvHeads = count("kv-heads");
    shape.headSize = count("head-size");
    if (shape.headSize == 0)
    {
        // This is checked only here: a head size that is given need not fit the hidden size.
        CheckDivides({"heads", "hidden", shape.hidden, "heads", shape.heads});
        shape.headSize = shape.hidden / shape.heads;
    }
    shape.ffn = orElse(count("ffn"), 4 * shape.hidden);
    shape.vocabulary = count("vocabulary");
    shape.sequence = count("sequence");
    shape.isGated = word("mlp") == "gated";
    shape.hasBiases = ReadSwitch(parameters, "biases");
    shape.hasLayerNorm = word("norm") == "layer";
    shape.hasLearnedPositions = word("positions") == "learned";
    shape.hasTiedEmbeddings = ReadSwitch(parameters, "tied-embeddings");
    shape.experts = count("experts");
    shape.topK = count("top-k");
    shape.sharedExperts = count("shared-experts");
    shape.expertFfn = orElse(count("expert-ffn"), shape.ffn);
    shape.denseLayers = count("dense-layers");
    shape.queryRank = count("query-rank");
    shape.kvRank = count("kv-rank");
    shape.ropeHeadSize = count("rope-head-size");
    shape.valueHeadSize = count("value-head-size");
    CheckShape(shape);
    if (shape.IsLatent())
    {
        // After the check, which tells a size that was given from none.
        shape.valueHeadSize = orElse(shape.valueHeadSize, shape.headSize);
    }
    return shape;
}

uint64_t
TransformerShape::NormParameters() const
{
    return (hasLayerNorm ? 2 : 1) * hidden;
}

uint64_t
TransformerShape::AttentionParameters() const
{
    if (IsLatent())
    {
        const uint64_t keys = heads * KeySize();
        const uint64_t queries =
            queryRank == 0 ? hidden * keys : hidden * queryRank + queryRank + queryRank * keys;
        // Each latent vector has an RMS norm: queryRank and kvRank by themselves are their
        // parameters.
        return queries + hidden * (kvRank + ropeHeadSize) + kvRank +
               kvRank * heads * (headSize + valueHeadSize) + heads * valueHeadSize * hidden +
               NormParameters();
    }
    const uint64_t outputs = (heads + 2 * kvHeads) * headSize; // of queries, keys and values
    const uint64_t biases = hasBiases ? outputs + hidden : 0;
    return hidden * outputs + heads * headSize * hidden + biases + NormParameters();
}

uint64_t
TransformerShape::MlpParameters(uint64_t width) const
{
    const uint64_t biases = hasBiases ? (MatricesOfMlp() - 1) * width + hidden : 0;
    return MatricesOfMlp() * hidden * width + biases;
}

uint64_t
TransformerShape::RouterParameters() const
{
    return hidden * experts;
}

uint64_t
TransformerShape::LayerParameters(uint64_t layer) const
{
    const uint64_t common = AttentionParameters() + NormParameters();
    if (!HasExperts(layer))
    {
        return common + MlpParameters(ffn);
    }
    return common + RouterParameters() + (experts + sharedExperts) * MlpParameters(expertFfn);
}

uint64_t
TransformerShape::EmbeddingParameters() const
{
    const uint64_t positions = hasLearnedPositions ? sequence : 0;
    return vocabulary == 0 ? 0 : (vocabulary + positions) * hidden;
}

uint64_t
TransformerShape::HeadParameters() const
{
    return NormParameters() + (hasTiedEmbeddings ? 0 : vocabulary * hidden);
}

uint64_t
TransformerShape::Parameters() const
{
    uint64_t sum = vocabulary == 0 ? 0 : EmbeddingParameters() + HeadParameters();
    for (uint64_t layer = 0; layer < layers; ++layer)
    {
        sum += LayerParameters(layer);
    }
    return sum;
}

uint64_t
TransformerShape::ActiveParameters() const
{
    // Parameters of the experts that the router does not choose for a token.
    uint64_t idle = 0;
    for (uint64_t layer = 0; layer < layers; ++layer)
    {
        idle += HasExperts(layer) ? (experts - topK) * MlpParameters(expertFfn) : 0;
    }
    return Parameters() - idle;
}

} // namespace nadi
