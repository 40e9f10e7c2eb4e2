// SPDX-License-Identifier: GPL-2.0-only
#include "system/communicator.h"

#include "common/check.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// How many different coordinates the members have along each dimension of the stack.
std::vector<uint32_t>
CountCoordinates(const Communicator& communicator,
                 const RankGrid& stack,
                 const RankPlacement& places)
{
    std::vector<uint32_t> counts;
    for (uint32_t dimension = 0; dimension < stack.DimensionCount(); ++dimension)
    {
        std::set<uint32_t> coordinates;
        for (const RankId rank : communicator.ranks)
        {
            coordinates.insert(stack.Coordinate(places.PlaceOf(rank), dimension));
        }
        counts.push_back(static_cast<uint32_t>(coordinates.size()));
    }
    return counts;
}

/// Whether the members are a Cartesian product of whole dimensions, given how many different
/// coordinates they have along each: all of them or one, and no combination is missing.
bool
IsProduct(const Communicator& communicator,
          const RankGrid& stack,
          const std::vector<uint32_t>& coordinates)
{
    uint64_t combinations = 1;
    for (uint32_t dimension = 0; dimension < stack.DimensionCount(); ++dimension)
    {
        const uint32_t count = coordinates[dimension];
        if (count != 1 && count != stack.Size(dimension))
        {
            return false;
        }
        combinations *= count;
    }
    // No rank is named twice, so no combination is missing if there are as many members.
    return combinations == communicator.ranks.size();
}

/// The dimensions of a product. Those in which all members agree are left out: their lines have one
/// member, and nothing to exchange.
std::vector<CommunicatorDimension>
SpannedDimensions(const std::vector<uint32_t>& coordinates)
{
    std::vector<CommunicatorDimension> spanned;
    for (uint32_t dimension = 0; dimension < coordinates.size(); ++dimension)
    {
        if (coordinates[dimension] > 1)
        {
            spanned.push_back({.size = coordinates[dimension], .stackDimension = dimension});
        }
    }
    return spanned;
}

std::vector<uint32_t>
SizesOf(const std::vector<CommunicatorDimension>& dimensions)
{
    std::vector<uint32_t> sizes;
    for (const CommunicatorDimension& dimension : dimensions)
    {
        sizes.push_back(dimension.size);
    }
    return sizes;
}

/// The innermost dimension in which all members differ pairwise.
std::optional<uint32_t>
FindDistinctDimension(const Communicator& communicator, const std::vector<uint32_t>& coordinates)
{
    const auto found = std::find(coordinates.begin(), coordinates.end(), communicator.ranks.size());
    if (found == coordinates.end())
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(found - coordinates.begin());
}

} // namespace

CommunicatorLayout::CommunicatorLayout(const Communicator& communicator,
                                       const RankGrid& stack,
                                       const RankPlacement& places,
                                       MemberOrder order)
    : m_rankOfMember(communicator.ranks)
    , m_members({})
{
    NADI_CHECK(!communicator.ranks.empty());
    NADI_CHECK(std::max_element(communicator.ranks.begin(), communicator.ranks.end())->value <
               stack.RankCount());
    const std::vector<uint32_t> coordinates = CountCoordinates(communicator, stack, places);
    m_isFlat = !IsProduct(communicator, stack, coordinates);
    if (m_isFlat)
    {
        m_dimensions = {
            {.size = Size(), .stackDimension = FindDistinctDimension(communicator, coordinates)}};
    }
    else
    {
        m_dimensions = SpannedDimensions(coordinates);
    }
    if (!m_isFlat && order == MemberOrder::Coordinates)
    {
        // In a product, the order of places is that of the coordinates: dimensions that are not
        // spanned add the same constant to all places. So sorting makes the index of a member its
        // mixed-radix number.
        std::sort(m_rankOfMember.begin(),
                  m_rankOfMember.end(),
                  [&](RankId a, RankId b) { return places.PlaceOf(a) < places.PlaceOf(b); });
    }
    NADI_CHECK(order == MemberOrder::Coordinates || m_dimensions.size() <= 1);
    // A flat list has one dimension, in which a member's coordinate is its index.
    m_members = RankGrid(SizesOf(m_dimensions));
    IndexMembers();
}

void
CommunicatorLayout::IndexMembers()
{
    for (uint32_t member = 0; member < Size(); ++member)
    {
        m_memberOfRank.emplace_back(m_rankOfMember[member], member);
    }
    std::sort(m_memberOfRank.begin(), m_memberOfRank.end());
}

uint32_t
CommunicatorLayout::MemberOf(RankId rank) const
{
    const auto found = std::lower_bound(
        m_memberOfRank.begin(), m_memberOfRank.end(), std::pair<RankId, uint32_t>(rank, 0));
    NADI_CHECK(found != m_memberOfRank.end() && found->first == rank);
    return found->second;
}

} // namespace nadi
