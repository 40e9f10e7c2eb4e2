// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/fitting/kernel-kind.h"
#include "workload/what-if/shapes/rank-reader.h"

#include <vector>

namespace nadi
{

namespace
{

using Region = std::vector<SizeMeaning>;

/// What is between the products of a block.
Region
InsideOf(BlockKind kind)
{
    switch (kind)
    {
    case BlockKind::Attention:
        return {{SizeKind::Tokens}, {SizeKind::Queries}};
    case BlockKind::Mlp:
        return {{SizeKind::Tokens}, {SizeKind::Ffn}};
    case BlockKind::SharedExperts:
        return {{SizeKind::Tokens}, {SizeKind::SharedFfn}};
    case BlockKind::Experts:
        return {{SizeKind::RoutedTokens}, {SizeKind::ExpertFfn}};
    case BlockKind::Router:
        return {{SizeKind::TokenShare}, {SizeKind::Experts}};
    case BlockKind::Embedding:
    case BlockKind::Head:
        return {{SizeKind::Tokens}, {SizeKind::Vocabulary}};
    }
    return {};
}

/// Goes through the tasks of a rank in their order.
class OtherKernelReader
{
  public:
    OtherKernelReader(const RankContext& context, RankMeaning& meaning)
        : m_context(context)
        , m_meaning(meaning)
        , m_between{{context.structure.hasSequenceParallelism ? SizeKind::TokenShare
                                                              : SizeKind::Tokens},
                    {SizeKind::Hidden}}
        , m_region(m_between)
    {
    }

    void Read()
    {
        uint32_t pass = TaskPlace::NO_PASS;
        for (const uint32_t node : m_context.rank.tasks)
        {
            TaskMeaning& task = m_meaning.tasks[node];
            // What a pass begins with is what ranks have between blocks.
            if (task.place.pass != pass)
            {
                m_region = m_between;
                pass = task.place.pass;
            }
            if (task.work)
            {
                Pass(*task.work);
            }
            else if (task.place.IsInPass() && !task.isOptimizer &&
                     m_context.graph.Node(node).type == NodeType::Compute)
            {
                task.region = IsSoftmax(node) ? Region{{SizeKind::BatchedHeads},
                                                       {SizeKind::Sequence},
                                                       {SizeKind::Sequence}}
                                              : m_region;
            }
        }
    }

  private:
    /// Behind a product the width is another one, unless it is of the gradient of weights.
    void Pass(const BlockWork& work)
    {
        // Gradients of weights stand beside the way of the activations, so the width around them
        // stays.
        if (work.work == WorkKind::WeightGradient)
        {
            return;
        }
        // Backward, a block is left through its first product. Forward, a head does not lead back
        // to the hidden width.
        const bool leaves = work.work == WorkKind::Forward
                                ? work.hasLast && work.kind != BlockKind::Head
                                : work.hasFirst;
        m_region = leaves ? m_between : InsideOf(work.kind);
    }

    /// Of scores, which are as many as tokens attend to.
    bool IsSoftmax(uint32_t node) const
    {
        const std::vector<KernelLaunch>& kernels =
            m_context.graph.KernelsOf(m_context.graph.Node(node));
        const KernelOp kind =
            kernels.empty() ? FindKernelKind(m_context.graph.Name(node)) : kernels.front().op;
        return kind == KernelOp::Softmax && m_region == InsideOf(BlockKind::Attention);
    }

    const RankContext& m_context;
    RankMeaning& m_meaning;
    Region m_between; ///< blocks
    Region m_region;  ///< behind the last task
};

} // namespace

void
ReadOtherKernels(const RankContext& context, RankMeaning& meaning)
{
    OtherKernelReader(context, meaning).Read();
}

} // namespace nadi
