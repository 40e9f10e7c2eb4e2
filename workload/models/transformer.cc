// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer.h"

#include "common/error.h"
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/models/transformer-layout.h"
#include "workload/models/transformer-stage.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

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
    m_request.job.shape = TransformerShape::Read(parameters);
    m_request.job.degrees = {.tensor = degree("tp", 0),
                             .context = degree("cp", 1),
                             .data = degree("dp", 0),
                             .pipeline = degree("pp", 1),
                             .expert = degree("ep", 1)};
    m_request.isSequenceParallel = ReadSwitch(parameters, "sp");
    m_request.batch = ReadCount(parameters, "batch");
    m_request.job.microBatch = ReadCount(parameters, "micro-batch");
    m_request.job.zero = degree("zero", 0);
    m_request.job.recompute = ReadRecompute(parameters.Get<std::string>("recompute"));
    m_request.job.elementBytes = SizeOfNumberType(parameters.Get<std::string>("dtype"));
    m_request.job.gradientBytes = SizeOfNumberType(parameters.Get<std::string>("gradient-dtype"));
    m_request.job.bucketBytes = static_cast<uint64_t>(parameters.Get<Bytes>("bucket").Count());
    if (m_request.job.zero > 3)
    {
        throw ConfigError("zero",
                          fmt::format("there is no stage {}; write 0 to 3", m_request.job.zero));
    }
    ReadPipeline(parameters);
    CheckAlone(m_request);
}

void
TransformerModel::ReadPipeline(const Parameters& parameters)
{
    Pipeline& pipeline = m_request.job.pipeline;
    pipeline.stages = m_request.job.degrees.pipeline;
    pipeline.schedule = ReadSchedule(parameters.Get<std::string>("schedule"));
    if (pipeline.schedule == PipelineSchedule::Interleaved)
    {
        pipeline.chunks = static_cast<uint32_t>(ReadCount(parameters, "chunks", 1));
    }
    const uint64_t chunks = uint64_t{pipeline.stages} * pipeline.chunks;
    if (chunks > m_request.job.shape.layers)
    {
        throw ConfigError("pp",
                          fmt::format("{} stages of {} chunks want {} layers at least, but there "
                                      "are {}; write fewer",
                                      pipeline.stages,
                                      pipeline.chunks,
                                      chunks,
                                      m_request.job.shape.layers));
    }
}

std::optional<uint32_t>
TransformerModel::RankCount() const
{
    return CountRanks(m_request);
}

Workload
TransformerModel::Make(const JobPlace& place) const
{
    const TransformerJob job = CutJob(m_request, place);
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
