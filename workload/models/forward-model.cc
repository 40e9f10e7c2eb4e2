// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/forward-model.h"

#include "common/error.h"
#include "workload/models/model-parameters.h"
#include "workload/models/transformer-parts.h"

#include <fmt/format.h>

#include <cmath>

namespace nadi
{

namespace
{

TransformerJob
CutOverTensor(const ForwardModel& model)
{
    // TransformerParts looks at the shape and the tensor degree only.
    TransformerJob job;
    job.shape = model.shape;
    job.degrees.tensor = model.tensor;
    return job;
}

/// Throws ConfigError at `degree` where a rank would get nothing of `what`.
void
CheckEnough(const char* degree, const char* what, uint64_t count, uint64_t parts)
{
    if (parts > count)
    {
        throw ConfigError(
            degree,
            fmt::format(
                "{} ranks cannot share {} {}; write {} or fewer", parts, count, what, count));
    }
}

} // namespace

std::vector<TransformerShape>
ForwardModel::Parts() const
{
    return TransformerParts(CutOverTensor(*this)).Kinds();
}

uint32_t
ForwardModel::PartOf(uint32_t tensorRank) const
{
    return TransformerParts(CutOverTensor(*this)).KindOf(tensorRank);
}

uint64_t
ForwardModel::FirstLayer(uint32_t stage) const
{
    // The first `extra` stages have one layer more than the others.
    const uint64_t extra = shape.layers % pipeline;
    return shape.layers / pipeline * stage + (stage < extra ? stage : extra);
}

uint64_t
ForwardModel::KvBytesOfLayer() const
{
    return KvBytesOfLayer(shape);
}

uint64_t
ForwardModel::KvBytesOfLayer(const TransformerShape& part) const
{
    return kvBytes *
           (part.IsLatent() ? part.kvRank + part.ropeHeadSize : 2 * part.kvHeads * part.headSize);
}

uint64_t
ForwardModel::WeightBytes(const TransformerShape& part, uint32_t stage) const
{
    uint64_t dense = 0;
    uint64_t routed = 0;
    for (uint64_t layer = FirstLayer(stage); layer < FirstLayer(stage + 1); ++layer)
    {
        dense += part.AttentionParameters() + part.NormParameters();
        if (!shape.HasExperts(layer))
        {
            dense += part.MlpParameters(part.ffn);
            continue;
        }
        dense += part.RouterParameters() + part.sharedExperts * part.MlpParameters(part.expertFfn);
        if (!isWithoutExperts)
        {
            routed += ExpertsOfRank() * BytesOfExpert(part);
        }
    }
    if (shape.vocabulary > 0)
    {
        const bool isFirst = stage == 0;
        const bool isLast = stage + 1 == pipeline;
        dense += isFirst ? part.EmbeddingParameters() : 0;
        dense += isLast ? part.HeadParameters() : 0;
        // A tied head lies on the last stage too.
        dense += isLast && !isFirst && part.hasTiedEmbeddings ? part.vocabulary * part.hidden : 0;
    }
    return dense * elementBytes + routed;
}

void
ForwardModel::Check(uint32_t data) const
{
    CheckEnough("tp", "heads", shape.heads, tensor);
    CheckEnough("tp", "columns of the MLP", shape.ffn, tensor);
    CheckEnough("pp", "layers", shape.layers, pipeline);
    if (shape.experts == 0)
    {
        if (expert > 1)
        {
            throw ConfigError("ep",
                              "there are no experts to share out; remove ep, or use a model with "
                              "experts");
        }
        return;
    }
    CheckDivides({"ep", "the experts,", shape.experts, "ep", expert});
    CheckDivides({"ep", "the ranks of a stage, tp x dp,", uint64_t{tensor} * data, "ep", expert});
    if (expert > 1)
    {
        // An expert group is made of whole tensor groups, as their ranks each route a part of one
        // batch.
        CheckDivides({"ep", "ep", expert, "tp", tensor});
    }
}

void
PassBatch::Add(uint64_t newTokens, uint64_t context, bool makesToken)
{
    tokens += newTokens;
    keys += context + newTokens;
    sampled += makesToken ? 1 : 0;
    const uint64_t pairs = newTokens * context + newTokens * (newTokens + 1) / 2;
    // One new token counts as a decode, also where it is a whole prompt.
    (newTokens == 1 ? decodePairs : prefillPairs) += pairs;
    ++(newTokens == 1 ? decodes : prefills);
}

double
ExpectedDistinctExperts(uint64_t experts, uint64_t topK, double tokens)
{
    // A token misses a given expert with probability 1 - share, and all tokens miss it with that to
    // the power of their number.
    const double share = double(topK) / double(experts);
    return double(experts) * (1 - std::pow(1 - share, tokens));
}

} // namespace nadi
