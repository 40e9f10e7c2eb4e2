// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/msccl-conversion.h"

#include "system/library/msccl-file/msccl-order.h"
#include "workload/execution-graph-builder.h"
#include "workload/generators/uniform-workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint64_t BYTES_OF_ELEMENT = 4;

using NodeIds = std::vector<uint64_t>;

NodeIds
JoinIds(NodeIds left, const NodeIds& right)
{
    left.insert(left.end(), right.begin(), right.end());
    std::sort(left.begin(), left.end());
    left.erase(std::unique(left.begin(), left.end()), left.end());
    return left;
}

/// Writes the graph of one GPU, step by step.
class MscclGraphWriter
{
  public:
    MscclGraphWriter(const MscclAlgorithm& algorithm, uint32_t gpu, Bytes size)
        : m_algorithm(algorithm)
        , m_gpu(algorithm.gpus[gpu])
        , m_size(size)
        , m_builder(fmt::format("{}, GPU {}", algorithm.name, gpu))
    {
        for (const MscclThreadBlock& block : m_gpu.blocks)
        {
            m_done.emplace_back(block.steps.size());
        }
    }

    /// Requires: the steps that it comes after are written.
    void Write(const MscclStepId& id)
    {
        const MscclThreadBlock& block = m_gpu.blocks[id.block];
        const MscclStep& step = block.steps[id.step];
        // The parts of a step follow each other: what was received is added or copied, and then
        // sent on.
        NodeIds after = ParentsOf(id, step);
        const uint64_t bytes = BytesOf(step);
        if (Receives(step.action))
        {
            const auto peer = block.receivePeer.value();
            after = {AddMessage(NodeType::Receive, peer, id, bytes, after)};
        }
        if (Reduces(step.action) || step.action == MscclAction::Copy)
        {
            after = {AddCompute(step.action, id, bytes, after)};
        }
        if (Sends(step.action))
        {
            after = {AddMessage(NodeType::Send, block.sendPeer.value(), id, bytes, after)};
        }
        // A step without nodes ends with what it waits for.
        m_done[id.block][id.step] = std::move(after);
    }

    ExecutionGraph Build()
    {
        return m_builder.Build();
    }

  private:
    NodeIds ParentsOf(const MscclStepId& id, const MscclStep& step) const
    {
        const NodeIds before = id.step == 0 ? NodeIds{} : m_done[id.block][id.step - 1];
        return step.waitsFor ? JoinIds(before, m_done[step.waitsFor->block][step.waitsFor->step])
                             : before;
    }

    /// Rounded up to whole bytes whatever chunks it moves, so that both ends of a message agree.
    uint64_t BytesOf(const MscclStep& step) const
    {
        const auto size = static_cast<uint64_t>(m_size.Count());
        const uint64_t whole = size / m_algorithm.chunks * step.count;
        const uint64_t rest = size % m_algorithm.chunks * step.count;
        return whole + (rest + m_algorithm.chunks - 1) / m_algorithm.chunks;
    }

    std::string NameOf(const char* what, const MscclStepId& id) const
    {
        return fmt::format("{} of step {} in thread block {}", what, id.step, id.block);
    }

    uint64_t AddMessage(
        NodeType type, uint32_t peer, const MscclStepId& id, uint64_t bytes, const NodeIds& after)
    {
        const char* const what = type == NodeType::Send ? "send" : "receive";
        m_builder.AddNode({.id = m_nextId,
                           .size = bytes,
                           .tag = m_gpu.blocks[id.block].channel,
                           .peer = peer,
                           .type = type},
                          NameOf(what, id),
                          after);
        return m_nextId++;
    }

    uint64_t
    AddCompute(MscclAction action, const MscclStepId& id, uint64_t bytes, const NodeIds& after)
    {
        const bool reduces = Reduces(action);
        // It reads one operand or two, and writes the result.
        const uint64_t accesses = reduces ? 3 : 2;
        const uint64_t additions = (bytes + BYTES_OF_ELEMENT - 1) / BYTES_OF_ELEMENT;
        m_builder.AddNode({.id = m_nextId,
                           .size = accesses * bytes,
                           .operations = reduces ? additions : 0,
                           .type = NodeType::Compute},
                          NameOf(reduces ? "reduction" : "copy", id),
                          after);
        return m_nextId++;
    }

    const MscclAlgorithm& m_algorithm;
    const MscclGpu& m_gpu;
    Bytes m_size;
    ExecutionGraphBuilder m_builder;
    std::vector<std::vector<NodeIds>> m_done; // [block][step]: nodes whose end is the step's end
    uint64_t m_nextId = 0;
};

} // namespace

/// Steps of all GPUs are written in one order, in which each comes after all that it waits for. So
/// the nodes at the end of those steps are known, and have smaller ids.
Workload
MakeMscclWorkload(const MscclAlgorithm& algorithm, Bytes size)
{
    const auto rankCount = static_cast<uint32_t>(algorithm.gpus.size());
    std::vector<MscclGraphWriter> writers;
    for (uint32_t gpu = 0; gpu < rankCount; ++gpu)
    {
        writers.emplace_back(algorithm, gpu, size);
    }
    for (const MscclGlobalStep& step : OrderMscclSteps(algorithm, MatchMscclMessages(algorithm)))
    {
        writers[step.gpu].Write(step.step);
    }
    Workload workload = MakeEmptyWorkload(rankCount);
    for (uint32_t rank = 0; rank < rankCount; ++rank)
    {
        workload.graphs.push_back(writers[rank].Build());
        workload.graphOfRank.push_back(rank);
    }
    return workload;
}

} // namespace nadi
