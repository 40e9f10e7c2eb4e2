// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/parse-trace.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Notes = std::vector<TraceNote>;

/// 1 -> 3 by data, 2 -> 3 by control.
std::vector<TraceNode>
OneOfEach()
{
    return {Kernel(1), Kernel(2), Kernel(3).Data(1).Control(2)};
}

/// Whether node 3 of OneOfEach waits for 1 and for 2.
std::vector<bool>
WaitsOfThird(const TraceFile& trace)
{
    return {!trace.graph.Children(0).empty(), !trace.graph.Children(1).empty()};
}

} // namespace

TEST_CASE("Dependencies: both kinds hold where nothing speaks against it", "[unit][workload]")
{
    const TraceFile trace =
        ParseNodes(OneOfEach(), DependencyPolicy::Auto, "symbolic_tensor_network");
    CHECK(WaitsOfThird(trace) == std::vector<bool>{true, true});
    CHECK(trace.notes.empty());
}

TEST_CASE("Dependencies: of a PyTorch trace only the data dependencies hold", "[unit][workload]")
{
    const std::string schema = GENERATE("1.0.1", "1.1.1-chakra.0.0.4");
    const TraceFile trace = ParseNodes(OneOfEach(), DependencyPolicy::Auto, schema);
    CHECK(WaitsOfThird(trace) == std::vector<bool>{true, false});
    CHECK(trace.notes == Notes{{1,
                                "control dependencies of a PyTorch trace say who called whom: "
                                "ignored, data dependencies only"}});
}

TEST_CASE("Dependencies: a trace converted from text is none of PyTorch's, whatever its schema",
          "[unit][workload]")
{
    ChakraProtoMsg::GlobalMetadata metadata;
    for (const char* name : {"schema", "input_file"})
    {
        ChakraProtoMsg::AttributeProto& attribute = *metadata.add_attr();
        attribute.set_name(name);
        attribute.set_string_val("1.0.2-chakra.0.0.4");
    }
    std::string bytes = Frame(metadata.SerializeAsString());
    for (TraceNode& node : OneOfEach())
    {
        bytes += Frame(node.Message().SerializeAsString());
    }
    CHECK(WaitsOfThird(ParseTrace(bytes, "test.et", DependencyPolicy::Auto)) ==
          std::vector<bool>{true, true});
}

TEST_CASE("Dependencies: when control dependencies dangle, only the data dependencies hold",
          "[unit][workload]")
{
    std::vector<TraceNode> nodes = OneOfEach();
    nodes.push_back(Kernel(4).Control(99).Control(98));
    const TraceFile trace = ParseNodes(nodes);
    CHECK(WaitsOfThird(trace) == std::vector<bool>{true, false});
    CHECK(trace.notes == Notes{{2,
                                "control dependencies point to nodes that are not in the file: "
                                "ignored, data dependencies only"}});
}

TEST_CASE("Dependencies: when both kinds together are cyclic, only the data dependencies hold",
          "[unit][workload]")
{
    std::vector<TraceNode> nodes{Kernel(1).Control(3), Kernel(2), Kernel(3).Data(1).Control(2)};
    const TraceFile trace = ParseNodes(nodes);
    CHECK(WaitsOfThird(trace) == std::vector<bool>{true, false});
    CHECK(trace.notes == Notes{{2,
                                "control dependencies form cycles with the data dependencies: "
                                "ignored, data dependencies only"}});
    CHECK(ConfigErrorText([&] { ParseNodes(nodes, DependencyPolicy::Both); })
              .find("cycle of 2 nodes: 1 \"node\" -> 3 \"node\" -> 1;") != std::string::npos);
}

TEST_CASE("Dependencies: the user's word goes before what the trace looks like", "[unit][workload]")
{
    CHECK(WaitsOfThird(ParseNodes(OneOfEach(), DependencyPolicy::Both, "1.0.1")) ==
          std::vector<bool>{true, true});
    const TraceFile data = ParseNodes(OneOfEach(), DependencyPolicy::Data);
    CHECK(WaitsOfThird(data) == std::vector<bool>{true, false});
    CHECK(data.notes ==
          Notes{{1, "control dependencies are ignored, as configured (dependencies: data)"}});
    const TraceFile control = ParseNodes(OneOfEach(), DependencyPolicy::Control);
    CHECK(WaitsOfThird(control) == std::vector<bool>{false, true});
    CHECK(control.notes ==
          Notes{{1, "data dependencies are ignored, as configured (dependencies: control)"}});
}

TEST_CASE("Dependencies: dangling ones of a kind that holds are ignored and counted",
          "[unit][workload]")
{
    const std::vector<TraceNode> nodes{Kernel(1).Data(50).Data(51), Kernel(2).Data(1).Control(52)};
    const TraceFile trace = ParseNodes(nodes, DependencyPolicy::Both);
    CHECK(trace.graph.ParentCount(1) == 1);
    CHECK(trace.notes ==
          Notes{{2, "data dependencies point to nodes that are not in the file: ignored"},
                {1, "control dependencies point to nodes that are not in the file: ignored"}});
}

TEST_CASE("Dependencies: a cycle of data dependencies is refused", "[unit][workload]")
{
    const std::vector<TraceNode> nodes{Kernel(1).Data(2), Kernel(2).Data(1).Control(7)};
    CHECK(ConfigErrorText([&] { ParseNodes(nodes); }) ==
          "test.et: the dependencies form a cycle of 2 nodes: 1 \"node\" -> 2 \"node\" -> 1; no "
          "node of it could ever start");
}

TEST_CASE("DependencyPolicy: texts and values stand for each other", "[unit][workload]")
{
    for (const DependencyPolicy policy : AllDependencyPolicies())
    {
        CHECK(FindDependencyPolicy(ToText(policy)) == policy);
    }
    CHECK_FALSE(FindDependencyPolicy("all"));
}
