// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/collective-type.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Sizes of the messages of a collective whose ranks bring different sizes.
///
/// Such a collective runs flat and `direct`, on a plan in units: one element for each member's part
/// (PlanRequest with elements = p). A message has the elements of the parts in its range:
///   all-to-all: part j of the row of `origin` goes to member j and is PartOf(row, j, p);
///   gather, scatter: part j is what member j contributes or receives.
/// A chunk c of C has PartOf(size, c, C) of each member's size.
///
/// Example: three members gather 10, 0 and 6 elements in 2 chunks. The plan has three units. The
/// message of member 2 in chunk 1 has the range [2, 3), which stands for PartOf([0, 6), 1, 2): 3
/// elements.
class UnevenSizes
{
  public:
    /// Requires: all-to-all, gather or scatter; `elements` of each member, by index.
    UnevenSizes(CollectiveType type, std::vector<uint64_t> elements, uint32_t chunks);

    /// Elements of `transfer`, whose range counts units.
    uint64_t ElementsOf(uint32_t chunk, const Transfer& transfer) const;

    /// What all members send together, of what they would send if each had the largest size: from 0
    /// to 1, exact but for parts that are rounded to elements. `root` is that of gather and
    /// scatter.
    double ShareOfLargest(uint32_t root) const;

  private:
    uint64_t ChunkOf(uint32_t member, uint32_t chunk) const;

    CollectiveType m_type;
    std::vector<uint64_t> m_elements;
    uint32_t m_chunks;
};

} // namespace nadi
