// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-costs.h"

namespace nadi
{

TransformerCosts::TransformerCosts(const TransformerJob& job, const TransformerShape& local)
    : m_job(job)
    , m_local(local)
{
}

/// The gradients of products have as many operations as the products.
///
/// So forward and backward pass together cost three times the products; recomputation comes on top.
TransformerBlock
TransformerCosts::MakeBlock(const std::string& name, const Work& products) const
{
    TransformerBlock block;
    block.name = name;
    block.forward = products;
    block.inputGradient = MakeInputGradient(products);
    block.weightGradient = MakeWeightGradient(
        products, {.element = m_job.elementBytes, .gradient = m_job.gradientBytes});
    return block;
}

std::vector<TransformerBlock>
TransformerCosts::Layer(uint64_t layer) const
{
    if (!m_local.HasExperts(layer))
    {
        return {Attention(), Mlp("mlp", MlpOf(m_local.ffn, m_job.Tokens()))};
    }
    std::vector<TransformerBlock> blocks{Attention()};
    if (m_local.sharedExperts > 0)
    {
        blocks.push_back(Mlp("shared experts",
                             MlpOf(m_local.sharedExperts * m_local.expertFfn, m_job.Tokens())));
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
    return {rows, in, out, m_job.elementBytes, m_job.elementType, m_job.degrees.tensor};
}

Work
TransformerCosts::AttentionProjections() const
{
    const uint64_t tokens = m_job.Tokens();
    const TransformerShape& s = m_local;
    const Work out = Product(tokens, s.heads * s.ValueSize(), s.hidden).Cost();
    if (!s.IsLatent())
    {
        // Queries, keys and values are one product.
        return Product(tokens, s.hidden, (s.heads + 2 * s.kvHeads) * s.headSize).Cost() + out;
    }
    // Latent attention (TransformerShape): down to a vector for queries and up to all heads, or
    // straight to them; down to one for keys and values, with the rotary part of the keys beside
    // it; up from that to keys and values of all heads; and out.
    const uint64_t queries = s.heads * s.KeySize();
    const Work query = s.queryRank == 0 ? Product(tokens, s.hidden, queries).Cost()
                                        : Product(tokens, s.hidden, s.queryRank).Cost() +
                                              Product(tokens, s.queryRank, queries).Cost();
    return query + Product(tokens, s.hidden, s.kvRank + s.ropeHeadSize).Cost() +
           Product(tokens, s.kvRank, s.heads * (s.headSize + s.valueHeadSize)).Cost() + out;
}

uint64_t
TransformerCosts::KeyHeads() const
{
    return m_local.IsLatent() ? m_local.heads : m_local.kvHeads;
}

Work
TransformerCosts::AttentionCore() const
{
    const TransformerShape& s = m_local;
    const uint64_t tokens = m_job.Tokens();
    const uint64_t sizes = s.KeySize() + s.ValueSize();
    // Keys and values are those of the whole sequence, of which this rank has 1 / context.
    const uint64_t kept = m_job.degrees.context * KeyHeads();
    return WorkOf({.op = KernelOp::AttentionForward,
                   .type = m_job.elementType,
                   .m = tokens,
                   .n = s.heads,
                   .k = s.KeySize(),
                   .batch = m_job.microBatch,
                   .context = s.sequence,
                   .tp = m_job.degrees.tensor,
                   .bytes = MultiplyCounts({tokens, s.heads + kept, sizes, m_job.elementBytes}),
                   // Scores are products over KeySize, weighted values over ValueSize. Every token
                   // meets the whole sequence, with no causal mask, as in docs/workloads.md.
                   .operations = MultiplyCounts({2, tokens, s.sequence, s.heads, sizes})});
}

/// The core has no weights: all of its backward cost is in the gradient of its inputs, which is of
/// two products for each product forward; selective recomputation runs it forward once more.
Work
TransformerCosts::CoreGradient(const Work& core) const
{
    // AttentionCore is a single kernel.
    KernelLaunch backward = core.kernels.front();
    backward.op = KernelOp::AttentionBackward;
    backward.operations = MultiplyCounts({2, backward.operations});
    backward.bytes = MultiplyCounts({2, backward.bytes});
    const bool isRepeated = m_job.recompute == Recompute::Selective;
    return isRepeated ? core + WorkOf(backward) : WorkOf(backward);
}

TransformerBlock
TransformerCosts::Attention() const
{
    const TransformerShape& s = m_local;
    const Work core = AttentionCore();
    TransformerBlock block = MakeBlock("attention", AttentionProjections());
    block.forward = block.forward + core;
    block.coreGradient = CoreGradient(core);
    block.inputGradient = block.inputGradient + block.coreGradient;
    // Heads are cut over the tensor group, so each rank needs all tokens, and what it gives out is
    // a part of a sum.
    block.gatheredBytes = ActivationBytes();
    block.reducedBytes = ActivationBytes();
    block.core = core;
    // Each round passes on the keys and values of one rank's tokens. With latent attention these
    // are of all heads, as only their own rank makes them of the latent vectors.
    block.ringBytes = MultiplyCounts(
        {m_job.Tokens(), KeyHeads(), s.KeySize() + s.ValueSize(), m_job.elementBytes});
    return block;
}

MlpProduct
TransformerCosts::MlpOf(uint64_t width, uint64_t tokens) const
{
    return {.rows = tokens,
            .hidden = m_local.hidden,
            .width = width,
            .matrices = m_local.MatricesOfMlp(),
            .elementBytes = m_job.elementBytes,
            .weightElementBytes = m_job.elementBytes,
            .type = m_job.elementType,
            .tensor = m_job.degrees.tensor};
}

TransformerBlock
TransformerCosts::Mlp(const std::string& name, const MlpProduct& product) const
{
    TransformerBlock block = MakeBlock(name, product.Cost());
    block.gatheredBytes = ActivationBytes();
    block.reducedBytes = ActivationBytes();
    return block;
}

TransformerBlock
TransformerCosts::Router() const
{
    // Each tensor rank routes its own part of the tokens.
    Work work =
        Product(m_job.Tokens() / m_job.degrees.tensor, m_local.hidden, m_local.experts).Cost();
    work.kernels.front().op = KernelOp::Router;
    return MakeBlock("router", work);
}

uint64_t
TransformerCosts::RoutedTokens() const
{
    return MultiplyCounts({m_job.Tokens(), m_local.topK});
}

TransformerBlock
TransformerCosts::Experts() const
{
    MlpProduct product = MlpOf(m_local.expertFfn, RoutedTokens());
    product.op = KernelOp::GroupedGemm;
    product.experts = m_local.experts / m_job.degrees.expert;
    TransformerBlock block = Mlp("experts", product);
    // What experts get is kept, as by Megatron-LM, whose experts take no part in sequence
    // parallelism (explicit_expert_comm): the dispatcher gathers the tokens, and keeps them.
    block.keepsGathered = true;
    if (m_job.degrees.expert > 1)
    {
        // Each token goes out once for each of its topK experts.
        const uint64_t routed =
            MultiplyCounts({RoutedTokens(), m_local.hidden, m_job.elementBytes});
        // Each tensor rank sends its own part of the tokens, which sequence parallelism has dealt
        // out. Experts are cut over the tensor group, so between the two exchanges its ranks gather
        // what came.
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
    block.forward = WorkOf({.op = KernelOp::Copy,
                            .type = m_job.elementType,
                            .m = m_job.Tokens(),
                            .n = m_local.hidden,
                            .tp = m_job.degrees.tensor,
                            .bytes = 2 * ActivationBytes(),
                            .operations = MultiplyCounts({m_job.Tokens(), m_local.hidden})});
    // The inputs are numbers of tokens, which have no gradient. The gradients of the rows come in
    // as activations, and are written as gradients of parameters.
    block.weightGradient = block.forward;
    block.weightGradient.bytes =
        ActivationBytes() + MultiplyCounts({m_job.Tokens(), m_local.hidden, m_job.gradientBytes});
    block.weightGradient.kernels.front().bytes = block.weightGradient.bytes;
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
