// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer.h"

#include "common/error.h"
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/models/transformer-layout.h"
#include "workload/models/transformer-stage.h"

#include <fmt/format.h>

#include <limits>

namespace nadi
{

namespace
{

constexpr uint64_t MOST_NODES = 1U << 26; // of all graphs; of 64 bytes and more each

PipelineSchedule
ReadSchedule(const std::string& word)
{
    if (word == "gpipe")
    {
        return PipelineSchedule::GPipe;
    }
    return word == "interleaved" ? PipelineSchedule::Interleaved
                                 : PipelineSchedule::OneForwardOneBackward;
}

Recompute
ReadRecompute(const std::string& word)
{
    if (word == "none")
    {
        return Recompute::None;
    }
    return word == "full" ? Recompute::Full : Recompute::Selective;
}

void
CheckTensor(const TransformerJob& job)
{
    const TransformerShape& shape = job.shape;
    const uint64_t tensor = job.degrees.tensor;
    CheckDivides({"tp", "the heads,", shape.heads, "tp", tensor});
    CheckDivides({"tp", "ffn", shape.ffn, "tp", tensor});
    if (tensor < shape.kvHeads)
    {
        CheckDivides({"tp", "the kv-heads,", shape.kvHeads, "tp", tensor});
    }
    else
    {
        CheckDivides({"tp", "tp", tensor, "kv-heads", shape.kvHeads});
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
    CheckDivides({"tp", "expert-ffn", shape.expertFfn, "tp", degrees.tensor});
    if (degrees.tensor > 1 && !job.hasSequenceParallelism)
    {
        throw ConfigError("sp",
                          "experts beside tp need sequence parallelism, so that each token is "
                          "routed once; write sp: on");
    }
}

} // namespace

std::vector<ParameterSpec>
TransformerModel::ParameterSpecs()
{
    std::vector<ParameterSpec> specs = TransformerShape::ParameterSpecs();
    const std::vector<ParameterSpec> job{
        MakeCount("batch",
                  "0",
                  "sequences of a step over all ranks; 0: pp micro-batches for each of the dp"),
        MakeCount("micro-batch",
                  "1",
                  "sequences that go through the pipeline together; 0: all of a copy's"),
        MakeCount("tp",
                  "1",
                  "tensor parallelism: ranks that share each layer's matrices; 0: the first "
                  "dimension of the stack"),
        MakeSwitch("sp", false, "sequence parallelism within the tp ranks"),
        MakeCount("cp", "1", "context parallelism: ranks that share each sequence"),
        MakeCount("pp", "1", "pipeline parallelism: stages of layers"),
        MakeCount(
            "dp", "0", "data parallelism: copies of the model; 0: as many as the ranks allow"),
        MakeCount("ep", "1", "expert parallelism: of the dp ranks, those that share the experts"),
        MakeCount("zero", "0", "stage of ZeRO, 0 to 3: what the copies share out"),
        MakeChoice("schedule", {"1f1b", "gpipe", "interleaved"}, "order of the pipeline's passes"),
        MakeCount("chunks", "2", "of layers for each stage, with schedule interleaved"),
        MakeChoice("recompute",
                   {"none", "selective", "full"},
                   "what is computed again backward: the core of attention, or whole layers"),
        MakeNumberType("dtype", "of parameters and activations"),
        MakeNumberTypeAs("gradient-dtype", "dtype", "of gradients"),
        {"bucket",
         ParameterKind::Size,
         "0 B",
         "gradients are summed when so many are there; 0 B: layer by layer"},
    };
    specs.insert(specs.end(), job.begin(), job.end());
    return specs;
}

TransformerModel::TransformerModel(const Parameters& parameters)
{
    const auto degree = [&](const char* name, uint64_t least)
    { return static_cast<uint32_t>(ReadCount(parameters, name, least)); };
    m_job.shape = TransformerShape::Read(parameters);
    m_job.degrees = {.tensor = degree("tp", 0),
                     .context = degree("cp", 1),
                     .data = degree("dp", 0),
                     .pipeline = degree("pp", 1),
                     .expert = degree("ep", 1)};
    m_isSequenceParallel = ReadSwitch(parameters, "sp");
    m_batch = ReadCount(parameters, "batch");
    m_job.microBatch = ReadCount(parameters, "micro-batch");
    m_job.zero = degree("zero", 0);
    m_job.recompute = ReadRecompute(parameters.Get<std::string>("recompute"));
    m_job.elementBytes = SizeOfNumberType(parameters.Get<std::string>("dtype"));
    m_job.gradientBytes = SizeOfNumberType(parameters.Get<std::string>("gradient-dtype"));
    m_job.bucketBytes = static_cast<uint64_t>(parameters.Get<Bytes>("bucket").Count());
    if (m_job.zero > 3)
    {
        throw ConfigError("zero", fmt::format("there is no stage {}; write 0 to 3", m_job.zero));
    }
    ReadPipeline(parameters);
    if (const std::optional<uint32_t> ranks = RankCount())
    {
        MakeJob({*ranks});
    }
    else if (m_job.degrees.tensor > 0)
    {
        WithTensor(m_job.degrees.tensor);
    }
}

void
TransformerModel::ReadPipeline(const Parameters& parameters)
{
    Pipeline& pipeline = m_job.pipeline;
    pipeline.stages = m_job.degrees.pipeline;
    pipeline.schedule = ReadSchedule(parameters.Get<std::string>("schedule"));
    if (pipeline.schedule == PipelineSchedule::Interleaved)
    {
        pipeline.chunks = static_cast<uint32_t>(ReadCount(parameters, "chunks", 1));
    }
    const uint64_t chunks = uint64_t{pipeline.stages} * pipeline.chunks;
    if (chunks > m_job.shape.layers)
    {
        throw ConfigError("pp",
                          fmt::format("{} stages of {} chunks want {} layers at least, but there "
                                      "are {}; write fewer",
                                      pipeline.stages,
                                      pipeline.chunks,
                                      chunks,
                                      m_job.shape.layers));
    }
}

std::optional<uint32_t>
TransformerModel::RankCount() const
{
    const ParallelDegrees& d = m_job.degrees;
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

uint32_t
TransformerModel::TensorRanks(const JobPlace& place) const
{
    if (m_job.degrees.tensor > 0)
    {
        return m_job.degrees.tensor;
    }
    if (place.dimensions.empty())
    {
        throw ConfigError("tp",
                          "0 is the first dimension of a stack, and there is none; write "
                          "system.dimensions, or a number from 1");
    }
    return place.dimensions.front();
}

TransformerJob
TransformerModel::WithTensor(uint32_t tensor) const
{
    TransformerJob job = m_job;
    job.degrees.tensor = tensor;
    job.hasSequenceParallelism = m_isSequenceParallel && tensor > 1;
    CheckTensor(job);
    CheckExperts(job);
    return job;
}

void
TransformerModel::SetData(TransformerJob& job, uint32_t ranks) const
{
    const bool isGiven = m_job.degrees.data > 0;
    if (!isGiven)
    {
        job.degrees.data = 1;
        job.degrees.data = static_cast<uint32_t>(ranks / job.degrees.Ranks());
    }
    if (job.degrees.Ranks() != ranks)
    {
        throw ConfigError(isGiven ? "dp" : "tp",
                          fmt::format("tp {} x cp {} x dp {} x pp {} is not the {} ranks of the "
                                      "job; write factors whose product it is",
                                      job.degrees.tensor,
                                      job.degrees.context,
                                      job.degrees.data,
                                      job.degrees.pipeline,
                                      ranks));
    }
}

void
TransformerModel::SetMicroBatches(TransformerJob& job) const
{
    const uint64_t copies = job.degrees.data;
    if (job.microBatch == 0)
    {
        CheckDivides({"batch", "batch", m_batch, "dp", copies});
        job.microBatch = m_batch / copies;
    }
    if (job.microBatch == 0)
    {
        throw ConfigError("micro-batch", "is 0, and so is batch; write one of them");
    }
    const uint64_t perMicroBatch = copies * job.microBatch;
    const uint64_t batch = m_batch == 0 ? perMicroBatch * job.degrees.pipeline : m_batch;
    CheckDivides({"batch", "batch", batch, "dp x micro-batch", perMicroBatch});
    job.pipeline.microBatches = static_cast<uint32_t>(batch / perMicroBatch);
    if (job.hasSequenceParallelism)
    {
        CheckDivides(
            {"sp", "the tokens of a rank,", job.Tokens(), "tp", uint64_t{job.degrees.tensor}});
    }
}

TransformerJob
TransformerModel::MakeJob(const JobPlace& place) const
{
    TransformerJob job = WithTensor(TensorRanks(place));
    SetData(job, place.ranks);
    CheckDivides({"ep", "dp", job.degrees.data, "ep", job.degrees.expert});
    SetMicroBatches(job);
    if (job.pipeline.chunks > 1)
    {
        CheckDivides({"batch",
                      "the micro-batches of a step,",
                      job.pipeline.microBatches,
                      "pp, with schedule interleaved,",
                      job.pipeline.stages});
    }
    if (uint64_t{job.pipeline.microBatches} * job.shape.layers > MOST_NODES / 16)
    {
        throw ConfigError("batch",
                          fmt::format("{} micro-batches of {} layers make too large a trace; write "
                                      "a smaller batch or a larger micro-batch",
                                      job.pipeline.microBatches,
                                      job.shape.layers));
    }
    return job;
}

Workload
TransformerModel::Make(const JobPlace& place) const
{
    const TransformerJob job = MakeJob(place);
    const TransformerLayout layout(job.degrees);
    GeneratedJob generated;
    for (uint32_t stage = 0; stage < job.pipeline.stages; ++stage)
    {
        generated.graphs.push_back(MakeTransformerStage(job, stage));
    }
    for (uint32_t rank = 0; rank < place.ranks; ++rank)
    {
        generated.graphOfRank.push_back(layout.PlaceOf(rank).stage);
    }
    generated.groupOf = [layout](uint32_t rank, const std::string& group)
    { return layout.GroupOf(rank, group); };
    generated.peersOf = [layout](uint32_t rank) { return layout.PeersOf(rank); };
    return MakeGeneratedWorkload(std::move(generated));
}

NADI_REGISTER(WorkloadModel, TransformerModel, "transformer");

} // namespace nadi
