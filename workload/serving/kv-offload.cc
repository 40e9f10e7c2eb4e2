// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/kv-offload.h"

#include "workload/models/generated-graph.h"

#include <string>

namespace nadi
{

namespace
{

ExecutionGraph
MakeAccessGraph(KvOffload::Direction direction, uint64_t bytes)
{
    const bool isStore = direction == KvOffload::Direction::Store;
    const std::string name = isStore ? "store keys and values" : "load keys and values";
    GeneratedGraph graph(name);
    graph.AddOwnAccess(
        name, {.type = isStore ? NodeType::MemoryStore : NodeType::MemoryLoad, .bytes = bytes}, {});
    return graph.Build();
}

} // namespace

/// Ranks with equal parts of the model share a graph.
void
KvOffload::Begin(const Move& move)
{
    const ServingInstance& instance = *move.place.instance;
    const bool isStore = move.direction == Direction::Store;
    Episode episode;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> graphOfPart; // by stage and part
    for (uint32_t stage = 0; stage < instance.Model().pipeline; ++stage)
    {
        for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
        {
            const uint64_t bytes = instance.KvBytesOf(stage, rank, move.sequence->computed);
            const auto [graph, isNew] = graphOfPart.try_emplace(
                {stage, instance.PartNumberOf(rank)}, static_cast<uint32_t>(episode.graphs.size()));
            if (isNew)
            {
                episode.graphs.push_back(MakeAccessGraph(move.direction, bytes));
            }
            episode.members.push_back(
                {instance.RankAt(stage, move.place.replica, rank), graph->second});
            m_storedBytes += isStore ? bytes : 0;
        }
    }
    m_stores += isStore ? 1 : 0;
    episode.names = m_names;
    m_underWay.emplace(m_jobs.Submit(std::move(episode), &m_listener), move);
}

} // namespace nadi
