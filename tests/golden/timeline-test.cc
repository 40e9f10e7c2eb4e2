// SPDX-License-Identifier: GPL-2.0-only
// timeline.pftrace as the program leaves it.
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/timeline-reader.h"

#include <catch2/catch.hpp>

using namespace nadi::test;

namespace
{

/// Two NPUs on one link, 1 B/ns; frames of 1000 B without headers.
const std::string PAIR_WITHOUT_HEADERS =
    "network:\n"
    "  dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]\n"
    "  packet: {payload: 1000 B, header: 0 B}\n";
const std::string FLOWS =
    PAIR_WITHOUT_HEADERS + "workload: {flows: [{src: 0, dst: 1, size: 10000 B, at: 5 us}]}\n";
const std::string DRAWN = FLOWS + "output: {timeline: on}\n";

std::string
TimelineOf(const ScratchDirectory& scratch, const std::string& yaml)
{
    scratch.Write("c.yaml", yaml);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 0);
    return ReadWholeFile(scratch.Path() / "r/timeline.pftrace");
}

} // namespace

TEST_CASE("Timeline: one flow is drawn where it was, to the nanosecond", "[golden][cli]")
{
    const ScratchDirectory scratch("timeline-flow");
    const TimelineReader reader(TimelineOf(scratch, DRAWN));
    const uint64_t issued = 5000;
    const uint64_t delivered = issued + 10000 + 1000; // bytes at 1 B/ns, latency
    const auto sends = reader.Slices("rank 0", "send");
    REQUIRE(sends.size() == 1);
    CHECK(sends[0].start == issued);
    CHECK(sends[0].end == delivered);
    const auto receives = reader.Slices("rank 1", "receive");
    REQUIRE(receives.size() == 1);
    CHECK(receives[0].start == issued);
    CHECK(receives[0].end == delivered + 10); // the endpoint delay
    CHECK(receives[0].flowEnds == sends[0].flows);
    const auto idle = reader.Slices("rank 0", "idle");
    REQUIRE(idle.size() == 1);
    CHECK(idle[0].start == 0);
    CHECK(idle[0].end == issued);
}

TEST_CASE("Timeline: it is there when asked for, the same again, and not left behind",
          "[golden][cli]")
{
    const ScratchDirectory scratch("timeline-again");
    const std::string first = TimelineOf(scratch, DRAWN);
    CHECK(!first.empty());
    const std::vector<std::string> again{"run", "r/config.yaml", "--out", "again", "--quiet"};
    REQUIRE(RunNadi(scratch, again).exitCode == 0);
    CHECK(ReadWholeFile(scratch.Path() / "again/timeline.pftrace") == first);
    CHECK(TimelineOf(scratch, FLOWS).empty());
}

TEST_CASE("Timeline: of a job that gets stuck, what was done is drawn", "[golden][cli]")
{
    const ScratchDirectory scratch("timeline-stuck");
    scratch.Write("c.yaml",
                  DRAWN + "  # the link never comes back\n"
                          "seed: 1\n");
    const std::vector<std::string> run{"run",
                                       "c.yaml",
                                       "--out",
                                       "r",
                                       "--quiet",
                                       "--set",
                                       "network.faults=[{at: 7 us, link: all, state: down}]"};
    const ProcessResult result = RunNadi(scratch, run);
    CHECK(result.exitCode == 4);
    const TimelineReader reader(ReadWholeFile(scratch.Path() / "r/timeline.pftrace"));
    CHECK(reader.Slices("rank 0", "send").empty());
    CHECK(reader.Slices("rank 0", "idle").size() == 1);
}
