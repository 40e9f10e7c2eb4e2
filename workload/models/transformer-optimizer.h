// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/models/transformer-block-writer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Writes what data parallelism adds to a stage: gathers of parameters, sums of gradients, the
/// optimizer. Dense parameters are copied over the groups `dp`, experts over `expert-dp`; both
/// hold data and context parallelism.
///
/// ZeRO (Rajbhandari et al., SC 2020), over n copies of P parameters:
///   0: all-reduce of the gradients P;
///   1: reduce-scatter of the gradients P, all-gather of the parameters from shards P / n after the
///      optimizer;
///   2: the same, but the gradients are kept as shards, so that they are scattered after the
///      backward pass of every micro-batch;
///   3: all-gather of a layer's parameters before each pass of it, reduce-scatter of its gradients
///      after each backward pass.
/// With 0 and 1 gradients are summed once, in the last micro-batch. Layers are put together until a
/// bucket is full; a bucket holds gradients of one micro-batch.
///
/// Streamed weights: the copies load a layer's parameters together from remote memory before each
/// pass of it, and store the sum of its gradients there after each backward pass. The memory
/// updates; there is no optimizer.
///
/// The optimizer is Adam on fp32 copies: 12 operations for each parameter of the rank's shard, and
/// memory traffic of its gradient, 24 bytes of state read and written, and the parameter.
class TransformerOptimizerWriter
{
  public:
    using Ids = GeneratedGraph::Ids;
    using Held = TransformerCosts::Held;

    /// All outlive the writer.
    TransformerOptimizerWriter(const TransformerJob& job,
                               GeneratedGraph& graph,
                               TransformerBlockWriter& blocks);

    /// Gathers from here on wait for none of those before.
    void BeginGathers()
    {
        m_lastGathers.clear();
    }

    /// With ZeRO 3 or streamed weights, gathers parameters, and returns what `after` becomes for
    /// the pass that needs them. The gather itself waits for `early`, and for the gathers before
    /// it: otherwise they would share the links, and the first would come late.
    Ids GatherParameters(const std::string& name, Held held, const Ids& early, const Ids& after);

    /// What is said from here on is of a backward pass of this micro-batch.
    void BeginBackward(uint32_t microBatch);

    /// The gradients of `held` are there once `kernels` are done, and are to be summed, if those of
    /// this micro-batch are.
    void AddGradients(const std::string& name, Held held, const Ids& kernels);

    /// Sums what waits in the bucket, if gradients of other micro-batches follow.
    void EndBackward();

    /// Sums what waits in the bucket.
    void Flush();

    /// The gradient of the embedding that is the head too, shared by the first and last stage:
    /// from ZeRO 2 on the shard that a rank keeps of it, else the whole matrix.
    void SumTiedEmbedding(uint64_t parameters);

    /// Once all gradients are there. Requires: nothing waits.
    void WriteStep();

  private:
    struct Copies
    {
        const char* group;
        uint32_t count;
    };

    /// Whether gradients are summed after every micro-batch.
    bool SumsEachMicroBatch() const
    {
        return m_job.zero >= 2 || m_job.streamsWeights;
    }

    /// Whether the copies have to get parameters from somewhere else.
    bool Gathers(Copies copies, uint64_t parameters) const
    {
        return parameters > 0 && (m_job.streamsWeights || (m_job.zero == 3 && copies.count > 1));
    }

    Copies DenseCopies() const;
    Copies ExpertCopies() const;
    uint64_t ShardOf(uint64_t parameters, Copies copies) const;
    void Sum(Copies copies, uint64_t parameters);
    void GatherShards(Copies copies, uint64_t parameters, const Ids& after);
    GeneratedGraph::Id
    AddGather(const std::string& name, Copies copies, uint64_t parameters, const Ids& after);

    const TransformerJob& m_job;
    GeneratedGraph& m_graph;
    TransformerBlockWriter& m_blocks;
    Ids m_lastGathers; ///< of what was gathered last
    std::string m_bucketName;
    Held m_bucket;
    Ids m_bucketKernels;
    bool m_isLastMicroBatch = false;
    std::vector<Held> m_buckets; ///< of the last micro-batch, summed so far
    Ids m_sums;                  ///< what the step waits for
};

} // namespace nadi
