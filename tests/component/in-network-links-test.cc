// SPDX-License-Identifier: GPL-2.0-only
// What collectives put on each link where switches compute: counted by hand, headers included.
#include "tests/support/run-yaml.h"
#include "tests/support/tree-case.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Loads = std::map<std::pair<std::string, std::string>, LinkLoad>;

constexpr uint64_t LINK_SLICES = 60;

TreeCase
MakeLinkCase(const std::string& type)
{
    const auto level = [](uint32_t children) {
        return TreeLevel{children, Bandwidth::FromBytesPerSecond(50'000'000'000), SimTime()};
    };
    return {.levels = {level(3), level(2), level(2)},
            .type = type,
            .size = Bytes(PAYLOAD) * static_cast<int64_t>(LINK_SLICES)};
}

/// Full frames, a slice each.
LinkLoad
LoadOf(uint64_t slices)
{
    return {Bytes(PAYLOAD + HEADER) * static_cast<int64_t>(slices), slices};
}

/// The slices that cross the link above a node with `below` of `ranks` members, up and down.
/// `hasRoot`: the root of a broadcast or reduce is one of them.
std::pair<uint64_t, uint64_t>
SlicesAbove(const std::string& type, uint64_t below, uint64_t ranks, bool hasRoot)
{
    if (type == "reduce-scatter")
    {
        return {LINK_SLICES, LINK_SLICES / ranks * below};
    }
    if (type == "all-gather")
    {
        return {LINK_SLICES * below, LINK_SLICES * (ranks - below)};
    }
    if (type == "broadcast")
    {
        return {hasRoot ? LINK_SLICES : 0, hasRoot ? 0 : LINK_SLICES};
    }
    if (type == "reduce")
    {
        return {hasRoot ? 0 : LINK_SLICES, hasRoot ? LINK_SLICES : 0};
    }
    return {LINK_SLICES, LINK_SLICES};
}

Loads
ExpectLoads(const TreeCase& tree)
{
    const uint32_t ranks = tree.NodeCount(0);
    Loads loads;
    for (size_t level = 0; level < tree.levels.size(); ++level)
    {
        for (uint32_t node = 0; node < tree.NodeCount(level); ++node)
        {
            const uint32_t below = ranks / tree.NodeCount(level);
            const auto [up, down] = SlicesAbove(tree.type, below, ranks, node == 0);
            const std::string name = TreeCase::NameOf(level, node);
            const std::string above =
                TreeCase::NameOf(level + 1, node / tree.levels[level].children);
            loads[{name, above}] = LoadOf(up);
            loads[{above, name}] = LoadOf(down);
        }
    }
    return loads;
}

/// An all-reduce, one slice to a frame, on a generated network.
Loads
LoadsOfGenerated(const std::string& topology, const std::string& workload, const std::string& trees)
{
    const ScratchDirectory scratch("in-network-links");
    const auto file = scratch.Write(
        "c.yaml",
        fmt::format("workload: {{collective: {{type: all-reduce, size: {} B}}{}}}\n"
                    "system: {{chunks: 1, collectives: {{all-reduce: {{name: in-network, slice: 4 "
                    "KiB, trees: {}}}}}}}\n"
                    "network:\n  topology: {}\n  in-network: on\n",
                    PAYLOAD * static_cast<int64_t>(LINK_SLICES),
                    workload,
                    trees,
                    topology));
    const RunInput input(file, {});
    const RunResults results = Simulate(input);
    REQUIRE(results.status == RunStatus::Done);
    return FindLoads(input.Topology(), results);
}

/// The links that carry something, each of which carries `load`.
std::set<std::pair<std::string, std::string>>
FindLoaded(const Loads& loads, const LinkLoad& load)
{
    std::set<std::pair<std::string, std::string>> loaded;
    for (const auto& [ends, found] : loads)
    {
        if (found.bytes > Bytes(0))
        {
            CAPTURE(ends.first, ends.second);
            CHECK(found == load);
            loaded.insert(ends);
        }
    }
    return loaded;
}

const std::string LEAF_SPINE = "{generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 2, "
                               "link: {bandwidth: 50 GB/s, latency: 500 ns}}";

} // namespace

TEST_CASE("In-network: each link of the tree carries what is counted by hand, and nothing more",
          "[component][in-network]")
{
    const std::string type =
        GENERATE("all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce");
    CAPTURE(type);
    const TreeCase tree = MakeLinkCase(type);
    const ScratchDirectory scratch("in-network-links");
    scratch.Write("t.yaml", tree.TopologyText());
    const RunInput input(scratch.Write("c.yaml", tree.Yaml()), {});
    const RunResults results = Simulate(input);
    REQUIRE(results.status == RunStatus::Done);
    CHECK(FindLoads(input.Topology(), results) == ExpectLoads(tree));
}

TEST_CASE("In-network: one tree of a leaf-spine network uses one spine, and no link twice",
          "[component][in-network]")
{
    const auto loaded = FindLoaded(LoadsOfGenerated(LEAF_SPINE, "", "1"), LoadOf(LINK_SLICES));
    // 8 NPUs and 2 leaves hang on something, each by two directions.
    CHECK(loaded.size() == 2 * (8 + 2));
    CHECK(loaded.contains({"leaf0", "spine0"}));
    CHECK(loaded.contains({"spine0", "leaf1"}));
}

TEST_CASE("In-network: two trees share the slices, half of them over each spine",
          "[component][in-network]")
{
    const Loads loads = LoadsOfGenerated(LEAF_SPINE, "", "auto");
    for (const std::string spine : {"spine0", "spine1"})
    {
        for (const std::string leaf : {"leaf0", "leaf1"})
        {
            CAPTURE(spine, leaf);
            CHECK(loads.at({leaf, spine}) == LoadOf(LINK_SLICES / 2));
            CHECK(loads.at({spine, leaf}) == LoadOf(LINK_SLICES / 2));
        }
    }
    CHECK(loads.at({"npu3", "leaf0"}) == LoadOf(LINK_SLICES));
}

TEST_CASE("In-network: the links of NPUs that are no members carry nothing",
          "[component][in-network]")
{
    const auto loaded = FindLoaded(
        LoadsOfGenerated(LEAF_SPINE, ", ranks: 3, placement: [1, 6, 2]", "1"), LoadOf(LINK_SLICES));
    CHECK(loaded.size() == 2 * (3 + 2));
    CHECK(loaded.contains({"npu6", "leaf1"}));
    CHECK_FALSE(loaded.contains({"npu0", "leaf0"}));
}

TEST_CASE("In-network: members under one switch do not trouble those above it",
          "[component][in-network]")
{
    const auto loaded =
        FindLoaded(LoadsOfGenerated(LEAF_SPINE, ", ranks: 4, placement: [4, 5, 6, 7]", "auto"),
                   LoadOf(LINK_SLICES));
    CHECK(loaded.size() == 2 * 4);
}

TEST_CASE("In-network: a tree of three levels in a fat tree has one link up from each switch",
          "[component][in-network]")
{
    const auto loaded = FindLoaded(LoadsOfGenerated("{generator: fat-tree, npus: 16, radix: 4, "
                                                    "link: {bandwidth: 50 GB/s, latency: 500 ns}}",
                                                    "",
                                                    "1"),
                                   LoadOf(LINK_SLICES));
    // 16 NPUs, 8 switches above them, and in each of 4 pods one of the second level.
    CHECK(loaded.size() == 2 * (16 + 8 + 4));
}

TEST_CASE("In-network: where frames can be lost, what goes over trees is acknowledged",
          "[component][in-network]")
{
    const auto acknowledged = [](const std::string& faults)
    {
        TreeCase tree = MakeLinkCase("all-reduce");
        const RunResults results = tree.Run({"network.faults=" + faults});
        Bytes bytes;
        for (const LinkCounters& link : results.links)
        {
            bytes += link.bytes - Bytes(PAYLOAD + HEADER) * static_cast<int64_t>(link.packets);
        }
        return bytes;
    };
    CHECK(acknowledged("[]") == Bytes(0));
    CHECK(acknowledged("[{link: [npu0, sw1.0], loss: 1e-9}]") > Bytes(0));
}
