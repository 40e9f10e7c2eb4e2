// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-optimizer.h"

#include <utility>

namespace nadi
{

TransformerOptimizerWriter::TransformerOptimizerWriter(const TransformerJob& job,
                                                       GeneratedGraph& graph,
                                                       TransformerBlockWriter& blocks)
    : m_job(job)
    , m_graph(graph)
    , m_blocks(blocks)
{
}

TransformerOptimizerWriter::Copies
TransformerOptimizerWriter::DenseCopies() const
{
    return {"dp", m_job.degrees.DenseCopies()};
}

TransformerOptimizerWriter::Copies
TransformerOptimizerWriter::ExpertCopies() const
{
    return {"expert-dp", m_job.degrees.ExpertCopies()};
}

uint64_t
TransformerOptimizerWriter::ShardOf(uint64_t parameters, Copies copies) const
{
    return ShareOf(parameters, copies.count);
}

GeneratedGraph::Id
TransformerOptimizerWriter::AddGather(const std::string& name,
                                      Copies copies,
                                      uint64_t parameters,
                                      const Ids& after)
{
    if (m_job.streamsWeights)
    {
        return m_graph.AddAccess(name,
                                 {NodeType::MemoryLoad,
                                  MultiplyCounts({parameters, m_job.elementBytes}),
                                  m_graph.AddGroup(copies.group)},
                                 after);
    }
    return m_graph.AddCollective(name,
                                 {CollectiveType::AllGather,
                                  MultiplyCounts({ShardOf(parameters, copies), m_job.elementBytes}),
                                  m_graph.AddGroup(copies.group)},
                                 after);
}

TransformerOptimizerWriter::Ids
TransformerOptimizerWriter::GatherParameters(const std::string& name,
                                             Held held,
                                             const Ids& early,
                                             const Ids& after)
{
    // Dense parameters and experts have different groups of copies, so they are gathered apart.
    Ids inTurn = early;
    inTurn.insert(inTurn.end(), m_lastGathers.begin(), m_lastGathers.end());
    Ids gathers;
    if (Gathers(DenseCopies(), held.dense))
    {
        gathers.push_back(AddGather(name + " parameters", DenseCopies(), held.dense, inTurn));
    }
    if (Gathers(ExpertCopies(), held.expert))
    {
        gathers.push_back(
            AddGather(name + " expert parameters", ExpertCopies(), held.expert, inTurn));
    }
    Ids ready = after;
    ready.insert(ready.end(), gathers.begin(), gathers.end());
    if (!gathers.empty())
    {
        m_lastGathers = std::move(gathers);
    }
    return ready;
}

void
TransformerOptimizerWriter::BeginBackward(uint32_t microBatch)
{
    m_isLastMicroBatch = microBatch + 1 == m_job.pipeline.microBatches;
}

void
TransformerOptimizerWriter::AddGradients(const std::string& name, Held held, const Ids& kernels)
{
    // Gradients of the micro-batches before are accumulated on the rank.
    if (!SumsEachMicroBatch() && !m_isLastMicroBatch)
    {
        return;
    }
    m_bucketName = name;
    m_bucket.dense += held.dense;
    m_bucket.expert += held.expert;
    m_bucketKernels.insert(m_bucketKernels.end(), kernels.begin(), kernels.end());
    // With a bucket of 0 bytes, this holds at once: each gradient goes alone.
    if ((m_bucket.dense + m_bucket.expert) * m_job.gradientBytes >= m_job.bucketBytes)
    {
        Flush();
    }
}

void
TransformerOptimizerWriter::Sum(Copies copies, uint64_t parameters)
{
    if (parameters == 0)
    {
        return;
    }
    const uint64_t bytes = MultiplyCounts({parameters, m_job.gradientBytes});
    const std::string name = m_bucketName + " gradients over " + copies.group;
    if (m_job.streamsWeights)
    {
        m_graph.AddAccess(
            name, {NodeType::MemoryStore, bytes, m_graph.AddGroup(copies.group)}, m_bucketKernels);
        return;
    }
    if (copies.count == 1)
    {
        // There are no other copies to sum with: the step waits for the kernels themselves.
        m_sums.insert(m_sums.end(), m_bucketKernels.begin(), m_bucketKernels.end());
        return;
    }
    const CollectiveType type =
        m_job.zero == 0 ? CollectiveType::AllReduce : CollectiveType::ReduceScatter;
    m_sums.push_back(m_graph.AddCollective(
        name, {type, bytes, m_graph.AddGroup(copies.group)}, m_bucketKernels));
}

void
TransformerOptimizerWriter::EndBackward()
{
    if (SumsEachMicroBatch())
    {
        Flush();
    }
}

void
TransformerOptimizerWriter::Flush()
{
    Sum(DenseCopies(), m_bucket.dense);
    Sum(ExpertCopies(), m_bucket.expert);
    // The buckets of the last micro-batch hold all parameters once; the step is taken over them.
    if (m_isLastMicroBatch && m_bucket.dense + m_bucket.expert > 0)
    {
        m_buckets.push_back(m_bucket);
    }
    m_bucket = {};
    m_bucketKernels.clear();
}

void
TransformerOptimizerWriter::SumTiedEmbedding(uint64_t parameters)
{
    if (m_job.streamsWeights)
    {
        return; // both ends have stored theirs
    }
    // With ZeRO 1 a rank has room for all gradients, and sums the whole matrix, though only its
    // shard was reduced: so does Megatron-LM with its distributed optimizer
    // (megatron/core/distributed/finalize_model_grads.py, _allreduce_word_embedding_grads). From
    // ZeRO 2 on it keeps nothing but its shard, and can sum no more than that.
    const uint64_t summed = m_job.zero <= 1 ? parameters : ShardOf(parameters, DenseCopies());
    // This sum waits for all others, so it is enough if the step waits for this one.
    m_sums = {m_graph.AddCollective("tied embedding gradients",
                                    {CollectiveType::AllReduce,
                                     MultiplyCounts({summed, m_job.gradientBytes}),
                                     m_graph.AddGroup("embedding")},
                                    m_sums)};
}

void
TransformerOptimizerWriter::WriteStep()
{
    if (m_job.streamsWeights)
    {
        return; // the memory does
    }
    Held held; // of all layers
    for (const Held& bucket : m_buckets)
    {
        held.dense += bucket.dense;
        held.expert += bucket.expert;
    }
    const uint64_t updated =
        m_job.zero == 0 ? held.dense + held.expert
                        : ShardOf(held.dense, DenseCopies()) + ShardOf(held.expert, ExpertCopies());
    // For each parameter: its gradient is read, the fp32 copy and the two moments of Adam are read
    // and written (3 x 4 B, twice), and the parameter is written.
    const uint64_t bytes = m_job.gradientBytes + 24 + m_job.elementBytes;
    const Ids step{m_blocks.AddKernel("optimizer",
                                      WorkOf({.op = KernelOp::Optimizer,
                                              .m = updated,
                                              .bytes = MultiplyCounts({bytes, updated}),
                                              .operations = MultiplyCounts({12, updated})}),
                                      m_sums)};
    // With ZeRO 0 each copy updates all parameters, and with ZeRO 3 each pass gathers what it
    // needs. The buckets are those of the sums.
    if (m_job.zero == 1 || m_job.zero == 2)
    {
        for (const Held& bucket : m_buckets)
        {
            GatherShards(DenseCopies(), bucket.dense, step);
            GatherShards(ExpertCopies(), bucket.expert, step);
        }
    }
}

void
TransformerOptimizerWriter::GatherShards(Copies copies, uint64_t parameters, const Ids& after)
{
    if (copies.count > 1 && parameters > 0)
    {
        AddGather(std::string("parameters over ") + copies.group, copies, parameters, after);
    }
}

} // namespace nadi
