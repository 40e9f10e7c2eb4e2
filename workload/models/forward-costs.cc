// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/forward-pass.h"

namespace nadi
{

MatrixProduct
ForwardCosts::Product(uint64_t rows, uint64_t in, uint64_t out) const
{
    return {rows, in, out, m_model.elementBytes};
}

uint64_t
ForwardCosts::ActivationBytes(const PassBatch& batch) const
{
    return MultiplyCounts({batch.tokens, m_part.hidden, m_model.elementBytes});
}

ForwardKernel
ForwardCosts::Embedding(const PassBatch& batch) const
{
    return {"embedding",
            {MultiplyCounts({batch.tokens, m_part.hidden}), 2 * ActivationBytes(batch)}};
}

ForwardKernel
ForwardCosts::Projections(const PassBatch& batch) const
{
    const TransformerShape& s = m_part;
    const uint64_t tokens = batch.tokens;
    Work work = Product(tokens, s.heads * s.ValueSize(), s.hidden).Cost();
    if (!s.IsLatent())
    {
        return {"attention projections",
                work + Product(tokens, s.hidden, (s.heads + 2 * s.kvHeads) * s.headSize).Cost()};
    }
    const uint64_t queries = s.heads * s.KeySize();
    work = work + Product(tokens, s.hidden, s.kvRank + s.ropeHeadSize).Cost() +
           Product(tokens, s.kvRank, s.heads * (s.headSize + s.valueHeadSize)).Cost();
    work = s.queryRank == 0 ? work + Product(tokens, s.hidden, queries).Cost()
                            : work + Product(tokens, s.hidden, s.queryRank).Cost() +
                                  Product(tokens, s.queryRank, queries).Cost();
    return {"attention projections", work};
}

ForwardKernel
ForwardCosts::AttentionCore(const PassBatch& batch) const
{
    const TransformerShape& s = m_part;
    const uint64_t sizes = s.KeySize() + s.ValueSize();
    const uint64_t latent = 2 * s.kvRank + s.ropeHeadSize;
    const uint64_t decodeSizes = s.IsLatent() ? latent : sizes;
    return {"attention core",
            {MultiplyCounts({2, batch.prefillPairs, s.heads, sizes}) +
                 MultiplyCounts({2, batch.decodePairs, s.heads, decodeSizes}),
             MultiplyCounts({batch.tokens, s.heads, sizes, m_model.elementBytes}) +
                 MultiplyCounts({batch.keys, m_model.KvBytesOfLayer(s)})}};
}

Work
ForwardCosts::MlpWork(uint64_t tokens, uint64_t width, uint64_t weightBytes) const
{
    const uint64_t matrices = m_part.MatricesOfMlp();
    const uint64_t activations =
        MultiplyCounts({tokens, m_part.hidden + width, matrices, m_model.elementBytes});
    return {MultiplyCounts({2, tokens, m_part.hidden, width, matrices}), activations + weightBytes};
}

ForwardKernel
ForwardCosts::Mlp(const PassBatch& batch) const
{
    const uint64_t weights = m_part.MatricesOfMlp() * m_part.hidden * m_part.ffn;
    return {"mlp", MlpWork(batch.tokens, m_part.ffn, weights * m_model.elementBytes)};
}

/// Of the rank's share of the tokens.
ForwardKernel
ForwardCosts::Router(const PassBatch& batch) const
{
    const uint64_t parts = m_model.expert > 1 ? m_model.tensor : 1;
    return {"router", Product(ShareOf(batch.tokens, parts), m_part.hidden, m_part.experts).Cost()};
}

ForwardKernel
ForwardCosts::SharedExperts(const PassBatch& batch) const
{
    const uint64_t width = m_part.sharedExperts * m_part.expertFfn;
    const uint64_t weights = m_part.MatricesOfMlp() * m_part.hidden * width;
    return {"shared experts", MlpWork(batch.tokens, width, weights * m_model.elementBytes)};
}

ForwardKernel
ForwardCosts::Experts(const ExpertLoad& load) const
{
    const uint64_t width = m_model.expert > 1 ? m_model.shape.expertFfn : m_part.expertFfn;
    const uint64_t weights =
        MultiplyCounts({load.distinct, m_part.MatricesOfMlp(), m_part.hidden, width});
    return {"experts", MlpWork(load.copies, width, weights * m_model.expertBytes)};
}

ForwardKernel
ForwardCosts::Head(const PassBatch& batch) const
{
    return {"head", Product(batch.sampled, m_part.hidden, m_part.vocabulary).Cost()};
}

} // namespace nadi
