// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/collective-type.h"
#include "system/exchange-splits.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// What one member brings to a collective whose members bring different sizes.
struct MemberSizes
{
    uint64_t elements = 0;
    SharedSplits splits{}; ///< of an all-to-all; null: equal parts
};

/// Sizes of the messages of a collective whose ranks bring different sizes, or cut them in parts of
/// different sizes.
///
/// Such a collective runs flat, on a plan in units: one element for each member's part (PlanRequest
/// with elements = p). That plan is `direct`, or the exchange of a library whose messages name
/// whose row they are of (Transfer::origin), also where members pass them on. A message has the
/// elements of the parts in its range:
///   all-to-all: part j of what `origin` brings goes to member j;
///   gather, scatter: part j is what member j contributes or receives.
/// A chunk c of C has PartOf(size, c, C) of each member's size. In an all-to-all, part j of a row
/// is PartOf(row's chunk, j, p); where the member has splits, PartOf(splits.sends[j], c, C).
///
/// Example: three members gather 10, 0 and 6 elements in 2 chunks. The plan has three units. The
/// message of member 2 in chunk 1 has the range [2, 3), which stands for PartOf([0, 6), 1, 2): 3
/// elements.
class UnevenSizes
{
  public:
    /// Requires: all-to-all, gather or scatter; `members` by index, splits in all-to-alls alone and
    /// as long as `members`.
    UnevenSizes(CollectiveType type, std::vector<MemberSizes> members, uint32_t chunks);

    /// Elements of `transfer`, whose range counts units.
    uint64_t ElementsOf(uint32_t chunk, const Transfer& transfer) const;

    /// Whether nobody sends the message: its origin has splits, and it has no elements. Both ends
    /// say the same.
    bool IsLeftOut(uint32_t chunk, const Transfer& transfer) const;

    bool HasSplits() const;

    /// What each member sends to all others in an all-to-all, by index.
    std::vector<uint64_t> SentElements() const;

    /// What each member receives from all others in an all-to-all, by index.
    std::vector<uint64_t> ReceivedElements() const;

    /// What all members send together, of what they would send if each had the largest size: exact
    /// but for parts that are rounded to elements. From 0 to 1 without splits; with them more,
    /// where members keep less than an equal part for themselves. `root` is that of gather and
    /// scatter.
    double ShareOfLargest(uint32_t root) const;

  private:
    uint64_t ChunkOf(uint32_t member, uint32_t chunk) const;
    uint64_t PairElements(uint32_t origin, uint32_t destination, uint32_t chunk) const;
    uint64_t WholePair(uint32_t origin, uint32_t destination) const;
    uint64_t LargestElements() const;
    double ShareOfExchange() const;

    CollectiveType m_type;
    std::vector<MemberSizes> m_members;
    uint32_t m_chunks;
};

} // namespace nadi
