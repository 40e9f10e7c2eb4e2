// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/tree-slices.h"

#include "common/check.h"
#include "common/error.h"
#include "system/algorithms/slices.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace nadi
{

namespace
{

// For a group of one, whose request has no trees.
const std::vector<AggregationTree> NO_TREES;

bool
IsInShards(CollectiveType type)
{
    return type == CollectiveType::ReduceScatter || type == CollectiveType::AllGather;
}

/// As few as can be, at least one: an empty buffer is sent too.
uint64_t
CountSlices(uint64_t elements, uint32_t elementBytes, Bytes slice)
{
    const auto bytes = static_cast<uint64_t>(slice.Count());
    const uint64_t most = std::max<uint64_t>(1, bytes / std::max<uint32_t>(1, elementBytes));
    return std::max<uint64_t>(1, elements / most + (elements % most == 0 ? 0 : 1));
}

} // namespace

TreeSlices::TreeSlices(const PlanRequest& request, Bytes slice)
    : m_trees(request.trees != nullptr ? &request.trees->trees : &NO_TREES)
    , m_ranks(request.ranks)
    , m_elements(request.elements)
    , m_hasRoot(HasRoot(request.type))
    , m_root(request.root)
    , m_isInShards(IsInShards(request.type))
{
    if (m_ranks == 1)
    {
        return; // nothing to exchange
    }
    NADI_CHECK(!m_trees->empty());
    // All shards are cut into the same number of slices, which the largest shard decides.
    const uint64_t cut = m_isInShards ? (m_elements + m_ranks - 1) / m_ranks : m_elements;
    const uint64_t slices =
        CountSlices(cut, request.elementBytes, slice) * (m_isInShards ? m_ranks : 1);
    if (slices > std::numeric_limits<uint32_t>::max())
    {
        throw ConfigError("system.collectives", TOO_MANY_SLICES);
    }
    m_count = static_cast<uint32_t>(slices);
    // A root owns all slices, and meets all trees without shifts.
    m_shifts = m_hasRoot ? 1 : std::gcd(m_ranks, TreeCount());
    m_round = m_ranks / std::gcd(m_ranks, TreeCount()) * TreeCount();
    for (uint32_t tree = 0; tree < TreeCount(); ++tree)
    {
        NADI_CHECK(Tree(tree).MemberCount() == m_ranks);
        m_firstHelpers.push_back(HelperCount());
        for (uint32_t node = m_ranks; node < Tree(tree).NodeCount(); ++node)
        {
            m_helpers.push_back({tree, node});
        }
    }
}

uint32_t
TreeSlices::CountOf(uint32_t tree) const
{
    const uint32_t rounds = m_count / m_round;
    const uint32_t rest = m_count % m_round;
    const uint32_t first = FirstOf(tree, rounds);
    const uint32_t inRest = rest > first ? (rest - first - 1) / TreeCount() + 1 : 0;
    return rounds * (m_round / TreeCount()) + inRest;
}

uint32_t
TreeSlices::SliceAt(uint32_t tree, uint32_t index) const
{
    const uint32_t inRound = m_round / TreeCount(); // slices of each tree
    const uint32_t round = index / inRound;
    return round * m_round + index % inRound * TreeCount() + FirstOf(tree, round);
}

Interval
TreeSlices::RangeOf(uint32_t slice) const
{
    if (m_isInShards)
    {
        // Consecutive slices are of different shards, so the slices under way belong to all ranks
        // alike.
        return PartOf(ShardOf(slice % m_ranks), slice / m_ranks, m_count / m_ranks);
    }
    return PartOf({0, m_elements}, slice, m_count);
}

bool
IsTreeCollective(CollectiveType type)
{
    return type != CollectiveType::AllToAll && type != CollectiveType::Gather &&
           type != CollectiveType::Scatter;
}

} // namespace nadi
