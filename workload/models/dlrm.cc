// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "workload/models/generated-graph.h"
#include "workload/models/generated-job.h"
#include "workload/models/model-parameters.h"
#include "workload/workload-model.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

/// One step of a recommendation model, complete: the dense layers are copied on every rank, the
/// embedding tables are shared out. So gradients of the layers are summed, and vectors of the
/// tables are exchanged by all-to-all.
struct DlrmJob
{
    uint64_t ranks = 1;
    uint64_t tables = 0;
    uint64_t vectorSize = 0;
    uint64_t lookups = 0;
    std::vector<uint64_t> bottom; ///< widths: of the dense features, then of each layer's output
    std::vector<uint64_t> top;    ///< the first is what the interaction gives
    uint64_t batch = 0;           ///< over all ranks
    uint64_t elementBytes = 4;
    NumberType elementType = NumberType::None;

    uint64_t Samples() const
    {
        return batch / ranks;
    }

    /// What a rank sends of its tables' vectors, and receives for its samples.
    uint64_t VectorBytes() const
    {
        return ShareOf(MultiplyCounts({batch, tables, vectorSize, elementBytes}), ranks);
    }
};

/// One training step on every rank.
class DlrmWriter
{
  public:
    explicit DlrmWriter(const DlrmJob& job)
        : m_job(job)
    {
    }

    ExecutionGraph Build()
    {
        // Neither the lookup nor the bottom MLP depends on anything. The lookup has the lower id,
        // so it runs first, and the exchange then overlaps the MLP.
        const Ids vectors = Exchange("embedding vectors", {AddLookup()});
        const Ids dense = WriteForward("bottom", m_job.bottom, {});
        const Ids joined = {
            m_graph.AddCompute("interaction", InteractionCost(), Join(vectors, dense))};
        const Ids loss = WriteForward("top", m_job.top, joined);
        const Ids top = WriteBackward("top", m_job.top, loss, InputGradient::Needed);
        // Each product has a gradient for both of its vectors, which is twice the work.
        const Ids split = {m_graph.AddCompute("interaction gradient", InteractionCost() * 2, top)};
        const Ids gradients = Exchange("embedding gradients", split);
        // This waits for the interaction and not for the exchange, so the two overlap.
        WriteBackward("bottom", m_job.bottom, split, InputGradient::Unused);
        AddEmbeddingUpdate(gradients);
        m_graph.AddUpdate(m_parameters, m_job.elementBytes, m_gradients);
        return m_graph.Build();
    }

  private:
    using Ids = GeneratedGraph::Ids;

    enum class InputGradient : uint8_t
    {
        Needed,
        Unused, ///< of the first layer: its input is data
    };

    static Ids Join(Ids left, const Ids& right)
    {
        left.insert(left.end(), right.begin(), right.end());
        return left;
    }

    /// Numbers in the rows of the tables that a rank looks up.
    uint64_t RowNumbers() const
    {
        return ShareOf(MultiplyCounts({m_job.batch, m_job.tables, m_job.lookups, m_job.vectorSize}),
                       m_job.ranks);
    }

    /// Rows are read and summed; a vector for each table and sample is written.
    uint64_t AddLookup()
    {
        return AddRowKernel("lookup", 1, {});
    }

    /// The gradient of a vector is read; the rows that it was summed from are read and written.
    void AddEmbeddingUpdate(const Ids& gradients)
    {
        AddRowKernel("embedding update", 2, gradients);
    }

    /// Passes over the rows that were looked up so often, and once over their sums.
    uint64_t AddRowKernel(const std::string& name, uint64_t passes, const Ids& after)
    {
        const uint64_t numbers = RowNumbers();
        return m_graph.AddCompute(
            name,
            WorkOf({.op = KernelOp::Copy,
                    .type = m_job.elementType,
                    .m = numbers,
                    .bytes =
                        MultiplyCounts({passes, numbers, m_job.elementBytes}) + m_job.VectorBytes(),
                    .operations = numbers}),
            after);
    }

    Ids Exchange(const std::string& name, const Ids& after)
    {
        if (m_job.ranks == 1)
        {
            return after;
        }
        return {
            m_graph.AddCollective(name, {CollectiveType::AllToAll, m_job.VectorBytes(), 0}, after)};
    }

    /// Every vector of a sample with every other: products of matrices of (tables + 1) x size.
    Work InteractionCost() const
    {
        const uint64_t vectors = m_job.tables + 1;
        return WorkOf(
            {.op = KernelOp::BatchedGemm,
             .type = m_job.elementType,
             .m = vectors,
             .n = vectors,
             .k = m_job.vectorSize,
             .batch = m_job.Samples(),
             .bytes =
                 MultiplyCounts({m_job.Samples(), vectors, m_job.vectorSize, m_job.elementBytes}) +
                 MultiplyCounts({m_job.Samples(), m_job.top.front(), m_job.elementBytes}),
             .operations =
                 MultiplyCounts({2, m_job.Samples(), vectors, vectors, m_job.vectorSize})});
    }

    Work LayerCost(const std::vector<uint64_t>& widths, size_t layer) const
    {
        return MatrixProduct{m_job.Samples(),
                             widths[layer],
                             widths[layer + 1],
                             m_job.elementBytes,
                             m_job.elementType}
            .Cost();
    }

    Ids WriteForward(const std::string& part, const std::vector<uint64_t>& widths, Ids after)
    {
        for (size_t layer = 0; layer + 1 < widths.size(); ++layer)
        {
            after = {m_graph.AddCompute(
                fmt::format("{} layer {} forward", part, layer), LayerCost(widths, layer), after)};
        }
        return after;
    }

    Ids WriteBackward(const std::string& part,
                      const std::vector<uint64_t>& widths,
                      Ids after,
                      InputGradient first)
    {
        for (size_t layer = widths.size() - 1; layer-- > 0;)
        {
            const std::string name = fmt::format("{} layer {} ", part, layer);
            const Ids outputs = after;
            // Before the gradient of the weights: the layer before waits for it.
            if (layer > 0 || first == InputGradient::Needed)
            {
                after = {m_graph.AddCompute(
                    name + "input gradient", MakeInputGradient(LayerCost(widths, layer)), outputs)};
            }
            AddWeightGradient(name,
                              // Each output has a bias too.
                              MultiplyCounts({widths[layer] + 1, widths[layer + 1]}),
                              MakeWeightGradient(LayerCost(widths, layer)),
                              outputs);
        }
        return after;
    }

    void AddWeightGradient(const std::string& name,
                           uint64_t parameters,
                           const Work& cost,
                           const Ids& outputs)
    {
        m_parameters += parameters;
        uint64_t gradient = m_graph.AddCompute(name + "weight gradient", cost, outputs);
        if (m_job.ranks > 1)
        {
            gradient = m_graph.AddCollective(
                name + "weight gradient sum",
                {CollectiveType::AllReduce, MultiplyCounts({parameters, m_job.elementBytes}), 0},
                {gradient});
        }
        m_gradients.push_back(gradient);
    }

    const DlrmJob& m_job;
    GeneratedGraph m_graph{"dlrm"};
    Ids m_gradients;
    uint64_t m_parameters = 0; ///< of the MLPs
};

/// A deep learning recommendation model (Naumov et al., arXiv 1906.00091): embedding tables spread
/// evenly over the ranks (by columns where their number does not divide), MLPs copied on all. The
/// vectors that a rank looks up for all samples reach their samples by an all-to-all, beside the
/// bottom MLP; their gradients go back the same way, beside the backward pass of the bottom MLP.
/// The gradients of the MLPs, biases included, are summed layer by layer.
class DlrmModel : public WorkloadModel
{
  public:
    static constexpr const char* Help =
        "A training step of a deep learning recommendation model (DLRM; Naumov et al., arXiv "
        "1906.00091). Its embedding tables are spread over the ranks, and its MLPs are data "
        "parallel.";

    static std::vector<ParameterSpec> ParameterSpecs()
    {
        return {
            MakeCount("tables", "26", "The number of embedding tables.", {.least = 1}),
            MakeCount("vector-size",
                      "128",
                      "The number of elements in a vector of an embedding table.",
                      {.least = 1}),
            MakeCount("lookups",
                      "1",
                      "The number of vectors that each sample looks up in each table.",
                      {.least = 1}),
            MakeCounts("bottom",
                       "13,512,256,128",
                       "The number of dense features of a sample, followed by the widths of the "
                       "layers of the bottom MLP. The last width must be vector-size."),
            MakeCounts("top", "1024,1024,512,256,1", "The widths of the layers of the top MLP."),
            MakeCount("batch",
                      "",
                      "The number of samples in a training step, over all ranks. It must be a "
                      "multiple of the number of ranks.",
                      {.least = 1}),
            MakeChoice("dtype",
                       {"fp32", "bf16", "fp16", "fp8"},
                       "The type of all numbers, which sets how many bytes each of them takes in "
                       "messages and in memory.")};
    }

    explicit DlrmModel(const Parameters& parameters)
    {
        m_job.tables = ReadCount(parameters, "tables");
        m_job.vectorSize = ReadCount(parameters, "vector-size");
        m_job.lookups = ReadCount(parameters, "lookups");
        m_job.batch = ReadCount(parameters, "batch");
        m_job.elementBytes = SizeOfNumberType(parameters.Get<std::string>("dtype"));
        m_job.elementType = ReadNumberType(parameters, "dtype");
        m_job.bottom = ReadCounts(parameters, "bottom");
        m_job.top = ReadCounts(parameters, "top");
        if (m_job.bottom.size() < 2 || m_job.bottom.back() != m_job.vectorSize)
        {
            throw ConfigError("bottom",
                              fmt::format("does not end with vector-size; write two widths or "
                                          "more, the last {}",
                                          m_job.vectorSize));
        }
        // The interaction gives a product for each pair of the vectors, those of the tables and
        // that of the bottom MLP, and the latter vector itself.
        const uint64_t pairs = (m_job.tables + 1) * m_job.tables / 2;
        m_job.top.insert(m_job.top.begin(), pairs + m_job.vectorSize);
    }

    Workload Make(const JobPlace& place) const override
    {
        DlrmJob job = m_job;
        job.ranks = place.ranks;
        CheckDivides({"batch", "batch", job.batch, "the ranks,", job.ranks});
        GeneratedJob generated;
        generated.graphs.push_back(DlrmWriter(job).Build());
        generated.graphOfRank.assign(place.ranks, 0);
        return MakeGeneratedWorkload(std::move(generated));
    }

  private:
    DlrmJob m_job; ///< but for the ranks
};

} // namespace

NADI_REGISTER(WorkloadModel, DlrmModel, "dlrm");

} // namespace nadi
