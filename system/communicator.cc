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

/// Whether the members are a grid, given how many different coordinates they have along each
/// dimension: no combination of these is missing.
bool
IsGrid(const Communicator& communicator, const std::vector<uint32_t>& coordinates)
{
    uint64_t combinations = 1;
    for (const uint32_t count : coordinates)
    {
        combinations *= count;
        if (combinations > communicator.ranks.size())
        {
            return false; // before the product can overflow
        }
    }
    // No rank is named twice, so no combination is missing if there are as many members.
    return combinations == communicator.ranks.size();
}

/// Whether the members use the dimensions of the stack. Those of a part of one line are a grid too,
/// but there the order of the list is a choice that somebody made, and there is nothing to gain.
bool
UsesDimensions(const Communicator& communicator,
               const RankGrid& stack,
               const std::vector<uint32_t>& coordinates)
{
    uint32_t spanned = 0;
    bool areWhole = true;
    for (uint32_t dimension = 0; dimension < stack.DimensionCount(); ++dimension)
    {
        if (coordinates[dimension] > 1)
        {
            ++spanned;
            areWhole = areWhole && coordinates[dimension] == stack.Size(dimension);
        }
    }
    return IsGrid(communicator, coordinates) && (spanned > 1 || areWhole);
}

/// The dimensions of a grid. Those in which all members agree are left out: their lines have one
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
    m_isFlat = !UsesDimensions(communicator, stack, coordinates);
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
        // In a grid, the order of places is that of the coordinates, outermost first, whichever
        // coordinates occur. So sorting makes the index of a member its mixed-radix number, with
        // the coordinates of each dimension counted from 0 in their order.
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
