// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/work-list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace nadi
{

namespace
{

/// The core of an attention names the heads, their size and the sequence. The products around it
/// have to fit that: those before it take in the hidden width, and the last one takes in as much as
/// there are queries and gives out the hidden width. Columns beyond the queries are keys and
/// values.
class AttentionReader
{
  public:
    AttentionReader(const std::vector<KernelStep>& steps,
                    const std::vector<KernelStep>& products,
                    WorkList& works)
        : m_steps(steps)
        , m_products(products)
        , m_works(works)
    {
    }

    void Read()
    {
        if (m_products.empty())
        {
            m_works.Sizes().Refuse(m_steps.front().node,
                                   "is an attention without products on both of its sides");
        }
        NoteCore();
        const uint64_t queries = m_works.Seen().heads * m_works.Seen().headSize;
        const KernelStep& leave = m_products.back();
        const uint64_t hidden = m_products.front().kernel.k;
        uint64_t entering = 0;
        // Queries, keys and values enter as one to three products, and one leads back.
        bool isKnown = m_products.size() >= 2 && m_products.size() <= 4 &&
                       leave.kernel.k == queries && leave.kernel.n == hidden;
        for (size_t i = 0; i + 1 < m_products.size(); ++i)
        {
            isKnown = isKnown && m_products[i].kernel.k == hidden;
            entering += m_products[i].kernel.n;
        }
        // What enters beyond the queries is keys and values, as many of the one as of the other.
        const uint64_t kv = entering > queries ? entering - queries : 0;
        if (!isKnown || kv == 0 || kv % (2 * m_works.Seen().headSize) != 0)
        {
            m_works.Sizes().Refuse(
                leave.node,
                "is of an attention whose products are not queries, keys, values and "
                "the output, as latent attention has others");
        }
        NoteHidden(leave, hidden);
        m_works.Sizes().Note(&ShapeSizes::kvHeads, kv / (2 * m_works.Seen().headSize), leave.node);
        SetMeanings();
    }

  private:
    void NoteHidden(const KernelStep& step, uint64_t width)
    {
        m_works.Sizes().Note(&ShapeSizes::hidden, width, step.node);
    }

    void NoteCore()
    {
        const KernelStep& core = *std::ranges::find_if_not(m_steps, &KernelStep::HasWeights);
        const KernelLaunch& kernel = core.kernel;
        if (IsAttention(kernel))
        {
            m_works.Sizes().Note(&ShapeSizes::heads, kernel.n, core.node);
            m_works.Sizes().Note(&ShapeSizes::headSize, kernel.k, core.node);
            m_works.Sizes().Note(&ShapeSizes::microBatch, kernel.batch, core.node);
            m_works.Sizes().Note(&ShapeSizes::sequence, kernel.context, core.node);
            return;
        }
        // There is a product for each head of each sequence, with as many rows as the sequence has
        // tokens. If a head were as wide as a sequence is long, sizes would not tell the two apart,
        // so that is refused.
        const uint64_t tokens = m_products.front().kernel.m;
        if (kernel.m == 0 || tokens == 0 || tokens % kernel.m != 0 ||
            kernel.batch % (tokens / kernel.m) != 0 || kernel.m == kernel.k)
        {
            m_works.Sizes().Refuse(
                core.node,
                fmt::format("multiplies {} rows for each head, which does not divide "
                            "the {} tokens of its layer into sequences",
                            kernel.m,
                            tokens));
        }
        m_works.Sizes().Note(&ShapeSizes::sequence, kernel.m, core.node);
        m_works.Sizes().Note(&ShapeSizes::headSize, kernel.k, core.node);
        m_works.Sizes().Note(&ShapeSizes::microBatch, tokens / kernel.m, core.node);
        m_works.Sizes().Note(&ShapeSizes::heads, kernel.batch / (tokens / kernel.m), core.node);
    }

    void SetMeanings()
    {
        // What the columns of a product are, by the number of products that enter and its place.
        static constexpr std::array<std::array<SizeMeaning, 3>, 3> INNER{
            {{{{SizeKind::QueriesKeysValues}}},
             {{{SizeKind::Queries}, {SizeKind::Keys, 2}}},
             {{{SizeKind::Queries}, {SizeKind::Keys}, {SizeKind::Keys}}}}};
        size_t entered = 0;
        for (const KernelStep& step : m_steps)
        {
            if (!step.HasWeights())
            {
                m_works.SetMeaning(
                    step, BlockKind::Attention, false, CoreMeaning(step, m_works.Seen()));
                continue;
            }
            const bool isLast = entered + 1 == m_products.size();
            const KernelMeaning meaning =
                isLast ? KernelMeaning{.m = {SizeKind::Tokens},
                                       .n = {SizeKind::Hidden},
                                       .k = {SizeKind::Queries}}
                       : KernelMeaning{.m = {SizeKind::Tokens},
                                       .n = INNER[m_products.size() - 2][entered],
                                       .k = {SizeKind::Hidden}};
            m_works.SetMeaning(step, BlockKind::Attention, isLast, meaning);
            ++entered;
        }
        m_works.EndBlock();
    }

    const std::vector<KernelStep>& m_steps;
    const std::vector<KernelStep>& m_products;
    WorkList& m_works;
};

} // namespace

void
ReadAttention(const std::vector<KernelStep>& steps,
              const std::vector<KernelStep>& products,
              WorkList& works)
{
    AttentionReader(steps, products, works).Read();
}

} // namespace nadi
