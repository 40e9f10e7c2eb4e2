// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/algorithms/tree-plan.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

namespace nadi
{

/// The binomial tree: with members numbered from the root, v hangs below v without its lowest set
/// bit. The child with the most descendants is served first. With 6 members and root 0, 0 has the
/// children 4, 2 and 1; 4 has 5, and 2 has 3.
class BinomialTree : public Tree
{
  public:
    BinomialTree(uint32_t ranks, uint32_t root)
        : m_ranks(ranks)
        , m_root(root)
    {
    }

    std::optional<uint32_t> ParentOf(uint32_t member) const override
    {
        const uint32_t label = LabelOf(member);
        if (label == 0)
        {
            return std::nullopt;
        }
        return MemberOf(label & (label - 1));
    }

    /// Children are label + 2^i below the label's lowest set bit (below p at the root).
    uint32_t ChildCount(uint32_t member) const override
    {
        const uint32_t label = LabelOf(member);
        const uint32_t room = static_cast<uint32_t>(std::bit_width(m_ranks - 1 - label));
        const uint32_t zeros = static_cast<uint32_t>(std::countr_zero(label));
        return std::min(room, zeros);
    }

    uint32_t ChildOf(uint32_t member, uint32_t index) const override
    {
        const uint32_t exponent = ChildCount(member) - 1 - index;
        return MemberOf(LabelOf(member) + (1U << exponent));
    }

  private:
    uint32_t LabelOf(uint32_t member) const
    {
        return (member + m_ranks - m_root) % m_ranks;
    }

    uint32_t MemberOf(uint32_t label) const
    {
        return (label + m_root) % m_ranks;
    }

    uint32_t m_ranks;
    uint32_t m_root;
};

} // namespace nadi
