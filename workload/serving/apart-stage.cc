// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/apart-stage.h"

#include "workload/models/apart-pass.h"

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

void
AddMember(Episode& episode, RankId rank, ExecutionGraph graph)
{
    episode.members.push_back({rank, static_cast<uint32_t>(episode.graphs.size())});
    episode.graphs.push_back(std::move(graph));
}

} // namespace

std::vector<PassBatch>
DealOut(const std::vector<BatchPart>& batch, uint32_t microBatches)
{
    std::vector<PassBatch> sums(microBatches);
    for (const BatchPart& part : batch)
    {
        const auto least = std::min_element(sums.begin(),
                                            sums.end(),
                                            [](const PassBatch& a, const PassBatch& b)
                                            { return a.tokens < b.tokens; });
        least->Add(part.tokens, part.context, part.makesToken);
    }
    return sums;
}

Episode
MakeApartEpisode(const ApartStage& stage,
                 const std::vector<std::vector<BatchPart>>& batches,
                 std::shared_ptr<const RankNames> names)
{
    const ServingInstance& attention = stage.instance;
    const ServingInstance& experts = *attention.Experts();
    ApartTask task{.firstLayer = stage.firstLayer,
                   .lastLayer = stage.lastLayer,
                   .hasEmbedding = stage.hasEmbedding,
                   .hasHead = stage.hasHead,
                   .tellsLayers = stage.tellsLayers};
    for (uint32_t replica = 0; replica < batches.size(); ++replica)
    {
        task.batches.push_back(DealOut(batches[replica], attention.MicroBatches()));
        for (uint32_t rank = 0; rank < attention.Model().tensor; ++rank)
        {
            task.attention.push_back(attention.RankAt(0, replica, rank));
        }
    }
    // Each rank of experts is a replica by itself: their instance has neither stages nor tensor
    // parallelism (serving-instances.cc, CheckApart).
    for (uint32_t index = 0; index < experts.Replicas(); ++index)
    {
        task.experts.push_back(experts.RankAt(0, index, 0));
    }
    Episode episode;
    for (uint32_t at = 0; at < task.attention.size(); ++at)
    {
        // `at` counts through the replicas, and in each of them through the tensor ranks.
        const uint32_t tensorRank = at % attention.Model().tensor;
        AddMember(episode,
                  task.attention[at],
                  MakeAttentionPass(attention.Model(),
                                    attention.PartOf(tensorRank),
                                    task,
                                    at / attention.Model().tensor,
                                    tensorRank));
    }
    for (uint32_t index = 0; index < task.experts.size(); ++index)
    {
        AddMember(episode, task.experts[index], MakeExpertsPass(attention.Model(), task, index));
    }
    episode.names = std::move(names);
    return episode;
}

} // namespace nadi
