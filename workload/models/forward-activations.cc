// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/forward-activations.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Numbers of a token that an MLP of `width` reads and writes at once: its input and the inner ones
/// of one or two matrices; then these, which the last matrix reads, and its output.
uint64_t
NumbersOfMlp(const TransformerShape& part, uint64_t width)
{
    const uint64_t inner = (part.MatricesOfMlp() - 1) * width;
    return std::max(part.hidden + inner, width + part.hidden);
}

/// Of a token: into the projections, through the core, and out of them.
uint64_t
NumbersOfAttention(const TransformerShape& part)
{
    const uint64_t queries = part.heads * part.KeySize();
    const uint64_t outputs = part.heads * part.ValueSize();
    // Latent attention makes keys and values for all heads of the vectors in the cache.
    const uint64_t keysAndValues =
        part.IsLatent() ? queries + outputs : 2 * part.kvHeads * part.headSize;
    const uint64_t latent = part.IsLatent() ? part.kvRank + part.ropeHeadSize : 0;
    return std::max({part.hidden + part.queryRank + latent,
                     (part.IsLatent() ? latent : part.hidden) + queries + keysAndValues,
                     queries + keysAndValues + outputs,
                     outputs + part.hidden});
}

/// Copies of tokens that a rank sends to experts, and, tokens going to them evenly, that come to
/// it.
uint64_t
CopiesOfRank(const ForwardModel& model, uint64_t tokens)
{
    // Where tokens are sent, each rank of a tensor group routes a part of them. Else each routes
    // all.
    const bool isSpread = model.expert > 1 || model.isWithoutExperts;
    return ShareOf(tokens, isSpread ? model.tensor : 1) * model.shape.topK;
}

/// Sent and received, or read and written by the experts, whichever is more.
uint64_t
BytesOfExpertLayer(const ForwardModel& model, const TransformerShape& part, uint64_t tokens)
{
    const uint64_t copies = CopiesOfRank(model, tokens);
    const uint64_t there = copies * model.DispatchBytesOfToken();
    const uint64_t back = copies * model.CombineBytesOfToken();
    // The experts' own activations are on other ranks: ActivationBytesOfExperts.
    if (model.isWithoutExperts)
    {
        return there + back;
    }
    const uint64_t width = model.expert > 1 ? model.shape.expertFfn : part.expertFfn;
    const uint64_t kernel = copies * NumbersOfMlp(part, width) * model.elementBytes;
    return model.expert > 1 ? std::max({2 * there, kernel, 2 * back}) : kernel;
}

} // namespace

uint64_t
ActivationBytesOfPass(const ForwardModel& model,
                      const TransformerShape& part,
                      const PassBatch& batch)
{
    const uint64_t element = model.elementBytes;
    uint64_t most = batch.tokens * NumbersOfAttention(part) * element;
    // Layers without experts come first and those with experts last, so the first and the last
    // layer tell which kinds there are.
    if (!model.shape.HasExperts(0))
    {
        most = std::max(most, batch.tokens * NumbersOfMlp(part, part.ffn) * element);
    }
    if (model.shape.HasExperts(model.shape.layers - 1))
    {
        const uint64_t shared =
            batch.tokens * NumbersOfMlp(part, part.sharedExperts * part.expertFfn) * element;
        most = std::max({most, shared, BytesOfExpertLayer(model, part, batch.tokens)});
    }
    most = std::max(most, batch.sampled * (part.hidden + part.vocabulary) * element);
    return batch.tokens * part.hidden * element + most;
}

uint64_t
ActivationBytesOfExperts(const ForwardModel& model, uint64_t copies)
{
    // Input and output have the number types in which they are sent.
    const uint64_t inner = NumbersOfMlp(model.shape, model.shape.expertFfn) - model.shape.hidden;
    return copies * (model.DispatchBytesOfToken() + inner * model.elementBytes +
                     model.CombineBytesOfToken());
}

} // namespace nadi
