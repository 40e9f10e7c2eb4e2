// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/timeline-reader.h"
#include "workload/timeline/perfetto-writer.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr uint64_t PROCESS = 1;
constexpr uint64_t LANE = 2;

void
DescribeLane(PerfettoWriter& writer)
{
    PerfettoWriter::Track process;
    process.set_uuid(PROCESS);
    process.mutable_process()->set_pid(7);
    process.mutable_process()->set_process_name("rank 6");
    writer.Describe(process);
    PerfettoWriter::Track lane;
    lane.set_uuid(LANE);
    lane.set_parent_uuid(PROCESS);
    lane.set_name("compute");
    writer.Describe(lane);
}

} // namespace

TEST_CASE("PerfettoWriter: what is written is what is read", "[unit][simulation]")
{
    std::ostringstream out;
    PerfettoWriter writer(out);
    DescribeLane(writer);
    for (int64_t i = 0; i < 3; ++i)
    {
        PerfettoWriter::Event event = writer.MakeBegin(LANE, "compute", i == 2 ? "b" : "a");
        writer.Annotate(event, "size_bytes", uint64_t{5});
        writer.Annotate(event, "busy_ns", 0.5);
        writer.Annotate(event, "algorithm", std::string("ring"));
        event.add_flow_ids(static_cast<uint64_t>(100 + i));
        writer.Begin(event, SimTime::FromNs(10 * i));
        writer.End(LANE, SimTime::FromPs(10'000 * i + 2999));
    }
    const auto tracks = TimelineReader(out.str()).Tracks();
    REQUIRE(tracks.size() == 1);
    CHECK(tracks[0].name == "compute");
    CHECK(tracks[0].process == "rank 6");
    REQUIRE(tracks[0].slices.size() == 3);
    const DrawnSlice& last = tracks[0].slices[2];
    CHECK(tracks[0].slices[1].name == "a");
    CHECK(last.name == "b");
    CHECK(last.category == "compute");
    CHECK(last.start == 20);
    CHECK(last.end == 22); // whole nanoseconds
    CHECK(last.numbers.at("size_bytes") == 5);
    CHECK(last.numbers.at("busy_ns") == 0.5);
    CHECK(last.words.at("algorithm") == "ring");
    CHECK(last.flows == std::vector<uint64_t>{102});
}

TEST_CASE("PerfettoWriter: a name is written once", "[unit][simulation]")
{
    const std::string name(1000, 'x');
    std::ostringstream out;
    PerfettoWriter writer(out);
    DescribeLane(writer);
    const size_t before = out.str().size();
    for (int64_t i = 0; i < 10; ++i)
    {
        writer.Begin(writer.MakeBegin(LANE, "compute", name), SimTime::FromNs(i));
        writer.End(LANE, SimTime::FromNs(i + 1));
    }
    CHECK(out.str().size() - before < 2 * name.size());
}

TEST_CASE("PerfettoWriter: a counter has values", "[unit][simulation]")
{
    std::ostringstream out;
    PerfettoWriter writer(out);
    DescribeLane(writer);
    writer.Count(LANE, 0.25, SimTime::FromUs(1));
    writer.Count(LANE, 0, SimTime::FromUs(2));
    const std::vector<std::pair<uint64_t, double>> expected{{1000, 0.25}, {2000, 0}};
    CHECK(TimelineReader(out.str()).Tracks().at(0).values == expected);
}
