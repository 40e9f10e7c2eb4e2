// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/editing/node-removal.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <random>
#include <set>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct Shortened
{
    TraceDocument document;
    NodeRemoval removal = {};
};

Shortened
TakeNodesOut(const std::vector<TraceNode>& nodes, const std::vector<bool>& keep)
{
    const std::string bytes = MakeTrace(nodes);
    Shortened result{.document = ParseDocument(bytes, "test.et")};
    const TraceFile trace = ParseTrace(bytes, "test.et", DependencyPolicy::Both);
    result.removal = RemoveNodes(result.document, trace.graph, keep);
    return result;
}

/// [node][ancestor], by index; over data dependencies alone, or both.
std::vector<std::vector<bool>>
FindAncestors(const TraceDocument& document, bool isDataOnly)
{
    std::map<uint64_t, size_t> places;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        places.emplace(node.id(), places.size());
    }
    const size_t count = places.size();
    std::vector<std::vector<bool>> ancestors(count, std::vector<bool>(count));
    // Nodes of these tests come after those on which they depend.
    for (size_t index = 0; index < count; ++index)
    {
        std::vector<uint64_t> parents = DataOf(document.nodes[index]);
        const std::vector<uint64_t> control = ControlOf(document.nodes[index]);
        parents.insert(
            parents.end(), control.begin(), isDataOnly ? control.begin() : control.end());
        for (const uint64_t id : parents)
        {
            const size_t parent = places.at(id);
            ancestors[index][parent] = true;
            for (size_t other = 0; other < count; ++other)
            {
                ancestors[index][other] = ancestors[index][other] || ancestors[parent][other];
            }
        }
    }
    return ancestors;
}

/// Pairs (node, ancestor) of ids, for nodes with these ids.
std::set<std::pair<uint64_t, uint64_t>>
FindWaits(const TraceDocument& document, const std::set<uint64_t>& ids, bool isDataOnly)
{
    const auto ancestors = FindAncestors(document, isDataOnly);
    std::set<std::pair<uint64_t, uint64_t>> order;
    for (size_t node = 0; node < ancestors.size(); ++node)
    {
        for (size_t other = 0; other < ancestors.size(); ++other)
        {
            const std::pair ends(document.nodes[node].id(), document.nodes[other].id());
            if (ancestors[node][other] && ids.contains(ends.first) && ids.contains(ends.second))
            {
                order.insert(ends);
            }
        }
    }
    return order;
}

} // namespace

TEST_CASE("RemoveNodes: of a, b, c in a row without b, c depends on a", "[trace-tools]")
{
    const Shortened result =
        TakeNodesOut({Kernel(1), Kernel(2).Data(1), Kernel(3).Data(2)}, {true, false, true});
    REQUIRE(result.document.nodes.size() == 2);
    CHECK(DataOf(result.document.nodes[1]) == std::vector<uint64_t>{1});
    CHECK(result.removal.removed == 1);
    CHECK(result.removal.joints == 0);
}

TEST_CASE("RemoveNodes: a path with a control dependency becomes a control dependency",
          "[trace-tools]")
{
    const Shortened result = TakeNodesOut(
        {Kernel(1), Kernel(2).Control(1), Kernel(3).Data(2), Kernel(4).Data(2).Data(1)},
        {true, false, true, true});
    REQUIRE(result.document.nodes.size() == 3);
    CHECK(DataOf(result.document.nodes[1]).empty());
    CHECK(ControlOf(result.document.nodes[1]) == std::vector<uint64_t>{1});
    // A dependency of its own stays what it is.
    CHECK(DataOf(result.document.nodes[2]) == std::vector<uint64_t>{1});
}

TEST_CASE("RemoveNodes: what another dependency implies is left out", "[trace-tools]")
{
    const Shortened result =
        TakeNodesOut({Kernel(1), Kernel(2).Data(1), Kernel(3).Data(1).Data(2), Kernel(4).Data(3)},
                     {true, true, false, true});
    CHECK(DataOf(result.document.nodes[2]) == std::vector<uint64_t>{2});
}

TEST_CASE("RemoveNodes: dependencies on ids that no node has are left out", "[trace-tools]")
{
    const Shortened result = TakeNodesOut({Kernel(1).Data(9), Kernel(2).Data(1)}, {true, true});
    CHECK(DataOf(result.document.nodes[0]).empty());
    CHECK(DataOf(result.document.nodes[1]) == std::vector<uint64_t>{1});
}

TEST_CASE("RemoveNodes: a node that joins more than 64 dependencies stays without taking time",
          "[trace-tools]")
{
    for (const size_t width : {64, 65})
    {
        std::vector<TraceNode> nodes;
        TraceNode joint = Kernel(1000).Micros(7);
        for (uint64_t id = 1; id <= width; ++id)
        {
            nodes.push_back(Kernel(id));
            joint.Data(id);
        }
        nodes.push_back(joint);
        nodes.push_back(Kernel(1001).Data(1000));
        std::vector<bool> keep(width + 2, true);
        keep[width] = false;
        const Shortened result = TakeNodesOut(nodes, keep);
        CHECK(result.removal.joints == (width == 65 ? 1 : 0));
        const ChakraProtoMsg::Node& last = result.document.nodes.back();
        CHECK(last.data_deps_size() == (width == 65 ? 1 : 64));
        if (width == 65)
        {
            const ChakraProtoMsg::Node& kept = result.document.nodes[width];
            CHECK(kept.type() == ChakraProtoMsg::METADATA_NODE);
            CHECK(kept.duration_micros() == 0);
            CHECK(kept.data_deps_size() == 65);
        }
    }
}

TEST_CASE("RemoveNodes: kept nodes wait for the same kept nodes as before, in any trace",
          "[trace-tools]")
{
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        std::mt19937 dice(seed);
        const uint64_t count = 2 + dice() % 60;
        std::vector<TraceNode> nodes;
        std::vector<bool> keep;
        std::set<uint64_t> kept;
        for (uint64_t id = 0; id < count; ++id)
        {
            TraceNode node = Kernel(id);
            for (uint32_t tries = dice() % 4; id > 0 && tries > 0; --tries)
            {
                const uint64_t parent = dice() % id;
                dice() % 3 == 0 ? node.Control(parent) : node.Data(parent);
            }
            nodes.push_back(node);
            keep.push_back(dice() % 2 == 0);
            if (keep.back())
            {
                kept.insert(id);
            }
        }
        const TraceDocument before = ParseDocument(MakeTrace(nodes), "test.et");
        const Shortened after = TakeNodesOut(nodes, keep);
        CHECK(after.document.nodes.size() == kept.size() + after.removal.joints);
        for (const bool isDataOnly : {false, true})
        {
            CHECK(FindWaits(before, kept, isDataOnly) ==
                  FindWaits(after.document, kept, isDataOnly));
        }
    }
}
