// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-block-writer.h"

namespace nadi
{

TransformerBlockWriter::TransformerBlockWriter(const TransformerJob& job, GeneratedGraph& graph)
    : m_job(job)
    , m_graph(graph)
{
}

TransformerBlockWriter::Id
TransformerBlockWriter::AddKernel(const std::string& name, const Work& work, const Ids& after)
{
    const Id id = m_graph.AddCompute(name, work, after);
    m_lastKernel = id;
    return id;
}

TransformerBlockWriter::Id
TransformerBlockWriter::AddTensorCall(const std::string& name,
                                      CollectiveType type,
                                      uint64_t bytes,
                                      const Ids& after)
{
    return m_graph.AddCollective(name, {type, bytes, m_graph.AddGroup("tp")}, after);
}

// With sequence parallelism each rank has a part of the tokens.
TransformerBlockWriter::Ids
TransformerBlockWriter::Gather(const std::string& name, uint64_t bytes, const Ids& after)
{
    if (!m_job.hasSequenceParallelism || bytes == 0)
    {
        return after;
    }
    return {AddTensorCall(name, CollectiveType::AllGather, bytes / m_job.degrees.tensor, after)};
}

TransformerBlockWriter::Ids
TransformerBlockWriter::Reduce(const std::string& name, uint64_t bytes, const Ids& after)
{
    if (m_job.degrees.tensor == 1 || bytes == 0)
    {
        return after;
    }
    const CollectiveType type =
        m_job.hasSequenceParallelism ? CollectiveType::ReduceScatter : CollectiveType::AllReduce;
    return {AddTensorCall(name, type, bytes, after)};
}

TransformerBlockWriter::Ids
TransformerBlockWriter::Dispatch(const std::string& name, uint64_t bytes, const Ids& after)
{
    if (bytes == 0)
    {
        return after;
    }
    return {m_graph.AddCollective(
        name, {CollectiveType::AllToAll, bytes, m_graph.AddGroup("ep")}, after)};
}

bool
TransformerBlockWriter::HasRing(const TransformerBlock& block) const
{
    return m_job.degrees.context > 1 && block.ringBytes > 0;
}

// Sends to the next rank of the ring, after `after`; returns the receive from the one before.
TransformerBlockWriter::Id
TransformerBlockWriter::PassOn(const std::string& name, uint64_t bytes, const Ids& after)
{
    // Ranks of a ring share a graph, so the send of one has the tag of the receive of the next.
    const uint64_t tag = NextTag();
    m_graph.AddSend(name + " send", {NEXT_CONTEXT, tag, bytes}, after);
    return m_graph.AddReceive(name + " receive", {PREVIOUS_CONTEXT, tag, bytes}, {});
}

TransformerBlockWriter::Ids
TransformerBlockWriter::WriteRing(const TransformerBlock& block,
                                  const std::string& name,
                                  const Ids& after)
{
    const uint32_t rounds = m_job.degrees.context;
    const Work round = DivideWork(block.core, rounds);
    Ids last{AddKernel(name + " projections", SubtractWork(block.forward, block.core), after)};
    Ids keys = last;
    // While a round is computed, its keys and values already go on to the next rank. So the round
    // waits for the last kernel and for the keys that came, and the next send waits for these keys
    // only.
    for (uint32_t i = 0; i < rounds; ++i)
    {
        Ids ready = last;
        ready.insert(ready.end(), keys.begin(), keys.end());
        if (i + 1 < rounds)
        {
            keys = {PassOn(name + " keys and values", block.ringBytes, keys)};
        }
        last = {AddKernel(name + " round", round, ready)};
    }
    return last;
}

// Keys and values go around as in the forward pass. Their gradients follow: each round adds its
// part to those that have come, and passes them on. After as many messages as there are ranks they
// are with the rank that the keys and values belong to.
TransformerBlockWriter::Ids
TransformerBlockWriter::WriteRingBackward(const TransformerBlock& block,
                                          const std::string& name,
                                          const Ids& after)
{
    const uint32_t rounds = m_job.degrees.context;
    const Work& core = block.coreGradient;
    Ids keys = after;
    Ids last = after;
    Ids gradients; // of keys and values, as they come around
    for (uint32_t i = 0; i < rounds; ++i)
    {
        Ids ready = last;
        ready.insert(ready.end(), keys.begin(), keys.end());
        if (i + 1 < rounds)
        {
            keys = {PassOn(name + " keys and values", block.ringBytes, keys)};
        }
        last = {AddKernel(name + " round", DivideWork(core, rounds), ready)};
        gradients.push_back(last.front());
        gradients = {PassOn(name + " gradients of keys and values", block.ringBytes, gradients)};
    }
    gradients.push_back(last.front());
    return {AddKernel(name + " projections", SubtractWork(block.inputGradient, core), gradients)};
}

TransformerBlockWriter::Ids
TransformerBlockWriter::WriteForward(const TransformerBlock& block,
                                     const std::string& name,
                                     Ids after)
{
    after = Dispatch(name + " dispatch", block.dispatchedBytes, after);
    after = Gather(name + " gather", block.gatheredBytes, after);
    after =
        HasRing(block) ? WriteRing(block, name, after) : Ids{AddKernel(name, block.forward, after)};
    after = Reduce(name + " sum", block.reducedBytes, after);
    return Dispatch(name + " combine", block.dispatchedBytes, after);
}

TransformerBlockWriter::Gradients
TransformerBlockWriter::WriteBackward(const TransformerBlock& block,
                                      const std::string& name,
                                      const Ids& after,
                                      std::optional<Id> accumulated)
{
    // WriteForward backwards: what was reduced is gathered, what was gathered is reduced, and the
    // combine comes before the dispatch.
    const Ids dispatched = Dispatch(name + " combine gradient", block.dispatchedBytes, after);
    const Ids outputs = Gather(name + " output gradient gather", block.reducedBytes, dispatched);
    // The gradient of the weights needs the block's inputs, which sequence parallelism has
    // scattered again, and the gradient of its outputs. It comes after the gradient of the inputs,
    // which the block before waits for. So the inputs are gathered while that is computed, and not
    // beside the gather that it waits for.
    Ids forWeights = outputs;
    if (!block.keepsGathered)
    {
        const Ids inputs = Gather(name + " input gather", block.gatheredBytes, outputs);
        forWeights.insert(forWeights.end(), inputs.begin(), inputs.end());
    }
    Gradients gradients{outputs, 0};
    if (block.inputGradient.operations > 0)
    {
        const std::string kernel = name + " input gradient";
        const Ids inputs = HasRing(block) ? WriteRingBackward(block, kernel, outputs)
                                          : Ids{AddKernel(kernel, block.inputGradient, outputs)};
        forWeights.push_back(inputs.front());
        gradients.input = Reduce(name + " input gradient sum", block.gatheredBytes, inputs);
        gradients.input =
            Dispatch(name + " dispatch gradient", block.dispatchedBytes, gradients.input);
    }
    // The kernel adds to the same gradients in memory as the one of the micro-batch before.
    if (accumulated)
    {
        forWeights.push_back(*accumulated);
    }
    gradients.weight = AddKernel(name + " weight gradient", block.weightGradient, forWeights);
    return gradients;
}

} // namespace nadi
