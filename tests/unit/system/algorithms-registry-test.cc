// SPDX-License-Identifier: GPL-2.0-only
#include "system/collective-plan.h"
#include "system/system-options.h"
#include "tests/support/registered-names.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace nadi;

namespace
{

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("CollectiveType: texts name types and are found again", "[unit][system]")
{
    REQUIRE(AllCollectiveTypes().size() == 9);
    for (const CollectiveType type : AllCollectiveTypes())
    {
        CHECK(FindCollectiveType(ToText(type)) == type);
    }
    CHECK(ToText(CollectiveType::AllReduce) == "all-reduce");
    CHECK(ToText(CollectiveType::AllToAll) == "all-to-all");
    CHECK(ToText(CollectiveType::Barrier) == "barrier");
    CHECK(FindCollectiveType("reduce-scatter") == CollectiveType::ReduceScatter);
    CHECK_FALSE(FindCollectiveType("allreduce"));
    CHECK_FALSE(FindCollectiveType(""));
}

TEST_CASE("CollectiveType: broadcast, reduce, gather and scatter have a root", "[unit][system]")
{
    std::vector<CollectiveType> rooted;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        if (HasRoot(type))
        {
            rooted.push_back(type);
        }
    }
    CHECK(rooted == std::vector{CollectiveType::Broadcast,
                                CollectiveType::Reduce,
                                CollectiveType::Gather,
                                CollectiveType::Scatter});
}

TEST_CASE("CollectiveAlgorithm: those that users name are registered, all with help",
          "[unit][system]")
{
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    CHECK(test::FindUnregistered<CollectiveAlgorithm>(
              {"bidirectional-ring", "direct", "double-binary-tree", "halving-doubling", "ring"}) ==
          Names{});
    for (const std::string& name : registry.Names())
    {
        CHECK(registry.Find(name)->help.ends_with("."));
    }
}

TEST_CASE("AlgorithmsFor: lists those that support a type, in alphabetical order", "[unit][system]")
{
    const auto& registry = Registry<CollectiveAlgorithm>::Instance();
    for (const CollectiveType type : AllCollectiveTypes())
    {
        Names able;
        for (const std::string& name : registry.Names())
        {
            if (registry.Make(name)->Supports(type))
            {
                able.push_back(name);
            }
        }
        CHECK(AlgorithmsFor(type) == able);
        CHECK(std::is_sorted(able.begin(), able.end()));
    }
    const auto supports = [&](const std::string& name, CollectiveType type)
    { return registry.Make(name)->Supports(type); };
    CHECK(supports("ring", CollectiveType::AllToAll));
    CHECK(supports("double-binary-tree", CollectiveType::Broadcast));
    CHECK_FALSE(supports("double-binary-tree", CollectiveType::AllGather));
    CHECK_FALSE(supports("halving-doubling", CollectiveType::AllToAll));
    CHECK_FALSE(supports("ring", CollectiveType::Gather));
}

TEST_CASE("DefaultAlgorithm: follows the shape, and all-to-all is direct everywhere",
          "[unit][system]")
{
    const auto defaultOf = [](CollectiveType type, const std::string& shape)
    { return DefaultAlgorithm(type, *MakeShape(shape, "")).name; };
    for (const CollectiveType type : {CollectiveType::AllReduce,
                                      CollectiveType::AllGather,
                                      CollectiveType::ReduceScatter,
                                      CollectiveType::Broadcast,
                                      CollectiveType::Reduce,
                                      CollectiveType::Barrier})
    {
        const bool goesBySize = type == CollectiveType::Broadcast || type == CollectiveType::Reduce;
        CHECK(defaultOf(type, "ring") == (goesBySize ? BY_SIZE : "bidirectional-ring"));
        CHECK(defaultOf(type, "switch") == (goesBySize ? BY_SIZE : "halving-doubling"));
        CHECK(defaultOf(type, "fully-connected") == (goesBySize ? BY_SIZE : "direct"));
        CHECK(defaultOf(type, "mesh") == (goesBySize ? BY_SIZE : "ring"));
        CHECK(defaultOf(type, ROUTES) == (goesBySize ? BY_SIZE : "ring"));
    }
    for (const std::string shape : {"ring", "switch", "fully-connected", "mesh", ROUTES})
    {
        CHECK(defaultOf(CollectiveType::AllToAll, shape) == "direct");
        CHECK(defaultOf(CollectiveType::Gather, shape) == "direct");
        CHECK(defaultOf(CollectiveType::Scatter, shape) == "direct");
    }
}

TEST_CASE("DefaultAlgorithm: every shape's is one that supports the type, or by size",
          "[unit][system]")
{
    Names shapes = Registry<Shape>::Instance().Names();
    shapes.push_back(ROUTES);
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const Names able = AlgorithmsFor(type);
        for (const std::string& shape : shapes)
        {
            const std::string name = DefaultAlgorithm(type, *MakeShape(shape, "")).name;
            const bool isAble = std::find(able.begin(), able.end(), name) != able.end();
            CHECK((isAble || name == BY_SIZE));
        }
    }
}

TEST_CASE("CollectiveAlgorithm: drives the links that its messages can use at a time",
          "[unit][system]")
{
    const auto driven = [](const std::string& name, uint32_t links)
    { return Registry<CollectiveAlgorithm>::Instance().Make(name)->LinksDriven(links); };
    for (const uint32_t links : {1U, 2U, 7U})
    {
        CHECK(driven("ring", links) == 1);
        CHECK(driven("bidirectional-ring", links) == std::min(2U, links));
        CHECK(driven("direct", links) == links);
        CHECK(driven("halving-doubling", links) == 1);
        CHECK(driven("double-binary-tree", links) == 1);
    }
}
