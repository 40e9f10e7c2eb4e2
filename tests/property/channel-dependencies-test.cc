// SPDX-License-Identifier: GPL-2.0-only
// Can full buffers wait for one another in a circle?
#include "network/make-routing.h"
#include "network/stack-topology.h"
#include "network/topology-generator.h"
#include "tests/support/channel-dependencies.h"
#include "tests/support/stacks.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace nadi;

namespace
{

using Dimensions = std::vector<Dimension>;
using Ends = std::pair<uint32_t, uint32_t>;

/// The sample stacks, and larger rings and tori, alone and with switches.
std::vector<Dimensions>
MakeStacks()
{
    std::vector<Dimensions> stacks = MakeStackSamples();
    for (uint32_t size = 10; size <= 16; ++size)
    {
        stacks.push_back(MakeStack({{"ring", size}}));
    }
    stacks.push_back(MakeStack({{"ring", 8}, {"ring", 8}}));
    stacks.push_back(MakeStack({{"ring", 7}, {"ring", 4}}));
    stacks.push_back(MakeStack({{"ring", 4}, {"ring", 4}, {"ring", 4}}));
    stacks.push_back(MakeStack({{"ring", 5}, {"ring", 5}, {"ring", 5}}));
    stacks.push_back(MakeStack({{"ring", 6}, {"switch", 4}, {"ring", 5}}));
    stacks.push_back(MakeStack({{"switch", 4}, {"ring", 9}, {"mesh", 3}}));
    return stacks;
}

bool
IsLongRing(const Dimension& dimension)
{
    return dimension.shape == "ring" && dimension.size >= 5;
}

/// `npus` NPUs and `switches` switches, joined by one link for each pair of vertex numbers.
Topology
MakeTopology(uint32_t npus, uint32_t switches, const std::vector<Ends>& links)
{
    Topology topology;
    for (uint32_t i = 0; i < npus + switches; ++i)
    {
        topology.AddVertex(i < npus ? VertexKind::Npu : VertexKind::Switch, std::to_string(i));
    }
    for (const auto& [from, to] : links)
    {
        topology.AddLink(VertexId{from}, VertexId{to}, Bandwidth::FromBitsPerSecond(1), SimTime{});
    }
    return topology;
}

using ParameterTexts = std::map<std::string, std::string>;

/// A generator, its counts, and the names of its links, which all are alike.
ComponentChoice
MakeChoice(const std::string& name,
           ParameterTexts parameters,
           const std::vector<std::string>& links)
{
    for (const std::string& link : links)
    {
        parameters[link + ".bandwidth"] = "100 Gb/s";
        parameters[link + ".latency"] = "500 ns";
    }
    return {name, std::move(parameters)};
}

ComponentChoice
MakeRail(const std::string& spines)
{
    return MakeChoice(
        "rail", {{"nodes", "4"}, {"npus-per-node", "4"}, {"spines", spines}}, {"nvlink", "nic"});
}

/// Fabrics whose ways lead up to a switch and down again, never up after down.
std::vector<ComponentChoice>
MakeUpDownFabrics()
{
    return {MakeChoice(
                "leaf-spine", {{"npus", "12"}, {"npus-per-leaf", "3"}, {"spines", "4"}}, {"link"}),
            MakeChoice("fat-tree", {{"npus", "16"}, {"radix", "4"}}, {"link"}),
            MakeChoice("nodes",
                       {{"nodes", "4"}, {"npus-per-node", "4"}, {"leaves", "2"}, {"spines", "2"}},
                       {"nvlink", "nic"}),
            MakeChoice("wafer",
                       {{"fabric", "tree"},
                        {"npus-per-switch", "4"},
                        {"l1-switches", "5"},
                        {"l2-switches", "2"}},
                       {"link"}),
            MakeChoice("memory-pool",
                       {{"nodes", "3"},
                        {"npus-per-node", "4"},
                        {"in-node-switches", "2"},
                        {"out-node-switches", "3"}},
                       {"link"}),
            MakeRail("2")};
}

/// As many switches with an NPU each, in a ring.
Topology
MakeSwitchRing(uint32_t size)
{
    std::vector<Ends> links;
    for (uint32_t i = 0; i < size; ++i)
    {
        links.push_back({i, size + i});
        links.push_back({size + i, size + (i + 1) % size});
    }
    return MakeTopology(size, size, links);
}

bool
HasCycle(const Topology& topology, const std::vector<LinkId>& failed = {})
{
    const Dateline dateline(topology);
    const auto routing = MakeRouting(topology, failed);
    return ChannelDependencies(topology, *routing, WithDateline(dateline)).HasCycle();
}

} // namespace

TEST_CASE("Dateline: on no stack can channels wait in a circle", "[property][network]")
{
    for (const Dimensions& stack : MakeStacks())
    {
        INFO(DescribeStack(stack));
        CHECK_FALSE(HasCycle(MakeStackTopology(stack)));
    }
}

TEST_CASE("Dateline: without it they can where a ring is of five or more, and only there",
          "[property][network]")
{
    uint32_t cyclic = 0;
    for (const Dimensions& stack : MakeStacks())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        const auto routing = MakeRouting(topology);
        const ChannelDependencies dependencies(topology, *routing, WithoutDateline());
        const bool isExpected = std::any_of(stack.begin(), stack.end(), IsLongRing);
        CHECK(dependencies.HasCycle() == isExpected);
        CHECK(Dateline(topology).PriorityCount() == (isExpected ? 2 : 1));
        cyclic += isExpected ? 1 : 0;
    }
    CHECK(cyclic > 10);
}

TEST_CASE("Dateline: its priorities are 1 up to its count", "[property][network]")
{
    for (const Dimensions& stack : MakeStacks())
    {
        INFO(DescribeStack(stack));
        const Topology topology = MakeStackTopology(stack);
        const Dateline dateline(topology);
        const auto routing = MakeRouting(topology);
        const ChannelDependencies dependencies(topology, *routing, WithDateline(dateline));
        uint8_t highest = 1;
        for (const auto& [waiter, awaited] : dependencies.Waits())
        {
            REQUIRE(waiter.priority >= 1);
            highest = std::max({highest, waiter.priority, awaited.priority});
        }
        CHECK(highest == dateline.PriorityCount());
    }
}

TEST_CASE("Dateline: a ring with any link failed cannot deadlock either", "[property][network]")
{
    for (uint32_t size = 3; size <= 9; ++size)
    {
        const Topology topology = MakeStackTopology(MakeStack({{"ring", size}}));
        for (LinkId link{0}; link.value < topology.LinkCount(); ++link.value)
        {
            INFO("ring of " << size << " without link " << link.value);
            CHECK_FALSE(HasCycle(topology, {link, topology.Link(link).reverse}));
        }
    }
}

TEST_CASE("Dateline: around a failed link of a torus circles remain", "[property][network]")
{
    // The ways turn from any dimension into any other then: right, up, left, down, for one.
    const Topology topology = MakeStackTopology(MakeStack({{"ring", 5}, {"ring", 5}}));
    CHECK(HasCycle(topology, {LinkId{0}, LinkId{1}}));
}

TEST_CASE("ShortestPathRouting: up and down through switches, channels cannot wait in a circle",
          "[property][network]")
{
    for (const ComponentChoice& fabric : MakeUpDownFabrics())
    {
        INFO(fabric.name);
        CHECK_FALSE(HasCycle(GenerateTopology(fabric)));
    }
}

TEST_CASE("ShortestPathRouting: around a ring of switches they can", "[property][network]")
{
    CHECK_FALSE(HasCycle(MakeSwitchRing(3))); // no way crosses two links between switches
    CHECK(HasCycle(MakeSwitchRing(4)));       // with both directions to the opposite switch
    CHECK(HasCycle(MakeSwitchRing(5)));
}

TEST_CASE("ShortestPathRouting: in a dragonfly they can, and over NPUs between rails",
          "[property][network]")
{
    const ComponentChoice dragonfly =
        MakeChoice("dragonfly",
                   {{"groups", "5"}, {"routers-per-group", "4"}, {"npus-per-router", "2"}},
                   {"link"});
    // A local link follows a global one on some ways and comes before it on others.
    CHECK(HasCycle(GenerateTopology(dragonfly)));
    // Without spines, NVLink comes before the rail on some ways and after it on others.
    CHECK(HasCycle(GenerateTopology(MakeRail("0"))));
}
