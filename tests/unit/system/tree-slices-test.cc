// SPDX-License-Identifier: GPL-2.0-only
#include "system/algorithms/tree-slices.h"
#include "tests/support/random-trees.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

AggregationTrees
MakeStars(uint32_t members, uint32_t count)
{
    AggregationTrees trees;
    trees.trees.assign(count, MakeStarTree(members));
    return trees;
}

/// A slice is an element.
TreeSlices
Cut(CollectiveType type, const AggregationTrees& trees, uint64_t elements)
{
    return {PlanRequest{.type = type,
                        .ranks = trees.trees.front().MemberCount(),
                        .elements = elements,
                        .trees = &trees},
            Bytes(1)};
}

} // namespace

TEST_CASE("TreeSlices: every slice takes one tree, and trees get equal shares", "[unit][system]")
{
    const uint32_t ranks = GENERATE(2U, 3U, 6U, 8U);
    const uint32_t count = GENERATE(1U, 2U, 4U, 5U, 12U);
    const uint64_t elements = GENERATE(1U, 7U, 96U, 500U);
    CAPTURE(ranks, count, elements);
    const AggregationTrees trees = MakeStars(ranks, count);
    const TreeSlices slices = Cut(CollectiveType::AllReduce, trees, elements);
    std::set<uint32_t> seen;
    std::vector<uint32_t> shares;
    for (uint32_t tree = 0; tree < count; ++tree)
    {
        shares.push_back(slices.CountOf(tree));
        for (uint32_t index = 0; index < slices.CountOf(tree); ++index)
        {
            const uint32_t slice = slices.SliceAt(tree, index);
            CHECK(slices.TreeOf(slice) == tree);
            CHECK((index == 0 || slice > slices.SliceAt(tree, index - 1)));
            seen.insert(slice);
        }
    }
    CHECK(seen.size() == slices.Count());
    CHECK(*seen.rbegin() == slices.Count() - 1);
    const auto [least, most] = std::ranges::minmax(shares);
    CHECK(most - least <= 1);
}

/// Where owners kept to some trees, each of their links that belong to others would idle.
TEST_CASE("TreeSlices: the slices of an owner take all trees alike", "[unit][system]")
{
    const CollectiveType type = GENERATE(CollectiveType::AllReduce,
                                         CollectiveType::ReduceScatter,
                                         CollectiveType::AllGather,
                                         CollectiveType::Broadcast);
    const uint32_t ranks = GENERATE(2U, 7U, 8U, 12U);
    const uint32_t count = GENERATE(1U, 4U, 6U);
    CAPTURE(ranks, count);
    const AggregationTrees trees = MakeStars(ranks, count);
    const uint32_t times = 3;
    const TreeSlices slices = Cut(type, trees, uint64_t{times} * ranks * count);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> uses; // by (owner, tree)
    for (uint32_t slice = 0; slice < slices.Count(); ++slice)
    {
        ++uses[{slices.OwnerOf(slice), slices.TreeOf(slice)}];
    }
    const bool hasRoot = type == CollectiveType::Broadcast;
    CHECK(uses.size() == (hasRoot ? 1 : ranks) * count);
    for (const auto& [place, number] : uses)
    {
        CHECK(number == times * (hasRoot ? ranks : 1));
    }
}
