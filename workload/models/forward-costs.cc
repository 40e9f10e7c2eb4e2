// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/forward-pass.h"

namespace nadi
{

MatrixProduct
ForwardCosts::Product(uint64_t rows, uint64_t in, uint64_t out) const
{
    return {rows, in, out, m_model.elementBytes, m_model.elementType, m_model.tensor};
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
            WorkOf({.op = KernelOp::Copy,
                    .type = m_model.elementType,
                    .m = batch.tokens,
                    .n = m_part.hidden,
                    .tp = m_model.tensor,
                    .bytes = 2 * ActivationBytes(batch),
                    .operations = MultiplyCounts({batch.tokens, m_part.hidden})})};
}

/// Attention may be latent (DeepSeek-V2, arXiv:2405.04434, section 2.1). Queries go down to their
/// rank and up again, or up at once. Keys and values go down to one latent, and up from it for each
/// head. Beside the latent stands the part of the keys that has positions: it is one for all heads,
/// and nothing brings it up.
///
/// A decode multiplies its queries and outputs with the matrices that lead up (AbsorbedProducts).
ForwardKernel
ForwardCosts::Projections(const PassBatch& batch) const
{
    const TransformerShape& s = m_part;
    const uint64_t tokens = batch.tokens;
    const Work out = Product(tokens, s.heads * s.ValueSize(), s.hidden).Cost();
    if (!s.IsLatent())
    {
        return {"attention projections",
                Product(tokens, s.hidden, (s.heads + 2 * s.kvHeads) * s.headSize).Cost() + out};
    }
    const uint64_t queries = s.heads * s.KeySize();
    const Work query = s.queryRank == 0 ? Product(tokens, s.hidden, queries).Cost()
                                        : Product(tokens, s.hidden, s.queryRank).Cost() +
                                              Product(tokens, s.queryRank, queries).Cost();
    return {"attention projections",
            query + Product(tokens, s.hidden, s.kvRank + s.ropeHeadSize).Cost() +
                KeysAndValues(batch) + out};
}

MatrixProduct
ForwardCosts::UpFromLatent(uint64_t tokens) const
{
    return Product(tokens, m_part.kvRank, m_part.heads * (m_part.headSize + m_part.valueHeadSize));
}

/// What makes latents meet queries. The core of a prefill works on keys and values of all heads, so
/// those of its tokens are brought up. The cache has the latents of the tokens before a prefill, or
/// before its present part; each such pass brings them up once more (vLLM,
/// MLACommonImpl::_compute_prefill_context). A decode works on the latents.
Work
ForwardCosts::KeysAndValues(const PassBatch& batch) const
{
    Work work;
    for (const uint64_t tokens :
         {batch.PrefillTokens(), batch.PrefillKeys() - batch.PrefillTokens()})
    {
        work = tokens == 0 ? work : work + UpFromLatent(tokens).Cost();
    }
    return batch.decodes == 0 ? work : work + AbsorbedProducts(batch.decodes);
}

/// In place of its own latent, a decode brings its queries to the latents, and its outputs back
/// from them: in each head a product from headSize to kvRank numbers and one from kvRank to
/// valueHeadSize. (The rotary part of a query goes past them.) These are as many operations as to
/// bring the latent up.
Work
ForwardCosts::AbsorbedProducts(uint64_t tokens) const
{
    const auto product = [&](uint64_t in, uint64_t out)
    {
        return WorkOf({.op = KernelOp::BatchedGemm,
                       .type = m_model.elementType,
                       .m = tokens,
                       .n = out,
                       .k = in,
                       .batch = m_part.heads,
                       .tp = m_model.tensor,
                       .bytes = MultiplyCounts(
                           {m_part.heads, tokens * (in + out) + in * out, m_model.elementBytes}),
                       .operations = MultiplyCounts({2, tokens, m_part.heads, in, out})});
    };
    return product(m_part.headSize, m_part.kvRank) + product(m_part.kvRank, m_part.valueHeadSize);
}

/// Of the sequences with several new tokens, its sizes are those of as many equal ones: b of m / b
/// tokens each, which attend to c at their end, have m (c - (m / b - 1) / 2) pairs.
///
/// It reads keys and values from the cache, or with latent attention those of all heads, which
/// Projections has made of the cache.
Work
ForwardCosts::PrefillCore(const PassBatch& batch) const
{
    const TransformerShape& s = m_part;
    const uint64_t sizes = s.KeySize() + s.ValueSize();
    const uint64_t tokens = batch.PrefillTokens();
    const uint64_t bytesOfKey = s.IsLatent()
                                    ? MultiplyCounts({s.heads, sizes, m_model.elementBytes})
                                    : m_model.KvBytesOfLayer(s);
    return WorkOf(
        {.op = KernelOp::AttentionPrefill,
         .type = s.IsLatent() ? m_model.elementType : m_model.kvType,
         .m = tokens,
         .n = s.heads,
         .k = s.KeySize(),
         .batch = batch.prefills,
         // The formula above the function, solved for c.
         .context = ShareOf(batch.prefillPairs, tokens) + (tokens / batch.prefills - 1) / 2,
         .tp = m_model.tensor,
         .bytes = MultiplyCounts({tokens, s.heads, sizes, m_model.elementBytes}) +
                  MultiplyCounts({batch.PrefillKeys(), bytesOfKey}),
         .operations = MultiplyCounts({2, batch.prefillPairs, s.heads, sizes})});
}

/// A sequence with one new token reads as many keys as it has pairs. With latent attention queries
/// and outputs are as long as what they meet: scores are products over kvRank + ropeHeadSize
/// numbers, weighted latents have kvRank.
Work
ForwardCosts::DecodeCore(const PassBatch& batch) const
{
    const TransformerShape& s = m_part;
    const uint64_t queries = s.IsLatent() ? s.kvRank + s.ropeHeadSize : s.KeySize();
    const uint64_t sizes = queries + (s.IsLatent() ? s.kvRank : s.ValueSize());
    return WorkOf({.op = KernelOp::AttentionDecode,
                   .type = m_model.kvType,
                   .n = s.heads,
                   .k = queries,
                   .batch = batch.decodes,
                   .context = ShareOf(batch.decodePairs, batch.decodes),
                   .tp = m_model.tensor,
                   .bytes = MultiplyCounts({batch.decodes, s.heads, sizes, m_model.elementBytes}) +
                            MultiplyCounts({batch.decodePairs, m_model.KvBytesOfLayer(s)}),
                   .operations = MultiplyCounts({2, batch.decodePairs, s.heads, sizes})});
}

ForwardKernel
ForwardCosts::AttentionCore(const PassBatch& batch) const
{
    Work work;
    if (batch.prefills > 0)
    {
        work = work + PrefillCore(batch);
    }
    if (batch.decodes > 0)
    {
        work = work + DecodeCore(batch);
    }
    return {"attention core", work};
}

MlpProduct
ForwardCosts::MlpOf(uint64_t tokens, uint64_t width) const
{
    return {.rows = tokens,
            .hidden = m_part.hidden,
            .width = width,
            .matrices = m_part.MatricesOfMlp(),
            .elementBytes = m_model.elementBytes,
            .weightElementBytes = m_model.elementBytes,
            .type = m_model.elementType,
            .tensor = m_model.tensor};
}

ForwardKernel
ForwardCosts::Mlp(const PassBatch& batch) const
{
    return {"mlp", MlpOf(batch.tokens, m_part.ffn).Cost()};
}

/// Of the rank's share of the tokens: where experts lie on several ranks, each tensor rank routes a
/// part, else each routes all.
ForwardKernel
ForwardCosts::Router(const PassBatch& batch) const
{
    const uint64_t parts = m_model.expert > 1 ? m_model.tensor : 1;
    Work work = Product(ShareOf(batch.tokens, parts), m_part.hidden, m_part.experts).Cost();
    work.kernels.front().op = KernelOp::Router;
    return {"router", work};
}

ForwardKernel
ForwardCosts::SharedExperts(const PassBatch& batch) const
{
    return {"shared experts", MlpOf(batch.tokens, m_part.sharedExperts * m_part.expertFfn).Cost()};
}

ForwardKernel
ForwardCosts::Experts(const ExpertLoad& load) const
{
    const bool isWhole = m_model.expert > 1;
    // Experts on several ranks lie whole there; else tensor parallelism cuts them as it cuts MLPs.
    const uint64_t width = isWhole ? m_model.shape.expertFfn : m_part.expertFfn;
    MlpProduct product = MlpOf(load.copies, width);
    product.weightElementBytes = m_model.expertBytes;
    product.op = KernelOp::GroupedGemm;
    product.type = m_model.expertType;
    product.experts = load.distinct;
    product.tensor = isWhole ? 1 : m_model.tensor;
    return {"experts", product.Cost()};
}

ForwardKernel
ForwardCosts::Head(const PassBatch& batch) const
{
    return {"head", Product(batch.sampled, m_part.hidden, m_part.vocabulary).Cost()};
}

} // namespace nadi
