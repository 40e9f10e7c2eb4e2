// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/timeline-reader.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/document/json-document.h"
#include "workload/tools/exports/graph-exports.h"
#include "workload/tools/exports/node-placement.h"
#include "workload/tools/exports/timeline-export.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <set>
#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A trace both as document and as graph.
struct Exportable
{
    TraceDocument document;
    ExecutionGraph graph;
};

Exportable
Load(const std::vector<TraceNode>& nodes)
{
    const std::string bytes = MakeTrace(nodes);
    return {.document = ParseDocument(bytes, "test.et"),
            .graph = ParseTrace(bytes, "test.et", DependencyPolicy::Auto).graph};
}

Exportable
LoadFile(const std::string& path)
{
    return {.document = ReadDocument(path),
            .graph = ReadTraceFile(path, DependencyPolicy::Auto).graph};
}

size_t
CountText(const std::string& text, const std::string& part)
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
EdgesOf(const std::string& dot)
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

TraceNode
Recorded(uint64_t id, uint64_t start, uint64_t duration)
{
    TraceNode node = Kernel(id).Micros(duration);
    node.Message().set_start_time_micros(start);
    node.Message().set_name("n" + std::to_string(id));
    return node;
}

struct Drawn
{
    std::vector<DrawnTrack> tracks;
    std::vector<std::string> notes;
};

Drawn
Draw(const std::vector<Exportable>& ranks, int64_t originNanos = 0)
{
    std::ostringstream out;
    TimelineExport timeline(out, originNanos);
    for (uint32_t rank = 0; rank < ranks.size(); ++rank)
    {
        timeline.AddRank(rank, ranks[rank].document, ranks[rank].graph);
    }
    return {.tracks = TimelineReader(out.str(), Nesting::Allowed).Tracks(),
            .notes = timeline.Notes()};
}

constexpr uint64_t NS_PER_US = 1000;

} // namespace

TEST_CASE("FormatGraphMl: edges to nodes that are not there are left out and counted",
          "[trace-tools]")
{
    const Exportable trace = Load({Kernel(1), Kernel(2).Data(1).Data(8), Kernel(3).Control(9)});
    const ExportedText exported = FormatGraphMl(trace.document);
    CHECK(CountText(exported.text, "<node ") == 3);
    CHECK(CountText(exported.text, "<edge ") == 1);
    CHECK(exported.text.find("source=\"1\" target=\"2\"") != std::string::npos);
    CHECK(exported.notes == std::vector<std::string>{
                                "2 dependencies on nodes that are not in the trace are left out"});
}

TEST_CASE("FormatGraphMl: names may hold what means something in XML", "[trace-tools]")
{
    const Exportable trace = Load({TraceNode(1, ChakraProtoMsg::COMP_NODE, "a<b> & \"c\"\x01")});
    CHECK(FormatGraphMl(trace.document).text.find("a&lt;b&gt; &amp; &quot;c&quot; ") !=
          std::string::npos);
}

TEST_CASE("FormatDot: a small trace is drawn node by node", "[trace-tools]")
{
    const Exportable trace = Load({TraceNode(1, ChakraProtoMsg::COMP_NODE, "say \"x\"").Micros(3),
                                   Kernel(2).Data(1),
                                   AllReduce(3).Data(2)});
    const ExportedText dot = FormatDot(trace.graph);
    CHECK(CountText(dot.text, "label=") == 3);
    CHECK(dot.text.find("say \\\"x\\\"\\ncompute, 3 us") != std::string::npos);
    CHECK(EdgesOf(dot.text) == std::set<std::pair<int, int>>{{0, 1}, {1, 2}});
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
    const ExportedText dot = FormatDot(Load(nodes).graph);
    // 1200 nodes fit 500 boxes with 3 in each.
    CHECK(CountText(dot.text, "3 nodes\\nnode\\n... node\\ncompute, 6 us") == 400);
    CHECK(EdgesOf(dot.text).size() == 399);
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
    const ExportedText dot = FormatDot(Load(nodes).graph);
    CHECK(CountText(dot.text, "fillcolor=") == 500);
    CHECK(EdgesOf(dot.text).size() == 499);
    CHECK(dot.notes == std::vector<std::string>{
                           "the first 500 boxes are drawn; 100 boxes with 100 nodes are left out"});
}

TEST_CASE("FormatDot: boxes of a real run wait for each other without a circle", "[trace-tools]")
{
    const Exportable trace = LoadFile(SampleTrace("dlrm/dlrm.0.et.gz"));
    const ExportedText dot = FormatDot(trace.graph);
    const size_t boxes = CountText(dot.text, "fillcolor=");
    CHECK(boxes <= 500);
    REQUIRE(dot.notes.size() == 1);
    // Kahn: every box can be taken once nothing before it is left.
    const auto edges = EdgesOf(dot.text);
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

TEST_CASE("PlaceNodes: recorded starts stay, and others follow what they depend on",
          "[trace-tools]")
{
    const Exportable trace = Load({Recorded(1, 50, 10),
                                   Kernel(2).Micros(4).Data(1),
                                   Recorded(3, 55, 1).Data(2),
                                   Kernel(4).Micros(20)});
    const NodePlacement placement = PlaceNodes(trace.document, trace.graph);
    CHECK(placement.startNanos == std::vector<int64_t>{50'000, 60'000, 55'000, 30'000});
    CHECK(placement.placed == 2);
}

TEST_CASE("PlaceNodes: without recorded starts, resources do one node at a time", "[trace-tools]")
{
    // Two kernels on the compute engine, one on a stream, one on the CPU, and a collective that
    // waits for the first.
    const Exportable trace = Load({Kernel(1).Micros(5),
                                   Kernel(2).Micros(7),
                                   Kernel(3).Micros(3).Int("stream", 7),
                                   TraceNode(4, ChakraProtoMsg::COMP_NODE).Cpu(true).Micros(2),
                                   AllReduce(5).Micros(1).Data(1),
                                   Kernel(6).Micros(1).Int("stream", 7)});
    const NodePlacement placement = PlaceNodes(trace.document, trace.graph);
    CHECK(placement.startNanos == std::vector<int64_t>{0, 5000, 0, 0, 5000, 3000});
    CHECK(placement.placed == 6);
}

TEST_CASE("TimelineExport: slices lie where they were recorded, on tracks of their resources",
          "[trace-tools]")
{
    const Drawn drawn = Draw({Load({Recorded(1, 1050, 10).Int("stream", 7),
                                    Recorded(2, 1000, 90).Cpu(true).Int("tid", 3),
                                    Recorded(3, 1010, 20).Cpu(true).Int("tid", 3)}),
                              Load({Recorded(1, 1070, 10)})},
                             1'000'000);
    REQUIRE(drawn.tracks.size() == 3);
    std::map<std::string, DrawnTrack> byName;
    for (const DrawnTrack& track : drawn.tracks)
    {
        byName[track.process + "/" + track.name] = track;
    }
    const auto& stream = byName.at("rank 0/stream 7").slices;
    REQUIRE(stream.size() == 1);
    CHECK(stream[0].start == 50 * NS_PER_US);
    CHECK(stream[0].end == 60 * NS_PER_US);
    CHECK(stream[0].name == "n1");
    // A call within a call.
    const auto& calls = byName.at("rank 0/CPU thread 3").slices;
    REQUIRE(calls.size() == 2);
    CHECK(calls[0].start == 0);
    CHECK(calls[0].end == 90 * NS_PER_US);
    CHECK(calls[1].start == 10 * NS_PER_US);
    CHECK(calls[1].end == 30 * NS_PER_US);
    const auto& other = byName.at("rank 1/compute").slices;
    CHECK(other.at(0).start == 70 * NS_PER_US);
    CHECK(drawn.notes.empty());
}

TEST_CASE("TimelineExport: slices that overlap in part are on tracks of one name", "[trace-tools]")
{
    const Drawn drawn =
        Draw({Load({Recorded(1, 10, 10), Recorded(2, 15, 10), Recorded(3, 20, 5)})});
    size_t slices = 0;
    size_t tracks = 0;
    for (const DrawnTrack& track : drawn.tracks)
    {
        slices += track.slices.size();
        tracks += track.name == "compute" ? 1 : 0;
    }
    CHECK(slices == 3);
    CHECK(tracks == 2);
}

TEST_CASE("TimelineExport: ranks without recorded starts are placed, and named", "[trace-tools]")
{
    const Drawn drawn = Draw({Load({Recorded(1, 10, 10)}), Load({Kernel(1).Micros(5)})});
    CHECK(drawn.notes ==
          std::vector<std::string>{"ranks 1 record no starts: their nodes are placed by their "
                                   "dependencies, durations and resources, from 0 on"});
}

TEST_CASE("TimelineExport: times that the clock cannot hold are refused", "[trace-tools]")
{
    constexpr uint64_t day = 24ULL * 3600 * 1'000'000;
    const Exportable trace = Load({Recorded(1, 1, 1), Recorded(2, 107 * day, 1)});
    CHECK(ConfigErrorText([&] { Draw({trace}); }) ==
          "test.et: node 2 (\"n2\") ends more than 106 days after the first recorded start; take "
          "such nodes out with nadi trace slice");
}

TEST_CASE("TimelineExport: every timed node of a real run is drawn once", "[trace-tools]")
{
    const Exportable trace = LoadFile(SampleTrace("dlrm/dlrm.0.et.gz"));
    const Drawn drawn = Draw({trace}, FindFirstStart(trace.document).value());
    size_t slices = 0;
    for (const DrawnTrack& track : drawn.tracks)
    {
        slices += track.slices.size();
    }
    CHECK(slices == trace.graph.NodeCount());
}
