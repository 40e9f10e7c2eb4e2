// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/symbolic-all-to-all.h"

#include "common/check.h"
#include "tests/support/symbolic-promise.h"

#include <algorithm>
#include <compare>
#include <iterator>

namespace nadi::symbolic
{
namespace
{

/// A unit of an all-to-all: the index-th of those that `origin` has for `destination`.
struct Item
{
    uint32_t origin = 0;
    uint32_t destination = 0;
    uint32_t index = 0;

    auto operator<=>(const Item&) const = default;
};

using Items = std::vector<Item>;

/// Two units for every destination, so that the halves of a row divide evenly too.
constexpr uint32_t ITEMS_EACH = 2;

/// A rank's row for a phase along a dimension: what goes to coordinate c lies in the ranges that
/// member c of the line owns.
Items
LayOut(const Items& held, const CollectivePlan& plan, uint32_t dimension, const RankGrid& grid)
{
    Items row(held.size());
    for (uint32_t c = 0; c < grid.Size(dimension); ++c)
    {
        Items toMember;
        std::copy_if(held.begin(),
                     held.end(),
                     std::back_inserter(toMember),
                     [&](const Item& item)
                     { return grid.Coordinate(item.destination, dimension) == c; });
        auto next = toMember.begin();
        for (const Interval& range : plan.OwnedRanges(c))
        {
            for (uint64_t i = range.begin; i < range.end; ++i)
            {
                NADI_CHECK(next != toMember.end());
                row[i] = *next++;
            }
        }
    }
    return row;
}

/// What a member has received, of the rows of its line.
Items
Collect(const std::vector<Items>& rows, const std::vector<Interval>& ranges)
{
    Items received;
    for (const Items& row : rows)
    {
        for (const Interval& range : ranges)
        {
            for (uint64_t i = range.begin; i < range.end; ++i)
            {
                received.push_back(row[i]);
            }
        }
    }
    return received;
}

/// One phase on all lines of a dimension.
std::optional<std::string>
RunPhase(const RankGrid& grid,
         uint32_t dimension,
         const CollectiveAlgorithm& algorithm,
         std::vector<Items>& held)
{
    const PlanRequest request{.type = CollectiveType::AllToAll,
                              .ranks = grid.Size(dimension),
                              .elements = held.front().size()};
    const auto plan = algorithm.MakePlan(request);
    if (auto problem = FindProblem(request, *plan, {.seed = 1, .window = 2}))
    {
        return problem;
    }
    for (const Line& line : FindLines(grid, dimension))
    {
        std::vector<Items> rows;
        for (const uint32_t rank : line)
        {
            rows.push_back(LayOut(held[rank], *plan, dimension, grid));
        }
        for (uint32_t member = 0; member < line.size(); ++member)
        {
            held[line[member]] = Collect(rows, plan->OwnedRanges(member));
        }
    }
    return std::nullopt;
}

std::vector<Items>
MakeItems(uint32_t ranks)
{
    std::vector<Items> held(ranks);
    for (uint32_t origin = 0; origin < ranks; ++origin)
    {
        for (uint32_t destination = 0; destination < ranks; ++destination)
        {
            for (uint32_t index = 0; index < ITEMS_EACH; ++index)
            {
                held[origin].push_back({origin, destination, index});
            }
        }
    }
    return held;
}

/// Whether a rank holds exactly what all ranks had for it.
bool
IsTransposed(Items held, uint32_t rank, uint32_t ranks)
{
    Items expected;
    for (uint32_t origin = 0; origin < ranks; ++origin)
    {
        for (uint32_t index = 0; index < ITEMS_EACH; ++index)
        {
            expected.push_back({origin, rank, index});
        }
    }
    std::sort(held.begin(), held.end());
    return held == expected;
}

} // namespace

std::optional<std::string>
FindAllToAllProblem(const RankGrid& grid,
                    const AlgorithmPerDimension& algorithms,
                    const std::vector<uint32_t>& order)
{
    std::vector<Items> held = MakeItems(grid.RankCount());
    for (const uint32_t dimension : order)
    {
        if (auto problem = RunPhase(grid, dimension, *algorithms[dimension], held))
        {
            return problem;
        }
    }
    for (uint32_t rank = 0; rank < grid.RankCount(); ++rank)
    {
        if (!IsTransposed(held[rank], rank, grid.RankCount()))
        {
            return "rank " + std::to_string(rank) + " does not hold what all had for it";
        }
    }
    return std::nullopt;
}

} // namespace nadi::symbolic
