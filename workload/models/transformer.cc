// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/transformer.h"

#include "common/error.h"
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/models/transformer-layout.h"
#include "workload/models/transformer-parts.h"
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
        MakeChoice("phase",
                   {"train", "prefill", "decode"},
                   "What is computed: a step of training; or a forward pass of a model that is "
                   "served, of whole prompts of sequence tokens (prefill) or of one token of each "
                   "sequence (decode)."),
        MakeCount("context",
                  "0",
                  "The tokens of each sequence whose keys and values are in the cache before a "
                  "forward pass."),
        MakeCount("batch",
                  "0",
                  "The number of sequences in a training step, over all ranks. It must be a "
                  "multiple of dp * micro-batch; 0 stands for pp micro-batches for each of the dp "
                  "copies of the model."),
        MakeCount("micro-batch",
                  "1",
                  "The number of sequences that go through the pipeline together. 0 makes one "
                  "micro-batch of all sequences of a copy of the model, and needs batch."),
        MakeCount("tp",
                  "1",
                  "The degree of tensor parallelism: the number of ranks that share the matrices "
                  "of each layer. Where it does not divide heads, ffn or vocabulary, the parts "
                  "of the ranks differ by one unit; heads that share keys and values stay "
                  "together. 0 stands for the size of the first dimension of the stack."),
        MakeSwitch("sp",
                   false,
                   "Whether the tp ranks use sequence parallelism, in which each of them keeps "
                   "only its part of the tokens between the shared matrices. It must be on where "
                   "an MoE has tp above 1."),
        MakeCount("cp",
                  "1",
                  "The degree of context parallelism: the number of ranks that share each "
                  "sequence. It must divide sequence.",
                  {.least = 1}),
        MakeCount("pp",
                  "1",
                  "The degree of pipeline parallelism: the number of stages into which the layers "
                  "are cut. A stage has at least one layer, or one in each of its chunks.",
                  {.least = 1}),
        MakeCount("dp",
                  "0",
                  "The degree of data parallelism: the number of copies of the model, each of "
                  "which has its own part of the batch. tp * cp * pp * dp must be the number of "
                  "ranks; 0 stands for the number that makes it so."),
        MakeCount(
            "ep",
            "1",
            "The degree of expert parallelism: the number of neighbouring data-parallel ranks over "
            "which the experts of a layer are spread. It must divide dp and experts.",
            {.least = 1}),
        MakeCount("zero",
                  "0",
                  "The stage of ZeRO: what the copies of the model partition among them instead of "
                  "each keeping all of it. 0 is nothing, 1 the states of the optimizer, 2 also the "
                  "gradients, and 3 also the parameters.",
                  {.most = 3}),
        MakeChoice("weights",
                   {"resident", "streamed"},
                   "Where the parameters are: resident in each rank, which updates its own; or "
                   "streamed from remote memory, where they are updated. Then the copies of the "
                   "model load each layer together before each of its passes, and store the sum "
                   "of their gradients after each backward pass. It excludes zero and bucket."),
        MakeChoice("schedule",
                   {"1f1b", "gpipe", "interleaved"},
                   "The order of forward and backward passes in the pipeline. With interleaved, "
                   "the order of 1f1b over several chunks of layers for each stage, the number of "
                   "micro-batches must be a multiple of pp."),
        MakeCount("chunks",
                  "2",
                  "The number of chunks of layers that each stage has with the interleaved "
                  "schedule. Other schedules ignore it, and so does one stage alone.",
                  {.least = 1}),
        MakeChoice("recompute",
                   {"none", "selective", "full"},
                   "What the backward pass computes again instead of keeping it from the forward "
                   "pass: none is nothing, selective the core of the attention, and full whole "
                   "layers, their communication included."),
        MakeNumberType("dtype",
                       "The type of parameters and activations, which sets how many bytes each of "
                       "them takes in messages and in memory."),
        MakeNumberTypeAs("gradient-dtype",
                         "dtype",
                         "The type of gradients, which sets how many bytes each of them takes in "
                         "messages and in memory."),
        {"bucket",
         ParameterKind::Size,
         "0 B",
         "The size of the buckets in which gradients are collected. The gradients of a bucket are "
         "summed over the copies of the model together, as soon as it is full; 0 B sums them layer "
         "by layer."},
    };
    specs.insert(specs.end(), job.begin(), job.end());
    return specs;
}

TransformerModel::TransformerModel(const Parameters& parameters)
{
    const auto degree = [&](const char* name)
    { return static_cast<uint32_t>(ReadCount(parameters, name)); };
    m_request.job.shape = TransformerShape::Read(parameters);
    m_request.job.degrees = {.tensor = degree("tp"),
                             .context = degree("cp"),
                             .data = degree("dp"),
                             .pipeline = degree("pp"),
                             .expert = degree("ep")};
    m_request.isSequenceParallel = ReadSwitch(parameters, "sp");
    m_request.batch = ReadCount(parameters, "batch");
    m_request.job.microBatch = ReadCount(parameters, "micro-batch");
    m_request.job.zero = degree("zero");
    m_request.job.recompute = ReadRecompute(parameters.Get<std::string>("recompute"));
    m_request.job.elementBytes = SizeOfNumberType(parameters.Get<std::string>("dtype"));
    m_request.job.elementType = ReadNumberType(parameters, "dtype");
    m_request.job.gradientBytes = SizeOfNumberType(parameters.Get<std::string>("gradient-dtype"));
    m_request.job.bucketBytes = static_cast<uint64_t>(parameters.Get<Bytes>("bucket").Count());
    m_request.job.streamsWeights = parameters.Get<std::string>("weights") == "streamed";
    if (m_request.job.streamsWeights && (m_request.job.zero > 0 || m_request.job.bucketBytes > 0))
    {
        throw ConfigError("weights",
                          "streamed leaves nothing to partition or to collect; remove zero and "
                          "bucket, or write resident");
    }
    if (parameters.Get<std::string>("phase") != "train")
    {
        ReadForward(parameters);
        return;
    }
    if (ReadCount(parameters, "context") > 0)
    {
        throw ConfigError("context",
                          "a step of training has no cache; write phase: decode, or "
                          "remove it");
    }
    ReadPipeline(parameters);
    CheckAlone(m_request);
}

/// Throws ConfigError at a parameter of training that a forward pass would ignore.
void
TransformerModel::ReadForward(const Parameters& parameters)
{
    const TransformerJob& job = m_request.job;
    const auto refuse = [](const char* name, bool isGiven)
    {
        if (isGiven)
        {
            throw ConfigError(name,
                              "is for training, and a forward pass has none of it; remove it");
        }
    };
    // A parameter that has its default cannot be told from one that was not given, and passes.
    refuse("sp", m_request.isSequenceParallel);
    refuse("cp", job.degrees.context > 1);
    refuse("zero", job.zero > 0);
    refuse("weights", job.streamsWeights);
    refuse("recompute", job.recompute != Recompute::None);
    refuse("bucket", job.bucketBytes > 0);
    refuse("gradient-dtype", job.gradientBytes != job.elementBytes);
    refuse("schedule", parameters.Get<std::string>("schedule") != "1f1b");
    refuse("micro-batch", job.microBatch > 1);
    if (job.degrees.tensor == 0)
    {
        throw ConfigError("tp", "a forward pass needs a number from 1");
    }
    const bool isPrefill = parameters.Get<std::string>("phase") == "prefill";
    m_forward = ForwardRequest{.model = {.shape = job.shape,
                                         .tensor = job.degrees.tensor,
                                         .pipeline = job.degrees.pipeline,
                                         .expert = job.degrees.expert,
                                         .elementBytes = job.elementBytes,
                                         .expertBytes = job.elementBytes,
                                         .kvBytes = job.elementBytes,
                                         .elementType = job.elementType,
                                         .expertType = job.elementType,
                                         .kvType = job.elementType},
                               .data = job.degrees.data,
                               .sequences = m_request.batch,
                               .tokens = isPrefill ? job.shape.sequence : 1,
                               .context = ReadCount(parameters, "context")};
    if (m_request.batch == 0)
    {
        throw ConfigError("batch", "a forward pass needs the number of its sequences");
    }
    if (job.degrees.data > 0)
    {
        // Without dp the replicas follow from the ranks, and MakeForwardWorkload checks.
        m_forward->model.Check(job.degrees.data);
    }
}

void
TransformerModel::ReadPipeline(const Parameters& parameters)
{
    Pipeline& pipeline = m_request.job.pipeline;
    pipeline.stages = m_request.job.degrees.pipeline;
    pipeline.schedule = ReadSchedule(parameters.Get<std::string>("schedule"));
    // One stage would have nobody to send to between its chunks, so it has a single one.
    if (pipeline.schedule == PipelineSchedule::Interleaved && pipeline.stages > 1)
    {
        pipeline.chunks = static_cast<uint32_t>(ReadCount(parameters, "chunks"));
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
    if (m_forward)
    {
        return MakeForwardWorkload(*m_forward, place.ranks);
    }
    const TransformerJob job = CutJob(m_request, place);
    const TransformerLayout layout(job.degrees);
    const TransformerParts parts(job);
    const auto kinds = static_cast<uint32_t>(parts.Kinds().size());
    GeneratedJob generated;
    for (uint32_t stage = 0; stage < job.pipeline.stages; ++stage)
    {
        for (const TransformerShape& part : parts.Kinds())
        {
            generated.graphs.push_back(MakeTransformerStage(job, part, stage));
        }
    }
    for (uint32_t rank = 0; rank < place.ranks; ++rank)
    {
        const TransformerLayout::Place at = layout.PlaceOf(rank);
        // Graphs are listed stage by stage, and within a stage by kind of part.
        generated.graphOfRank.push_back(at.stage * kinds + parts.KindOf(at.tensor));
    }
    generated.groupOf = [layout](uint32_t rank, const std::string& group)
    { return layout.GroupOf(rank, group); };
    generated.peersOf = [layout](uint32_t rank) { return layout.PeersOf(rank); };
    return MakeGeneratedWorkload(std::move(generated));
}

NADI_REGISTER(WorkloadModel, TransformerModel, "transformer");

} // namespace nadi
