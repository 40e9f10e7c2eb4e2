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
    case TextPolicy::ModelData:
    case TextPolicy::Transformer:
        return RankBlocks::INNER;
    case TextPolicy::DataModel:
        return RankBlocks::OUTER;
    case TextPolicy::Micro:
    case TextPolicy::Data:
    case TextPolicy::Dlrm:
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
    case TextPolicy::ModelData:
    case TextPolicy::Transformer:
        return RankBlocks::OUTER;
    case TextPolicy::DataModel:
        return RankBlocks::INNER;
    case TextPolicy::Model:
    case TextPolicy::Inference:
        break;
    }
    return std::nullopt;
}

/// Writes the graph of a file: the passes of each step, with the communication that the file's
/// policy asks for.
///
/// m_after is what the next layer waits for: the kernel of the layer before, or its collective.
/// Collectives that the next layer need not wait for are kept apart until they are needed: those of
/// weights by layer (m_updates), those of an embedding until the layers that use its vectors.
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
            if (m_file.policy != TextPolicy::Micro)
            {
                WriteForward(0, m_file.layers.size(), "forward");
            }
            if (m_file.policy != TextPolicy::Inference)
            {
                WriteBackward();
            }
        }
        return m_graph.Build();
    }

  private:
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
            return isWeights ? std::nullopt : std::optional<std::string>("");
        }
        return isWeights ? GroupOfWeights(policy) : GroupOfActivations(policy);
    }

    uint64_t AddKernel(const std::string& name, SimTime duration, const Ids& after)
    {
        return m_graph.AddTimedCompute(m_prefix + name, duration, after);
    }

    /// What the next thing waits for: the collective and the time of its update, or where there is
    /// no collective, `after`.
    Ids Call(const std::string& name,
             const TextPass& pass,
             const std::optional<std::string>& group,
             const Ids& after)
    {
        if (!pass.collective || !group || m_blocks.SizeOf(*group) == 1)
        {
            return after;
        }
        const uint64_t collective =
            m_graph.AddCollective(m_prefix + name + " " + std::string(ToText(*pass.collective)),
                                  {*pass.collective, pass.bytes, m_graph.AddGroup(*group)},
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

    void WriteForward(size_t first, size_t end, const std::string& what)
    {
        Ids vectors; // of the embedding
        for (size_t at = first; at < end; ++at)
        {
            const TextLayer& layer = m_file.layers[at];
            const std::string name = layer.name + " " + what;
            if (m_file.policy == TextPolicy::Dlrm && at == m_file.lastBottomLayer + 1)
            {
                m_after = Join(m_after, vectors);
            }
            const Ids ready = Join(m_after, m_updates[at]);
            m_after = {AddKernel(name, layer.forward.compute, ready)};
            const Ids done = Call(name, layer.forward, GroupFor(at, false), m_after);
            // The next layer waits for the kernel of the embedding, but not for its exchange.
            (IsEmbedding(at) ? vectors : m_after) = done;
        }
    }

    /// The layers from the last checkpoint on, if the layer asks for them.
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
        WriteForward(after == kept.begin() ? 0 : *(after - 1), layer + 1, "forward again");
    }

    void WriteBackward()
    {
        Ids vectors; // gradients of the embedding's
        for (size_t at = m_file.layers.size(); at-- > 0;)
        {
            RepeatForward(at);
            if (IsEmbedding(at))
            {
                m_after = Join(m_after, vectors);
            }
            WriteLayerBackward(at);
            if (m_file.policy == TextPolicy::Dlrm && at == m_file.lastBottomLayer + 1)
            {
                const TextLayer& embedding = m_file.layers.front();
                vectors = Call(embedding.name + " input gradient",
                               embedding.inputGradient,
                               GroupFor(0, false),
                               m_after);
            }
        }
    }

    void WriteLayerBackward(size_t at)
    {
        const TextLayer& layer = m_file.layers[at];
        const Ids outputs = m_after;
        // The first layer's inputs are data, which have no gradient.
        if (at > 0 && m_file.policy != TextPolicy::Micro)
        {
            const std::string name = layer.name + " input gradient";
            m_after = {AddKernel(name, layer.inputGradient.compute, outputs)};
            m_after = Call(name, layer.inputGradient, GroupFor(at, false), m_after);
        }
        const std::string name = layer.name + " weight gradient";
        const Ids kernel{AddKernel(name, layer.weightGradient.compute, outputs)};
        m_updates[at] = Call(name, layer.weightGradient, GroupFor(at, true), kernel);
    }

    const TextFile& m_file;
    const RankBlocks& m_blocks;
    GeneratedGraph m_graph{"text workload"};
    std::string m_prefix;
    Ids m_after;                ///< what the next layer waits for
    std::vector<Ids> m_updates; ///< by layer: what its next step waits for
};

} // namespace

ExecutionGraph
MakeTextGraph(const TextFile& file, const RankBlocks& blocks, uint64_t passes)
{
    return TextWriter(file, blocks).Build(passes);
}

} // namespace nadi
