// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// Ranks in two kinds of groups: `inner`, blocks of neighbours, and `outer`, the ranks at the same
/// place of each block. With a block of the innermost dimensions, both are lines of the stack.
///
/// Example: 8 ranks in blocks of 4 are a table of two rows. The inner groups are the rows {0, 1, 2,
/// 3} and {4, 5, 6, 7}, the outer ones the columns {0, 4}, {1, 5}, {2, 6} and {3, 7}.
class RankBlocks
{
  public:
    static constexpr const char* INNER = "inner";
    static constexpr const char* OUTER = "outer";

    /// Requires: `size` divides `ranks`.
    RankBlocks(uint32_t ranks, uint32_t size)
        : m_ranks(ranks)
        , m_size(size)
    {
    }

    /// How many ranks a group holds; of "", all.
    uint32_t SizeOf(const std::string& group) const;

    /// Ascending. Requires: INNER or OUTER.
    std::vector<uint32_t> GroupOf(uint32_t rank, const std::string& group) const;

  private:
    uint32_t m_ranks;
    uint32_t m_size;
};

} // namespace nadi
