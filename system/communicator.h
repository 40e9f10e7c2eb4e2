// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "network/dimension.h"
#include "network/rank-placement.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace nadi
{

/// A group of ranks in a fixed order; position in the list = index in the group.
struct Communicator
{
    CommunicatorId id;
    std::vector<RankId> ranks; ///< no duplicates
};

/// One dimension of a communicator: lines of `size` members that run a collective together.
struct CommunicatorDimension
{
    uint32_t size = 1;
    /// The dimension of the system's logical stack; the innermost one in which all members differ
    /// for a flat list; none when there is no such dimension.
    std::optional<uint32_t> stackDimension;
};

/// Which of a communicator's layouts is meant.
enum class LayoutKind : uint8_t
{
    Stacked, ///< over the dimensions of the stack
    Flat,    ///< one dimension of all members
};

/// In which order the members of a grid are counted.
enum class MemberOrder : uint8_t
{
    Coordinates, ///< of their places, innermost first
    List,        ///< of the communicator's list. Requires: the members differ in one dimension
};

/// How a communicator lies in the logical stack (docs/semantics.md 3).
///
/// A grid of equal parts, that is, a Cartesian product of coordinates along each dimension, uses
/// the dimensions in which its members differ. Each has as many members as coordinates occur there,
/// all of the stack's or a part. Where that is one dimension, and only a part of it, and wherever
/// members are no grid, the communicator is one flat list in its own order.
///
/// Members are addressed by their index in the list (0..p-1); in a grid, index = mixed radix of the
/// coordinates, innermost least significant, whatever the order of the list, unless
/// MemberOrder::List asks for that. The coordinates of a rank are those of its place, counted among
/// those that occur.
///
/// Examples in a stack of [4, 2], where rank 5 has the coordinates (1, 1), as a table of two rows
/// of four:
/// * {4, 5, 6, 7} is a row: dimension 0, of size 4.
/// * {1, 5} is a column: dimension 1, of size 2; member 1 is rank 5.
/// * {0, ..., 7} is both: dimensions 0 and 1; member 5 is rank 5.
/// * {0, 2, 4, 6} are two of each row: dimension 0, of size 2, and dimension 1; member 1 is rank 2.
/// * {0, 1} is half a row, a part of one dimension: a flat list. All its members differ in
///   dimension 0, whose algorithm it uses.
/// * {0, 5} differs in both dimensions: a flat list too; the innermost, 0, lends its algorithm.
/// * {0, 1, 5} is a list whose members do not all differ in any dimension: the default algorithm.
class CommunicatorLayout
{
  public:
    CommunicatorLayout(const Communicator& communicator,
                       const RankGrid& stack,
                       const RankPlacement& places = {},
                       MemberOrder order = MemberOrder::Coordinates);

    const std::vector<CommunicatorDimension>& Dimensions() const
    {
        return m_dimensions;
    }

    bool IsFlat() const
    {
        return m_isFlat;
    }

    uint32_t Size() const
    {
        return static_cast<uint32_t>(m_rankOfMember.size());
    }

    RankId RankOf(uint32_t member) const
    {
        return m_rankOfMember[member];
    }

    /// Requires: the rank is a member.
    uint32_t MemberOf(RankId rank) const;

    /// Mixed-radix addresses of members over Dimensions().
    const RankGrid& Members() const
    {
        return m_members;
    }

  private:
    void IndexMembers();

    bool m_isFlat = false;
    std::vector<CommunicatorDimension> m_dimensions;
    std::vector<RankId> m_rankOfMember;
    std::vector<std::pair<RankId, uint32_t>> m_memberOfRank; // sorted by rank
    RankGrid m_members;
};

} // namespace nadi
