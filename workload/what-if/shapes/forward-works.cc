// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/block-works.h"
#include "workload/what-if/shapes/kernel-steps.h"
#include "workload/what-if/shapes/work-list.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

/// Reads one forward segment.
class ForwardReader
{
  public:
    ForwardReader(const TaskList& tasks, SegmentPlace place, SizeSightings& sizes)
        : m_place(place)
        , m_works(sizes)
        , m_graph(sizes.Graph())
    {
        for (const uint32_t task : tasks)
        {
            // A router tells that the layer has experts, wherever it stands. An MLP beside it is
            // one of shared experts.
            std::vector<KernelStep> steps = StepsOf(m_graph, task);
            m_isMixture |= std::ranges::any_of(
                steps, [](const KernelStep& step) { return step.kernel.op == KernelOp::Router; });
            if (!steps.empty())
            {
                m_nodes.push_back(std::move(steps));
            }
            else if (IsEmbedding(task))
            {
                m_embedding = task;
            }
        }
    }

    std::vector<BlockWork> Read()
    {
        if (m_embedding)
        {
            ReadEmbedding(*m_embedding);
        }
        std::vector<KernelStep> chain;
        for (const std::vector<KernelStep>& steps : m_nodes)
        {
            // Nodes with one product each are gathered in a chain, which ends where a node is a
            // block by itself.
            const bool isBlock = steps.size() > 1 || steps.front().kernel.op == KernelOp::Router;
            if (isBlock)
            {
                ReadChain(std::exchange(chain, {}));
                ReadNode(steps);
            }
            else
            {
                chain.push_back(steps.front());
            }
        }
        ReadChain(chain);
        return m_works.Take();
    }

  private:
    /// Rows of the table that tokens look up.
    bool IsEmbedding(uint32_t node) const
    {
        const std::vector<KernelLaunch>& kernels = m_graph.KernelsOf(m_graph.Node(node));
        return m_place == SegmentPlace::Before && kernels.size() == 1 &&
               kernels.front().op == KernelOp::Copy && kernels.front().m > 0 &&
               kernels.front().n > 0;
    }

    void ReadEmbedding(uint32_t node)
    {
        const KernelLaunch& kernel = m_graph.KernelsOf(m_graph.Node(node)).front();
        m_works.Sizes().Note(&ShapeSizes::hidden, kernel.n, node);
        m_works.SetMeaning({node, 0, kernel},
                           BlockKind::Embedding,
                           true,
                           {.m = {SizeKind::Tokens}, .n = {SizeKind::Hidden}});
        m_works.EndBlock();
    }

    void ReadNode(const std::vector<KernelStep>& steps)
    {
        const bool hasAttention = std::ranges::any_of(
            steps, [](const KernelStep& step) { return IsAttention(step.kernel); });
        if (hasAttention)
        {
            ReadAttention(steps, WeightsOf(steps), m_works);
        }
        else
        {
            ReadMlps(steps, m_isMixture, m_works);
        }
    }

    /// Of nodes with one product or attention each.
    void ReadChain(const std::vector<KernelStep>& chain)
    {
        if (chain.empty())
        {
            return;
        }
        if (m_place != SegmentPlace::Layer)
        {
            return ReadHead(chain);
        }
        // The core splits the chain: products before it lead into the attention, and the next one
        // out of it.
        const auto isCore = [](const KernelStep& step) { return !step.HasWeights(); };
        const auto core = std::ranges::find_if(chain, isCore);
        if (core == chain.end())
        {
            return ReadMlps(chain, m_isMixture, m_works);
        }
        const auto leave = std::find_if_not(core, chain.end(), isCore);
        if (leave == chain.end() || core == chain.begin())
        {
            m_works.Sizes().Refuse(core->node,
                                   "is an attention without products on both of its sides");
        }
        std::vector<KernelStep> products(chain.begin(), core);
        products.push_back(*leave);
        ReadAttention({chain.begin(), leave + 1}, products, m_works);
        ReadMlps({leave + 1, chain.end()}, m_isMixture, m_works);
    }

    void ReadHead(const std::vector<KernelStep>& chain)
    {
        const KernelStep& head = chain.front();
        if (chain.size() > 1 || m_place != SegmentPlace::After || !head.HasWeights())
        {
            m_works.Sizes().Refuse(chain.back().node,
                                   "is a product outside layers that is no output head");
        }
        m_works.Sizes().Note(&ShapeSizes::vocabulary, head.kernel.n, head.node);
        m_works.Sizes().Note(&ShapeSizes::hidden, head.kernel.k, head.node);
        m_works.SetMeaning(
            head,
            BlockKind::Head,
            true,
            {.m = {SizeKind::Tokens}, .n = {SizeKind::Vocabulary}, .k = {SizeKind::Hidden}});
        m_works.EndBlock();
    }

    SegmentPlace m_place;
    WorkList m_works;
    const ExecutionGraph& m_graph;
    std::vector<std::vector<KernelStep>> m_nodes;
    std::optional<uint32_t> m_embedding;
    bool m_isMixture = false;
};

} // namespace

std::vector<BlockWork>
ReadForwardWorks(const TaskList& tasks, SegmentPlace place, SizeSightings& sizes)
{
    return ForwardReader(tasks, place, sizes).Read();
}

} // namespace nadi
