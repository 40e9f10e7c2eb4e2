// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/pass-copier.h"

#include "common/error.h"
#include "workload/what-if/graph-parents.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

uint32_t
CountMicroBatches(const PassCopier::Passes& passes)
{
    uint32_t count = 0;
    for (const PipelinePass& pass : passes)
    {
        count = std::max(count, pass.microBatch + 1);
    }
    return count;
}

} // namespace

PassCopier::PassCopier(const ExecutionGraph& graph,
                       const RankStructure& rank,
                       const Passes& recorded,
                       const Passes& wanted)
    : m_graph(graph)
    , m_rank(rank)
    , m_recorded(recorded)
    , m_wanted(wanted)
    , m_parents(FindParents(graph))
    , m_places(graph.NodeCount())
    , m_nodeAt(recorded.size())
    , m_idAt(wanted.size())
    , m_idOfNode(graph.NodeCount(), 0)
    , m_builder(graph.Source())
{
}

ExecutionGraph
PassCopier::Run()
{
    for (size_t group = 1; group < m_graph.GroupNames().size(); ++group)
    {
        m_builder.AddGroup(m_graph.GroupNames()[group]);
    }
    FindPlaces();
    ChoosePatterns();
    ListTasks();
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        const NewTask& task = m_tasks[id];
        if (task.pass)
        {
            m_idAt[*task.pass][m_places[task.source]->slot] = id;
            continue;
        }
        m_idOfNode[task.source] = id;
    }
    for (uint64_t id = 0; id < m_tasks.size(); ++id)
    {
        const NewTask& task = m_tasks[id];
        CopyNode(m_graph, task.source, id, FindDependencies(task), m_builder);
    }
    return m_builder.Build();
}

void
PassCopier::FindPlaces()
{
    for (size_t pass = 0; pass < m_rank.passes.size(); ++pass)
    {
        const LayerRunPass& run = m_rank.passes[pass];
        AddPlaces(pass, PassSlot::Part::Before, 0, run.before);
        for (uint32_t position = 0; position < run.layers.size(); ++position)
        {
            AddPlaces(pass, PassSlot::Part::Layer, position, run.layers[position].tasks);
            AddPlaces(pass, PassSlot::Part::Extra, position, run.layers[position].extra);
        }
        AddPlaces(pass, PassSlot::Part::After, 0, run.after);
    }
}

void
PassCopier::AddPlaces(size_t pass, PassSlot::Part part, uint32_t position, const TaskList& tasks)
{
    uint32_t kernels = 0;
    uint32_t others = 0;
    for (const uint32_t node : tasks)
    {
        const bool isKernel = m_graph.Node(node).type == NodeType::Compute;
        uint32_t& index = isKernel ? kernels : others;
        const PassSlot slot{part, position, isKernel, index++};
        m_places[node] = TaskPlace{pass, slot};
        m_nodeAt[pass][slot] = node;
    }
}

void
PassCopier::ChoosePatterns()
{
    for (const PipelinePass& wanted : m_wanted)
    {
        m_patterns.push_back(ChoosePattern(wanted));
    }
}

/// A pass of the same direction and chunk; that of the last micro-batch, which sums the gradients,
/// for the last alone, and that of the first one for the first alone, if there are others.
size_t
PassCopier::ChoosePattern(const PipelinePass& wanted) const
{
    const uint32_t recordedLast = CountMicroBatches(m_recorded) - 1;
    const uint32_t wantedLast = CountMicroBatches(m_wanted) - 1;
    std::vector<size_t> alike;
    std::vector<size_t> rest;
    for (size_t pass = 0; pass < m_recorded.size(); ++pass)
    {
        const PipelinePass& one = m_recorded[pass];
        if (one.isForward != wanted.isForward || one.chunk != wanted.chunk ||
            (one.microBatch == recordedLast) != (wanted.microBatch == wantedLast))
        {
            continue;
        }
        ((one.microBatch == 0) == (wanted.microBatch == 0) ? alike : rest).push_back(pass);
    }
    const std::vector<size_t>& found = alike.empty() ? rest : alike;
    if (found.empty())
    {
        throw ConfigError(m_graph.Source(),
                          fmt::format("rank {}: a single micro-batch was recorded, which does not "
                                      "tell the last one, which sums gradients, from others",
                                      m_rank.rank));
    }
    return found[wanted.microBatch % found.size()];
}

/// What is before all passes, the passes in their new order, and what is after them.
void
PassCopier::ListTasks()
{
    uint32_t first = m_graph.NodeCount();
    for (uint32_t node = m_graph.NodeCount(); node-- > 0;)
    {
        first = m_places[node] ? node : first;
    }
    for (uint32_t node = 0; node < first; ++node)
    {
        m_tasks.push_back({.source = node, .pass = {}});
    }
    for (size_t pass = 0; pass < m_wanted.size(); ++pass)
    {
        TaskList nodes;
        for (const auto& [slot, node] : m_nodeAt[m_patterns[pass]])
        {
            nodes.push_back(node);
        }
        std::ranges::sort(nodes);
        for (const uint32_t node : nodes)
        {
            m_tasks.push_back({.source = node, .pass = pass});
        }
    }
    for (uint32_t node = first; node < m_graph.NodeCount(); ++node)
    {
        if (!m_places[node])
        {
            m_tasks.push_back({.source = node, .pass = {}});
        }
    }
}

std::vector<uint64_t>
PassCopier::FindDependencies(const NewTask& task) const
{
    std::vector<uint64_t> ids;
    for (const uint32_t parent : m_parents[task.source])
    {
        const std::optional<TaskPlace>& from = m_places[parent];
        if (!from)
        {
            ids.push_back(m_idOfNode[parent]);
        }
        else if (task.pass)
        {
            AddOfPass(task, parent, ids);
        }
        else
        {
            AddOutside(task.source, *from, ids);
        }
    }
    return ids;
}

void
PassCopier::AddOfPass(const NewTask& task, uint32_t parent, std::vector<uint64_t>& ids) const
{
    const size_t own = m_patterns[*task.pass];
    const TaskPlace& from = *m_places[parent];
    const bool isOfMicroBatch = m_recorded[from.pass].microBatch == m_recorded[own].microBatch;
    const bool isAdded = !isOfMicroBatch && IsAddedTo(task, from);
    const bool isNext =
        !isAdded && from.pass + 1 == own && parent == LastKernelOf(from.pass) && *task.pass > 0;
    // What follows its own micro-batch's pass at once waits for its last kernel both as for its
    // input and as for the pass before it, unless its input comes from another task.
    const bool isInput = isOfMicroBatch && !(isNext && HasOtherInput(task.source, parent));
    if (isInput)
    {
        const size_t pass = from.pass == own ? *task.pass : FindAt(task, from.pass, 0);
        ids.push_back(IdAt(task.source, pass, from.slot));
    }
    if (isAdded)
    {
        ids.push_back(IdAt(task.source, FindAt(task, from.pass, 1), from.slot));
    }
    if (isNext)
    {
        const uint32_t last = LastKernelOf(m_patterns[*task.pass - 1]);
        ids.push_back(IdAt(task.source, *task.pass - 1, m_places[last]->slot));
    }
    if (!isInput && !isAdded && !isNext)
    {
        FailAt(task.source);
    }
}

/// The pass of a direction and chunk, of the task's micro-batch or of one some places before it.
size_t
PassCopier::FindAt(const NewTask& task, size_t like, uint32_t before) const
{
    PipelinePass other = m_recorded[like];
    other.microBatch = m_wanted[*task.pass].microBatch - before;
    const auto found = std::ranges::find(m_wanted, other);
    return static_cast<size_t>(found - m_wanted.begin());
}

/// Whether the task adds its gradients to those of the micro-batch before.
bool
PassCopier::IsAddedTo(const NewTask& task, const TaskPlace& from) const
{
    const PipelinePass& own = m_recorded[m_patterns[*task.pass]];
    const PipelinePass& other = m_recorded[from.pass];
    return other.microBatch + 1 == own.microBatch && other.isForward == own.isForward &&
           other.chunk == own.chunk && from.slot == m_places[task.source]->slot &&
           m_wanted[*task.pass].microBatch > 0;
}

/// Whether the node waits for another task of the pass of one that it waits for.
bool
PassCopier::HasOtherInput(uint32_t node, uint32_t parent) const
{
    return std::ranges::any_of(m_parents[node],
                               [&](uint32_t other) {
                                   return other != parent && m_places[other] &&
                                          m_places[other]->pass == m_places[parent]->pass;
                               });
}

/// For which the next pass of the stage waits.
uint32_t
PassCopier::LastKernelOf(size_t pass) const
{
    uint32_t last = 0;
    for (const auto& [slot, node] : m_nodeAt[pass])
    {
        last = m_graph.Node(node).type == NodeType::Compute ? std::max(last, node) : last;
    }
    return last;
}

/// After the pass of the last micro-batch, which every number of them has.
void
PassCopier::AddOutside(uint32_t node, const TaskPlace& from, std::vector<uint64_t>& ids) const
{
    const PipelinePass& pass = m_recorded[from.pass];
    if (pass.microBatch + 1 != CountMicroBatches(m_recorded))
    {
        FailAt(node);
    }
    PipelinePass wanted = pass;
    wanted.microBatch = CountMicroBatches(m_wanted) - 1;
    const auto found = std::ranges::find(m_wanted, wanted);
    ids.push_back(IdAt(node, static_cast<size_t>(found - m_wanted.begin()), from.slot));
}

uint64_t
PassCopier::IdAt(uint32_t node, size_t pass, const PassSlot& slot) const
{
    const auto found = m_idAt[pass].find(slot);
    if (found == m_idAt[pass].end())
    {
        FailAt(node);
    }
    return found->second;
}

void
PassCopier::FailAt(uint32_t node) const
{
    throw ConfigError(
        m_graph.Source(),
        fmt::format("node {} (\"{}\") waits for a pass that is neither its own, nor of "
                    "its micro-batch, nor the one before it; what it would wait for "
                    "with other passes is unknown",
                    m_graph.Node(node).id,
                    m_graph.Name(node)));
}

} // namespace nadi
