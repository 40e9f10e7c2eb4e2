// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-forward.h"

#include "common/error.h"
#include "workload/models/forward-pass.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace nadi
{

namespace
{

/// Places in the list that PeersOf returns.
enum StagePeer : uint32_t
{
    NEXT,
    PREVIOUS,
};

/// Which rank is where: tensor parallelism innermost, then replicas, then stages.
struct ForwardLayout
{
    uint32_t tensor = 1;
    uint32_t data = 1;
    uint32_t pipeline = 1;
    uint32_t expert = 1;

    uint32_t StageOf(uint32_t rank) const
    {
        return rank / (tensor * data);
    }

    std::vector<uint32_t> GroupOf(uint32_t rank, const std::string& group) const
    {
        // Both groups are blocks of neighbours: tensor ranks are innermost, and `expert` divides
        // the ranks of a stage.
        const uint32_t size = group == "tp" ? tensor : expert;
        std::vector<uint32_t> ranks;
        for (uint32_t i = 0; i < size; ++i)
        {
            ranks.push_back(rank - rank % size + i);
        }
        return ranks;
    }

    std::vector<RankId> PeersOf(uint32_t rank) const
    {
        const uint32_t stage = tensor * data;
        const uint32_t all = stage * pipeline;
        // The first stage has no previous one and the last no next one; their graphs do not use
        // those entries.
        return {RankId{(rank + stage) % all}, RankId{(rank + all - stage) % all}};
    }
};

uint32_t
CountReplicas(const ForwardRequest& request, uint32_t ranks)
{
    const ForwardModel& model = request.model;
    if (request.data == 0)
    {
        return FindCopies({{"tp", model.tensor}, {"pp", model.pipeline}}, ranks);
    }
    const uint64_t ofReplica = uint64_t{model.tensor} * model.pipeline;
    // Divided and not multiplied, as the product of all three may pass 64 bits.
    if (request.data != ranks / ofReplica || ranks % ofReplica != 0)
    {
        throw ConfigError("dp",
                          fmt::format("tp {} x dp {} x pp {} is not the {} ranks of the job; write "
                                      "factors whose product it is",
                                      model.tensor,
                                      request.data,
                                      model.pipeline,
                                      ranks));
    }
    return request.data;
}

PassTask
MakeStageTask(const ForwardModel& model, uint32_t stage, const PassBatch& batch)
{
    PassTask task;
    task.firstLayer = model.FirstLayer(stage);
    task.lastLayer = model.FirstLayer(stage + 1);
    task.batch = batch;
    if (stage == 0)
    {
        task.hasEmbedding = true;
    }
    else
    {
        task.previousStage = PREVIOUS;
    }
    if (stage + 1 == model.pipeline)
    {
        task.hasHead = true;
    }
    else
    {
        task.nextStage = NEXT;
    }
    return task;
}

} // namespace

Workload
MakeForwardWorkload(const ForwardRequest& request, uint32_t ranks)
{
    const ForwardModel& model = request.model;
    const uint32_t data = CountReplicas(request, ranks);
    // Order: before the parts are made, which need a head for each tensor rank.
    model.Check(data);
    CheckDivides({"batch", "batch", request.sequences, "dp", data});
    PassBatch batch;
    // All replicas have this batch, so that ranks of one stage and part share a graph.
    for (uint64_t sequence = 0; sequence < request.sequences / data; ++sequence)
    {
        batch.Add(request.tokens, request.context, true);
    }
    const std::vector<TransformerShape> parts = model.Parts();
    CheckNodeCount({"layers", "layers", model.shape.layers, NODES_OF_LAYER * parts.size()});
    GeneratedJob job;
    for (uint32_t stage = 0; stage < model.pipeline; ++stage)
    {
        for (const TransformerShape& part : parts)
        {
            job.graphs.push_back(MakeForwardPass(model, part, MakeStageTask(model, stage, batch)));
        }
    }
    const ForwardLayout layout{model.tensor, data, model.pipeline, model.expert};
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        job.graphOfRank.push_back(layout.StageOf(rank) * static_cast<uint32_t>(parts.size()) +
                                  model.PartOf(rank % model.tensor));
    }
    job.groupOf = [layout](uint32_t rank, const std::string& group)
    { return layout.GroupOf(rank, group); };
    job.peersOf = [layout](uint32_t rank) { return layout.PeersOf(rank); };
    return MakeGeneratedWorkload(std::move(job));
}

} // namespace nadi
