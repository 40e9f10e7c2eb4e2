// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/models/rank-blocks.h"
#include "workload/workload-model.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// One training step on every rank.
class MlpWriter
{
  public:
    struct Job
    {
        std::vector<uint64_t> widths; ///< of the input, then of each layer's output
        uint64_t samples = 0;         ///< of a rank
        uint64_t elementBytes = 2;
        NumberType elementType = NumberType::None;
        uint64_t modelRanks = 1;
        uint64_t dataRanks = 1;
        std::string modelGroup;
        std::string dataGroup;
    };

    explicit MlpWriter(const Job& job)
        : m_job(job)
    {
    }

    ExecutionGraph Build()
    {
        for (size_t layer = 0; layer < LayerCount(); ++layer)
        {
            WriteForward(layer);
        }
        for (size_t layer = LayerCount(); layer-- > 0;)
        {
            WriteBackward(layer);
        }
        m_graph.AddUpdate(m_parameters, m_job.elementBytes, m_gradients);
        return m_graph.Build();
    }

  private:
    using Ids = GeneratedGraph::Ids;

    size_t LayerCount() const
    {
        return m_job.widths.size() - 1;
    }

    uint64_t OutputsOfRank(size_t layer) const
    {
        return m_job.widths[layer + 1] / m_job.modelRanks;
    }

    Work ProductCost(size_t layer) const
    {
        return MatrixProduct{m_job.samples,
                             m_job.widths[layer],
                             OutputsOfRank(layer),
                             m_job.elementBytes,
                             m_job.elementType,
                             m_job.modelRanks}
            .Cost();
    }

    void WriteForward(size_t layer)
    {
        const std::string name = fmt::format("layer {} ", layer);
        m_after = {m_graph.AddCompute(name + "forward", ProductCost(layer), m_after)};
        if (m_job.modelRanks > 1)
        {
            const uint64_t shard =
                MultiplyCounts({m_job.samples, OutputsOfRank(layer), m_job.elementBytes});
            m_after = {
                Call(name + "activations",
                     {CollectiveType::AllGather, shard, m_graph.AddGroup(m_job.modelGroup)})};
        }
    }

    uint64_t Call(const std::string& name, const GeneratedGraph::Call& call)
    {
        return m_graph.AddCollective(name, call, m_after);
    }

    void WriteBackward(size_t layer)
    {
        const std::string name = fmt::format("layer {} ", layer);
        // Both gradients need that of the outputs, and m_after changes below.
        const Ids outputs = m_after;
        if (layer > 0) // nobody asks for the gradient of the job's input
        {
            m_after = {m_graph.AddCompute(
                name + "input gradient", MakeInputGradient(ProductCost(layer)), outputs)};
            if (m_job.modelRanks > 1)
            {
                // Each rank has computed the part of its own outputs in the gradients of all
                // inputs. The gradients are the sums of these parts.
                const uint64_t bytes =
                    MultiplyCounts({m_job.samples, m_job.widths[layer], m_job.elementBytes});
                m_after = {
                    Call(name + "input gradient sum",
                         {CollectiveType::AllReduce, bytes, m_graph.AddGroup(m_job.modelGroup)})};
            }
        }
        WriteWeightGradient(layer, name, outputs);
    }

    void WriteWeightGradient(size_t layer, const std::string& name, const Ids& outputs)
    {
        const uint64_t parameters = MultiplyCounts({m_job.widths[layer], OutputsOfRank(layer)});
        m_parameters += parameters;
        uint64_t gradient = m_graph.AddCompute(
            name + "weight gradient", MakeWeightGradient(ProductCost(layer)), outputs);
        if (m_job.dataRanks > 1)
        {
            gradient = m_graph.AddCollective(name + "weight gradient sum",
                                             {CollectiveType::AllReduce,
                                              MultiplyCounts({parameters, m_job.elementBytes}),
                                              m_graph.AddGroup(m_job.dataGroup)},
                                             {gradient});
        }
        m_gradients.push_back(gradient);
    }

    const Job& m_job;
    GeneratedGraph m_graph{"mlp"};
    Ids m_after; ///< what the next layer waits for
    Ids m_gradients;
    uint64_t m_parameters = 0; ///< of a rank
};

} // namespace

/// A multi-layer perceptron without biases. A model-parallel layer is cut over its outputs: forward
/// its activations are gathered, backward the gradients of its inputs are summed. Data parallelism
/// sums the gradients of the weights, each layer's while the layers before it are computed.
///
/// `dp-mp` runs data parallelism over the first dimension and model parallelism over the others,
/// `mp-dp` the other way round (Sridharan et al., "Chakra", arXiv 2305.14516, section 6.2).
///
/// The update costs 2 operations for each parameter, and reads and writes it and its gradient.
class MlpModel : public WorkloadModel
{
  public:
    static constexpr const char* Help = "A training step of a multilayer perceptron (MLP) without "
                                        "biases, with data parallelism, model parallelism or both.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {
            MakeCount("layers", "6", "The number of fully connected layers.", {.least = 1}),
            MakeCounts(
                "widths",
                "4096",
                "The widths of the activations: either one number for all of them, or the width of "
                "the input followed by the output width of each layer. With model parallelism, "
                "each output width must be a multiple of the number of model-parallel ranks."),
            MakeCount("batch",
                      "",
                      "The number of samples in a training step, over all ranks. It must be a "
                      "multiple of the number of data-parallel ranks.",
                      {.least = 1}),
            MakeChoice(
                "parallelism",
                {"dp", "mp", "dp-mp", "mp-dp"},
                "The kind of parallelism: dp and mp use data or model parallelism over all ranks. "
                "In a stack of several dimensions, dp-mp uses data parallelism over the first "
                "dimension and model parallelism over the others, and mp-dp the other way round."),
            MakeNumberType("dtype",
                           "The type of all numbers, which sets how many bytes each of them takes "
                           "in messages and in memory.")};
    }

    explicit MlpModel(const Parameters& parameters)
        : m_batch(ReadCount(parameters, "batch"))
        , m_parallelism(parameters.Get<std::string>("parallelism"))
        , m_elementBytes(SizeOfNumberType(parameters.Get<std::string>("dtype")))
        , m_elementType(ReadNumberType(parameters, "dtype"))
    {
        const uint64_t layers = ReadCount(parameters, "layers");
        m_widths = ReadCounts(parameters, "widths");
        if (m_widths.size() == 1)
        {
            m_widths.assign(layers + 1, m_widths.front());
        }
        if (m_widths.size() != layers + 1)
        {
            throw ConfigError("widths",
                              fmt::format("{} numbers for {} layers; write one for all, or {}",
                                          m_widths.size(),
                                          layers,
                                          layers + 1));
        }
    }

    Workload Make(const JobPlace& place) const override
    {
        const RankBlocks blocks(place.ranks, FirstDimension(place));
        MlpWriter::Job job;
        job.widths = m_widths;
        job.elementBytes = m_elementBytes;
        job.elementType = m_elementType;
        SetGroups(job, blocks);
        CheckDivides({"batch", "batch", m_batch, "the data-parallel ranks,", job.dataRanks});
        job.samples = m_batch / job.dataRanks;
        // This begins at 1, as the width of the input is not cut.
        for (size_t layer = 1; layer < m_widths.size(); ++layer)
        {
            CheckDivides(
                {"widths", "width", m_widths[layer], "the model-parallel ranks,", job.modelRanks});
        }
        CheckNodeCount({"layers", "layers", m_widths.size() - 1, NodesOfLayer(job)});
        GeneratedJob generated;
        generated.graphs.push_back(MlpWriter(job).Build());
        generated.graphOfRank.assign(place.ranks, 0);
        generated.groupOf = [blocks](uint32_t rank, const std::string& group)
        { return blocks.GroupOf(rank, group); };
        return MakeGeneratedWorkload(std::move(generated));
    }

  private:
    /// Three kernels; two collectives of activations and gradients, and one of the weights.
    static uint64_t NodesOfLayer(const MlpWriter::Job& job)
    {
        return 3 + (job.modelRanks > 1 ? 2 : 0) + (job.dataRanks > 1 ? 1 : 0);
    }

    /// Throws ConfigError where parallelism is laid on dimensions that are not there.
    uint32_t FirstDimension(const JobPlace& place) const
    {
        // There are no blocks, and 1 divides any number of ranks.
        if (m_parallelism == "dp" || m_parallelism == "mp")
        {
            return 1;
        }
        uint64_t product = 1;
        for (const uint32_t size : place.dimensions)
        {
            product *= size;
        }
        if (place.dimensions.size() < 2 || product != place.ranks)
        {
            throw ConfigError("parallelism",
                              fmt::format("{} needs a stack of two dimensions or more that holds "
                                          "the {} ranks; write network.dimensions or "
                                          "system.dimensions so, or dp, or mp",
                                          m_parallelism,
                                          place.ranks));
        }
        return place.dimensions.front();
    }

    void SetGroups(MlpWriter::Job& job, const RankBlocks& blocks) const
    {
        const bool isDataFirst = m_parallelism == "dp-mp";
        const bool isMixed = isDataFirst || m_parallelism == "mp-dp";
        job.dataGroup = !isMixed ? "" : isDataFirst ? RankBlocks::INNER : RankBlocks::OUTER;
        job.modelGroup = !isMixed ? "" : isDataFirst ? RankBlocks::OUTER : RankBlocks::INNER;
        job.dataRanks = m_parallelism == "mp" ? 1 : blocks.SizeOf(job.dataGroup);
        job.modelRanks = m_parallelism == "dp" ? 1 : blocks.SizeOf(job.modelGroup);
    }

    std::vector<uint64_t> m_widths;
    uint64_t m_batch;
    std::string m_parallelism;
    uint64_t m_elementBytes;
    NumberType m_elementType;
};

NADI_REGISTER(WorkloadModel, MlpModel, "mlp");

} // namespace nadi
