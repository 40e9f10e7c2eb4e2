// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-waits.h"

#include "common/error.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace nadi
{

using Part = PassSlot::Part;

StageWaits::StageWaits(const NewStage& stage, const StageTasks& tasks)
    : m_stage(stage)
    , m_tasks(tasks)
    , m_base(stage.base)
    , m_isOptimizer(FindOptimizerKernels(m_base.Graph(), m_base.Rank()))
{
}

std::vector<uint64_t>
StageWaits::Of(const NewTask& task) const
{
    Ids ids;
    switch (task.kind)
    {
    // A receive is posted at once. What needs the message waits for it.
    case NewTask::Kind::Receive:
        break;
    case NewTask::Kind::Send:
        AddOutputs(*task.pass, ids);
        break;
    // The sum waits for all gradients, as the first kernel of the optimizer did. That kernel waits
    // for the sum alone.
    case NewTask::Kind::SumOfEnds:
        AddOutside(
            static_cast<uint32_t>(std::ranges::find(m_isOptimizer, true) - m_isOptimizer.begin()),
            ids);
        break;
    case NewTask::Kind::Copied:
        if (task.pass)
        {
            AddInPass(task, ids);
        }
        else if (m_tasks.SumOfEnds() && m_isOptimizer[task.node] &&
                 std::ranges::find(m_isOptimizer, true) - m_isOptimizer.begin() ==
                     static_cast<std::ptrdiff_t>(task.node))
        {
            ids.push_back(*m_tasks.SumOfEnds());
        }
        else
        {
            AddOutside(task.node, ids);
        }
    }
    return ids;
}

/// Whose dependencies a task has. The layer that is first waits for what was before it.
StagePart
StageWaits::PatternPartOf(size_t pass, const PassSlot& slot) const
{
    const StagePart& entry = m_stage.EntryOf(pass);
    if (slot.IsInLayer() && slot.position == 0 && entry.stage != nullptr)
    {
        // A layer behind an embedding or a receive has other dependencies than a layer behind
        // another one. So its pattern is the first layer of the recorded chunk that begins
        // likewise. Where messages are put in, there is no such chunk, and AddInputs stands for it.
        return entry;
    }
    return m_stage.ChunkOf(pass).PartOf(m_stage.passes[pass].isForward, slot.part);
}

void
StageWaits::AddInPass(const NewTask& task, Ids& ids) const
{
    const PassSlot& slot = task.source->PlaceOf(task.node)->slot;
    const StagePart part = PatternPartOf(*task.pass, slot);
    const auto& tasks = part.stage->TasksOf(m_stage.RecordedPassOf(part, *task.pass));
    const auto found = tasks.find(slot);
    if (found == tasks.end())
    {
        FailAt(*task.source, task.node);
    }
    // Where messages are put in, parameters for the first layer are asked for as soon as the pass
    // before is done, as they are in no message.
    if (slot.IsInLayer() && slot.position == 0 && m_stage.EntryOf(*task.pass).stage == nullptr &&
        part.stage->IsParameterGather(found->second))
    {
        AddPassBefore(*task.pass, ids);
        return;
    }
    AddParents({part, found->second, *task.pass}, ids);
    // The very first pass of a recording shows no dependency on a pass before. Where it is the
    // pattern of a later pass, that dependency is added; before the first new pass, AddPassBefore
    // has nothing.
    if (BeginsFirstPass(*part.stage, found->second))
    {
        AddWhatIsBefore({part, found->second, *task.pass}, ids);
    }
    const PipelinePass& pass = m_stage.passes[*task.pass];
    // AddParent leaves out the wait for gradients of the micro-batch before. The first micro-batch
    // adds to none, whichever its pattern is. Later ones have to add, also where a single one was
    // recorded.
    if (!pass.isForward && pass.microBatch > 0 && part.stage->IsAccumulating(part.chunk, slot))
    {
        const size_t before = m_tasks.FindPass({false, pass.microBatch - 1, pass.chunk});
        ids.push_back(IdAt({part, found->second, *task.pass}, before, slot));
    }
}

/// Whether a node of the very first pass waits for nothing but what comes from elsewhere, so that
/// with a pass before its own it waits for that too.
bool
StageWaits::BeginsFirstPass(const RecordedStage& stage, uint32_t node)
{
    const auto isFromElsewhere = [&](uint32_t parent) {
        return stage.Graph().Node(parent).type == NodeType::Receive ||
               stage.IsParameterGather(parent);
    };
    return stage.PlaceOf(node)->pass == 0 && stage.Graph().Node(node).type != NodeType::Receive &&
           std::ranges::all_of(stage.ParentsOf(node), isFromElsewhere);
}

void
StageWaits::AddParents(const Pattern& pattern, Ids& ids) const
{
    for (const uint32_t parent : pattern.part.stage->ParentsOf(pattern.node))
    {
        AddParent(pattern, parent, ids);
    }
}

void
StageWaits::AddParent(const Pattern& pattern, uint32_t parent, Ids& ids) const
{
    const RecordedStage& stage = *pattern.part.stage;
    if (!stage.PlaceOf(parent))
    {
        // Tasks outside of passes are taken from the base alone, so those of another stage have no
        // counterpart.
        if (&stage != &m_base)
        {
            FailAt(stage, pattern.node);
        }
        if (m_tasks.IsDropped(parent))
        {
            AddOutside(parent, ids);
            return;
        }
        ids.push_back(m_tasks.IdOutside(parent));
    }
    else if (stage.PlaceOf(parent)->pass == stage.PlaceOf(pattern.node)->pass)
    {
        AddOfSamePass(pattern, parent, ids);
    }
    // AddInPass adds the wait for the gradients of the micro-batch before.
    else if (!stage.IsAddedTo(pattern.node, parent))
    {
        AddOfOtherPass(pattern, parent, ids);
    }
}

/// What is before the layers may be another part than the recorded one.
void
StageWaits::AddOfSamePass(const Pattern& pattern, uint32_t parent, Ids& ids) const
{
    const RecordedStage& stage = *pattern.part.stage;
    const PassSlot& from = stage.PlaceOf(parent)->slot;
    const bool isOtherEntry =
        from.part == Part::Before && m_stage.EntryOf(pattern.pass) != pattern.part;
    if (!isOtherEntry)
    {
        ids.push_back(IdAt(pattern, pattern.pass, from));
    }
    else
    {
        AddInputs(pattern.pass, ids);
    }
}

/// From another pass of its micro-batch, or from the pass before it.
void
StageWaits::AddOfOtherPass(const Pattern& pattern, uint32_t parent, Ids& ids) const
{
    const RecordedStage& stage = *pattern.part.stage;
    const size_t own = stage.PlaceOf(pattern.node)->pass;
    const RecordedStage::Place& from = *stage.PlaceOf(parent);
    const PipelinePass& recorded = stage.Passes()[from.pass];
    const bool isOfMicroBatch = recorded.microBatch == stage.Passes()[own].microBatch &&
                                recorded.chunk == stage.Passes()[own].chunk;
    const bool isNext = from.pass + 1 == own && parent == stage.LastKernelOf(from.pass);
    // What follows its own micro-batch's pass at once waits for its last kernel both as for its
    // input and as for the pass before it, unless its input comes from another task. Without a
    // head, a layer follows a layer, as all passes of the stage follow each other.
    const bool isOrder =
        isNext && (stage.HasOtherInput(pattern.node, parent) ||
                   (stage.PlaceOf(pattern.node)->slot.IsInLayer() && from.slot.IsInLayer()));
    const bool isInput = isOfMicroBatch && !isOrder;
    if (isInput)
    {
        const PipelinePass& pass = m_stage.passes[pattern.pass];
        const size_t wanted = m_tasks.FindPass({recorded.isForward, pass.microBatch, pass.chunk});
        ids.push_back(IdAt(pattern, wanted, from.slot));
    }
    if (isNext)
    {
        AddWhatIsBefore(pattern, ids);
    }
    if (!isInput && !isNext)
    {
        FailAt(stage, pattern.node);
    }
}

/// In place of the pass before. Of what reaches over the first layer, as a later one or what is
/// behind the layers, and of the first layer where the pass now begins with a message that was put
/// in, what the first layer waits for.
void
StageWaits::AddWhatIsBefore(const Pattern& pattern, Ids& ids) const
{
    const RecordedStage& stage = *pattern.part.stage;
    const PassSlot& slot = stage.PlaceOf(pattern.node)->slot;
    const StagePart& entry = m_stage.EntryOf(pattern.pass);
    const bool isBehind = slot.part == Part::After;
    const bool isOfInputs =
        slot.position > 0 || isBehind ? entry != pattern.part : entry.stage == nullptr;
    if ((slot.IsInLayer() || isBehind) && isOfInputs)
    {
        AddInputs(pattern.pass, ids);
    }
    else
    {
        AddPassBefore(pattern.pass, ids);
    }
}

void
StageWaits::AddPassBefore(size_t pass, Ids& ids) const
{
    if (pass > 0)
    {
        ids.push_back(m_tasks.LastKernelOf(pass - 1));
    }
}

/// What the first layer of a pass waits for.
void
StageWaits::AddInputs(size_t pass, Ids& ids) const
{
    const StagePart& entry = m_stage.EntryOf(pass);
    if (entry.stage == nullptr)
    {
        AddPassBefore(pass, ids);
        ids.push_back(m_tasks.ReceiveOf(pass));
        return;
    }
    const size_t recorded = m_stage.RecordedPassOf(entry, pass);
    for (const auto& [slot, node] : entry.stage->TasksOf(recorded))
    {
        // Gathers for the first layer wait for less than its kernels, which use what the pass
        // brings.
        if (!slot.IsInLayer() || slot.position > 0 || entry.stage->IsParameterGather(node))
        {
            continue;
        }
        for (const uint32_t parent : entry.stage->ParentsOf(node))
        {
            const std::optional<RecordedStage::Place>& from = entry.stage->PlaceOf(parent);
            const bool isOfLayer = from && from->pass == recorded && from->slot.IsInLayer();
            if (from && !isOfLayer && !entry.stage->IsAddedTo(node, parent))
            {
                AddParent({entry, node, pass}, parent, ids);
            }
        }
    }
}

/// What is behind the last layer waits for it, or as the second layer waits for the first.
void
StageWaits::AddOutputs(size_t pass, Ids& ids) const
{
    const StagePart& layers = m_stage.ChunkOf(pass).layers;
    const size_t recorded = m_stage.RecordedPassOf(layers, pass);
    const auto& tasks = layers.stage->TasksOf(recorded);
    const uint32_t last =
        static_cast<uint32_t>(layers.stage->Rank().passes[recorded].layers.size()) - 1;
    // Parameters of what is behind the layers come while the last one is computed.
    const auto isExit = [&](const auto& entry)
    {
        return entry.first.part == Part::After && !layers.stage->IsGradientSum(entry.second) &&
               !layers.stage->IsParameterGather(entry.second);
    };
    const bool hasExit = std::ranges::any_of(tasks, isExit);
    for (const auto& [slot, node] : tasks)
    {
        // With tasks behind the layers, what they wait for ends the last layer. Without, it is what
        // the last layer waits for in the one before, taken one position later.
        const bool isBehind = hasExit ? isExit(std::pair(slot, node))
                                      : slot.part == Part::Layer && slot.position == last;
        // Gathers of parameters wait for those before them, and use nothing of the layer.
        const bool isUser = isBehind && !layers.stage->IsParameterGather(node);
        for (const uint32_t parent : isUser ? layers.stage->ParentsOf(node) : TaskList())
        {
            const std::optional<RecordedStage::Place>& from = layers.stage->PlaceOf(parent);
            if (!from || from->pass != recorded || !from->slot.IsInLayer() ||
                from->slot.position + (hasExit ? 0 : 1) != last)
            {
                continue;
            }
            PassSlot output = from->slot;
            output.position = last;
            ids.push_back(IdAt({layers, node, pass}, pass, output));
        }
    }
    if (ids.empty())
    {
        throw ConfigError(layers.stage->Graph().Source(),
                          "which task of a layer ends it is unknown, as nothing waits for a layer; "
                          "a recording with two layers or more on a rank tells");
    }
    // Gradients of weights may run beside those that are sent. A generated stage does not send
    // before they are done.
    if (!m_stage.passes[pass].isForward)
    {
        ids.push_back(m_tasks.LastKernelOf(pass));
    }
}

uint64_t
StageWaits::IdAt(const Pattern& pattern, size_t pass, const PassSlot& slot) const
{
    const std::optional<uint64_t> id = m_tasks.FindId(pass, slot);
    if (!id)
    {
        FailAt(*pattern.part.stage, pattern.node);
    }
    return *id;
}

void
StageWaits::FailAt(const RecordedStage& stage, uint32_t node)
{
    throw ConfigError(
        stage.Graph().Source(),
        fmt::format("node {} (\"{}\") waits for a pass that is neither its own, nor of "
                    "its micro-batch, nor the one before it; what it would wait for "
                    "with other passes is unknown",
                    stage.Graph().Node(node).id,
                    stage.Graph().Name(node)));
}

} // namespace nadi
