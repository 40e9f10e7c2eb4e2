// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "workload/execution-graph-builder.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

/// Lets every problem pass.
class ProblemRecorder : public TraceListener
{
  public:
    void OnProblem(const TraceProblem& problem) override
    {
        problems.push_back(problem);
    }

    void OnOddity(Severity, std::string_view, uint64_t, std::string_view) override
    {
    }

    std::vector<TraceProblem> problems;
};

ExecutionNode
Compute(uint64_t id, int32_t priority = 0)
{
    return {.id = id, .priority = priority, .type = NodeType::Compute};
}

std::vector<uint32_t>
ChildrenOf(const ExecutionGraph& graph, uint32_t node)
{
    const auto children = graph.Children(node);
    return {children.begin(), children.end()};
}

std::vector<uint64_t>
IdsInOrder(const ExecutionGraph& graph)
{
    std::vector<uint64_t> ids;
    for (const uint32_t index : graph.TopologicalOrder())
    {
        ids.push_back(graph.Node(index).id);
    }
    return ids;
}

} // namespace

TEST_CASE("ExecutionGraphBuilder: nodes keep their order and find forward references",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    CHECK(builder.AddNode(Compute(7), "last", {5, 6}) == 0);
    CHECK(builder.AddNode(Compute(5), "first") == 1);
    CHECK(builder.AddNode(Compute(6), "middle", {5}) == 2);
    const ExecutionGraph graph = builder.Build();

    REQUIRE(graph.NodeCount() == 3);
    CHECK(graph.Source() == "test");
    CHECK(graph.Name(0) == "last");
    CHECK(graph.Node(2).id == 6);
    CHECK(ChildrenOf(graph, 1) == std::vector<uint32_t>{0, 2});
    CHECK(ChildrenOf(graph, 2) == std::vector<uint32_t>{0});
    CHECK(ChildrenOf(graph, 0).empty());
    CHECK(graph.ParentCount(0) == 2);
    CHECK(graph.ParentCount(1) == 0);
}

TEST_CASE("ExecutionGraphBuilder: equal names and groups are kept once", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    for (uint64_t id = 0; id < 1000; ++id)
    {
        builder.AddNode(Compute(id), "kernel" + std::to_string(id % 200));
    }
    CHECK(builder.AddGroup("tp") == 1);
    CHECK(builder.AddGroup("dp") == 2);
    CHECK(builder.AddGroup("tp") == 1);
    const ExecutionGraph graph = builder.Build();
    CHECK(graph.Node(3).name == graph.Node(203).name);
    CHECK(graph.Node(3).name != graph.Node(4).name);
    CHECK(graph.Name(999) == "kernel199");
    CHECK(graph.GroupNames() == std::vector<std::string>{"", "tp", "dp"});
}

TEST_CASE("ExecutionGraphBuilder: the names of all ranks are group 0", "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    CHECK(builder.AddGroup("") == 0);
    CHECK(builder.AddGroup("0") == 0);
    CHECK(builder.AddGroup("0.0") == 0);
    CHECK(builder.AddGroup("00") == 1);
}

TEST_CASE("ExecutionGraphBuilder: a dependency counts once, however often and as whichever kind",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(Compute(1), "a");
    builder.AddNode(Compute(2), "b", {1, 1});
    const std::vector<uint64_t> again{1};
    builder.AddDependencies(DependencyKind::Control, again);
    const ExecutionGraph graph = builder.Build();
    CHECK(graph.ParentCount(1) == 1);
    CHECK(ChildrenOf(graph, 0) == std::vector<uint32_t>{1});
}

TEST_CASE("ExecutionGraphBuilder: dependencies on absent nodes are left out and counted",
          "[unit][workload]")
{
    // Dense ids are looked up in a table, sparse ones in a sorted list.
    const uint64_t second = GENERATE(uint64_t{11}, ~uint64_t{0} - 1);
    ExecutionGraphBuilder builder("test");
    builder.AddNode(Compute(10), "a", {9, 12});
    builder.AddNode(Compute(second), "b", {10, ~uint64_t{0}, 0});
    CHECK(builder.CountDangling(DependencyKind::Data) == 4);
    CHECK(builder.CountDangling(DependencyKind::Control) == 0);
    const ExecutionGraph graph = builder.Build();
    CHECK(graph.ParentCount(0) == 0);
    CHECK(graph.ParentCount(1) == 1);
}

TEST_CASE("ExecutionGraphBuilder: only the wanted kinds of dependencies hold", "[unit][workload]")
{
    const auto parents = [](DependencyKinds kinds)
    {
        ExecutionGraphBuilder builder("test");
        builder.AddNode(Compute(1), "a");
        builder.AddNode(Compute(2), "b");
        builder.AddNode(Compute(3), "c", {1});
        const std::vector<uint64_t> control{2};
        builder.AddDependencies(DependencyKind::Control, control);
        const ExecutionGraph graph = builder.Build(kinds);
        return std::vector<size_t>{graph.Children(0).size(), graph.Children(1).size()};
    };
    CHECK(parents(DependencyKinds::Both) == std::vector<size_t>{1, 1});
    CHECK(parents(DependencyKinds::Data) == std::vector<size_t>{1, 0});
    CHECK(parents(DependencyKinds::Control) == std::vector<size_t>{0, 1});
}

TEST_CASE("ExecutionGraphBuilder: two nodes with one id are refused", "[unit][workload]")
{
    const uint64_t other = GENERATE(uint64_t{5}, uint64_t{1} << 40);
    ExecutionGraphBuilder builder("x.0.et");
    builder.AddNode(Compute(4), "a");
    builder.AddNode(Compute(other), "b");
    builder.AddNode(Compute(4), "c");
    CHECK(ConfigErrorText([&] { builder.Build(); }) ==
          "x.0.et: nodes 0 and 2 in order both have id 4; ids must be unique within a trace");
}

TEST_CASE("ExecutionGraphBuilder: a cycle is refused by naming its nodes", "[unit][workload]")
{
    ExecutionGraphBuilder builder("x.0.et");
    builder.AddNode(Compute(1), "before");
    builder.AddNode(Compute(2), "forward", {1, 4});
    builder.AddNode(Compute(3), "backward", {2});
    builder.AddNode(Compute(4), "update", {3});
    builder.AddNode(Compute(5), "behind", {4});
    CHECK_FALSE(builder.IsAcyclic(DependencyKinds::Both));
    CHECK(builder.IsAcyclic(DependencyKinds::Control));
    CHECK(ConfigErrorText([&] { builder.Build(); }) ==
          "x.0.et: the dependencies form a cycle of 3 nodes: 2 \"forward\" -> 3 \"backward\" -> "
          "4 \"update\" -> 2; no node of it could ever start");
}

TEST_CASE("ExecutionGraphBuilder: of several cycles a short one is named", "[unit][workload]")
{
    // A ring of 100, which a node on the way from it leads to a pair.
    ExecutionGraphBuilder builder("x");
    for (uint64_t id = 0; id < 100; ++id)
    {
        builder.AddNode(Compute(id), "ring", {(id + 99) % 100});
    }
    builder.AddNode(Compute(100), "between", {50});
    builder.AddNode(Compute(101), "left", {100, 102});
    builder.AddNode(Compute(102), "right", {101});
    const std::string text = ConfigErrorText([&] { builder.Build(); });
    CHECK(text.find("cycle of 2 nodes: 101 \"left\" -> 102 \"right\" -> 101;") !=
          std::string::npos);
}

TEST_CASE("ExecutionGraphBuilder: of a long cycle the first nodes are named", "[unit][workload]")
{
    ExecutionGraphBuilder builder("x");
    for (uint64_t id = 0; id < 10; ++id)
    {
        builder.AddNode(Compute(id), "n", {(id + 9) % 10});
    }
    const std::string text = ConfigErrorText([&] { builder.Build(); });
    CHECK(text.find("cycle of 10 nodes: ") != std::string::npos);
    CHECK(text.find("-> (2 more) ->") != std::string::npos);
}

TEST_CASE("ExecutionGraphBuilder: a node that waits for itself is a cycle", "[unit][workload]")
{
    ExecutionGraphBuilder builder("x");
    builder.AddNode(Compute(3), "self", {3});
    CHECK(ConfigErrorText([&] { builder.Build(); }) ==
          "x: the dependencies form a cycle of 1 node: 3 \"self\" -> 3; no node of it could ever "
          "start");
}

TEST_CASE("ExecutionGraph: the static order takes the smallest (priority, id) that is ready",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("test");
    builder.AddNode(Compute(9), "");
    builder.AddNode(Compute(1), "", {9});
    builder.AddNode(Compute(8), "");
    builder.AddNode(Compute(2, -1), "", {8});
    builder.AddNode(Compute(3, 1), "");
    // Ready at first: 9, 8 and, by its priority, behind both 3. 8 frees 2 of priority -1.
    CHECK(IdsInOrder(builder.Build()) == std::vector<uint64_t>{8, 2, 9, 1, 3});
}

TEST_CASE("ExecutionGraph: takes at most 100 bytes a node with two dependencies each",
          "[unit][workload]")
{
    constexpr uint64_t COUNT = 100'000;
    ExecutionGraphBuilder builder("test");
    builder.AddNode(Compute(0), "kernel");
    for (uint64_t id = 1; id < COUNT; ++id)
    {
        builder.AddNode(Compute(3 * id), "kernel", {3 * (id / 2), 3 * (id / 3)});
    }
    const ExecutionGraph graph = builder.Build();
    REQUIRE(graph.NodeCount() == COUNT);
    // The node, its place in the child list, its parent count, two children.
    CHECK(graph.MemoryBytes() <= COUNT * (64 + 4 + 4 + 2 * 4) + 4);
    CHECK(graph.MemoryBytes() <= 100 * COUNT);
}

TEST_CASE("ExecutionGraphBuilder: an empty graph is a graph", "[unit][workload]")
{
    const ExecutionGraph graph = ExecutionGraphBuilder("test").Build();
    CHECK(graph.NodeCount() == 0);
    CHECK(graph.TopologicalOrder().empty());
}

TEST_CASE("ExecutionGraphBuilder: a graph whose cycle is let pass has no dependencies",
          "[unit][workload]")
{
    ExecutionGraphBuilder builder("x.0.et");
    builder.AddNode(Compute(1), "before");
    builder.AddNode(Compute(2), "left", {1, 3});
    builder.AddNode(Compute(3), "right", {2});
    ProblemRecorder recorder;
    const ExecutionGraph graph = builder.Build(DependencyKinds::Both, recorder);
    REQUIRE(recorder.problems.size() == 1);
    CHECK(recorder.problems[0].nodes == std::vector<TraceNodeName>{{2, "left"}, {3, "right"}});
    CHECK(graph.NodeCount() == 3);
    CHECK(graph.TopologicalOrder().size() == 3);
    CHECK(graph.ParentCount(1) == 0);
}

TEST_CASE("ExecutionGraphBuilder: every id that two nodes have is told of", "[unit][workload]")
{
    ExecutionGraphBuilder builder("x.0.et");
    for (const uint64_t id : {1, 2, 1, 2, 1})
    {
        builder.AddNode(Compute(id), "node");
    }
    ProblemRecorder recorder;
    CHECK(builder.Build(DependencyKinds::Both, recorder).NodeCount() == 5);
    CHECK(recorder.problems.size() == 3); // nodes 2, 3 and 4
}
