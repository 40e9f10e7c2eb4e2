// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-copier.h"

#include "common/error.h"
#include "workload/tools/structure/layer-spans.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

using Part = PassSlot::Part;

/// "micro-batch 3 layer 1" with another number of the micro-batch.
std::string
RenumberMicroBatch(std::string name, uint32_t number)
{
    constexpr std::string_view word = "micro-batch ";
    const size_t at = name.find(word);
    if (at == std::string::npos)
    {
        return name;
    }
    const size_t begin = at + word.size();
    size_t end = begin;
    while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end])) != 0)
    {
        ++end;
    }
    return end == begin ? name : name.replace(begin, end - begin, std::to_string(number));
}

} // namespace

StageCopier::StageCopier(const NewStage& stage)
    : m_stage(stage)
    , m_base(stage.base)
    , m_isOptimizer(FindOptimizerKernels(m_base.Graph(), m_base.Rank()))
    , m_idAt(stage.passes.size())
    , m_lastKernel(stage.passes.size(), 0)
    , m_idOfNode(m_base.Graph().NodeCount(), 0)
    , m_builder(m_base.Graph().Source())
{
}

ExecutionGraph
StageCopier::Run()
{
    AddGroups(m_base.Graph(), m_builder);
    ListTasks();
    NumberTasks();
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        Write(id);
    }
    return m_builder.Build();
}

/// A stage between others sends forward, and receives backward, as the first one does.
const RecordedStage&
StageCopier::SourceOf(size_t pass, Part part) const
{
    const Part end = m_stage.passes[pass].isForward ? Part::After : Part::Before;
    return m_stage.first != nullptr && part == end ? *m_stage.first : m_base;
}

/// Whose dependencies a task has. Backward, the layer that is first waits for what was received.
const RecordedStage&
StageCopier::PatternOf(size_t pass, const PassSlot& slot) const
{
    const bool isFirstLayer =
        (slot.part == Part::Layer || slot.part == Part::Extra) && slot.position == 0;
    const bool isBackward = !m_stage.passes[pass].isForward;
    return SourceOf(pass, isFirstLayer && isBackward ? Part::Before : slot.part);
}

size_t
StageCopier::RecordedPass(const RecordedStage& stage, size_t pass) const
{
    return stage.FindPattern(m_stage.passes[pass], m_stage.microBatches);
}

bool
StageCopier::IsDropped(uint32_t node) const
{
    const ExecutionNode& what = m_base.Graph().Node(node);
    return m_stage.first != nullptr && what.type == NodeType::Collective &&
           m_stage.dropped[what.group];
}

/// What is before all passes, the passes in their new order, and what is after them.
void
StageCopier::ListTasks()
{
    const uint32_t count = m_base.Graph().NodeCount();
    uint32_t first = count;
    for (uint32_t node = count; node-- > 0;)
    {
        first = m_base.PlaceOf(node) ? node : first;
    }
    for (uint32_t node = 0; node < first; ++node)
    {
        m_tasks.push_back({&m_base, node, {}});
    }
    for (size_t pass = 0; pass < m_stage.passes.size(); ++pass)
    {
        AddPass(pass);
    }
    for (uint32_t node = first; node < count; ++node)
    {
        if (!m_base.PlaceOf(node) && !IsDropped(node))
        {
            m_tasks.push_back({&m_base, node, {}});
        }
    }
}

void
StageCopier::AddPass(size_t pass)
{
    if (m_stage.first == nullptr)
    {
        AddParts(pass, m_base, {Part::Before, Part::Layer, Part::Extra, Part::After});
        return;
    }
    AddParts(pass, SourceOf(pass, Part::Before), {Part::Before});
    AddParts(pass, m_base, {Part::Layer, Part::Extra});
    AddParts(pass, SourceOf(pass, Part::After), {Part::After});
}

/// In the order of the recording.
void
StageCopier::AddParts(size_t pass, const RecordedStage& source, std::vector<Part> parts)
{
    TaskList nodes;
    for (const auto& [slot, node] : source.TasksOf(RecordedPass(source, pass)))
    {
        if (std::ranges::find(parts, slot.part) != parts.end())
        {
            nodes.push_back(node);
        }
    }
    std::ranges::sort(nodes);
    for (const uint32_t node : nodes)
    {
        const bool isMessage = source.Graph().Node(node).type == NodeType::Send ||
                               source.Graph().Node(node).type == NodeType::Receive;
        if (&source != &m_base && !isMessage)
        {
            throw ConfigError(source.Graph().Source(),
                              fmt::format("node {} (\"{}\") is none of the layers, which the first "
                                          "stage has alone; whether stages between others have it "
                                          "is unknown",
                                          source.Graph().Node(node).id,
                                          source.Graph().Name(node)));
        }
        m_tasks.push_back({&source, node, pass});
    }
}

void
StageCopier::NumberTasks()
{
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        const NewTask& task = m_tasks[id];
        if (!task.pass)
        {
            m_idOfNode[task.node] = id;
            continue;
        }
        const PassSlot& slot = task.source->PlaceOf(task.node)->slot;
        m_idAt[*task.pass][slot] = id;
        m_lastKernel[*task.pass] = slot.isKernel ? id : m_lastKernel[*task.pass];
    }
}

void
StageCopier::Write(uint64_t id)
{
    const NewTask& task = m_tasks[id];
    NodeCopy copy = CopyNode(task.source->Graph(), task.node);
    copy.node.id = id;
    copy.name = NameOf(task);
    if (task.pass)
    {
        PointMessage(task, copy.node);
    }
    else if (m_isOptimizer[task.node])
    {
        copy.ScaleWith(m_stage.share);
    }
    AddCopy(std::move(copy), DependenciesOf(task), m_builder);
}

/// With the numbers of the micro-batch and of the layer that it is now. What follows all passes has
/// the last micro-batch's, if any.
std::string
StageCopier::NameOf(const NewTask& task) const
{
    const std::string recorded(task.source->Graph().Name(task.node));
    if (!task.pass)
    {
        const bool isLast = std::ranges::count(m_base.Rank().optimizer, task.node) > 0;
        return isLast ? RenumberMicroBatch(recorded, m_stage.microBatches - 1) : recorded;
    }
    const PipelinePass& pass = m_stage.passes[*task.pass];
    const PassSlot& slot = task.source->PlaceOf(task.node)->slot;
    std::string name = RenumberMicroBatch(recorded, pass.microBatch);
    if (slot.part != Part::Layer && slot.part != Part::Extra)
    {
        return name;
    }
    const auto count = static_cast<uint32_t>(m_base.Rank().passes.front().layers.size());
    const uint32_t layer = pass.isForward ? slot.position : count - 1 - slot.position;
    return RenumberLayer(name, m_stage.firstLayers[pass.chunk] + layer);
}

/// Messages within layers are those of other axes of parallelism, such as contexts.
void
StageCopier::PointMessage(const NewTask& task, ExecutionNode& node) const
{
    const Part part = task.source->PlaceOf(task.node)->slot.part;
    const bool isMessage = node.type == NodeType::Send || node.type == NodeType::Receive;
    if (!m_stage.nextPeer || !isMessage || part == Part::Layer || part == Part::Extra)
    {
        return;
    }
    const bool isToNext = m_stage.passes[*task.pass].isForward == (node.type == NodeType::Send);
    node.peer = *m_stage.nextPeer + (isToNext ? 0 : 1);
}

std::vector<uint64_t>
StageCopier::DependenciesOf(const NewTask& task) const
{
    if (task.pass)
    {
        return DependenciesInPass(task);
    }
    std::vector<uint64_t> ids;
    AddOutside(task.node, ids);
    return ids;
}

std::vector<uint64_t>
StageCopier::DependenciesInPass(const NewTask& task) const
{
    const PassSlot& slot = task.source->PlaceOf(task.node)->slot;
    const RecordedStage& pattern = PatternOf(*task.pass, slot);
    const auto& tasks = pattern.TasksOf(RecordedPass(pattern, *task.pass));
    const auto found = tasks.find(slot);
    if (found == tasks.end())
    {
        FailAt(*task.source, task.node);
    }
    std::vector<uint64_t> ids;
    for (const uint32_t parent : pattern.ParentsOf(found->second))
    {
        if (pattern.PlaceOf(parent))
        {
            AddOfPass(pattern, found->second, parent, *task.pass, ids);
        }
        else if (&pattern == &m_base)
        {
            ids.push_back(m_idOfNode[parent]);
        }
        else
        {
            FailAt(pattern, found->second);
        }
    }
    return ids;
}

/// What a task of a pass takes from another: from its own pass or another of its micro-batch, from
/// the micro-batch before, or from the pass before it.
void
StageCopier::AddOfPass(const RecordedStage& pattern,
                       uint32_t node,
                       uint32_t parent,
                       size_t pass,
                       std::vector<uint64_t>& ids) const
{
    const size_t own = pattern.PlaceOf(node)->pass;
    const RecordedStage::Place& from = *pattern.PlaceOf(parent);
    PipelinePass wanted = pattern.Passes()[from.pass];
    const bool isOfMicroBatch = wanted.microBatch == pattern.Passes()[own].microBatch;
    const uint32_t microBatch = m_stage.passes[pass].microBatch;
    const bool isAdded = !isOfMicroBatch && microBatch > 0 && pattern.IsAddedTo(node, parent);
    const bool isNext =
        !isAdded && from.pass + 1 == own && parent == pattern.LastKernelOf(from.pass) && pass > 0;
    // What follows its own micro-batch's pass at once waits for its last kernel both as for its
    // input and as for the pass before it, unless its input comes from another task.
    const bool isInput = isOfMicroBatch && !(isNext && pattern.HasOtherInput(node, parent));
    if (isInput || isAdded)
    {
        wanted.microBatch = isAdded ? microBatch - 1 : microBatch;
        ids.push_back(IdAt(pattern, node, FindPass(wanted), from.slot));
    }
    if (isNext)
    {
        ids.push_back(m_lastKernel[pass - 1]);
    }
    if (!isInput && !isAdded && !isNext)
    {
        FailAt(pattern, node);
    }
}

/// What a task that is in no pass waits for. What is dropped waited for something else.
void
StageCopier::AddOutside(uint32_t node, std::vector<uint64_t>& ids) const
{
    for (const uint32_t parent : m_base.ParentsOf(node))
    {
        if (m_base.PlaceOf(parent))
        {
            AddEndOfPasses(node, parent, ids);
        }
        else if (IsDropped(parent))
        {
            AddOutside(parent, ids);
        }
        else
        {
            ids.push_back(m_idOfNode[parent]);
        }
    }
}

/// After a pass of the last micro-batch, which every number of them has, or after that of each.
void
StageCopier::AddEndOfPasses(uint32_t node, uint32_t parent, std::vector<uint64_t>& ids) const
{
    const RecordedStage::Place& from = *m_base.PlaceOf(parent);
    const bool isAfterEach = IsAfterEach(node, from);
    if (!m_base.IsOfLastMicroBatch(from.pass))
    {
        if (!isAfterEach)
        {
            FailAt(m_base, node);
        }
        return; // the last one asks for all
    }
    PipelinePass wanted = m_base.Passes()[from.pass];
    for (uint32_t each = isAfterEach ? 0 : m_stage.microBatches - 1; each < m_stage.microBatches;
         ++each)
    {
        wanted.microBatch = each;
        const size_t pass = FindPass(wanted);
        if (&SourceOf(pass, from.slot.part) == &m_base)
        {
            ids.push_back(IdAt(m_base, node, pass, from.slot));
        }
    }
}

/// Whether a node waits for the same task of the pass of each micro-batch.
bool
StageCopier::IsAfterEach(uint32_t node, const RecordedStage::Place& from) const
{
    const PipelinePass& pass = m_base.Passes()[from.pass];
    size_t alike = 0;
    size_t waits = 0;
    for (size_t other = 0; other < m_base.Passes().size(); ++other)
    {
        const PipelinePass& one = m_base.Passes()[other];
        if (one.isForward == pass.isForward && one.chunk == pass.chunk)
        {
            ++alike;
            const auto task = m_base.TasksOf(other).find(from.slot);
            const bool isThere = task != m_base.TasksOf(other).end();
            waits += isThere && std::ranges::count(m_base.ParentsOf(node), task->second) > 0;
        }
    }
    return alike > 1 && waits == alike;
}

/// Requires: the stage does it, as it does all passes of each micro-batch.
size_t
StageCopier::FindPass(const PipelinePass& pass) const
{
    return static_cast<size_t>(std::ranges::find(m_stage.passes, pass) - m_stage.passes.begin());
}

/// `stage` and `node`: the pattern that waits for it.
uint64_t
StageCopier::IdAt(const RecordedStage& stage,
                  uint32_t node,
                  size_t pass,
                  const PassSlot& slot) const
{
    const auto found = m_idAt[pass].find(slot);
    if (found == m_idAt[pass].end())
    {
        FailAt(stage, node);
    }
    return found->second;
}

void
StageCopier::FailAt(const RecordedStage& stage, uint32_t node)
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
