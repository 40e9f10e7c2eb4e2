// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/recorded-stage.h"

#include "common/error.h"
#include "workload/what-if/graph-copy.h"
#include "workload/what-if/parameter-share.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace nadi
{

namespace
{

/// What each task depends on, and nothing for operators of the host.
std::vector<std::vector<uint32_t>>
FindParentTasks(const RecordedHost& host)
{
    const ExecutionGraph& graph = host.Graph();
    std::vector<std::vector<uint32_t>> parents(graph.NodeCount());
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const auto isTask = [&](uint32_t parent) { return !graph.Node(parent).isCpu; };
        if (isTask(node))
        {
            std::ranges::copy_if(host.ParentsOf(node), std::back_inserter(parents[node]), isTask);
        }
    }
    return parents;
}

} // namespace

RecordedStage::RecordedStage(const ExecutionGraph& graph, const RankStructure& rank)
    : m_graph(graph)
    , m_rank(rank)
    , m_host(graph)
    , m_parents(FindParentTasks(m_host))
    , m_places(graph.NodeCount())
    , m_tasks(rank.passes.size())
    , m_isOfCopies(FindGradientGroups(graph, rank))
{
    for (size_t pass = 0; pass < rank.passes.size(); ++pass)
    {
        const LayerRunPass& run = rank.passes[pass];
        if (run.layers.size() != rank.passes.front().layers.size())
        {
            throw ConfigError(
                graph.Source(),
                fmt::format("rank {}: its passes have {} and {} layers; they are known "
                            "to stand for each other where all have as many",
                            rank.rank,
                            rank.passes.front().layers.size(),
                            run.layers.size()));
        }
        m_passes.push_back(
            {.isForward = run.isForward, .microBatch = run.microBatch, .chunk = run.chunk});
        m_microBatches = std::max(m_microBatches, run.microBatch + 1);
        AddPlaces(pass, PassSlot::Part::Before, 0, run.before);
        for (uint32_t position = 0; position < run.layers.size(); ++position)
        {
            AddPlaces(pass, PassSlot::Part::Layer, position, run.layers[position].tasks);
            AddPlaces(pass, PassSlot::Part::Extra, position, run.layers[position].extra);
        }
    }
    // What is behind the layers comes last: whether sums behind a pass belong to it depends on
    // where all other tasks stand.
    m_sumsEachMicroBatch = HasForwardGather();
    for (size_t pass = 0; pass < rank.passes.size(); ++pass)
    {
        TaskList after = rank.passes[pass].after;
        std::ranges::copy(SumsBehind(pass, after), std::back_inserter(after));
        AddPlaces(pass, PassSlot::Part::After, 0, after);
    }
    FindAccumulating();
}

/// Where gradients are summed after every micro-batch, but only one was recorded, the last sums of
/// a pass are its own: those that wait for nothing else. `after`: what is known to be behind its
/// layers.
TaskList
RecordedStage::SumsBehind(size_t pass, const TaskList& after) const
{
    TaskList sums;
    const bool isAsked = HasOnlyMicroBatch() && m_sumsEachMicroBatch && !m_passes[pass].isForward;
    for (const uint32_t node : isAsked ? m_rank.optimizer : TaskList())
    {
        const auto isOfPass = [&](uint32_t parent)
        {
            return (m_places[parent] && m_places[parent]->pass == pass) ||
                   std::ranges::find(after, parent) != after.end();
        };
        if (IsGradientSum(node) && std::ranges::all_of(m_parents[node], isOfPass))
        {
            sums.push_back(node);
        }
    }
    return sums;
}

void
RecordedStage::FindAccumulating()
{
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        // Gradients of a single micro-batch are added to none, so no dependency shows which kernels
        // accumulate. What waits for finished gradients shows it: sums over copies, the optimizer,
        // and gradients that are stored in another memory.
        const NodeType type = m_graph.Node(node).type;
        const bool isAfterAll =
            type == NodeType::MemoryStore || (!m_places[node] && type == NodeType::Compute);
        if (HasOnlyMicroBatch() && (isAfterAll || IsGradientSum(node)))
        {
            AddAccumulatingOf(node);
        }
        // With several micro-batches, each kernel that accumulates waits for the one in its slot in
        // the micro-batch before.
        for (const uint32_t parent : m_places[node] ? m_parents[node] : TaskList())
        {
            if (m_places[parent] && IsAddedTo(node, parent))
            {
                m_accumulating.emplace(m_passes[m_places[node]->pass].chunk, m_places[node]->slot);
            }
        }
    }
}

/// The kernels of backward passes that a sum of gradients or the optimizer waits for.
void
RecordedStage::AddAccumulatingOf(uint32_t node)
{
    for (const uint32_t parent : m_parents[node])
    {
        const std::optional<Place>& place = m_places[parent];
        if (place && place->slot.isKernel && !m_passes[place->pass].isForward)
        {
            m_accumulating.emplace(m_passes[place->pass].chunk, place->slot);
        }
    }
}

bool
RecordedStage::IsCallOfCopies(uint32_t node) const
{
    const ExecutionNode& task = m_graph.Node(node);
    return task.type == NodeType::Collective && m_isOfCopies[task.group];
}

bool
RecordedStage::IsGradientSum(uint32_t node) const
{
    const CollectiveType type = m_graph.Node(node).collective;
    return IsCallOfCopies(node) &&
           (type == CollectiveType::AllReduce || type == CollectiveType::ReduceScatter);
}

bool
RecordedStage::IsParameterGather(uint32_t node) const
{
    return IsCallOfCopies(node) && m_graph.Node(node).collective == CollectiveType::AllGather;
}

void
RecordedStage::AddPlaces(size_t pass, PassSlot::Part part, uint32_t position, const TaskList& tasks)
{
    // Kernels are counted apart from calls, so that a kernel has the same index in passes that
    // differ in calls alone: the last micro-batch sums gradients, and ends of the pipeline send
    // nothing.
    uint32_t kernels = 0;
    uint32_t others = 0;
    for (const uint32_t node : tasks)
    {
        const bool isKernel = m_graph.Node(node).type == NodeType::Compute;
        uint32_t& index = isKernel ? kernels : others;
        const PassSlot slot{part, position, isKernel, index++};
        m_places[node] = Place{pass, slot};
        m_tasks[pass][slot] = node;
    }
}

uint32_t
RecordedStage::LastKernelOf(size_t pass) const
{
    // Nodes are in the order of the program, slots are not: `Extra` follows all of its layer.
    uint32_t last = 0;
    for (const auto& [slot, node] : m_tasks[pass])
    {
        last = slot.isKernel ? std::max(last, node) : last;
    }
    return last;
}

bool
RecordedStage::HasForwardGather() const
{
    // Parameters that are gathered for a forward pass are in shards between the passes (ZeRO 3).
    // Then their gradients are, too, so each micro-batch has to sum its own.
    const auto isGatheredFor = [&](const std::optional<Place>& place)
    { return place && m_passes[place->pass].isForward; };
    for (uint32_t node = 0; node < m_graph.NodeCount(); ++node)
    {
        if (isGatheredFor(m_places[node]) && IsParameterGather(node))
        {
            return true;
        }
    }
    return false;
}

/// All of its direction and chunk.
std::vector<size_t>
RecordedStage::PassesLike(const PipelinePass& wanted) const
{
    std::vector<size_t> alike;
    for (size_t pass = 0; pass < m_passes.size(); ++pass)
    {
        if (m_passes[pass].isForward == wanted.isForward && m_passes[pass].chunk == wanted.chunk)
        {
            alike.push_back(pass);
        }
    }
    return alike;
}

size_t
RecordedStage::FindPattern(const PipelinePass& wanted,
                           uint32_t microBatches,
                           bool isFirstOfAll) const
{
    std::vector<size_t> found = PassesLike(wanted);
    if (found.empty())
    {
        throw ConfigError(m_graph.Source(),
                          fmt::format("rank {} has no {} pass of its chunk {} of layers",
                                      m_rank.rank,
                                      wanted.isForward ? "forward" : "backward",
                                      wanted.chunk));
    }
    // Of two wishes, the first counts more. What fits none is all that there is.
    const auto keep = [&](const auto& isWanted)
    {
        std::vector<size_t> kept;
        std::ranges::copy_if(found, std::back_inserter(kept), isWanted);
        found = kept.empty() ? found : kept;
    };
    const bool isLast = wanted.microBatch + 1 == microBatches;
    if (wanted.isForward)
    {
        // The first forward pass of all has no pass before it to wait for.
        keep([&](size_t pass) { return (pass == 0) == isFirstOfAll; });
    }
    keep([&](size_t pass) { return IsOfLastMicroBatch(pass) == isLast; });
    keep([&](size_t pass) { return (m_passes[pass].microBatch == 0) == (wanted.microBatch == 0); });
    return found[wanted.microBatch % found.size()];
}

bool
RecordedStage::HasOtherInput(uint32_t node, uint32_t parent) const
{
    return std::ranges::any_of(
        m_parents[node],
        [&](uint32_t other)
        {
            const bool isOfPass =
                m_places[other] && m_places[other]->pass == m_places[parent]->pass;
            return other != parent && (isOfPass || m_graph.Node(other).type == NodeType::Receive);
        });
}

bool
RecordedStage::IsAddedTo(uint32_t node, uint32_t parent) const
{
    const Place& own = *m_places[node];
    const Place& other = *m_places[parent];
    const PipelinePass& pass = m_passes[own.pass];
    return !pass.isForward && own.slot == other.slot &&
           m_passes[other.pass] ==
               PipelinePass{pass.isForward, pass.microBatch - 1, pass.chunk}; // wraps: no such pass
}

} // namespace nadi
