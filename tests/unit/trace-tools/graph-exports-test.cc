// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/trace-edit-bench.h"
#include "workload/document/json-document.h"
#include "workload/tools/exports/graph-exports.h"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

size_t
CountParts(const std::string& text, const std::string& part)
{
    size_t count = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

/// The edges between boxes of a drawing.
std::set<std::pair<int, int>>
BoxEdgesOf(const std::string& dot)
{
    std::set<std::pair<int, int>> edges;
    std::istringstream lines(dot);
    for (std::string line; std::getline(lines, line);)
    {
        int from = 0;
        int to = 0;
        if (std::sscanf(line.c_str(), "  b%d -> b%d;", &from, &to) == 2)
        {
            edges.emplace(from, to);
        }
    }
    return edges;
}

} // namespace

TEST_CASE("FormatGraphMl: edges to nodes that are not there are left out and counted",
          "[trace-tools]")
{
    const Exportable trace =
        LoadNodes({Kernel(1), Kernel(2).Data(1).Data(8), Kernel(3).Control(9)});
    const ExportedText exported = FormatGraphMl(trace.document);
    CHECK(CountParts(exported.text, "<node ") == 3);
    CHECK(CountParts(exported.text, "<edge ") == 1);
    CHECK(exported.text.find("source=\"1\" target=\"2\"") != std::string::npos);
    CHECK(exported.notes == std::vector<std::string>{
                                "2 dependencies on nodes that are not in the trace are left out"});
}

TEST_CASE("FormatGraphMl: names may hold what means something in XML", "[trace-tools]")
{
    const Exportable trace =
        LoadNodes({TraceNode(1, ChakraProtoMsg::COMP_NODE, "a<b> & \"c\"\x01")});
    CHECK(FormatGraphMl(trace.document).text.find("a&lt;b&gt; &amp; &quot;c&quot; ") !=
          std::string::npos);
}

TEST_CASE("FormatDot: a small trace is drawn node by node", "[trace-tools]")
{
    const Exportable trace =
        LoadNodes({TraceNode(1, ChakraProtoMsg::COMP_NODE, "say \"x\"").Micros(3),
                   Kernel(2).Data(1),
                   AllReduce(3).Data(2)});
    const ExportedText dot = FormatDot(trace.graph);
    CHECK(CountParts(dot.text, "label=") == 3);
    CHECK(dot.text.find("say \\\"x\\\"\\ncompute, 3 us") != std::string::npos);
    CHECK(BoxEdgesOf(dot.text) == std::set<std::pair<int, int>>{{0, 1}, {1, 2}});
    CHECK(dot.notes.empty());
}

TEST_CASE("FormatDot: a chain of 1200 kernels is drawn as boxes of 3 that add up their times",
          "[trace-tools]")
{
    std::vector<TraceNode> nodes{Kernel(1).Micros(2)};
    for (uint64_t id = 2; id <= 1200; ++id)
    {
        nodes.push_back(Kernel(id).Micros(2).Data(id - 1));
    }
    const ExportedText dot = FormatDot(LoadNodes(nodes).graph);
    // 1200 nodes fit 500 boxes with 3 in each.
    CHECK(CountParts(dot.text, "3 nodes\\nnode\\n... node\\ncompute, 6 us") == 400);
    CHECK(BoxEdgesOf(dot.text).size() == 399);
    CHECK(dot.notes == std::vector<std::string>{
                           "1200 nodes are drawn as 400 boxes: a box holds nodes of one type that "
                           "follow each other on one resource"});
    CHECK(dot.text.find("// " + dot.notes[0]) != std::string::npos);
}

TEST_CASE("FormatDot: what cannot be collapsed is cut off after 500 boxes", "[trace-tools]")
{
    std::vector<TraceNode> nodes{Kernel(1)};
    for (uint64_t id = 2; id <= 600; ++id)
    {
        nodes.push_back((id % 2 == 0 ? AllReduce(id) : Kernel(id)).Data(id - 1));
    }
    const ExportedText dot = FormatDot(LoadNodes(nodes).graph);
    CHECK(CountParts(dot.text, "fillcolor=") == 500);
    CHECK(BoxEdgesOf(dot.text).size() == 499);
    CHECK(dot.notes == std::vector<std::string>{
                           "the first 500 boxes are drawn; 100 boxes with 100 nodes are left out"});
}

TEST_CASE("FormatDot: boxes of a real run wait for each other without a circle", "[trace-tools]")
{
    const Exportable trace = LoadSample(SampleTrace("dlrm/dlrm.0.et.gz"));
    const ExportedText dot = FormatDot(trace.graph);
    const size_t boxes = CountParts(dot.text, "fillcolor=");
    CHECK(boxes <= 500);
    REQUIRE(dot.notes.size() == 1);
    // Kahn: every box can be taken once nothing before it is left.
    const auto edges = BoxEdgesOf(dot.text);
    std::vector<int> waits(boxes, 0);
    for (const auto& [from, to] : edges)
    {
        ++waits[static_cast<size_t>(to)];
    }
    std::vector<int> ready;
    for (size_t box = 0; box < boxes; ++box)
    {
        if (waits[box] == 0)
        {
            ready.push_back(static_cast<int>(box));
        }
    }
    for (size_t next = 0; next < ready.size(); ++next)
    {
        for (const auto& [from, to] : edges)
        {
            if (from == ready[next] && --waits[static_cast<size_t>(to)] == 0)
            {
                ready.push_back(to);
            }
        }
    }
    CHECK(ready.size() == boxes);
}

TEST_CASE("FormatJsonDocument: a real run reads back as it was", "[trace-tools]")
{
    const TraceDocument document = ReadDocument(SampleTrace("stg-gpt-tp4dp2/workload.0.et"));
    const auto json = nlohmann::json::parse(FormatJsonDocument(document));
    CHECK(json.at("nodes").size() == document.nodes.size());
}
