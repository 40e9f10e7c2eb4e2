// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/dependency-chains.h"

#include <algorithm>

namespace nadi
{

namespace
{

constexpr uint32_t NO_CHAIN = ~uint32_t{0};

} // namespace

DependencyChains::DependencyChains(uint32_t nodeCount)
    : m_chain(nodeCount, NO_CHAIN)
    , m_place(nodeCount)
{
}

/// A node that could go on with several chains takes the first. Any of them is right; the choice
/// only changes how much Prune can leave out.
void
DependencyChains::Add(uint32_t node, std::span<const uint32_t> dataParents)
{
    m_place[node] = m_added++;
    const auto end = std::ranges::find_if(
        dataParents, [this](uint32_t parent) { return m_lastOfChain[m_chain[parent]] == parent; });
    if (end != dataParents.end())
    {
        m_chain[node] = m_chain[*end];
        m_lastOfChain[m_chain[node]] = node;
        return;
    }
    m_chain[node] = static_cast<uint32_t>(m_lastOfChain.size());
    m_lastOfChain.push_back(node);
}

/// After sorting, each chain is gone through from its last node back. The last node stays. An
/// earlier node adds something only if it is reached by data, and all later ones over control
/// dependencies: a reader that obeys data alone needs it then. A node that is reached by data
/// implies all before it.
void
DependencyChains::Prune(std::vector<Ancestor>& ancestors) const
{
    if (ancestors.size() < 2)
    {
        return;
    }
    std::sort(ancestors.begin(),
              ancestors.end(),
              [this](const Ancestor& left, const Ancestor& right)
              { return SortKey(left) < SortKey(right); });
    size_t kept = 0;
    uint32_t chain = NO_CHAIN;
    bool hasData = false;
    for (const Ancestor& ancestor : ancestors)
    {
        const bool isFirst = m_chain[ancestor.node] != chain;
        chain = m_chain[ancestor.node];
        hasData = hasData && !isFirst;
        if (isFirst || (!ancestor.viaControl && !hasData))
        {
            ancestors[kept++] = ancestor;
        }
        hasData = hasData || !ancestor.viaControl;
    }
    ancestors.resize(kept);
}

/// Chain by chain, the last node of a chain first, data before control.
std::tuple<uint32_t, uint32_t, bool>
DependencyChains::SortKey(const Ancestor& ancestor) const
{
    return {m_chain[ancestor.node], ~m_place[ancestor.node], ancestor.viaControl};
}

} // namespace nadi
