// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/forward-pass.h"

#include <cmath>
#include <string>
#include <utility>

namespace nadi
{

namespace
{

/// Writes what a rank does, one thing after the other.
///
/// m_last is what the next node waits for: each node that is added takes its place.
class PassWriter
{
  public:
    PassWriter(const ForwardModel& model, const TransformerShape& part, const PassTask& task)
        : m_model(model)
        , m_task(task)
        , m_costs(model, part)
        , m_graph("forward pass")
        , m_activations(m_costs.ActivationBytes(task.batch))
    {
        // Order: that of PassGroup. Both are named even where they are not used, so that the
        // indices are right.
        m_graph.AddGroup("tp"); // PassGroup::Tensor
        m_graph.AddGroup("ep");
    }

    ExecutionGraph Write()
    {
        if (m_task.previousStage)
        {
            m_last = {m_graph.AddReceive(
                "activations", {.peer = *m_task.previousStage, .bytes = m_activations}, {})};
        }
        if (m_task.hasEmbedding && m_model.shape.vocabulary > 0)
        {
            Add(m_costs.Embedding(m_task.batch));
            AddSum("embedding sum");
        }
        for (uint64_t layer = m_task.firstLayer; layer < m_task.lastLayer; ++layer)
        {
            WriteLayer(layer);
            TellLayer(layer);
        }
        WriteLeftOut();
        if (m_task.hasHead)
        {
            Add(m_costs.Head(m_task.batch));
        }
        if (m_task.nextStage)
        {
            m_graph.AddSend(
                "activations", {.peer = *m_task.nextStage, .bytes = m_activations}, m_last);
        }
        return m_graph.Build();
    }

  private:
    using Ids = GeneratedGraph::Ids;

    /// One delay, or one for each layer where their ends are told.
    void WriteLeftOut()
    {
        if (!m_task.tellsLayers)
        {
            return AddDelay(m_task.delay.Ps());
        }
        const auto layers = static_cast<int64_t>(m_task.lastLeftOut - m_task.firstLeftOut);
        for (int64_t i = 0; i < layers; ++i)
        {
            const int64_t delay = m_task.delay.Ps();
            // The first layers take the picoseconds that do not divide, so that all together take
            // the delay exactly.
            AddDelay(delay / layers + (i < delay % layers ? 1 : 0));
            TellLayer(m_task.firstLeftOut + static_cast<uint64_t>(i));
        }
    }

    void AddDelay(int64_t ps)
    {
        if (ps > 0)
        {
            m_last = {m_graph.AddDelay("layers left out", SimTime::FromPs(ps), m_last)};
        }
    }

    void TellLayer(uint64_t layer)
    {
        if (m_task.tellsLayers)
        {
            m_graph.AddMilestone(layer, m_last);
        }
    }

    void WriteLayer(uint64_t layer)
    {
        Add(m_costs.Projections(m_task.batch));
        Add(m_costs.AttentionCore(m_task.batch));
        AddSum("attention sum");
        if (m_model.shape.HasExperts(layer))
        {
            WriteExperts();
        }
        else
        {
            Add(m_costs.Mlp(m_task.batch));
        }
        AddSum("mlp sum");
    }

    /// The shared experts are computed while tokens are on their way.
    void WriteExperts()
    {
        const ExpertTraffic routed = NextRouted();
        Add(m_costs.Router(m_task.batch));
        const Ids router = m_last;
        AddExchange("dispatch", routed.copies * m_model.DispatchBytesOfToken(), routed.dispatch);
        Ids arrived = m_last;
        if (m_model.shape.sharedExperts > 0)
        {
            // They wait for the router only, and not for the exchange.
            m_last = router;
            Add(m_costs.SharedExperts(m_task.batch));
            arrived.insert(arrived.end(), m_last.begin(), m_last.end());
        }
        m_last = arrived;
        Add(m_costs.Experts(routed.load));
        AddExchange("combine", routed.results * m_model.CombineBytesOfToken(), routed.combine);
    }

    ExpertTraffic NextRouted()
    {
        return m_task.routed.empty() ? RouteEvenly(m_model, m_task.batch.tokens)
                                     : m_task.routed.at(m_expertLayers++);
    }

    /// What comes to a rank is as much as it sends: the other replicas of an expert group are
    /// taken to have batches of the same size.
    static ExpertTraffic RouteEvenly(const ForwardModel& model, uint64_t tokens)
    {
        const TransformerShape& shape = model.shape;
        const bool isSpread = model.expert > 1;
        const uint64_t copies = ShareOf(tokens, isSpread ? model.tensor : 1) * shape.topK;
        // Of all tokens that come to the group, the rank's experts are a sample.
        const double ofGroup = double(copies) / double(shape.topK) * model.expert;
        const double distinct =
            ExpectedDistinctExperts(shape.experts, shape.topK, ofGroup) / model.expert;
        return {.copies = copies,
                .load = {.copies = copies,
                         // The small number keeps rounding from adding an expert.
                         .distinct = static_cast<uint64_t>(std::ceil(distinct - 1e-9))},
                .results = copies};
    }

    /// A kernel of nothing is not launched.
    void Add(ForwardKernel kernel)
    {
        if (kernel.work.operations == 0)
        {
            return;
        }
        m_last = {m_graph.AddCompute(kernel.name, std::move(kernel.work), m_last)};
    }

    void AddSum(const char* name)
    {
        // Ranks of a tensor group have the same batch, so all of them leave the sum out or none.
        if (m_model.tensor > 1 && m_activations > 0)
        {
            AddCall(name, {CollectiveType::AllReduce, m_activations, GroupOf(PassGroup::Tensor)});
        }
    }

    void AddExchange(const char* name, uint64_t bytes, const SharedSplits& splits)
    {
        // Called also without tokens: other replicas of the group may have some, and wait for all
        // members.
        if (m_model.expert > 1)
        {
            AddCall(name, {CollectiveType::AllToAll, bytes, GroupOf(PassGroup::Expert), splits});
        }
    }

    static uint32_t GroupOf(PassGroup group)
    {
        return static_cast<uint32_t>(group);
    }

    void AddCall(const char* name, const GeneratedGraph::Call& call)
    {
        m_last = {m_graph.AddCollective(name, call, m_last)};
    }

    const ForwardModel& m_model;
    const PassTask& m_task;
    ForwardCosts m_costs;
    GeneratedGraph m_graph;
    uint64_t m_activations;
    Ids m_last;
    size_t m_expertLayers = 0;
};

} // namespace

ExecutionGraph
MakeForwardPass(const ForwardModel& model, const TransformerShape& part, const PassTask& task)
{
    return PassWriter(model, part, task).Write();
}

} // namespace nadi
