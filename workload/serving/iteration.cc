// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/iteration.h"

#include <algorithm>
#include <utility>

namespace nadi
{

Iteration::Iteration(const Surroundings& surroundings,
                     uint32_t group,
                     std::vector<std::vector<BatchPart>> batches)
    : m_surroundings(surroundings)
    , m_group(group)
    , m_batches(std::move(batches))
{
    for (const std::vector<BatchPart>& batch : m_batches)
    {
        PassBatch& sum = m_sums.emplace_back();
        for (const BatchPart& part : batch)
        {
            sum.Add(part.tokens, part.context, part.makesToken);
        }
    }
}

uint64_t
Iteration::Tokens() const
{
    uint64_t tokens = 0;
    for (const PassBatch& sum : m_sums)
    {
        tokens += sum.tokens;
    }
    return tokens;
}

uint64_t
Iteration::LayersInFull() const
{
    const uint64_t layers = m_surroundings.instance.Model().LayersOf(m_stage);
    return std::min(layers, m_surroundings.layers.value_or(layers));
}

bool
Iteration::IsLastStage() const
{
    return m_stage + 1 == m_surroundings.instance.Model().pipeline;
}

std::optional<Episode>
Iteration::Next(SimTime now)
{
    const ForwardModel& model = m_surroundings.instance.Model();
    if (m_stage == model.pipeline)
    {
        return std::nullopt;
    }
    if (m_hasRest)
    {
        Episode rest = MakeRest(now);
        m_hasRest = false;
        ++m_stage;
        return rest;
    }
    m_begun = now;
    Episode stage = MakeStage();
    m_hasRest = LayersInFull() < model.LayersOf(m_stage);
    m_stage += m_hasRest ? 0 : 1;
    return stage;
}

Episode
Iteration::MakeStage()
{
    const ForwardModel& model = m_surroundings.instance.Model();
    const bool isWhole = LayersInFull() == model.LayersOf(m_stage);
    Episode episode;
    for (uint32_t index = 0; index < m_batches.size(); ++index)
    {
        PassTask task = TaskFor(index);
        task.lastLayer = model.FirstLayer(m_stage + 1);
        task.firstLayer = task.lastLayer - LayersInFull();
        task.hasEmbedding = isWhole && m_stage == 0;
        task.hasHead = isWhole && IsLastStage();
        AddReplica(episode, index, std::move(task));
        if (isWhole && !IsLastStage())
        {
            AddReceivers(episode, index);
        }
    }
    episode.names = m_surroundings.names;
    return episode;
}

Episode
Iteration::MakeRest(SimTime now)
{
    const uint64_t inFull = LayersInFull();
    const uint64_t left = m_surroundings.instance.Model().LayersOf(m_stage) - inFull;
    const auto mean = double((now - m_begun).Ps()) / double(inFull);
    Episode episode;
    for (uint32_t index = 0; index < m_batches.size(); ++index)
    {
        PassTask task = TaskFor(index);
        task.delay = SimTime::FromPs(static_cast<int64_t>(mean * double(left)));
        task.hasEmbedding = m_stage == 0;
        task.hasHead = IsLastStage();
        AddReplica(episode, index, std::move(task));
        if (!IsLastStage())
        {
            AddReceivers(episode, index);
        }
    }
    episode.names = m_surroundings.names;
    return episode;
}

PassTask
Iteration::TaskFor(uint32_t index) const
{
    PassTask task;
    task.stage = m_stage;
    task.batch = m_sums[index];
    return task;
}

/// Ranks of equal parts share a graph, unless each sends to a peer of its own. Messages of a group
/// are told apart by their ends, so that one tag is enough.
void
Iteration::AddReplica(Episode& episode, uint32_t index, PassTask task) const
{
    const ServingInstance& instance = m_surroundings.instance;
    const uint32_t replica = ReplicaOf(index);
    const bool isComplete = m_hasRest || LayersInFull() == instance.Model().LayersOf(m_stage);
    const bool sends = isComplete && !IsLastStage() && task.batch.tokens > 0;
    std::vector<std::optional<uint32_t>> graphOfPart(instance.PartCount());
    for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
    {
        std::optional<uint32_t>& graph = graphOfPart[instance.PartNumberOf(rank)];
        if (!graph || sends)
        {
            if (sends)
            {
                task.toNextStage = StageMessage{instance.RankAt(m_stage + 1, replica, rank)};
            }
            graph = static_cast<uint32_t>(episode.graphs.size());
            episode.graphs.push_back(
                MakeForwardPass(instance.Model(), instance.PartOf(rank), task));
        }
        episode.members.push_back({instance.RankAt(m_stage, replica, rank), *graph});
    }
}

void
Iteration::AddReceivers(Episode& episode, uint32_t index) const
{
    const ServingInstance& instance = m_surroundings.instance;
    if (m_sums[index].tokens == 0)
    {
        return;
    }
    for (uint32_t rank = 0; rank < instance.Model().tensor; ++rank)
    {
        const StageMessage message{instance.RankAt(m_stage, ReplicaOf(index), rank)};
        episode.members.push_back({instance.RankAt(m_stage + 1, ReplicaOf(index), rank),
                                   static_cast<uint32_t>(episode.graphs.size())});
        episode.graphs.push_back(MakeStageReceive(instance.Model(), m_sums[index], message));
    }
}

} // namespace nadi
