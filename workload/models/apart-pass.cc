// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/apart-pass.h"

#include "system/collective-plan.h"
#include "workload/models/forward-pass.h"

#include <cmath>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

/// The copies of tokens that an attention rank sends. Each rank of a tensor group has its part of
/// the tokens of its replica, and copies are numbered over all replicas.
///
/// `before`: the tokens of the replicas before it.
Interval
CopiesOf(const ForwardModel& model, const PassBatch& batch, uint64_t before, uint32_t tensorRank)
{
    const Interval tokens = PartOf({0, batch.tokens}, tensorRank, model.tensor);
    const uint64_t topK = model.shape.topK;
    return {(before + tokens.begin) * topK, (before + tokens.end) * topK};
}

/// Of these, those that go to the index-th rank of experts: they are dealt out by their numbers.
uint64_t
CopiesFor(const Interval& copies, const ApartTask& task, uint32_t index)
{
    const uint64_t ranks = task.experts.size();
    const auto dealtBefore = [&](uint64_t copy) { return (copy + ranks - 1 - index) / ranks; };
    return dealtBefore(copies.end) - dealtBefore(copies.begin);
}

/// Tokens of the replicas before this one in the micro-batch.
uint64_t
TokensBefore(const ApartTask& task, uint32_t replica, uint32_t microBatch)
{
    uint64_t tokens = 0;
    for (uint32_t before = 0; before < replica; ++before)
    {
        tokens += task.batches[before][microBatch].tokens;
    }
    return tokens;
}

/// Both ends of a message name it the same.
///
/// Each layer and micro-batch has tags of its own, as two ranks may come to their messages in
/// different orders.
struct MessageTags
{
    uint64_t out = 0;  ///< to the experts
    uint64_t back = 0; ///< from them
};

MessageTags
TagsOf(const ApartTask& task, uint64_t layer, uint32_t microBatch)
{
    const uint64_t place = (layer - task.firstLayer) * task.MicroBatches() + microBatch;
    return {2 * place, 2 * place + 1};
}

/// Each micro-batch is a chain of its own through all layers. Nothing orders the chains against
/// each other but the compute engine, which takes ready kernels by id: so the nodes of a layer are
/// written for all micro-batches before the next layer.
class AttentionWriter
{
  public:
    AttentionWriter(const ForwardModel& model,
                    const TransformerShape& part,
                    const ApartTask& task,
                    uint32_t replica,
                    uint32_t tensorRank)
        : m_model(model)
        , m_task(task)
        , m_batches(task.batches[replica])
        , m_replica(replica)
        , m_tensorRank(tensorRank)
        , m_costs(model, part)
        , m_graph("attention")
        , m_last(task.MicroBatches())
    {
        // The group of all ranks has index 0, so the first new one gets the index of Tensor.
        m_graph.AddGroup("tp"); // PassGroup::Tensor
    }

    ExecutionGraph Write()
    {
        ForEach(
            [&](uint32_t i)
            {
                if (m_task.hasEmbedding && m_model.shape.vocabulary > 0)
                {
                    Add(i, m_costs.Embedding(m_batches[i]));
                    AddSum(i, "embedding sum");
                }
            });
        for (uint64_t layer = m_task.firstLayer; layer < m_task.lastLayer; ++layer)
        {
            ForEach([&](uint32_t i) { WriteLayer(i, layer); });
            TellLayer(layer);
        }
        ForEach(
            [&](uint32_t i)
            {
                if (m_task.hasHead)
                {
                    Add(i, m_costs.Head(m_batches[i]));
                }
            });
        return m_graph.Build();
    }

  private:
    using Ids = GeneratedGraph::Ids;

    /// Micro-batches without tokens are left out.
    template <class Write>
    void ForEach(Write write)
    {
        for (uint32_t i = 0; i < m_batches.size(); ++i)
        {
            if (m_batches[i].tokens > 0)
            {
                write(i);
            }
        }
    }

    void WriteLayer(uint32_t i, uint64_t layer)
    {
        Add(i, m_costs.Projections(m_batches[i]));
        Add(i, m_costs.AttentionCore(m_batches[i]));
        AddSum(i, "attention sum");
        if (m_model.shape.HasExperts(layer))
        {
            WriteExperts(i, layer);
        }
        else
        {
            Add(i, m_costs.Mlp(m_batches[i]));
        }
        AddSum(i, "mlp sum");
    }

    /// One milestone for all micro-batches: the layer is over when the last of them has passed it.
    void TellLayer(uint64_t layer)
    {
        if (!m_task.tellsLayers)
        {
            return;
        }
        Ids all;
        ForEach([&](uint32_t i) { all.insert(all.end(), m_last[i].begin(), m_last[i].end()); });
        m_graph.AddMilestone(layer, all);
    }

    /// The shared experts are computed while tokens are away.
    void WriteExperts(uint32_t i, uint64_t layer)
    {
        Add(i, m_costs.Router(m_batches[i]));
        const MessageTags tags = TagsOf(m_task, layer, i);
        const Interval copies =
            CopiesOf(m_model, m_batches[i], TokensBefore(m_task, m_replica, i), m_tensorRank);
        Ids back;
        for (uint32_t index = 0; index < m_task.experts.size(); ++index)
        {
            // May be 0. The message goes all the same, as the rank of experts expects one of each
            // attention rank whose replica has tokens.
            const uint64_t sent = CopiesFor(copies, m_task, index);
            const uint32_t peer = m_task.experts[index].value;
            m_graph.AddSend("dispatch",
                            {.peer = peer,
                             .tag = tags.out,
                             .bytes = sent * m_model.DispatchBytesOfToken(),
                             .kind = MessageKind::Dispatch},
                            m_last[i]);
            back.push_back(m_graph.AddReceive(
                "combine",
                {.peer = peer, .tag = tags.back, .bytes = sent * m_model.CombineBytesOfToken()},
                {}));
        }
        if (m_model.shape.sharedExperts > 0)
        {
            Add(i, m_costs.SharedExperts(m_batches[i]));
        }
        // The next kernel needs the results of all experts and of the shared ones, but no send has
        // to be over.
        m_last[i].insert(m_last[i].end(), back.begin(), back.end());
    }

    /// A kernel without work is not launched, such as the head where there is no vocabulary.
    void Add(uint32_t i, ForwardKernel kernel)
    {
        if (kernel.work.operations > 0)
        {
            m_last[i] = {m_graph.AddCompute(kernel.name, std::move(kernel.work), m_last[i])};
        }
    }

    void AddSum(uint32_t i, const char* name)
    {
        if (m_model.tensor > 1)
        {
            m_last[i] = {m_graph.AddCollective(name,
                                               {CollectiveType::AllReduce,
                                                m_costs.ActivationBytes(m_batches[i]),
                                                static_cast<uint32_t>(PassGroup::Tensor)},
                                               m_last[i])};
        }
    }

    const ForwardModel& m_model;
    const ApartTask& m_task;
    const std::vector<PassBatch>& m_batches;
    uint32_t m_replica;
    uint32_t m_tensorRank;
    ForwardCosts m_costs;
    GeneratedGraph m_graph;
    std::vector<Ids> m_last; // by micro-batch
};

/// What one rank of experts gets and computes of a micro-batch in a layer, tokens being routed
/// evenly.
class ExpertsWriter
{
  public:
    ExpertsWriter(const ForwardModel& model, const ApartTask& task, uint32_t index)
        : m_model(model)
        , m_task(task)
        , m_index(index)
        , m_spread(model)
        , m_graph("experts")
    {
        // Experts lie whole on the ranks of experts: they are not cut over the tensor ranks of the
        // attention.
        m_spread.expert = static_cast<uint32_t>(task.experts.size());
    }

    ExecutionGraph Write()
    {
        for (uint64_t layer = m_task.firstLayer; layer < m_task.lastLayer; ++layer)
        {
            // Nodes are written layer by layer, as on the attention ranks: of ready kernels, the
            // one with the lowest id runs first.
            for (uint32_t i = 0; m_model.shape.HasExperts(layer) && i < m_task.MicroBatches(); ++i)
            {
                WriteMicroBatch(layer, i);
            }
        }
        return m_graph.Build();
    }

  private:
    void WriteMicroBatch(uint64_t layer, uint32_t i)
    {
        const MessageTags tags = TagsOf(m_task, layer, i);
        GeneratedGraph::Ids arrived;
        uint64_t copies = 0;
        uint64_t tokens = 0;
        ForEachSource(
            i,
            [&](RankId source, uint64_t sent)
            {
                const uint64_t bytes = sent * m_model.DispatchBytesOfToken();
                arrived.push_back(m_graph.AddReceive(
                    "dispatch", {.peer = source.value, .tag = tags.out, .bytes = bytes}, {}));
                copies += sent;
            });
        for (const std::vector<PassBatch>& replica : m_task.batches)
        {
            tokens += replica[i].tokens;
        }
        // No replica has tokens in this micro-batch.
        if (arrived.empty())
        {
            return;
        }
        // Where no copies come there is no kernel, and empty results are sent back at once.
        GeneratedGraph::Ids done = arrived;
        const ForwardKernel kernel =
            ForwardCosts(m_spread, m_spread.shape).Experts({copies, CountDistinct(tokens)});
        if (copies > 0)
        {
            done = {m_graph.AddCompute(kernel.name, kernel.work, arrived)};
        }
        ForEachSource(i,
                      [&](RankId source, uint64_t sent)
                      {
                          m_graph.AddSend("combine",
                                          {.peer = source.value,
                                           .tag = tags.back,
                                           .bytes = sent * m_model.CombineBytesOfToken(),
                                           .kind = MessageKind::Combine},
                                          done);
                      });
    }

    /// Calls `visit` with each attention rank whose replica has tokens in the micro-batch, and the
    /// copies that it sends to this rank.
    template <class Visit>
    void ForEachSource(uint32_t i, Visit visit) const
    {
        uint64_t before = 0;
        for (uint32_t replica = 0; replica < m_task.batches.size(); ++replica)
        {
            const PassBatch& batch = m_task.batches[replica][i];
            for (uint32_t rank = 0; batch.tokens > 0 && rank < m_model.tensor; ++rank)
            {
                const Interval copies = CopiesOf(m_model, batch, before, rank);
                visit(m_task.attention[replica * m_model.tensor + rank],
                      CopiesFor(copies, m_task, m_index));
            }
            before += batch.tokens;
        }
    }

    uint64_t CountDistinct(uint64_t tokens) const
    {
        const TransformerShape& shape = m_model.shape;
        const double all = ExpectedDistinctExperts(shape.experts, shape.topK, double(tokens));
        // The small number keeps an error of rounding from making one more of a whole quotient.
        return static_cast<uint64_t>(std::ceil(all / m_spread.expert - 1e-9));
    }

    const ForwardModel& m_model; // of the attention
    const ApartTask& m_task;
    uint32_t m_index;
    ForwardModel m_spread; // the same with its experts on these ranks
    GeneratedGraph m_graph;
};

} // namespace

ExecutionGraph
MakeAttentionPass(const ForwardModel& model,
                  const TransformerShape& part,
                  const ApartTask& task,
                  uint32_t replica,
                  uint32_t tensorRank)
{
    return AttentionWriter(model, part, task, replica, tensorRank).Write();
}

ExecutionGraph
MakeExpertsPass(const ForwardModel& model, const ApartTask& task, uint32_t index)
{
    return ExpertsWriter(model, task, index).Write();
}

} // namespace nadi
