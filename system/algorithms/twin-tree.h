// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/algorithms/tree-plan.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace nadi
{

/// One of two complementary binary trees over p members with the same root.
///
/// Members get labels: the root 0, the others 1..p-1. The labels 1..p-1 form the binary search
/// tree in which a label with lowest set bit 2^i stands i levels above the leaves, so that odd
/// labels are leaves; the root's one child is the top of it. In the first tree member
/// (root + v) mod p has label v, whatever the root. In the second it is p - v when p is odd, else
/// v - 1 (and p - 1 for v = 1).
///
/// Example with p = 7 and root 0: in the first tree 0 has the child 4, which has 2 and 6; 2 has 1
/// and 3, and 6 has 5. In the second tree member v has label 7 - v: 0 has the child 3, which has 5
/// and 1; 5 has 6 and 4, and 1 has 2. So 2, 4 and 6 are inner members of the first, 1, 3 and 5 of
/// the second.
///
/// Holds: a member other than the root has children in at most one of the trees.
class TwinTree : public Tree
{
  public:
    enum class Twin : uint8_t
    {
        First,
        Second,
    };

    TwinTree(Twin twin, uint32_t ranks, uint32_t root)
        : m_twin(twin)
        , m_ranks(ranks)
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
        const uint32_t bit = label & (~label + 1);
        const uint32_t below = label ^ bit;
        const uint32_t above = below | (bit << 1);
        return MemberOf(above < m_ranks ? above : below);
    }

    uint32_t ChildCount(uint32_t member) const override
    {
        const uint32_t label = LabelOf(member);
        if (label == 0)
        {
            return m_ranks > 1 ? 1 : 0;
        }
        if (label % 2 != 0)
        {
            return 0;
        }
        return label + 1 < m_ranks ? 2 : 1;
    }

    uint32_t ChildOf(uint32_t member, uint32_t index) const override
    {
        const uint32_t label = LabelOf(member);
        if (label == 0)
        {
            return MemberOf(std::bit_floor(m_ranks - 1));
        }
        uint32_t reach = (label & (~label + 1)) / 2;
        if (index == 0)
        {
            return MemberOf(label - reach);
        }
        // The upper subtree is cut off at p - 1, so its top may stand lower than in a full tree.
        while (label + reach >= m_ranks)
        {
            reach /= 2;
        }
        return MemberOf(label + reach);
    }

  private:
    uint32_t LabelOf(uint32_t member) const
    {
        const uint32_t v = (member + m_ranks - m_root) % m_ranks;
        if (v == 0 || m_twin == Twin::First)
        {
            return v;
        }
        if (m_ranks % 2 != 0)
        {
            return m_ranks - v;
        }
        return v == 1 ? m_ranks - 1 : v - 1;
    }

    uint32_t MemberOf(uint32_t label) const
    {
        return (m_root + VertexOf(label)) % m_ranks;
    }

    uint32_t VertexOf(uint32_t label) const
    {
        if (label == 0 || m_twin == Twin::First)
        {
            return label;
        }
        if (m_ranks % 2 != 0)
        {
            return m_ranks - label;
        }
        return label == m_ranks - 1 ? 1 : label + 1;
    }

    Twin m_twin;
    uint32_t m_ranks;
    uint32_t m_root;
};

} // namespace nadi
