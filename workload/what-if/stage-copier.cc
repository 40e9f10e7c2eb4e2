// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/stage-copier.h"

#include "workload/tools/structure/layer-spans.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace nadi
{

using Part = PassSlot::Part;

namespace
{

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

bool
IsSendOrReceive(const ExecutionNode& node)
{
    return node.type == NodeType::Send || node.type == NodeType::Receive;
}

/// Requires: the sum is not negative.
uint64_t
Grown(uint64_t size, int64_t by)
{
    return static_cast<uint64_t>(std::max<int64_t>(0, static_cast<int64_t>(size) + by));
}

} // namespace

StageCopier::StageCopier(const NewStage& stage, GroupOrigins& groups)
    : m_stage(stage)
    , m_base(stage.base)
    , m_groups(groups)
    , m_tasks(stage)
    , m_waits(stage, m_tasks)
    , m_isOptimizer(FindOptimizerKernels(m_base.Graph(), m_base.Rank()))
    , m_builder(m_base.Graph().Source())
{
}

ExecutionGraph
StageCopier::Run()
{
    AddGroups(m_base.Graph(), m_builder);
    for (uint64_t id = 0; id < m_tasks.All().size(); ++id)
    {
        Write(id);
    }
    return m_builder.Build();
}

std::vector<TaskOrigin>
StageCopier::Origins() const
{
    std::vector<TaskOrigin> origins;
    for (const NewTask& task : m_tasks.All())
    {
        if (task.source == nullptr)
        {
            origins.emplace_back();
            continue;
        }
        // A new pass may have parts of several recorded passes. What comes from one of them is a
        // block. WeaveHost tells blocks of different sources apart, so their numbers may be equal.
        const size_t recorded = task.source->Passes().size();
        const size_t block = task.pass
                                 ? *task.pass * recorded + task.source->PlaceOf(task.node)->pass
                                 : m_stage.passes.size() * recorded;
        origins.push_back({&task.source->Host(), task.node, block});
    }
    return origins;
}

void
StageCopier::Write(uint64_t id)
{
    const NewTask& task = m_tasks.All()[id];
    NodeCopy copy = Make(task);
    copy.node.id = id;
    // Groups are added in the order of their numbers, as a group gets its number when it is first
    // used (GroupOrigins). AddGroup finds a group that the builder has already.
    const size_t known = m_base.Graph().GroupNames().size();
    if (copy.node.group >= known)
    {
        m_builder.AddGroup(m_groups.AllAdded()[copy.node.group - known].name);
    }
    AddCopy(std::move(copy), m_waits.Of(task), m_builder);
}

NodeCopy
StageCopier::Make(const NewTask& task)
{
    switch (task.kind)
    {
    case NewTask::Kind::Receive:
    case NewTask::Kind::Send:
        return MakeMessage(task);
    case NewTask::Kind::SumOfEnds:
        return MakeSumOfEnds();
    case NewTask::Kind::Copied:
        break;
    }
    return MakeCopy(task);
}

NodeCopy
StageCopier::MakeMessage(const NewTask& task) const
{
    const PipelinePass& pass = m_stage.passes[*task.pass];
    const bool isSend = task.kind == NewTask::Kind::Send;
    NodeCopy copy;
    copy.node.type = isSend ? NodeType::Send : NodeType::Receive;
    copy.node.size = m_stage.messageBytes;
    copy.name = fmt::format("micro-batch {} {} {}",
                            pass.microBatch,
                            isSend ? "send" : "receive",
                            pass.isForward ? "activations" : "gradients");
    SetPeer(*task.pass, copy.node);
    return copy;
}

NodeCopy
StageCopier::MakeSumOfEnds()
{
    NodeCopy copy;
    copy.node.type = NodeType::Collective;
    copy.node.collective = CollectiveType::AllReduce;
    copy.node.size = m_stage.tied.sumOfEnds;
    copy.node.group = m_groups.IndexOfEnds();
    copy.name = "tied embedding gradients";
    return copy;
}

NodeCopy
StageCopier::MakeCopy(const NewTask& task)
{
    NodeCopy copy = CopyNode(task.source->Graph(), task.node);
    copy.name = NameOf(task);
    copy.node.group = GroupOf(task, copy.node);
    if (task.pass)
    {
        PointMessage(task, copy.node);
        ResizeForCopy(task, copy.node);
    }
    else if (m_isOptimizer[task.node])
    {
        copy.ScaleWith(m_stage.share);
    }
    return copy;
}

uint32_t
StageCopier::GroupOf(const NewTask& task, const ExecutionNode& node)
{
    const bool isOfAll = node.type == NodeType::Collective && node.group == 0;
    // Of a single stage, calls of all ranks within passes, and sums of gradients, are of that
    // stage. Others, such as a norm of all gradients, are of all ranks of the new job.
    const bool isOfPasses = task.pass || task.source->IsGradientSum(task.node);
    if (isOfAll && isOfPasses && m_stage.areAllOfStage)
    {
        return m_groups.IndexOfStage(*task.source);
    }
    return m_groups.IndexOf(*task.source, node.group);
}

/// Calls of the head's parameters, which may or may not include those of a matrix that it shares.
void
StageCopier::ResizeForCopy(const NewTask& task, ExecutionNode& node) const
{
    const PassSlot& slot = task.source->PlaceOf(task.node)->slot;
    const bool isForward = m_stage.passes[*task.pass].isForward;
    // The head stands at the end of forward passes and at the beginning of backward ones.
    const bool isOfEnd = slot.part == (isForward ? Part::After : Part::Before);
    if (isOfEnd && task.source->IsGradientSum(task.node))
    {
        node.size = Grown(node.size, m_stage.tied.sumBytes);
    }
    if (isOfEnd && task.source->IsParameterGather(task.node))
    {
        node.size = Grown(node.size, m_stage.tied.gatherBytes);
    }
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
    return RenumberLayer(name, m_stage.chunks[pass.chunk].firstLayer + layer);
}

/// Messages within layers are those of other axes of parallelism, such as contexts.
void
StageCopier::PointMessage(const NewTask& task, ExecutionNode& node) const
{
    const Part part = task.source->PlaceOf(task.node)->slot.part;
    if (IsSendOrReceive(node) && part != Part::Layer && part != Part::Extra)
    {
        SetPeer(*task.pass, node);
    }
}

/// Both ends of a message have the same tag: it follows from the boundary between chunks, the
/// micro-batch and the direction.
void
StageCopier::SetPeer(size_t pass, ExecutionNode& node) const
{
    const PipelinePass& what = m_stage.passes[pass];
    // Forward passes send to the next stage and receive from the one before; backward passes do the
    // opposite.
    const bool isToNext = what.isForward == (node.type == NodeType::Send);
    if (m_stage.nextPeer)
    {
        // Behind the recorded peers (StageRanks::PeersOf): first the next stage, then the one
        // before.
        node.peer = *m_stage.nextPeer + (isToNext ? 0 : 1);
    }
    // The boundary behind chunk n has the number n + 1, and every boundary two tags for each
    // micro-batch: forward, then backward.
    const uint64_t boundary = m_stage.ChunkOf(pass).number + (isToNext ? 1 : 0);
    node.tag = m_stage.firstTag + 2 * (boundary * m_stage.microBatches + what.microBatch) +
               (what.isForward ? 0 : 1);
}

} // namespace nadi
