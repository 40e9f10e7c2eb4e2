// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-stage.h"

#include "workload/models/transformer-block-writer.h"
#include "workload/models/transformer-costs.h"
#include "workload/models/transformer-optimizer.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace nadi
{

namespace
{

/// Writes the passes of one stage in the order of the pipeline's schedule, then its part of the
/// step of the optimizer.
///
/// A stage runs pass by pass, as the first kernel of a pass waits for the last one of the pass
/// before. Receives depend on nothing, so that a message may come long before its pass.
class StageWriter
{
  public:
    StageWriter(const TransformerJob& job, const TransformerShape& local, uint32_t stage)
        : m_job(job)
        , m_stage(stage)
        , m_costs(job, local)
        , m_graph(fmt::format("transformer stage {}", stage))
        , m_blocks(job, m_graph)
        , m_optimizer(job, m_graph, m_blocks)
    {
    }

    ExecutionGraph Build()
    {
        for (const PipelinePass& pass : ComputePasses(m_job.pipeline, m_stage))
        {
            pass.isForward ? WriteForward(pass) : WriteBackward(pass);
        }
        // The last bucket may not be full.
        m_optimizer.Flush();
        if (SharesEmbedding())
        {
            m_optimizer.SumTiedEmbedding(m_costs.EmbeddingMatrixParameters());
        }
        m_optimizer.WriteStep();
        return m_graph.Build();
    }

  private:
    using Ids = GeneratedGraph::Ids;
    using Id = GeneratedGraph::Id;

    /// A chunk's number over all stages.
    uint32_t GlobalChunk(const PipelinePass& pass) const
    {
        return pass.chunk * m_job.pipeline.stages + m_stage;
    }

    bool IsFirst(const PipelinePass& pass) const
    {
        return GlobalChunk(pass) == 0;
    }

    bool IsLast(const PipelinePass& pass) const
    {
        return GlobalChunk(pass) + 1 == m_job.Chunks();
    }

    bool HasVocabulary() const
    {
        return m_job.shape.vocabulary > 0;
    }

    /// With one stage the embedding and the tied head are one matrix on one rank, and there is
    /// nothing to sum.
    bool SharesEmbedding() const
    {
        const bool isEnd = m_stage == 0 || m_stage + 1 == m_job.pipeline.stages;
        return HasVocabulary() && m_job.shape.hasTiedEmbeddings && m_job.pipeline.stages > 1 &&
               isEnd;
    }

    std::string NamePass(const PipelinePass& pass) const
    {
        return fmt::format("micro-batch {}", pass.microBatch);
    }

    /// The kernels of a stage run pass by pass.
    Ids AfterLastKernel() const
    {
        const std::optional<Id> last = m_blocks.LastKernel();
        return last ? Ids{*last} : Ids{};
    }

    /// The message over the boundary below `chunk`, of the forward or the backward pass.
    GeneratedGraph::Message
    MessageOver(uint32_t chunk, const PipelinePass& pass, TransformerBlockWriter::Peer peer) const
    {
        // Both ends of a message compute the same tag from the boundary between chunks, the
        // micro-batch and the direction.
        constexpr uint64_t stageTags = uint64_t{1} << 29; // those of rings count up from 0
        const uint64_t boundary = uint64_t{chunk} * m_job.pipeline.microBatches + pass.microBatch;
        return {peer, stageTags + 2 * boundary + (pass.isForward ? 0 : 1), m_costs.StageBytes()};
    }

    void WriteForward(const PipelinePass& pass)
    {
        Ids after = AfterLastKernel();
        if (!IsFirst(pass))
        {
            after.push_back(m_graph.AddReceive(
                NamePass(pass) + " receive activations",
                MessageOver(GlobalChunk(pass), pass, TransformerBlockWriter::PREVIOUS_STAGE),
                {}));
        }
        else if (HasVocabulary())
        {
            m_optimizer.BeginGathers();
            after = Forward(m_costs.Embedding(), NamePass(pass), EmbeddingHeld(), after, after);
        }
        // The gather of the first layer waits for the last kernel before it, and not for the
        // activations that come.
        m_early = AfterLastKernel();
        m_optimizer.BeginGathers();
        for (uint64_t layer = FirstLayer(pass); layer < EndLayer(pass); ++layer)
        {
            after = WriteLayer(layer, NamePass(pass), after);
        }
        if (!IsLast(pass))
        {
            m_graph.AddSend(
                NamePass(pass) + " send activations",
                MessageOver(GlobalChunk(pass) + 1, pass, TransformerBlockWriter::NEXT_STAGE),
                after);
        }
        else if (HasVocabulary())
        {
            // The backward pass of the micro-batch, which begins with the loss, may come many
            // passes later.
            m_afterLoss[pass.microBatch] = WriteHead(NamePass(pass), after);
        }
    }

    Ids Forward(const TransformerBlock& block,
                const std::string& pass,
                TransformerCosts::Held held,
                const Ids& early,
                const Ids& after)
    {
        const std::string name = pass + " " + block.name;
        return m_blocks.WriteForward(
            block, name, m_optimizer.GatherParameters(name, held, early, after));
    }

    /// With ZeRO 3 a layer's parameters come while the layer before is computed.
    Ids GatherLayer(uint64_t layer, const std::string& name, const Ids& after)
    {
        // The gather of the next layer may begin when this layer does.
        const Ids early = std::exchange(m_early, after);
        return m_optimizer.GatherParameters(name, m_costs.LayerParameters(layer), early, after);
    }

    Ids WriteLayer(uint64_t layer, const std::string& pass, const Ids& after)
    {
        const std::string name = fmt::format("{} layer {}", pass, layer);
        Ids next = GatherLayer(layer, name, after);
        for (const TransformerBlock& block : m_costs.Layer(layer))
        {
            next = m_blocks.WriteForward(block, name + " " + block.name, next);
        }
        return next;
    }

    /// The loss of logits that are cut over the vocabulary: their maximum, the sum of their
    /// exponentials, and the one that was to be predicted, for each token.
    Ids WriteHead(const std::string& pass, const Ids& after)
    {
        constexpr uint64_t lossBytes = 4;
        // Its parameters come while the last layer is computed, as a layer's do.
        Ids next = Forward(m_costs.Head(), pass, HeadHeld(), m_early, after);
        // Without tensor parallelism each rank has all logits of its tokens.
        for (const char* what : {"maximum", "sum", "target"})
        {
            if (m_job.degrees.tensor > 1)
            {
                next = {m_graph.AddCollective(pass + " loss " + what,
                                              {CollectiveType::AllReduce,
                                               MultiplyCounts({m_job.Tokens(), lossBytes}),
                                               m_graph.AddGroup("tp")},
                                              next)};
            }
        }
        return next;
    }

    void WriteBackward(const PipelinePass& pass)
    {
        m_optimizer.BeginBackward(pass.microBatch);
        Ids after = AfterLastKernel();
        // The gather of the first layer does not wait for the gradients that come.
        m_early = after;
        m_optimizer.BeginGathers();
        if (!IsLast(pass))
        {
            after.push_back(m_graph.AddReceive(
                NamePass(pass) + " receive gradients",
                MessageOver(GlobalChunk(pass) + 1, pass, TransformerBlockWriter::NEXT_STAGE),
                {}));
        }
        else if (HasVocabulary())
        {
            const Ids& loss = m_afterLoss[pass.microBatch];
            after.insert(after.end(), loss.begin(), loss.end());
            // Behind a head, that gather begins when the head's backward pass does.
            m_early = after;
            after = Backward(pass, m_costs.Head(), HeadHeld(), after);
        }
        for (uint64_t layer = EndLayer(pass); layer-- > FirstLayer(pass);)
        {
            after = WriteLayerBackward(layer, pass, after);
        }
        if (!IsFirst(pass))
        {
            after.push_back(m_blocks.LastKernel().value()); // a pass ends with its last kernel
            m_graph.AddSend(
                NamePass(pass) + " send gradients",
                MessageOver(GlobalChunk(pass), pass, TransformerBlockWriter::PREVIOUS_STAGE),
                after);
        }
        else if (HasVocabulary())
        {
            Backward(pass, m_costs.Embedding(), EmbeddingHeld(), after);
        }
        m_optimizer.EndBackward();
    }

    Ids WriteLayerBackward(uint64_t layer, const PipelinePass& pass, const Ids& after)
    {
        const std::string name = fmt::format("{} layer {}", NamePass(pass), layer);
        Ids next = GatherLayer(layer, name + " backward", after);
        const std::vector<TransformerBlock> blocks = m_costs.Layer(layer);
        // The layer's forward pass comes once more. Selective recomputation is of the core only,
        // and is in the costs of its gradient (TransformerCosts).
        if (m_job.recompute == Recompute::Full)
        {
            for (const TransformerBlock& block : blocks)
            {
                next = m_blocks.WriteForward(block, name + " " + block.name + " again", next);
            }
        }
        // Each micro-batch adds to the gradients of the one before, so its kernels wait for those.
        // Blocks are listed from the last one on, as they are written here.
        std::vector<Id>& accumulated = m_accumulated[layer];
        const std::vector<Id> before = std::exchange(accumulated, {});
        for (size_t at = blocks.size(); at-- > 0;)
        {
            const auto old =
                before.empty() ? std::nullopt : std::optional(before[accumulated.size()]);
            const auto gradients =
                m_blocks.WriteBackward(blocks[at], name + " " + blocks[at].name, next, old);
            next = gradients.input;
            accumulated.push_back(gradients.weight);
        }
        m_optimizer.AddGradients(name, m_costs.LayerParameters(layer), accumulated);
        return next;
    }

    Ids Backward(const PipelinePass& pass,
                 const TransformerBlock& block,
                 TransformerCosts::Held held,
                 const Ids& after)
    {
        const std::string name = NamePass(pass) + " " + block.name;
        std::optional<Id>& accumulated = m_accumulatedOfEnd[block.name];
        const bool isHead = block.inputGradient.operations > 0; // an embedding is looked up only
        // With ZeRO 3 a rank keeps the head from its forward pass on. Streamed weights are not
        // kept.
        const Ids ready = isHead && m_job.streamsWeights
                              ? m_optimizer.GatherParameters(name + " backward", held, after, after)
                              : after;
        const auto gradients = m_blocks.WriteBackward(block, name, ready, accumulated);
        accumulated = gradients.weight;
        m_optimizer.AddGradients(name, held, {gradients.weight});
        return gradients.input;
    }

    TransformerCosts::Held EmbeddingHeld() const
    {
        return {m_costs.EmbeddingParameters(), 0};
    }

    /// A tied head has no matrix of its own on the stage that keeps the embedding; elsewhere it
    /// keeps a copy. Streamed weights are not kept: all layers lie between the two ends of a stage,
    /// so each of them loads the matrix and stores its gradient.
    TransformerCosts::Held HeadHeld() const
    {
        const bool isCopy =
            m_job.shape.hasTiedEmbeddings && (m_job.pipeline.stages > 1 || m_job.streamsWeights);
        return {m_costs.HeadParameters() + (isCopy ? m_costs.EmbeddingMatrixParameters() : 0), 0};
    }

    uint64_t FirstLayer(const PipelinePass& pass) const
    {
        return m_job.FirstLayer(GlobalChunk(pass));
    }

    uint64_t EndLayer(const PipelinePass& pass) const
    {
        return m_job.FirstLayer(GlobalChunk(pass) + 1);
    }

    const TransformerJob& m_job;
    uint32_t m_stage;
    TransformerCosts m_costs;
    GeneratedGraph m_graph;
    TransformerBlockWriter m_blocks;
    TransformerOptimizerWriter m_optimizer;
    Ids m_early; ///< what the layer before waited for
    std::map<uint32_t, Ids> m_afterLoss;
    std::map<uint64_t, std::vector<Id>> m_accumulated; ///< by layer, from the last block on
    std::map<std::string, std::optional<Id>> m_accumulatedOfEnd;
};

} // namespace

ExecutionGraph
MakeTransformerStage(const TransformerJob& job, const TransformerShape& local, uint32_t stage)
{
    return StageWriter(job, local, stage).Build();
}

} // namespace nadi
