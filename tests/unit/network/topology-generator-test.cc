// SPDX-License-Identifier: GPL-2.0-only
// What holds for every registered generator.
#include "network/topology-generator.h"
#include "tests/support/config-error-text.h"
#include "tests/support/registered-names.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// Something small that each generator can build.
const std::map<std::string, std::map<std::string, std::string>> SMALL{
    {"dragonfly", {{"groups", "3"}, {"routers-per-group", "2"}, {"npus-per-router", "2"}}},
    {"fat-tree", {{"npus", "8"}, {"radix", "4"}}},
    {"leaf-spine", {{"npus", "8"}, {"npus-per-leaf", "4"}, {"spines", "2"}}},
    {"memory-pool", {{"nodes", "2"}, {"npus-per-node", "4"}, {"out-node-switches", "2"}}},
    {"nodes", {{"nodes", "4"}, {"npus-per-node", "2"}, {"leaves", "2"}, {"spines", "2"}}},
    {"rail", {{"nodes", "4"}, {"npus-per-node", "2"}, {"spines", "2"}}},
    {"wafer", {{"fabric", "tree"}, {"npus-per-switch", "4"}, {"l1-switches", "2"}}}};

/// The small parameters, and a rate for every kind of link.
ComponentChoice
MakeChoice(const std::string& name)
{
    ComponentChoice choice{name, SMALL.at(name)};
    for (const ParameterSpec& spec : Registry<TopologyGenerator>::Instance().Find(name)->parameters)
    {
        if (spec.kind == ParameterKind::Rate)
        {
            choice.parameters[spec.name] = "400 Gb/s";
        }
        if (spec.kind == ParameterKind::Duration)
        {
            choice.parameters[spec.name] = "500 ns";
        }
    }
    return choice;
}

} // namespace

TEST_CASE("TopologyGenerator: those that users name are registered, each parameter with its help",
          "[unit][network]")
{
    std::vector<std::string> known;
    for (const auto& [name, parameters] : SMALL)
    {
        known.push_back(name);
    }
    const auto& registry = Registry<TopologyGenerator>::Instance();
    CHECK(test::FindUnregistered<TopologyGenerator>(known).empty());
    for (const std::string& name : registry.Names())
    {
        CHECK(registry.Find(name)->help.ends_with("."));
        for (const ParameterSpec& spec : registry.Find(name)->parameters)
        {
            CHECK(spec.help.ends_with("."));
        }
    }
}

TEST_CASE("TopologyGenerator: NPUs come first, in rank order, and names differ", "[unit][network]")
{
    for (const auto& [name, parameters] : SMALL)
    {
        CAPTURE(name);
        const Topology topology = GenerateTopology(MakeChoice(name));
        std::vector<std::string> names;
        for (VertexId v{0}; v.value < topology.VertexCount(); ++v.value)
        {
            const TopologyVertex& vertex = topology.Vertex(v);
            CHECK((vertex.kind == VertexKind::Npu) == (v.value < topology.NpuCount()));
            CHECK((vertex.name == "npu" + std::to_string(v.value)) ==
                  (v.value < topology.NpuCount()));
            names.push_back(vertex.name);
        }
        std::sort(names.begin(), names.end());
        CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
        CHECK(topology.Dimensions().empty());
    }
}

TEST_CASE("TopologyGenerator: equal parameters give equal topologies", "[unit][network]")
{
    for (const auto& [name, parameters] : SMALL)
    {
        CAPTURE(name);
        const Topology first = GenerateTopology(MakeChoice(name));
        const Topology second = GenerateTopology(MakeChoice(name));
        REQUIRE(first.LinkCount() == second.LinkCount());
        for (LinkId id{0}; id.value < first.LinkCount(); ++id.value)
        {
            CHECK(first.Link(id).from == second.Link(id).from);
            CHECK(first.Link(id).to == second.Link(id).to);
        }
        for (VertexId v{0}; v.value < first.VertexCount(); ++v.value)
        {
            CHECK(first.Vertex(v).name == second.Vertex(v).name);
        }
    }
}

TEST_CASE("TopologyGenerator: links lead up: NPUs are their lower ends", "[unit][network]")
{
    for (const auto& [name, parameters] : SMALL)
    {
        CAPTURE(name);
        const Topology topology = GenerateTopology(MakeChoice(name));
        for (LinkId id{0}; id.value < topology.LinkCount(); id.value += 2)
        {
            CHECK(topology.Link(id).to.value >= topology.NpuCount());
        }
    }
}

TEST_CASE("CompleteParameters: what is absent is its default, or like another parameter",
          "[unit][network]")
{
    const std::vector<ParameterSpec> specs{{"a", ParameterKind::Count, "", "the first"},
                                           {"b", ParameterKind::Count, "7", "the second"},
                                           {"c", ParameterKind::Count, "as a", "the third"}};
    using Values = std::map<std::string, std::string>;
    CHECK(CompleteParameters(specs, {{"a", "1"}}) == Values{{"a", "1"}, {"b", "7"}, {"c", "1"}});
    CHECK(CompleteParameters(specs, {{"a", "1"}, {"b", "2"}, {"c", "3"}}) ==
          Values{{"a", "1"}, {"b", "2"}, {"c", "3"}});
    CHECK(ConfigErrorText(
              [&] {
                  CompleteParameters(specs, {{"b", "2"}});
              }) == "a: is missing: the first");
    CHECK(FindDefaultSource(specs[1]).empty());
    CHECK(FindDefaultSource(specs[2]) == "a");
}

TEST_CASE("MakeTopologyGenerator: what does not exist is named, with what does", "[unit][network]")
{
    const auto error = [](const ComponentChoice& choice)
    { return ConfigErrorText([&] { MakeTopologyGenerator(choice); }); };
    CHECK(error({"fat-tee", {}}) == "there is no fat-tee (did you mean fat-tree?)");
    CHECK(error({"fat-tree", {}}) == "npus: is missing: the number of NPUs");
    ComponentChoice choice = MakeChoice("fat-tree");
    choice.parameters["radis"] = "4";
    CHECK(error(choice) == "unknown parameter \"radis\" (did you mean radix?)");
    choice = MakeChoice("fat-tree");
    choice.parameters["link.bandwidth"] = "400";
    CHECK(error(choice) ==
          "link.bandwidth: \"400\" has no unit; write \"400 GB/s\" or \"400 Gb/s\"");
}

TEST_CASE("TopologyGenerator: an idle parameter that was given is found, and changes nothing",
          "[unit][network]")
{
    // What makes parameters idle, and the parameters.
    using Texts = std::map<std::string, std::string>;

    struct Case
    {
        std::string generator;
        Texts cause;
        std::map<std::string, Texts> idle;
    };

    const Texts pcie{{"pcie.bandwidth", "100 Gb/s"}};
    const Texts nvlink{{"nvlink.latency", "1 us"}};
    const Texts mesh{{"inside", "mesh"}};
    const std::map<std::string, Texts> uplinks{{"uplink", {{"uplink.latency", "1 us"}}},
                                               {"uplinks-per-spine", {{"uplinks-per-spine", "2"}}}};
    const std::vector<Case> cases{
        {"nodes", {{"leaves", "1"}, {"spines", "0"}}, uplinks},
        {"rail", {{"spines", "0"}}, uplinks},
        {"leaf-spine", {{"npus-per-leaf", "8"}, {"spines", "0"}}, uplinks},
        {"nodes", {}, {{"pcie", pcie}}},
        {"rail", {}, {{"pcie", pcie}}},
        {"dragonfly", {}, {{"pcie", pcie}, {"nvlink", nvlink}, {"inside", mesh}}},
        {"nodes", {{"npus-per-node", "1"}}, {{"inside", mesh}}},
        {"dragonfly", {{"routers-per-group", "1"}}, {{"local", {{"local.bandwidth", "1 Gb/s"}}}}},
        {"dragonfly",
         {{"groups", "1"}},
         {{"global", {{"global.latency", "1 ns"}}},
          {"global-links-per-router", {{"global-links-per-router", "3"}}}}}};
    const auto spell = [](const ComponentChoice& choice)
    {
        const Topology topology = GenerateTopology(choice);
        std::vector<std::string> links;
        for (uint32_t id = 0; id < topology.LinkCount(); ++id)
        {
            const TopologyLink& link = topology.Link(LinkId{id});
            links.push_back(fmt::format("{}-{} {} {}",
                                        topology.Vertex(link.from).name,
                                        topology.Vertex(link.to).name,
                                        link.bandwidth.BitsPerSecond(),
                                        link.latency.Ps()));
        }
        return links;
    };
    for (const Case& test : cases)
    {
        ComponentChoice choice = MakeChoice(test.generator);
        for (const auto& [name, text] : test.cause)
        {
            choice.parameters[name] = text;
        }
        REQUIRE(FindIdleParameters(choice).empty());
        for (const auto& [name, texts] : test.idle)
        {
            CAPTURE(test.generator, name);
            ComponentChoice given = choice;
            for (const auto& [parameter, text] : texts)
            {
                given.parameters[parameter] = text;
            }
            const std::vector<IdleParameter> found = FindIdleParameters(given);
            REQUIRE(found.size() == 1);
            CHECK(found.front().name == name);
            CHECK(spell(given) == spell(choice));
        }
    }
}

TEST_CASE("TopologyGenerator: parameters of links and switches that no message reaches are idle",
          "[unit][network]")
{
    using Texts = std::map<std::string, std::string>;
    using Names = std::vector<std::string>;

    // Keys that keep messages below, keys above, those of them that are named, and one key that
    // lets messages through.
    struct Case
    {
        std::string generator;
        Texts cause;
        Texts given;
        Names idle;
        Texts remedy;
    };

    const Texts uplinks{{"uplinks-per-spine", "2"}, {"uplink.bandwidth", "100 Gb/s"}};
    const Names spines{"spines", "uplinks-per-spine", "uplink"};
    const Texts far{{"local.latency", "1 us"}, {"global.latency", "2 us"}};
    const std::vector<Case> cases{
        {"nodes", {{"leaves", "1"}}, uplinks, spines, {{"leaves", "2"}}},
        {"leaf-spine", {{"npus-per-leaf", "8"}}, uplinks, spines, {{"npus-per-leaf", "2"}}},
        {"rail", {{"nics-per-node", "1"}}, uplinks, spines, {{"nics-per-node", "2"}}},
        {"rail", {{"nodes", "1"}}, uplinks, spines, {{"nodes", "2"}}},
        {"wafer",
         {{"l1-switches", "1"}},
         {{"l2-switches", "3"}, {"uplink.latency", "2 us"}},
         {"l2-switches", "uplink"},
         {{"l1-switches", "2"}}},
        {"memory-pool",
         {{"nodes", "1"}},
         {{"uplink.latency", "2 us"}},
         {"out-node-switches", "uplink"},
         {{"nodes", "2"}}},
        {"dragonfly", {{"nodes", "2"}}, far, {"local", "global"}, {{"nodes", "5"}}},
        {"dragonfly", {{"nodes", "4"}}, far, {"global"}, {{"nodes", "5"}}}};
    for (const Case& test : cases)
    {
        CAPTURE(test.generator, test.cause);
        const auto namesWith = [&](const Texts& last)
        {
            ComponentChoice choice = MakeChoice(test.generator);
            for (const Texts& texts : {test.cause, test.given, last})
            {
                for (const auto& [name, text] : texts)
                {
                    choice.parameters[name] = text;
                }
            }
            Names names;
            for (const IdleParameter& idle : FindIdleParameters(choice))
            {
                CHECK(idle.isUnreached);
                names.push_back(idle.name);
            }
            return names;
        };
        CHECK(namesWith({}) == test.idle);
        CHECK(namesWith(test.remedy).empty());
    }
}

TEST_CASE("TopologyGenerator: a parameter that is at work is not idle", "[unit][network]")
{
    ComponentChoice nodes = MakeChoice("nodes");
    nodes.parameters["nics-per-node"] = "1";
    nodes.parameters["pcie.bandwidth"] = "100 Gb/s";
    nodes.parameters["uplink.latency"] = "1 us";
    nodes.parameters["uplinks-per-spine"] = "2";
    nodes.parameters["inside"] = "mesh";
    CHECK(FindIdleParameters(nodes).empty());
    ComponentChoice dragonfly = MakeChoice("dragonfly");
    dragonfly.parameters["npus-per-node"] = "2";
    dragonfly.parameters["nvlink.bandwidth"] = "100 Gb/s";
    dragonfly.parameters["local.latency"] = "1 us";
    dragonfly.parameters["global.latency"] = "2 us";
    dragonfly.parameters["global-links-per-router"] = "2";
    CHECK(FindIdleParameters(dragonfly).empty());
}
