// SPDX-License-Identifier: GPL-2.0-only
#include "network/shape.h"
#include "tests/support/config-error-text.h"
#include "tests/support/registered-names.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

constexpr uint32_t MAX_SIZE = 17;

/// One line of `size` NPUs in a shape, alone.
Topology
MakeLine(const Shape& shape, uint32_t size)
{
    Topology topology;
    ShapeLine line;
    for (uint32_t i = 0; i < size; ++i)
    {
        line.members.push_back(topology.AddVertex(VertexKind::Npu, "npu" + std::to_string(i)));
    }
    line.rate = {Bandwidth::FromBitsPerSecond(1), SimTime::FromPs(1)};
    line.switchName = "center";
    shape.AddLine(line, topology);
    return topology;
}

/// The vertices visited from member `from` to member `to`, following FindNextLink.
std::vector<uint32_t>
Walk(const Shape& shape, const Topology& topology, uint32_t from, uint32_t to)
{
    const uint32_t size = topology.NpuCount();
    std::vector<uint32_t> visited{from};
    while (visited.back() != to)
    {
        REQUIRE(visited.size() <= size + 1);
        const uint64_t ordinal = shape.FindNextLink(size, visited.back(), to);
        REQUIRE(ordinal < topology.LinkCount());
        const TopologyLink& link = topology.Link(LinkId{static_cast<uint32_t>(ordinal)});
        REQUIRE(link.from.value == visited.back());
        visited.push_back(link.to.value);
    }
    return visited;
}

std::string
MakeShapeError(const std::string& name)
{
    return ConfigErrorText([&name] { MakeShape(name, "here"); });
}

} // namespace

TEST_CASE("Shape: those that users name are registered", "[unit][network]")
{
    CHECK(test::FindUnregistered<Shape>({"fully-connected", "mesh", "ring", "switch"}).empty());
}

TEST_CASE("Shape: an unknown name is an error with a suggestion", "[unit][network]")
{
    CHECK(MakeShapeError("rng") == "here: unknown shape \"rng\" (did you mean ring?)");
    CHECK(MakeShapeError("torus-2d") ==
          "here: unknown shape \"torus-2d\"" +
              SuggestFrom("torus-2d", Registry<Shape>::Instance().Names()));
    CHECK(MakeShapeError("ring") == "");
}

TEST_CASE("Shape: routes count as a switch, and have defaults of their own", "[unit][network]")
{
    const auto routes = MakeShape(ROUTES, "");
    const auto viaSwitch = MakeShape("switch", "");
    CHECK(routes->LinksPerNpu(8) == viaSwitch->LinksPerNpu(8));
    CHECK(routes->HopCount(8, 0, 5) == viaSwitch->HopCount(8, 0, 5));
    CHECK(routes->Defaults().algorithm != viaSwitch->Defaults().algorithm);
    CHECK(Registry<Shape>::Instance().Find(ROUTES) == nullptr); // nobody can ask for them
}

TEST_CASE("Shape: a line has as many links, switches and ports as the shape says",
          "[unit][network]")
{
    for (const std::string& name : Registry<Shape>::Instance().Names())
    {
        const auto shape = MakeShape(name, "");
        for (uint32_t size = 1; size <= MAX_SIZE; ++size)
        {
            INFO(name << " of " << size);
            const Topology topology = MakeLine(*shape, size);
            CHECK(topology.LinkCount() == shape->LinkCount(size));
            CHECK(topology.VertexCount() == size + (shape->HasSwitch(size) ? 1 : 0));
            size_t ports = 0;
            for (uint32_t npu = 0; npu < size; ++npu)
            {
                ports = std::max(ports, topology.LinksFrom(VertexId{npu}).size());
            }
            CHECK(ports == shape->LinksPerNpu(size));
            CHECK_NOTHROW(topology.Validate(name));
        }
    }
}

TEST_CASE("Shape: which of them join every two members by a link", "[unit][network]")
{
    const auto joins = [](const std::string& name, uint32_t size)
    { return MakeShape(ComponentChoice(name), "x")->JoinsEveryTwo(size); };
    CHECK(joins("fully-connected", 8));
    CHECK(joins("ring", 3));
    CHECK_FALSE(joins("ring", 4));
    CHECK_FALSE(joins("mesh", 3));
    CHECK_FALSE(joins("switch", 3)); // as many links, but to the switch
    CHECK_FALSE(joins(ROUTES, 3));
}

TEST_CASE("Shape: a line of one has neither link nor switch", "[unit][network]")
{
    for (const std::string& name : Registry<Shape>::Instance().Names())
    {
        const auto shape = MakeShape(name, "");
        CHECK(shape->LinkCount(1) == 0);
        CHECK(shape->LinksPerNpu(1) == 0);
        CHECK_FALSE(shape->HasSwitch(1));
    }
}

TEST_CASE("Shape: following the next link reaches each member in the promised hops",
          "[unit][network]")
{
    for (const std::string& name : Registry<Shape>::Instance().Names())
    {
        const auto shape = MakeShape(name, "");
        for (uint32_t size = 2; size <= MAX_SIZE; ++size)
        {
            const Topology topology = MakeLine(*shape, size);
            for (uint32_t pair = 0; pair < size * size; ++pair)
            {
                INFO(name << " of " << size << ": " << pair / size << " to " << pair % size);
                const auto visited = Walk(*shape, topology, pair / size, pair % size);
                CHECK(visited.size() == shape->HopCount(size, pair / size, pair % size) + 1);
            }
        }
    }
}

TEST_CASE("Shape: hops and links per NPU by formula", "[unit][network]")
{
    const auto ring = MakeShape("ring", "");
    const auto mesh = MakeShape("mesh", "");
    const auto full = MakeShape("fully-connected", "");
    const auto viaSwitch = MakeShape("switch", "");
    for (uint32_t size = 3; size <= MAX_SIZE; ++size)
    {
        for (uint32_t to = 1; to < size; ++to)
        {
            CHECK(ring->HopCount(size, 0, to) == std::min(to, size - to));
            CHECK(ring->HopCount(size, to, 0) == std::min(to, size - to));
            CHECK(mesh->HopCount(size, 0, to) == to);
            CHECK(full->HopCount(size, 0, to) == 1);
            CHECK(viaSwitch->HopCount(size, 0, to) == 2);
        }
        CHECK(ring->LinksPerNpu(size) == 2);
        CHECK(mesh->LinksPerNpu(size) == 2);
        CHECK(full->LinksPerNpu(size) == size - 1);
        CHECK(viaSwitch->LinksPerNpu(size) == 1);
    }
}

TEST_CASE("RingShape: a ring of two has one link each way", "[unit][network]")
{
    const auto ring = MakeShape("ring", "");
    CHECK(ring->LinkCount(2) == 2);
    CHECK(ring->LinksPerNpu(2) == 1);
    const Topology topology = MakeLine(*ring, 2);
    CHECK(topology.LinksFrom(VertexId{0}).size() == 1);
    CHECK(topology.LinksFrom(VertexId{1}).size() == 1);
}

TEST_CASE("RingShape: half-way messages go up from even and down from odd coordinates",
          "[unit][network]")
{
    const auto ring = MakeShape("ring", "");
    for (uint32_t size = 4; size <= 16; size += 2)
    {
        const Topology topology = MakeLine(*ring, size);
        std::vector<uint32_t> load(topology.LinkCount());
        for (uint32_t from = 0; from < size; ++from)
        {
            const uint32_t to = (from + size / 2) % size;
            const uint32_t next = Walk(*ring, topology, from, to)[1];
            CHECK(next == (from % 2 == 0 ? from + 1 : from - 1));
            for (uint32_t at = from; at != to;)
            {
                const uint64_t ordinal = ring->FindNextLink(size, at, to);
                ++load[ordinal];
                at = topology.Link(LinkId{static_cast<uint32_t>(ordinal)}).to.value;
            }
        }
        // size messages of size/2 hops each over 2 * size links: as even as whole numbers can be.
        for (const uint32_t messages : load)
        {
            INFO("ring of " << size);
            CHECK(messages >= size / 2 * size / (2 * size));
            CHECK(messages <= (size / 2 * size + 2 * size - 1) / (2 * size));
        }
    }
}
