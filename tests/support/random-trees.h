// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "network/find-aggregation-trees.h"

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace nadi
{

/// A tree over `members` whose root has all of them as children.
inline AggregationTree
MakeStarTree(uint32_t members)
{
    std::vector<std::optional<uint32_t>> parents(members, members);
    parents.emplace_back();
    return {members, {VertexId{members}}, parents};
}

/// A tree over `members` of up to six switches in up to four levels, with members on any of them.
inline AggregationTree
DrawTree(uint32_t members, std::minstd_rand& random)
{
    constexpr uint32_t MOST_LEVELS = 4;
    constexpr uint32_t MOST_SWITCHES = 6;

    struct Switch
    {
        std::optional<uint32_t> parent;
        uint32_t level = 1;
        bool hasMember = false;
    };

    std::vector<Switch> drawn{{}};
    const auto count = static_cast<uint32_t>(1 + random() % MOST_SWITCHES);
    while (drawn.size() < count)
    {
        const auto parent = static_cast<uint32_t>(random() % drawn.size());
        if (drawn[parent].level < MOST_LEVELS)
        {
            drawn.push_back({parent, drawn[parent].level + 1});
        }
        else
        {
            drawn.push_back({0, 2});
        }
    }
    std::vector<uint32_t> homes;
    for (uint32_t member = 0; member < members; ++member)
    {
        homes.push_back(static_cast<uint32_t>(random() % drawn.size()));
        for (std::optional<uint32_t> at = homes.back(); at; at = drawn[*at].parent)
        {
            drawn[*at].hasMember = true;
        }
    }
    // Switches without members are no part of the tree.
    std::vector<uint32_t> nodes;
    std::vector<VertexId> switches;
    for (const Switch& each : drawn)
    {
        nodes.push_back(members + static_cast<uint32_t>(switches.size()));
        if (each.hasMember)
        {
            switches.push_back(VertexId{nodes.back()});
        }
    }
    std::vector<std::optional<uint32_t>> parents;
    for (const uint32_t home : homes)
    {
        parents.emplace_back(nodes[home]);
    }
    for (const Switch& each : drawn)
    {
        if (each.hasMember)
        {
            parents.push_back(each.parent ? std::optional(nodes[*each.parent]) : std::nullopt);
        }
    }
    return {members, std::move(switches), parents};
}

/// One to three trees over `members`; flat ones, or drawn.
inline AggregationTrees
DrawTrees(uint32_t members, bool areFlat, uint32_t seed)
{
    std::minstd_rand random(seed + 1);
    AggregationTrees found{.trees = {},
                           .memberRate = Bandwidth::FromBitsPerSecond(400'000'000'000),
                           .roundTrip = SimTime::FromUs(2)};
    const auto count = static_cast<uint32_t>(1 + random() % 3);
    for (uint32_t i = 0; i < count; ++i)
    {
        found.trees.push_back(areFlat ? MakeStarTree(members) : DrawTree(members, random));
    }
    return found;
}

} // namespace nadi
