// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/recorded-stage.h"

#include "common/error.h"
#include "workload/what-if/graph-copy.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

RecordedStage::RecordedStage(const ExecutionGraph& graph, const RankStructure& rank)
    : m_graph(graph)
    , m_rank(rank)
    , m_parents(FindParents(graph))
    , m_places(graph.NodeCount())
    , m_tasks(rank.passes.size())
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
        AddPlaces(pass, PassSlot::Part::After, 0, run.after);
    }
}

void
RecordedStage::AddPlaces(size_t pass, PassSlot::Part part, uint32_t position, const TaskList& tasks)
{
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
    uint32_t last = 0;
    for (const auto& [slot, node] : m_tasks[pass])
    {
        last = slot.isKernel ? std::max(last, node) : last;
    }
    return last;
}

size_t
RecordedStage::FindPattern(const PipelinePass& wanted, uint32_t microBatches) const
{
    const bool isLast = wanted.microBatch + 1 == microBatches;
    std::vector<size_t> alike;
    std::vector<size_t> rest;
    for (size_t pass = 0; pass < m_passes.size(); ++pass)
    {
        const PipelinePass& one = m_passes[pass];
        if (one.isForward == wanted.isForward && one.chunk == wanted.chunk &&
            IsOfLastMicroBatch(pass) == isLast)
        {
            ((one.microBatch == 0) == (wanted.microBatch == 0) ? alike : rest).push_back(pass);
        }
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

bool
RecordedStage::HasOtherInput(uint32_t node, uint32_t parent) const
{
    return std::ranges::any_of(m_parents[node],
                               [&](uint32_t other) {
                                   return other != parent && m_places[other] &&
                                          m_places[other]->pass == m_places[parent]->pass;
                               });
}

bool
RecordedStage::IsAddedTo(uint32_t node, uint32_t parent) const
{
    const Place& own = *m_places[node];
    const Place& other = *m_places[parent];
    const PipelinePass& pass = m_passes[own.pass];
    return own.slot == other.slot &&
           m_passes[other.pass] ==
               PipelinePass{pass.isForward, pass.microBatch - 1, pass.chunk}; // wraps: no such pass
}

} // namespace nadi
