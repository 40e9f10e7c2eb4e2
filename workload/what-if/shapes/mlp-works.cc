// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/work-list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nadi
{

namespace
{

constexpr SizeMeaning HIDDEN{SizeKind::Hidden};

class MlpReader
{
  public:
    MlpReader(bool isMixture, WorkList& works)
        : m_isMixture(isMixture)
        , m_works(works)
    {
    }

    void Read(const std::vector<KernelStep>& steps)
    {
        // Products of one kind follow each other: those of the experts are grouped, and those of
        // shared experts are not. A router is a block by itself.
        for (auto step = steps.begin(); step != steps.end();)
        {
            const auto end = std::find_if_not(step,
                                              steps.end(),
                                              [&](const KernelStep& one)
                                              { return one.kernel.op == step->kernel.op; });
            const std::vector<KernelStep> products(step, end);
            if (step->kernel.op == KernelOp::Router)
            {
                ReadRouter(*step);
            }
            else
            {
                ReadMlp(products);
            }
            step = step->kernel.op == KernelOp::Router ? step + 1 : end;
        }
    }

  private:
    void NoteHidden(const KernelStep& step, uint64_t width)
    {
        m_works.Sizes().Note(&ShapeSizes::hidden, width, step.node);
    }

    void ReadRouter(const KernelStep& step)
    {
        m_works.Sizes().Note(&ShapeSizes::experts, step.kernel.n, step.node);
        NoteHidden(step, step.kernel.k);
        // A router works on the rank's part of the tokens, so that each token is routed once.
        m_works.SetMeaning(step,
                           BlockKind::Router,
                           true,
                           {.m = {SizeKind::TokenShare}, .n = {SizeKind::Experts}, .k = HIDDEN});
        m_works.EndBlock();
    }

    /// Reads products of one kind: all but the last enter the MLP, and the last leaves it.
    void ReadMlp(const std::vector<KernelStep>& products)
    {
        const KernelStep& leave = products.back();
        uint64_t entering = 0;
        for (size_t i = 0; i + 1 < products.size(); ++i)
        {
            NoteHidden(products[i], products[i].kernel.k);
            entering += products[i].kernel.n;
        }
        NoteHidden(leave, leave.kernel.n);
        const uint64_t width = leave.kernel.k;
        CheckWidth(leave, width, entering);
        // A gated MLP has two matrices that lead to the inner width, as one product or as two.
        m_works.Sizes().Note(&ShapeSizes::gates, entering / width, leave.node);
        SetMlp(products, NoteWidth(leave));
    }

    /// The products that enter an MLP make its inner width, or twice as much. Of a product that
    /// stands alone they make nothing.
    void CheckWidth(const KernelStep& leave, uint64_t width, uint64_t entering) const
    {
        if (entering == 0)
        {
            m_works.Sizes().Refuse(
                leave.node,
                "is a matrix product that stands alone in its layer, as in a perceptron; this edit "
                "needs a transformer, whose MLPs have one or two products that lead to an inner "
                "width and one that leads back; dp, micro-batches and speed need none");
        }
        if (width == 0 || (entering != width && entering != 2 * width))
        {
            m_works.Sizes().Refuse(
                leave.node,
                fmt::format("takes in a width of {}, and the products before it give out {}; in an "
                            "MLP they give out as much, or twice as much where it is gated",
                            width,
                            entering));
        }
    }

    /// The kind of an MLP, and what its inner width is.
    std::pair<BlockKind, SizeMeaning> NoteWidth(const KernelStep& leave)
    {
        const KernelLaunch& kernel = leave.kernel;
        if (kernel.op == KernelOp::GroupedGemm)
        {
            m_works.Sizes().Note(&ShapeSizes::expertFfn, kernel.k, leave.node);
            m_routedRows = kernel.m;
            return {BlockKind::Experts, {SizeKind::ExpertFfn}};
        }
        if (!m_isMixture)
        {
            m_works.Sizes().Note(&ShapeSizes::ffn, kernel.k, leave.node);
            return {BlockKind::Mlp, {SizeKind::Ffn}};
        }
        return {BlockKind::SharedExperts, {SizeKind::SharedFfn}};
    }

    void SetMlp(const std::vector<KernelStep>& products, std::pair<BlockKind, SizeMeaning> inner)
    {
        const bool isGrouped = inner.first == BlockKind::Experts;
        const SizeMeaning rows{isGrouped ? SizeKind::RoutedTokens : SizeKind::Tokens};
        const SizeMeaning batch{isGrouped ? SizeKind::LocalExperts : SizeKind::Fixed};
        // Where a single product enters a gated MLP, it makes the inner width twice.
        const SizeMeaning entering{inner.second.kind,
                                   products.size() == 2 ? m_works.Seen().gates : 1};
        for (size_t i = 0; i < products.size(); ++i)
        {
            const bool isLast = i + 1 == products.size();
            m_works.SetMeaning(products[i],
                               inner.first,
                               isLast,
                               {.m = rows,
                                .n = isLast ? HIDDEN : entering,
                                .k = isLast ? inner.second : HIDDEN,
                                .batch = batch});
        }
        NoteMixture(products.back(), inner.first);
        m_works.EndBlock();
    }

    /// How many experts each token goes to, and how many are shared.
    void NoteMixture(const KernelStep& leave, BlockKind kind)
    {
        // An attention before the experts has shown how many tokens there are.
        const uint64_t tokens = m_works.Seen().Tokens();
        if (kind == BlockKind::Experts)
        {
            if (tokens == 0 || m_routedRows % tokens != 0)
            {
                m_works.Sizes().Refuse(leave.node,
                                       "gets no whole number of times the tokens of its layer");
            }
            m_works.Sizes().Note(&ShapeSizes::topK, m_routedRows / tokens, leave.node);
        }
        if (kind == BlockKind::SharedExperts)
        {
            m_sharedWidth = {leave.node, leave.kernel.k};
        }
        // Shared experts may stand before or behind the routed ones, so this is tried behind each.
        const uint64_t expertFfn = m_works.Seen().expertFfn;
        if (m_sharedWidth.second > 0 && expertFfn > 0)
        {
            if (m_sharedWidth.second % expertFfn != 0)
            {
                m_works.Sizes().Refuse(m_sharedWidth.first,
                                       "is of shared experts that are no multiple of the others");
            }
            m_works.Sizes().Note(
                &ShapeSizes::sharedExperts, m_sharedWidth.second / expertFfn, m_sharedWidth.first);
        }
    }

    bool m_isMixture;
    WorkList& m_works;
    uint64_t m_routedRows = 0;
    std::pair<uint32_t, uint64_t> m_sharedWidth{0, 0}; ///< the task, and the width
};

} // namespace

void
ReadMlps(const std::vector<KernelStep>& steps, bool isMixture, WorkList& works)
{
    MlpReader(isMixture, works).Read(steps);
}

} // namespace nadi
