// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer-cut.h"

#include "common/error.h"
#include "workload/models/generated-graph.h"
#include "workload/models/model-parameters.h"
#include "workload/models/transformer-parts.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// Throws ConfigError at tp where a rank of the tensor group would get nothing of `what`.
void
CheckShares(const char* what, uint64_t count, uint64_t tensor)
{
    if (tensor > count)
    {
        throw ConfigError(
            "tp",
            fmt::format(
                "{} ranks cannot share {} {}; write {} or fewer", tensor, what, count, count));
    }
}

void
CheckTensor(const TransformerJob& job)
{
    const TransformerShape& shape = job.shape;
    const uint64_t tensor = job.degrees.tensor;
    CheckShares("heads", shape.heads, tensor);
    CheckShares("ffn", shape.ffn, tensor);
    if (shape.vocabulary > 0)
    {
        CheckShares("vocabulary", shape.vocabulary, tensor);
    }
    CheckDivides({"cp", "sequence", shape.sequence, "cp", job.degrees.context});
}

void
CheckExperts(const TransformerJob& job)
{
    const TransformerShape& shape = job.shape;
    const ParallelDegrees& degrees = job.degrees;
    if (shape.experts == 0 && degrees.expert > 1)
    {
        throw ConfigError("ep", "there are no experts to share out; write experts, or remove ep");
    }
    if (shape.experts == 0)
    {
        return;
    }
    CheckDivides({"ep", "the experts,", shape.experts, "ep", degrees.expert});
    CheckShares("expert-ffn", shape.expertFfn, degrees.tensor);
    if (degrees.tensor > 1 && !job.hasSequenceParallelism)
    {
        throw ConfigError("sp",
                          "experts beside tp need sequence parallelism, so that each token is "
                          "routed once; write sp: on");
    }
}

uint32_t
TensorRanks(const TransformerRequest& request, const JobPlace& place)
{
    if (request.job.degrees.tensor > 0)
    {
        return request.job.degrees.tensor;
    }
    if (place.dimensions.empty())
    {
        throw ConfigError("tp",
                          "0 is the first dimension of a stack, and there is none; write "
                          "system.dimensions, or a number from 1");
    }
    return place.dimensions.front();
}

/// The job but for what depends on the ranks.
TransformerJob
WithTensor(const TransformerRequest& request, uint32_t tensor)
{
    TransformerJob job = request.job;
    job.degrees.tensor = tensor;
    job.hasSequenceParallelism = request.isSequenceParallel && tensor > 1;
    CheckTensor(job);
    CheckExperts(job);
    return job;
}

/// Cuts the job over the ranks that are left.
///
/// Order: after the tensor degree is known, which may be that of the stack's first dimension.
void
SetData(TransformerJob& job, const TransformerRequest& request, uint32_t ranks)
{
    const ParallelDegrees& degrees = job.degrees;
    // The degree of data parallelism is what the others leave of the ranks.
    if (request.job.degrees.data == 0)
    {
        job.degrees.data = FindCopies(
            {{"tp", degrees.tensor}, {"cp", degrees.context}, {"pp", degrees.pipeline}}, ranks);
    }
    if (degrees.Ranks() != ranks)
    {
        throw ConfigError("dp",
                          fmt::format("tp {} x cp {} x dp {} x pp {} is not the {} ranks of the "
                                      "job; write factors whose product it is",
                                      degrees.tensor,
                                      degrees.context,
                                      degrees.data,
                                      degrees.pipeline,
                                      ranks));
    }
}

/// Cuts the batch. Requires: SetData.
void
SetMicroBatches(TransformerJob& job, const TransformerRequest& request)
{
    const uint64_t copies = job.degrees.data;
    if (job.microBatch == 0)
    {
        CheckDivides({"batch", "batch", request.batch, "dp", copies});
        job.microBatch = request.batch / copies;
    }
    if (job.microBatch == 0)
    {
        throw ConfigError("micro-batch", "is 0, and so is batch; write one of them");
    }
    const uint64_t perMicroBatch = copies * job.microBatch;
    // Without a batch there are as many micro-batches as stages.
    const uint64_t batch =
        request.batch == 0 ? perMicroBatch * job.degrees.pipeline : request.batch;
    CheckDivides({"batch", "batch", batch, "dp x micro-batch", perMicroBatch});
    job.pipeline.microBatches = static_cast<uint32_t>(batch / perMicroBatch);
    if (job.hasSequenceParallelism)
    {
        CheckDivides(
            {"sp", "the tokens of a rank,", job.Tokens(), "tp", uint64_t{job.degrees.tensor}});
    }
}

/// The stages share the layers, so their number does not count.
void
CheckNodes(const TransformerJob& job)
{
    const uint64_t nodesOfLayer = NODES_OF_LAYER * TransformerParts(job).Kinds().size();
    CheckNodeCount({"layers", "layers", job.shape.layers, nodesOfLayer});
    CheckNodeCount({"batch",
                    "micro-batches",
                    job.pipeline.microBatches,
                    nodesOfLayer * job.shape.layers,
                    "a smaller batch or a larger micro-batch"});
}

} // namespace

std::optional<uint32_t>
CountRanks(const TransformerRequest& request)
{
    const ParallelDegrees& d = request.job.degrees;
    if (d.data == 0 || d.tensor == 0)
    {
        return std::nullopt;
    }
    constexpr uint64_t most = 1U << 24;
    const uint64_t ranks = MultiplyCounts({d.tensor, d.context, d.data, d.pipeline});
    if (ranks > most)
    {
        throw ConfigError(
            "dp", fmt::format("tp x cp x dp x pp is {} ranks; {} are possible", ranks, most));
    }
    return static_cast<uint32_t>(ranks);
}

TransformerJob
CutJob(const TransformerRequest& request, const JobPlace& place)
{
    TransformerJob job = WithTensor(request, TensorRanks(request, place));
    SetData(job, request, place.ranks);
    CheckDivides({"ep", "dp", job.degrees.data, "ep", job.degrees.expert});
    SetMicroBatches(job, request);
    // An interleaved schedule takes micro-batches in rounds of as many as there are stages.
    if (job.pipeline.chunks > 1)
    {
        CheckDivides({"batch",
                      "the micro-batches of a step,",
                      job.pipeline.microBatches,
                      "pp, with schedule interleaved,",
                      job.pipeline.stages});
    }
    CheckNodes(job);
    return job;
}

void
CheckAlone(const TransformerRequest& request)
{
    if (const std::optional<uint32_t> ranks = CountRanks(request))
    {
        // Only the errors are wanted: here they come when the configuration is read.
        CutJob(request, {*ranks});
    }
    else if (request.job.degrees.tensor > 0)
    {
        WithTensor(request, request.job.degrees.tensor);
    }
}

} // namespace nadi
