// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-costs.h"

namespace nadi
{

namespace
{

/// The gradients of products cost what the products do.
TransformerBlock
MakeBlock(const std::string& name, Work products)
{
    TransformerBlock block;
    block.name = name;
    block.forward = products;
    block.inputGradient = products;
    block.weightGradient = products;
    return block;
}

} // namespace

TransformerCosts::TransformerCosts(const TransformerJob& job, const TransformerShape& local)
    : m_job(job)
    , m_local(local)
{
}

std::vector<TransformerBlock>
TransformerCosts::Layer(uint64_t layer) const
{
    if (!m_local.HasExperts(layer))
    {
        return {Attention(), Mlp("mlp", m_local.ffn, m_job.Tokens())};
    }
    std::vector<TransformerBlock> blocks{Attention()};
    if (m_local.sharedExperts > 0)
    {
        blocks.push_back(
            Mlp("shared experts", m_local.sharedExperts * m_local.expertFfn, m_job.Tokens()));
    }
    blocks.push_back(Router());
    blocks.push_back(Experts());
    return blocks;
}

uint64_t
TransformerCosts::ActivationBytes() const
{
    return MultiplyCounts({m_job.Tokens(), m_local.hidden, m_job.elementBytes});
}

uint64_t
TransformerCosts::StageBytes() const
{
    return m_job.hasSequenceParallelism ? ActivationBytes() / m_job.degrees.tensor
                                        : ActivationBytes();
}

MatrixProduct
TransformerCosts::Product(uint64_t rows, uint64_t in, uint64_t out) const
{
    return {rows, in, out, m_job.elementBytes};
}

Work
TransformerCosts::AttentionProjections() const
{
    const uint64_t tokens = m_job.Tokens();
    const TransformerShape& s = m_local;
    const Work out = Product(tokens, s.heads * s.ValueSize(), s.hidden).Cost();
    if (!s.IsLatent())
    {
        return Product(tokens, s.hidden, (s.heads + 2 * s.kvHeads) * s.headSize).Cost() + out;
    }
    const uint64_t queries = s.heads * s.KeySize();
    const Work query = s.queryRank == 0 ? Product(tokens, s.hidden, queries).Cost()
                                        : Product(tokens, s.hidden, s.queryRank).Cost() +
                                              Product(tokens, s.queryRank, queries).Cost();
    return query + Product(tokens, s.hidden, s.kvRank + s.ropeHeadSize).Cost() +
           Product(tokens, s.kvRank, s.heads * (s.headSize + s.valueHeadSize)).Cost() + out;
}

Work
TransformerCosts::AttentionCore() const
{
    const TransformerShape& s = m_local;
    const uint64_t tokens = m_job.Tokens();
    const uint64_t sizes = s.KeySize() + s.ValueSize();
    // Keys and values are those of the whole sequence, of which this rank has 1 / context.
    const uint64_t kept = m_job.degrees.context * (s.IsLatent() ? s.heads : s.kvHeads);
    return {MultiplyCounts({2, tokens, s.sequence, s.heads, sizes}),
            MultiplyCounts({tokens, s.heads + kept, sizes, m_job.elementBytes})};
}

TransformerBlock
TransformerCosts::Attention() const
{
    const TransformerShape& s = m_local;
    const Work core = AttentionCore();
    TransformerBlock block = MakeBlock("attention", AttentionProjections());
    const bool isRepeated = m_job.recompute == Recompute::Selective;
    block.forward = block.forward + core;
    // The core has no weights: all of its backward cost is in the gradient of its inputs, which is
    // of two products for each product forward; selective recomputation runs it forward once more.
    block.inputGradient = block.inputGradient + core * (isRepeated ? 3 : 2);
    block.gatheredBytes = ActivationBytes();
    block.reducedBytes = ActivationBytes();
    block.core = core;
    block.ringBytes =
        MultiplyCounts({m_job.Tokens(),
                        s.IsLatent() ? s.kvRank + s.ropeHeadSize : 2 * s.kvHeads * s.headSize,
                        m_job.elementBytes});
    return block;
}

TransformerBlock
TransformerCosts::Mlp(const std::string& name, uint64_t width, uint64_t tokens) const
{
    const Work in = Product(tokens, m_local.hidden, width).Cost();
    const Work out = Product(tokens, width, m_local.hidden).Cost();
    TransformerBlock block = MakeBlock(name, in * (m_local.MatricesOfMlp() - 1) + out);
    block.gatheredBytes = ActivationBytes();
    block.reducedBytes = ActivationBytes();
    return block;
}

TransformerBlock
TransformerCosts::Router() const
{
    // Each tensor rank routes its own part of the tokens.
    return MakeBlock(
        "router",
        Product(m_job.Tokens() / m_job.degrees.tensor, m_local.hidden, m_local.experts).Cost());
}

uint64_t
TransformerCosts::RoutedTokens() const
{
    return MultiplyCounts({m_job.Tokens(), m_local.topK});
}

TransformerBlock
TransformerCosts::Experts() const
{
    TransformerBlock block = Mlp("experts", m_local.expertFfn, RoutedTokens());
    const uint64_t others =
        m_local.experts / m_job.degrees.expert - 1; // their weights are read too
    const uint64_t weights =
        MultiplyCounts({m_local.MatricesOfMlp(), m_local.hidden, m_local.expertFfn, others});
    for (Work* work : {&block.forward, &block.inputGradient, &block.weightGradient})
    {
        work->bytes += MultiplyCounts({weights, m_job.elementBytes});
    }
    if (m_job.degrees.expert > 1)
    {
        const uint64_t routed =
            MultiplyCounts({RoutedTokens(), m_local.hidden, m_job.elementBytes});
        block.dispatchedBytes = routed / m_job.degrees.tensor;
        block.gatheredBytes = routed;
        block.reducedBytes = routed;
    }
    return block;
}

TransformerBlock
TransformerCosts::Embedding() const
{
    TransformerBlock block;
    block.name = "embedding";
    block.forward = {MultiplyCounts({m_job.Tokens(), m_local.hidden}), 2 * ActivationBytes()};
    block.weightGradient = block.forward;
    block.reducedBytes = ActivationBytes();
    return block;
}

TransformerBlock
TransformerCosts::Head() const
{
    TransformerBlock block =
        MakeBlock("head", Product(m_job.Tokens(), m_local.hidden, m_local.vocabulary).Cost());
    block.gatheredBytes = ActivationBytes();
    return block;
}

TransformerCosts::Held
TransformerCosts::LayerParameters(uint64_t layer) const
{
    const uint64_t common = m_local.AttentionParameters() + m_local.NormParameters();
    if (!m_local.HasExperts(layer))
    {
        return {common + m_local.MlpParameters(m_local.ffn), 0};
    }
    const uint64_t one = m_local.MlpParameters(m_local.expertFfn);
    return {common + m_local.RouterParameters() + m_local.sharedExperts * one,
            m_local.experts / m_job.degrees.expert * one};
}

uint64_t
TransformerCosts::EmbeddingParameters() const
{
    return m_local.EmbeddingParameters();
}

uint64_t
TransformerCosts::EmbeddingMatrixParameters() const
{
    return m_local.vocabulary * m_local.hidden;
}

uint64_t
TransformerCosts::HeadParameters() const
{
    return m_local.vocabulary == 0 ? 0 : m_local.HeadParameters();
}

} // namespace nadi
