// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/text-writer.h"

#include "workload/models/generated-graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nadi
{

namespace
{

using Ids = GeneratedGraph::Ids;

/// Nothing: no ranks.
std::optional<std::string>
GroupOfActivations(TextPolicy policy)
{
    switch (policy)
    {
    case TextPolicy::Model:
    case TextPolicy::Inference:
        return "";
    case TextPolicy::DataModel:
    case TextPolicy::Transformer:
        return RankBlocks::INNER;
    case TextPolicy::ModelData:
        return RankBlocks::OUTER;
    case TextPolicy::Micro:
    case TextPolicy::Data:
    case TextPolicy::Dlrm:
    case TextPolicy::Customized:
        break;
    }
    return std::nullopt;
}

std::optional<std::string>
GroupOfWeights(TextPolicy policy)
{
    switch (policy)
    {
    case TextPolicy::Micro:
    case TextPolicy::Data:
    case TextPolicy::Dlrm:
        return "";
    case TextPolicy::DataModel:
    case TextPolicy::Transformer:
        return RankBlocks::OUTER;
    case TextPolicy::ModelData:
        return RankBlocks::INNER;
    case TextPolicy::Model:
    case TextPolicy::Inference:
    case TextPolicy::Customized:
        break;
    }
    return std::nullopt;
}

/// Writes the graph of a file: the passes of each step, with the communication that the file's
/// policy asks for.
///
/// Kernels run one after the other, in the order in which ASTRA-sim 1.0 takes them (Workload.cc).
/// m_after is what the next kernel waits for: the kernel before, and collectives that must be done.
/// Collectives that the next kernel need not wait for are kept apart until they are needed: those
/// of weights by layer (m_updates), those of an embedding until the layers that use its vectors.
class TextWriter
{
  public:
    TextWriter(const TextFile& file, const RankBlocks& blocks)
        : m_file(file)
        , m_blocks(blocks)
        , m_updates(file.layers.size())
    {
    }

    ExecutionGraph Build(uint64_t passes)
    {
        for (uint64_t pass = 0; pass < passes; ++pass)
        {
            m_prefix = passes == 1 ? "" : fmt::format("step {} ", pass);
            WriteStep();
        }
        return m_graph.Build();
    }

  private:
    void WriteStep()
    {
        if (m_file.policy == TextPolicy::Micro)
        {
            return WriteMicro();
        }
        WriteForward(0, m_file.layers.size(), "forward");
        if (m_file.policy != TextPolicy::Inference)
        {
            WriteBackward();
        }
    }

    bool IsEmbedding(size_t layer) const
    {
        // With DLRM, layer 0 is the embedding: its vectors are wanted by the first top layer only.
        return m_file.policy == TextPolicy::Dlrm && layer == 0;
    }

    std::optional<std::string> GroupFor(size_t layer, bool isWeights) const
    {
        const TextPolicy policy = m_file.layers[layer].policy;
        if (IsEmbedding(layer))
        {
            return "";
        }
        return isWeights ? GroupOfWeights(policy) : GroupOfActivations(policy);
    }

    uint64_t AddKernel(const std::string& name, SimTime duration, const Ids& after)
    {
        return m_graph.AddTimedCompute(m_prefix + name, duration, after);
    }

    /// Of an all-gather, collectives want the shard of a rank.
    uint64_t BufferOf(const TextPass& pass, const std::string& group) const
    {
        const bool isOfAll =
            m_file.saysGatheredSizes && pass.collective == CollectiveType::AllGather;
        const uint64_t parts = isOfAll ? m_blocks.SizeOf(group) : 1;
        return (pass.bytes + parts - 1) / parts;
    }

    /// What waits for the collective waits for: the collective, or the time of its update. Empty
    /// where there is no collective.
    Ids Call(const std::string& name,
             const TextPass& pass,
             const std::optional<std::string>& group,
             const Ids& after)
    {
        if (!pass.collective || !group || m_blocks.SizeOf(*group) == 1)
        {
            return {};
        }
        const uint64_t collective = m_graph.AddCollective(
            m_prefix + name + " " + std::string(ToText(*pass.collective)),
            {*pass.collective, BufferOf(pass, *group), m_graph.AddGroup(*group)},
            after);
        return {pass.update == SimTime()
                    ? collective
                    : m_graph.AddDelay(m_prefix + name + " update", pass.update, {collective})};
    }

    static Ids Join(Ids left, const Ids& right)
    {
        left.insert(left.end(), right.begin(), right.end());
        return left;
    }

    /// The collective of the first layer's weights, without kernels. Steps do not wait for each
    /// other.
    void WriteMicro()
    {
        const TextLayer& layer = m_file.layers.front();
        Call(layer.name + " weight gradient", layer.weightGradient, GroupFor(0, true), {});
    }

    void WriteForward(size_t first, size_t end, const std::string& what)
    {
        Ids vectors; // of the embedding
        for (size_t at = first; at < end; ++at)
        {
            if (m_file.policy == TextPolicy::Dlrm && at == m_file.lastBottomLayer + 1)
            {
                m_after = Join(m_after, vectors);
            }
            const Ids done = WriteLayerForward(at, what);
            if (IsEmbedding(at))
            {
                // The next layer waits for the kernel of the embedding, but not for its exchange.
                vectors = done;
            }
            else if (!done.empty())
            {
                m_after = done;
            }
        }
    }

    /// What its collective's waiters wait for, or nothing.
    Ids WriteLayerForward(size_t at, const std::string& what)
    {
        const TextLayer& layer = m_file.layers[at];
        const std::string name = layer.name + " " + what;
        m_after = {AddKernel(name, layer.forward.compute, Join(m_after, m_updates[at]))};
        // The source calls nothing for the vectors of an embedding but an all-to-all.
        const bool isCalled =
            !IsEmbedding(at) || layer.forward.collective == CollectiveType::AllToAll;
        return isCalled ? Call(name, layer.forward, GroupFor(at, false), m_after) : Ids{};
    }

    /// The layers from the last checkpoint up to the one before `layer`, if that asks for them.
    void RepeatForward(size_t layer)
    {
        const auto& initiators = m_file.initiators;
        if (!m_file.repeatsForward ||
            !std::binary_search(initiators.begin(), initiators.end(), layer))
        {
            return;
        }
        const auto& kept = m_file.checkpoints;
        // The checkpoint before `after` is the last one that is no later than the layer.
        const auto after = std::upper_bound(kept.begin(), kept.end(), layer);
        WriteForward(after == kept.begin() ? 0 : *(after - 1), layer, "forward again");
    }

    void WriteBackward()
    {
        const bool startsWithWeights =
            m_file.policy == TextPolicy::Data || m_file.policy == TextPolicy::Dlrm;
        for (size_t at = m_file.layers.size(); at-- > 0;)
        {
            RepeatForward(at);
            startsWithWeights ? WriteWeightsThenInputs(at) : WriteInputsThenWeights(at);
        }
    }

    void WriteWeights(size_t at, const Ids& after)
    {
        const TextLayer& layer = m_file.layers[at];
        const std::string name = layer.name + " weight gradient";
        m_after = {AddKernel(name, layer.weightGradient.compute, after)};
        m_updates[at] = Call(name, layer.weightGradient, GroupFor(at, true), m_after);
    }

    void WriteWeightsThenInputs(size_t at)
    {
        WriteWeights(at, m_after);
        if (at == 0)
        {
            // The first layer's inputs are data, which have no gradient.
            m_after = Join(m_after, m_gradientsOfVectors);
            m_gradientsOfVectors.clear();
            return;
        }
        const TextLayer& layer = m_file.layers[at];
        m_after = {AddKernel(layer.name + " input gradient", layer.inputGradient.compute, m_after)};
        if (m_file.policy == TextPolicy::Dlrm && at == m_file.lastBottomLayer + 1)
        {
            ExchangeGradientsOfVectors();
        }
    }

    void ExchangeGradientsOfVectors()
    {
        const TextLayer& embedding = m_file.layers.front();
        const Ids done = Call(embedding.name + " input gradient",
                              embedding.inputGradient,
                              GroupFor(0, false),
                              m_after);
        if (m_file.awaitsExchange)
        {
            m_gradientsOfVectors = done;
        }
    }

    /// The kernel of the first layer's input gradient runs too, though nothing needs it; only the
    /// transformers' policies call its collective as well. They wait for the collective before the
    /// weight gradient; with other policies the layer before waits for it.
    void WriteInputsThenWeights(size_t at)
    {
        const bool isTransformer = m_file.policy == TextPolicy::Transformer;
        const TextLayer& layer = m_file.layers[at];
        const std::string name = layer.name + " input gradient";
        const Ids kernel{AddKernel(name, layer.inputGradient.compute, m_after)};
        const Ids done = at > 0 || isTransformer
                             ? Call(name, layer.inputGradient, GroupFor(at, false), kernel)
                             : Ids{};
        WriteWeights(at, isTransformer && !done.empty() ? done : kernel);
        if (!isTransformer)
        {
            m_after = Join(m_after, done);
        }
    }

    const TextFile& m_file;
    const RankBlocks& m_blocks;
    GeneratedGraph m_graph{"text workload"};
    std::string m_prefix;
    Ids m_after;                ///< what the next kernel waits for
    std::vector<Ids> m_updates; ///< by layer: what its next step waits for
    Ids m_gradientsOfVectors;   ///< of an embedding: what the step's end waits for
};

} // namespace

ExecutionGraph
MakeTextGraph(const TextFile& file, const RankBlocks& blocks, uint64_t passes)
{
    return TextWriter(file, blocks).Build(passes);
}

} // namespace nadi
