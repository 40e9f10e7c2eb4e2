// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/timeline-reader.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/tools/exports/node-placement.h"
#include "workload/tools/exports/timeline-export.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

TraceNode
RecordedKernel(uint64_t id, uint64_t start, uint64_t duration)
{
    TraceNode node = Kernel(id).Micros(duration);
    node.Message().set_start_time_micros(start);
    node.Message().set_name("n" + std::to_string(id));
    return node;
}

struct DrawnRanks
{
    std::vector<DrawnTrack> tracks;
    std::vector<std::string> notes;
};

DrawnRanks
DrawRanks(const std::vector<Exportable>& ranks, int64_t originNanos = 0)
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

TEST_CASE("PlaceNodes: recorded starts stay, and others follow what they depend on",
          "[trace-tools]")
{
    constexpr uint64_t epoch = 1'700'000'000'000'000;
    const Exportable trace = LoadNodes({RecordedKernel(1, epoch + 50, 10),
                                        Kernel(2).Micros(4).Data(1),
                                        RecordedKernel(3, epoch + 55, 1).Data(2),
                                        Kernel(4).Micros(20)});
    const NodePlacement placement = PlaceNodes(trace.document, trace.graph);
    constexpr auto origin = static_cast<int64_t>(epoch * NS_PER_US);
    CHECK(placement.startNanos ==
          std::vector<int64_t>{origin + 50'000, origin + 60'000, origin + 55'000, origin + 30'000});
    CHECK(placement.placed == 2);
}

TEST_CASE("PlaceNodes: a start of 0 stays where the clock begins there, but not after a later node",
          "[trace-tools]")
{
    const Exportable trace = LoadNodes({RecordedKernel(1, 0, 10),
                                        RecordedKernel(2, 0, 4).Data(1),
                                        RecordedKernel(3, 10, 2).Data(1),
                                        RecordedKernel(4, 0, 1).Data(3)});
    const NodePlacement placement = PlaceNodes(trace.document, trace.graph);
    CHECK(placement.startNanos == std::vector<int64_t>{0, 0, 10'000, 12'000});
    CHECK(placement.placed == 1);
    CHECK(FindFirstStart(trace.document) == 0);
}

TEST_CASE("PlaceNodes: without recorded starts, resources do one node at a time", "[trace-tools]")
{
    // Two kernels on the compute engine, one on a stream, one on the CPU, and a collective that
    // waits for the first.
    const Exportable trace = LoadNodes({Kernel(1).Micros(5),
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
    const DrawnRanks drawn =
        DrawRanks({LoadNodes({RecordedKernel(1, 1050, 10).Int("stream", 7),
                              RecordedKernel(2, 1000, 90).Cpu(true).Int("tid", 3),
                              RecordedKernel(3, 1010, 20).Cpu(true).Int("tid", 3)}),
                   LoadNodes({RecordedKernel(1, 1070, 10)})},
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
    const DrawnRanks drawn = DrawRanks({LoadNodes(
        {RecordedKernel(1, 10, 10), RecordedKernel(2, 15, 10), RecordedKernel(3, 20, 5)})});
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
    const DrawnRanks drawn =
        DrawRanks({LoadNodes({RecordedKernel(1, 10, 10)}), LoadNodes({Kernel(1).Micros(5)})});
    CHECK(drawn.notes ==
          std::vector<std::string>{"ranks 1 record no starts: their nodes are placed by their "
                                   "dependencies, durations and resources, from 0 on"});
}

TEST_CASE("TimelineExport: times that the clock cannot hold are refused", "[trace-tools]")
{
    constexpr uint64_t day = 24ULL * 3600 * 1'000'000;
    const Exportable trace = LoadNodes({RecordedKernel(1, 1, 1), RecordedKernel(2, 107 * day, 1)});
    CHECK(ConfigErrorText([&] { DrawRanks({trace}); }) ==
          "test.et: node 2 (\"n2\") ends more than 106 days after the first recorded start; take "
          "such nodes out with nadi trace slice");
}

TEST_CASE("TimelineExport: every timed node of a real run is drawn once", "[trace-tools]")
{
    const Exportable trace = LoadSample(SampleTrace("dlrm/dlrm.0.et.gz"));
    const DrawnRanks drawn = DrawRanks({trace}, FindFirstStart(trace.document).value());
    size_t slices = 0;
    for (const DrawnTrack& track : drawn.tracks)
    {
        slices += track.slices.size();
    }
    CHECK(slices == trace.graph.NodeCount());
}
