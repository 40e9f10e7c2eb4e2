// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/block-works.h"
#include "workload/what-if/shapes/kernel-steps.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// Reads one backward segment.
class BackwardReader
{
  public:
    BackwardReader(const TaskList& tasks,
                   const std::vector<BlockWork>& forward,
                   const SizeSightings& sizes)
        : m_tasks(tasks)
        , m_sizes(sizes)
        , m_graph(sizes.Graph())
    {
        for (const BlockWork& work : forward)
        {
            if (work.kind == BlockKind::Embedding)
            {
                m_embedding = &work;
            }
            // A core of an attention has no weights and so no pair of gradients. AddCore reads what
            // comes back of it.
            else if (!WeightsOf(StepsOf(m_graph, work.node)).empty())
            {
                m_forward.push_back(&work);
            }
        }
    }

    std::vector<BlockWork> Read()
    {
        std::vector<std::vector<KernelStep>> nodes;
        // Nodes with products are collected for Pair, as only their number tells whether the
        // forward pass is repeated before the gradients.
        for (const uint32_t task : m_tasks)
        {
            std::vector<KernelStep> steps = StepsOf(m_graph, task);
            if (!WeightsOf(steps).empty())
            {
                nodes.push_back(std::move(steps));
            }
            else if (!steps.empty())
            {
                AddCore(steps);
            }
            else if (m_embedding != nullptr && IsEmbeddingGradient(task))
            {
                BlockWork& work = m_works.emplace_back(*m_embedding);
                work.node = task;
                work.work = WorkKind::WeightGradient;
            }
        }
        Pair(nodes);
        return std::move(m_works);
    }

  private:
    /// The gradient adds rows to the table: a copy as wide as the hidden width.
    bool IsEmbeddingGradient(uint32_t node) const
    {
        const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(m_graph.Node(node));
        return kernels.size() == 1 && kernels.front().op == KernelOp::Copy &&
               kernels.front().n == m_sizes.Seen().hidden;
    }

    /// Of the core of an attention, which has no weights. Its sizes count the same in both
    /// directions (CoreMeaning), so a core that is computed once more may pass for a gradient.
    void AddCore(const std::vector<KernelStep>& steps)
    {
        BlockWork work{.node = steps.front().node,
                       .kind = BlockKind::Attention,
                       .work = WorkKind::InputGradient,
                       .kernels = std::vector<KernelMeaning>(
                           m_graph.KernelsOf(m_graph.Node(steps.front().node)).size())};
        for (const KernelStep& step : steps)
        {
            work.kernels[step.index] = CoreMeaning(step, m_sizes.Seen());
        }
        m_works.push_back(std::move(work));
    }

    void Pair(const std::vector<std::vector<KernelStep>>& nodes)
    {
        const size_t count = m_forward.size();
        const bool isRepeated = nodes.size() == 3 * count;
        if (nodes.empty())
        {
            return;
        }
        if (!isRepeated && nodes.size() != 2 * count)
        {
            m_sizes.Refuse(nodes.front().front().node,
                           fmt::format("begins {} tasks with products backward, where {} forward "
                                       "have two gradients each",
                                       nodes.size(),
                                       count));
        }
        for (size_t i = 0; isRepeated && i < count; ++i)
        {
            AddWork(*m_forward[i], nodes[i], WorkKind::Forward);
        }
        for (size_t i = isRepeated ? count : 0; i < nodes.size(); ++i)
        {
            AddGradient(nodes[i]);
        }
    }

    /// Of the last forward node of whose gradients one is still missing and has these sizes.
    void AddGradient(const std::vector<KernelStep>& steps)
    {
        for (size_t at = m_forward.size(); at-- > 0;)
        {
            for (const WorkKind kind : {WorkKind::InputGradient, WorkKind::WeightGradient})
            {
                // Each gradient is taken once, so that earlier products of equal sizes get theirs,
                // too.
                if (!m_known.contains({at, kind}) && Match(*m_forward[at], steps, kind))
                {
                    m_known.emplace(at, kind);
                    AddWork(*m_forward[at], steps, kind);
                    return;
                }
            }
        }
        m_sizes.Refuse(steps.front().node,
                       "has other sizes than the gradients of the products before it that are "
                       "still missing");
    }

    /// What a product of the forward pass counts in this one: nothing where it does not fit.
    static std::optional<KernelMeaning> FindMeaning(const KernelLaunch& forward,
                                                    const KernelMeaning& meaning,
                                                    const KernelStep& step,
                                                    WorkKind work)
    {
        // Y = X W has X of m x k and W of k x n. The gradient of X is a product of m x k with the
        // inner size n; that of W is k x n, or n x k where W^T is written, with the inner size m.
        const KernelLaunch& kernel = step.kernel;
        const auto is = [&](uint64_t m, uint64_t n, uint64_t k)
        { return kernel.m == m && kernel.n == n && kernel.k == k; };
        if (work == WorkKind::Forward && is(forward.m, forward.n, forward.k))
        {
            return meaning;
        }
        if (work == WorkKind::InputGradient && is(forward.m, forward.k, forward.n))
        {
            return OfInputGradient(meaning);
        }
        if (work == WorkKind::WeightGradient && is(forward.k, forward.n, forward.m))
        {
            return OfWeightGradient(meaning);
        }
        if (work == WorkKind::WeightGradient && is(forward.n, forward.k, forward.m))
        {
            return OfTransposedWeightGradient(meaning);
        }
        return std::nullopt;
    }

    /// By product of a node; empty where one does not fit.
    std::vector<KernelMeaning>
    MeaningsOf(const BlockWork& forward, const std::vector<KernelStep>& steps, WorkKind work) const
    {
        const std::vector<KernelStep> products = WeightsOf(StepsOf(m_graph, forward.node));
        const std::vector<KernelStep> others = WeightsOf(steps);
        std::vector<KernelMeaning> meanings;
        for (size_t i = 0; products.size() == others.size() && i < products.size(); ++i)
        {
            const auto meaning = FindMeaning(
                products[i].kernel, forward.kernels[products[i].index], others[i], work);
            if (!meaning)
            {
                return {};
            }
            meanings.push_back(*meaning);
        }
        return meanings;
    }

    bool Match(const BlockWork& forward, const std::vector<KernelStep>& steps, WorkKind work) const
    {
        return !MeaningsOf(forward, steps, work).empty();
    }

    void AddWork(const BlockWork& forward, const std::vector<KernelStep>& steps, WorkKind kind)
    {
        const uint32_t node = steps.front().node;
        const std::vector<KernelMeaning> products = MeaningsOf(forward, steps, kind);
        if (products.empty())
        {
            m_sizes.Refuse(node,
                           fmt::format("has other sizes than the gradients of task {} (\"{}\")",
                                       forward.node,
                                       m_graph.Name(forward.node)));
        }
        BlockWork& work = m_works.emplace_back(forward);
        work.node = node;
        work.work = kind;
        work.kernels.assign(m_graph.KernelsOf(m_graph.Node(node)).size(), {});
        size_t next = 0;
        // Products get their meaning from the forward node, the core of an attention from its own
        // sizes.
        for (const KernelStep& step : steps)
        {
            work.kernels[step.index] =
                step.HasWeights() ? products[next++] : CoreMeaning(step, m_sizes.Seen());
        }
    }

    const TaskList& m_tasks;
    const SizeSightings& m_sizes;
    const ExecutionGraph& m_graph;
    std::vector<const BlockWork*> m_forward;
    const BlockWork* m_embedding = nullptr;
    std::set<std::pair<size_t, WorkKind>> m_known; ///< gradients, by place in m_forward
    std::vector<BlockWork> m_works;
};

} // namespace

std::vector<BlockWork>
ReadBackwardWorks(const TaskList& tasks,
                  const std::vector<BlockWork>& forward,
                  const SizeSightings& sizes)
{
    return BackwardReader(tasks, forward, sizes).Read();
}

} // namespace nadi
