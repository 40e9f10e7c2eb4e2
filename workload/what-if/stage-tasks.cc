// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-tasks.h"

#include "common/error.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

using Part = PassSlot::Part;

StageTasks::StageTasks(const NewStage& stage)
    : m_stage(stage)
    , m_base(stage.base)
    , m_idAt(stage.passes.size())
    , m_lastKernel(stage.passes.size(), 0)
    , m_idOfNode(m_base.Graph().NodeCount(), 0)
{
    // What is before the first task of a pass stays there. All else that is in no pass follows the
    // passes, wherever it stood among them: their order is a new one.
    const uint32_t count = m_base.Graph().NodeCount();
    uint32_t first = 0;
    while (first < count && !m_base.PlaceOf(first))
    {
        ++first;
    }
    ListOutside(0, first);
    for (size_t pass = 0; pass < m_stage.passes.size(); ++pass)
    {
        ListPass(pass);
    }
    ListOutside(first, count);
    NumberTasks();
}

/// The sum of both ends goes before the first kernel of the optimizer.
void
StageTasks::ListOutside(uint32_t begin, uint32_t end)
{
    const std::vector<bool> isOptimizer = FindOptimizerKernels(m_base.Graph(), m_base.Rank());
    bool isDue = m_stage.tied.sumOfEnds > 0;
    for (uint32_t node = begin; node < end; ++node)
    {
        const bool isOfHost = m_base.Graph().Node(node).isCpu;
        if (isOfHost || m_base.PlaceOf(node) || IsDropped(node))
        {
            continue;
        }
        if (isDue && isOptimizer[node])
        {
            m_tasks.push_back({.kind = NewTask::Kind::SumOfEnds, .pass = {}});
            isDue = false;
        }
        m_tasks.push_back({.source = &m_base, .node = node, .pass = {}});
    }
}

void
StageTasks::ListPass(size_t pass)
{
    const StagePart& entry = m_stage.EntryOf(pass);
    const StagePart& layers = m_stage.ChunkOf(pass).layers;
    const StagePart& exit = m_stage.ExitOf(pass);
    // Parts of one recorded pass stay together, as their tasks may stand among each other:
    // parameters of the first layer may be gathered before the message comes.
    if (entry == layers && exit == layers)
    {
        ListParts(pass, layers, {Part::Before, Part::Layer, Part::Extra, Part::After});
        return;
    }
    if (entry.stage != nullptr)
    {
        ListParts(pass, entry, {Part::Before});
    }
    else
    {
        m_tasks.push_back({.kind = NewTask::Kind::Receive, .pass = pass});
    }
    ListParts(pass, layers, {Part::Layer, Part::Extra});
    if (exit.stage != nullptr)
    {
        ListParts(pass, exit, {Part::After});
    }
    else
    {
        m_tasks.push_back({.kind = NewTask::Kind::Send, .pass = pass});
    }
}

/// In the order of the recording.
void
StageTasks::ListParts(size_t pass, const StagePart& source, const std::vector<Part>& parts)
{
    TaskList nodes;
    for (const auto& [slot, node] : source.stage->TasksOf(m_stage.RecordedPassOf(source, pass)))
    {
        if (std::ranges::find(parts, slot.part) != parts.end() &&
            !IsSumOfOthers(pass, *source.stage, node))
        {
            nodes.push_back(node);
        }
    }
    std::ranges::sort(nodes);
    for (const uint32_t node : nodes)
    {
        if (source.stage != &m_base)
        {
            CheckIsMessage(*source.stage, node);
        }
        m_tasks.push_back({.source = source.stage, .node = node, .pass = pass});
    }
}

/// Of the only recorded micro-batch, gradients are summed once: with those of the last one.
bool
StageTasks::IsSumOfOthers(size_t pass, const RecordedStage& source, uint32_t node) const
{
    return source.HasOnlyMicroBatch() && !source.SumsEachMicroBatch() &&
           m_stage.passes[pass].microBatch + 1 < m_stage.microBatches && source.IsGradientSum(node);
}

/// What else a part of another stage has is its own, but where both ends become one stage.
void
StageTasks::CheckIsMessage(const RecordedStage& source, uint32_t node) const
{
    const ExecutionNode& task = source.Graph().Node(node);
    const bool isMessage = task.type == NodeType::Send || task.type == NodeType::Receive;
    if (!isMessage && !m_stage.isWhole)
    {
        throw ConfigError(source.Graph().Source(),
                          fmt::format("node {} (\"{}\") is none of the layers, which an end of the "
                                      "pipeline has alone; whether stages between others have it "
                                      "is unknown",
                                      task.id,
                                      source.Graph().Name(node)));
    }
}

bool
StageTasks::IsDropped(uint32_t node) const
{
    const ExecutionNode& what = m_base.Graph().Node(node);
    const bool isOfOthers = what.type == NodeType::Collective && !m_stage.dropped.empty() &&
                            m_stage.dropped[what.group];
    // A sum that waits only for parts of another stage, such as the head, has nothing to sum here.
    return isOfOthers || (m_base.IsGradientSum(node) && IsOfOtherSide(node));
}

/// Whether all that it waits for is in parts of passes that the new stage does not have.
bool
StageTasks::IsOfOtherSide(uint32_t node) const
{
    const auto isThere = [&](uint32_t parent)
    {
        const std::optional<RecordedStage::Place>& place = m_base.PlaceOf(parent);
        // What waits for a task outside of passes stays, whatever else it waits for.
        if (!place)
        {
            return true;
        }
        const PipelinePass& recorded = m_base.Passes()[place->pass];
        const StagePart part{&m_base, recorded.chunk};
        return std::ranges::any_of(
            m_stage.chunks,
            [&](const NewChunk& chunk)
            { return chunk.PartOf(recorded.isForward, place->slot.part) == part; });
    };
    const std::vector<uint32_t>& parents = m_base.ParentsOf(node);
    return !parents.empty() && std::ranges::none_of(parents, isThere);
}

void
StageTasks::NumberTasks()
{
    // Later kernels of a pass overwrite earlier ones as its last. A send that was put in needs no
    // number, as nothing waits for it.
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        const NewTask& task = m_tasks[id];
        if (task.kind == NewTask::Kind::SumOfEnds)
        {
            m_sumOfEnds = id;
        }
        else if (task.kind == NewTask::Kind::Receive)
        {
            m_receives[*task.pass] = id;
        }
        else if (task.kind == NewTask::Kind::Copied && !task.pass)
        {
            m_idOfNode[task.node] = id;
        }
        else if (task.kind == NewTask::Kind::Copied)
        {
            const PassSlot& slot = task.source->PlaceOf(task.node)->slot;
            m_idAt[*task.pass][slot] = id;
            m_lastKernel[*task.pass] = slot.isKernel ? id : m_lastKernel[*task.pass];
        }
    }
}

std::optional<uint64_t>
StageTasks::FindId(size_t pass, const PassSlot& slot) const
{
    const auto found = m_idAt[pass].find(slot);
    return found == m_idAt[pass].end() ? std::nullopt : std::optional(found->second);
}

size_t
StageTasks::FindPass(const PipelinePass& pass) const
{
    return static_cast<size_t>(std::ranges::find(m_stage.passes, pass) - m_stage.passes.begin());
}

} // namespace nadi
