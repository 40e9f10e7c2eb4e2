// SPDX-License-Identifier: GPL-2.0-only
// Whole runs, drawn, written, and read again by the rules of the format.
#include "simulation/simulate.h"
#include "simulation/timeline/timeline-recorder.h"
#include "simulation/timeline/timeline-writer.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"
#include "tests/support/timeline-reader.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <sstream>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A run and what is drawn of it.
struct DrawnRun
{
    RunResults results;
    std::string bytes;
};

DrawnRun
Draw(const std::string& yaml)
{
    const ScratchDirectory scratch("timeline");
    const RunInput input(scratch.Write("c.yaml", yaml), {});
    DrawnRun run{Simulate(input), {}};
    std::ostringstream out;
    WriteTimeline(run.results, input, out);
    run.bytes = out.str();
    return run;
}

std::string
TraceOf(const std::string& set)
{
    return "workload: {trace: \"" + std::string(TEST_DATA) + "/traces/" + set +
           "/workload.{rank}.et\", " + "groups: \"" + TEST_DATA + "/traces/" + set +
           "/workload.json\"}\n" +
           "system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s}}\n"
           "output: {timeline: on}\n";
}

const std::string PIPELINE =
    TraceOf("stg-gpt-pp2") +
    "network: {dimensions: [{shape: ring, size: 2, bandwidth: 50 GB/s, latency: 500 ns}]}\n";
const std::string TENSOR = TraceOf("stg-gpt-tp4dp2") +
                           "network:\n"
                           "  packet: {payload: 65536 B}\n"
                           "  dimensions:\n"
                           "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
                           "    - {shape: switch, size: 2, bandwidth: 50 GB/s, latency: 500 ns}\n";
const std::string TORUS = "workload: {collective: {type: all-reduce, size: 1 MB}}\n"
                          "network:\n"
                          "  dimensions:\n"
                          "    - {shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}\n"
                          "    - {shape: ring, size: 2, bandwidth: 25 GB/s, latency: 500 ns}\n"
                          "system: {chunks: 4}\n"
                          "output: {timeline: on}\n";

std::string
ProcessOf(size_t rank)
{
    return "rank " + std::to_string(rank);
}

double
Sum(const std::vector<DrawnSlice>& slices)
{
    double sum = 0;
    for (const DrawnSlice& slice : slices)
    {
        sum += static_cast<double>(slice.end - slice.start);
    }
    return sum;
}

/// Of what covers the time of any of them.
double
Union(const std::vector<DrawnSlice>& slices)
{
    std::vector<std::pair<uint64_t, uint64_t>> spans;
    for (const DrawnSlice& slice : slices)
    {
        spans.emplace_back(slice.start, slice.end);
    }
    std::sort(spans.begin(), spans.end());
    uint64_t covered = 0;
    uint64_t sum = 0;
    for (const auto& [start, end] : spans)
    {
        sum += end - std::min(end, std::max(start, covered));
        covered = std::max(covered, end);
    }
    return static_cast<double>(sum);
}

/// Both ends of a slice are cut to whole nanoseconds.
void
CheckSum(double drawn, SimTime measured, size_t slices)
{
    CHECK(std::abs(drawn - measured.Ns()) <= static_cast<double>(slices) + 1);
}

} // namespace

TEST_CASE("Timeline: compute, exposed communication and idle add up to the rank's metrics",
          "[unit][simulation]")
{
    const DrawnRun run = Draw(GENERATE(PIPELINE, TENSOR));
    const TimelineReader reader(run.bytes);
    for (size_t rank = 0; rank < run.results.ranks.size(); ++rank)
    {
        const RankMetrics& metrics = run.results.ranks[rank].metrics;
        const auto compute = reader.Slices(ProcessOf(rank), "compute");
        const auto idle = reader.Slices(ProcessOf(rank), "idle");
        const auto exposed = reader.Slices(ProcessOf(rank), "exposed");
        REQUIRE(!compute.empty());
        CheckSum(Sum(compute), metrics.compute, compute.size()); // one engine: they never overlap
        CheckSum(Sum(idle), metrics.idle, idle.size());
        CheckSum(Sum(exposed), metrics.exposedCommunication, exposed.size());
        CHECK(Sum(exposed) > 0);
    }
}

TEST_CASE("Timeline: what communicates covers the rank's communication", "[unit][simulation]")
{
    const DrawnRun run = Draw(GENERATE(PIPELINE, TENSOR));
    const TimelineReader reader(run.bytes);
    for (size_t rank = 0; rank < run.results.ranks.size(); ++rank)
    {
        std::vector<DrawnSlice> all;
        for (const char* category : {"collective", "send", "receive"})
        {
            const auto slices = reader.Slices(ProcessOf(rank), category);
            all.insert(all.end(), slices.begin(), slices.end());
        }
        CheckSum(Union(all), run.results.ranks[rank].metrics.communication, all.size());
    }
}

TEST_CASE("Timeline: every arrow leads from a send to its receive", "[unit][simulation]")
{
    const DrawnRun run = Draw(PIPELINE);
    const TimelineReader reader(run.bytes);
    std::map<uint64_t, DrawnSlice> begins;
    std::map<uint64_t, DrawnSlice> ends;
    for (const std::string process : {"rank 0", "rank 1"})
    {
        for (const DrawnSlice& send : reader.Slices(process, "send"))
        {
            REQUIRE(send.flows.size() == 1);
            CHECK(begins.emplace(send.flows[0], send).second);
        }
        for (const DrawnSlice& receive : reader.Slices(process, "receive"))
        {
            REQUIRE(receive.flowEnds.size() == 1);
            CHECK(ends.emplace(receive.flowEnds[0], receive).second);
        }
    }
    REQUIRE(begins.size() == 4); // as SOURCES.md counts: two sends and two receives a rank
    REQUIRE(ends.size() == begins.size());
    for (const auto& [flow, send] : begins)
    {
        const DrawnSlice& receive = ends.at(flow);
        CHECK(receive.start >= send.start);
        CHECK(receive.end > send.start);
        CHECK(receive.numbers.at("size_bytes") == send.numbers.at("size_bytes"));
    }
}

TEST_CASE("Timeline: a message names the rank at its other end, in shared graphs too",
          "[unit][simulation]")
{
    const DrawnRun run =
        Draw("workload: {generate: {model: transformer, layers: 3, hidden: 64, heads: 4, pp: 3}}\n"
             "system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 1 TB/s}}\n"
             "network: {dimensions: [{shape: ring, size: 3, bandwidth: 50 GB/s, latency: 0 ns}]}\n"
             "output: {timeline: on}\n");
    const TimelineReader reader(run.bytes);
    std::map<uint64_t, double> senders; // by arrow
    for (size_t rank = 0; rank < 3; ++rank)
    {
        for (const DrawnSlice& send : reader.Slices(ProcessOf(rank), "send"))
        {
            senders[send.flows.at(0)] = static_cast<double>(rank);
        }
    }
    REQUIRE(senders.size() == 2 * 2 * 3); // two boundaries, two directions, three micro-batches
    for (size_t rank = 0; rank < 3; ++rank)
    {
        for (const DrawnSlice& receive : reader.Slices(ProcessOf(rank), "receive"))
        {
            CHECK(receive.numbers.at("peer") == senders.at(receive.flowEnds.at(0)));
        }
    }
}

TEST_CASE("Timeline: an arrow's beginning is before its end in the file", "[unit][simulation]")
{
    const DrawnRun run = Draw(PIPELINE);
    perfetto::Trace trace;
    REQUIRE(trace.ParseFromString(run.bytes));
    std::set<uint64_t> begun;
    size_t ended = 0;
    for (const perfetto::TracePacket& packet : trace.packet())
    {
        for (const uint64_t flow : packet.track_event().flow_ids())
        {
            begun.insert(flow);
        }
        for (const uint64_t flow : packet.track_event().terminating_flow_ids())
        {
            CHECK(begun.contains(flow));
            ++ended;
        }
    }
    CHECK(ended == begun.size());
}

TEST_CASE("Timeline: every chunk is drawn in each dimension that it crosses", "[unit][simulation]")
{
    const DrawnRun run = Draw(TORUS);
    const TimelineReader reader(run.bytes);
    std::map<std::string, size_t> counts;
    for (const DrawnTrack& track : reader.Tracks())
    {
        if (track.process == "rank 5")
        {
            counts[track.name.substr(0, 18)] += track.slices.size();
        }
    }
    // 4 chunks: reduce-scatter and all-gather, and between them the last dimension's all-reduce.
    CHECK(counts.at("dimension 0 (ring)") == 4 * 2);
    CHECK(counts.at("dimension 1 (ring)") == 4);
    const auto calls = reader.Slices("rank 5", "collective");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].words.at("algorithm") == run.results.collectives[0].record.decision.algorithm);
    CHECK(calls[0].words.at("type") == "all-reduce");
    CHECK(calls[0].numbers.at("size_bytes") == 1e6);
    const auto phases = reader.Slices("rank 5", "phase");
    CheckSum(Union(phases), run.results.ranks[5].metrics.communication, phases.size());
    for (const DrawnSlice& phase : phases)
    {
        CHECK(phase.numbers.at("chunk") < 4);
        CHECK((phase.name == "reduce-scatter" || phase.name == "all-reduce" ||
               phase.name == "all-gather"));
    }
}

TEST_CASE("Timeline: with series, links count what they carry", "[unit][simulation]")
{
    const DrawnRun run =
        Draw(TORUS.substr(0, TORUS.rfind("output")) + "output: {timeline: on, series: 500 ns}\n");
    double sampled = 0;
    for (const SeriesSample& sample : run.results.series)
    {
        sampled += sample.utilization * 500;
    }
    double drawn = 0;
    size_t links = 0;
    for (const DrawnTrack& track : TimelineReader(run.bytes).Tracks())
    {
        links += track.process == "network" ? 1 : 0;
        for (size_t i = 0; i + 1 < track.values.size(); ++i)
        {
            drawn += track.values[i].second *
                     static_cast<double>(track.values[i + 1].first - track.values[i].first);
        }
        CHECK((track.values.empty() || track.values.back().second == 0));
    }
    CHECK(links == run.results.links.size()); // 8 NPUs: fewer than are drawn at most
    REQUIRE(sampled > 0);
    CHECK(drawn == Approx(sampled).epsilon(1e-9));
}

TEST_CASE("Timeline: drawing changes nothing of the run", "[unit][simulation]")
{
    const RunResults plain = RunYaml({PIPELINE, {"output.timeline=off"}, std::nullopt});
    CHECK(!plain.timeline);
    CHECK(plain.digest == Draw(PIPELINE).results.digest);
}

TEST_CASE("TimelineRecorder: the slices of all ranks stay below the limit", "[unit][simulation]")
{
    Workload workload;
    workload.graphOfRank.assign(8, 0);
    workload.graphs.resize(1);
    const size_t limit = 2000;
    TimelineRecorder recorder(workload, limit);
    for (int64_t i = 0; i < 5000; ++i)
    {
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            recorder.OnPhaseCompleted({.rank = RankId{rank},
                                       .communicator = {},
                                       .dimension = 1,
                                       .size = {},
                                       .start = SimTime::FromNs(i),
                                       .end = SimTime::FromNs(i + 1)});
        }
    }
    size_t slices = 0;
    for (const RankTimeline& rank : recorder.Take())
    {
        slices += rank.SliceCount();
    }
    CHECK(slices <= limit);
    CHECK(slices >= limit / 4); // as fine as the limit allows, within the doubling of the span
}
