// SPDX-License-Identifier: GPL-2.0-only
#include "workload/what-if/shapes/work-list.h"

namespace nadi
{

void
WorkList::SetMeaning(const KernelStep& step,
                     BlockKind kind,
                     bool hasLast,
                     const KernelMeaning& meaning)
{
    if (m_works.empty() || m_works.back().node != step.node)
    {
        const bool isFirst = m_works.empty() || m_works.back().block != m_block;
        const ExecutionGraph& graph = m_sizes.Graph();
        m_works.push_back(
            {.node = step.node,
             .block = m_block,
             .kind = kind,
             .hasFirst = isFirst,
             .kernels = std::vector<KernelMeaning>(graph.KernelsOf(graph.Node(step.node)).size())});
    }
    m_works.back().hasLast |= hasLast;
    // k is the width of what a product takes in.
    m_works.back().hasEnter |= meaning.k.kind == SizeKind::Hidden;
    m_works.back().kernels[step.index] = meaning;
}

} // namespace nadi
