// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/editing/iterations.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

Iterations
IterationsOf(const std::vector<TraceNode>& nodes)
{
    const std::string bytes = MakeTrace(nodes);
    return FindIterations(ParseDocument(bytes, "test.et"),
                          ParseTrace(bytes, "test.et", DependencyPolicy::Auto).graph);
}

using MarkedNodes = std::vector<int64_t>;

} // namespace

TEST_CASE("FindIterations: the attribute iteration holds for what depends on its node",
          "[trace-tools]")
{
    const Iterations found = IterationsOf({NamedNode(1, "a"),
                                           NamedNode(2, "b").Int("iteration", 4),
                                           NamedNode(3, "c").Data(2),
                                           NamedNode(4, "d").Data(3).Int("iteration", 5),
                                           NamedNode(5, "e").Data(3).Data(4)});
    CHECK(found.ofNode == MarkedNodes{Iterations::BEFORE, 4, 4, 5, 5});
    CHECK(found.first == 4);
    CHECK(found.last == 5);
}

TEST_CASE("FindIterations: a node without dependencies belongs to the profiler's step before it",
          "[trace-tools]")
{
    const Iterations found = IterationsOf({NamedNode(1, "init"),
                                           NamedNode(2, "ProfilerStep#7").Data(1),
                                           NamedNode(3, "forward").Data(2),
                                           NamedNode(9, "other thread"),
                                           NamedNode(5, "ProfilerStep#8").Data(3),
                                           NamedNode(6, "forward").Data(5),
                                           NamedNode(4, "thread")});
    CHECK(found.ofNode == MarkedNodes{Iterations::BEFORE, 7, 7, 8, 8, 8, 7});
}

TEST_CASE(
    "FindIterations: names that repeat are iterations, counted from 1 after what comes before",
    "[trace-tools]")
{
    const Iterations found = IterationsOf({NamedNode(1, "init"),
                                           NamedNode(2, "a"),
                                           NamedNode(3, "a"),
                                           NamedNode(4, "b"),
                                           NamedNode(5, "a"),
                                           NamedNode(6, "a"),
                                           NamedNode(7, "b")});
    CHECK(found.ofNode == MarkedNodes{Iterations::BEFORE, 1, 1, 1, 2, 2, 2});
    CHECK(found.found.find("repeat") != std::string::npos);
}

TEST_CASE("FindIterations: a trace without any is refused with what to do instead", "[trace-tools]")
{
    // "d", "d" repeats, but that is less than half of the trace.
    const std::string text = ConfigErrorText(
        []
        {
            IterationsOf({NamedNode(1, "a"),
                          NamedNode(2, "b"),
                          NamedNode(3, "c"),
                          NamedNode(4, "d"),
                          NamedNode(5, "d")});
        });
    CHECK(text == "test.et: has no iterations that can be found: no attribute iteration, no node "
                  "named ProfilerStep#, and its names do not repeat; cut it by --from and --to, or "
                  "by --nodes");
}
