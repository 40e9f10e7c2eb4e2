// SPDX-License-Identifier: GPL-2.0-only
// The tracks of instances and requests in timeline.pftrace, against the tables of the same run.
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/timeline-reader.h"

#include <catch2/catch.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace nadi::test;

namespace
{

const std::string APART = R"(
network:
  backend: analytical
  dimensions: [{shape: switch, size: 3, bandwidth: 1 GB/s, latency: 1 us}]
system:
  compute: {model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 1 TB/s}
workload:
  serve:
    model: {layers: 4, hidden: 1024, heads: 8, kv-heads: 8, vocabulary: 1000}
    requests: {rate: 2000 /s, count: 6, input: 256, output: 5}
    instances: [{role: prefill}, {role: decode, count: 2}]
    batching: {max-requests: 1}
    kv-transfer: {when: end}
output: {timeline: on}
)";

using CsvRow = std::map<std::string, std::string>;

std::vector<CsvRow>
ReadTable(const std::filesystem::path& file)
{
    std::istringstream lines(ReadWholeFile(file));
    const auto cells = [](const std::string& line)
    {
        std::vector<std::string> values;
        std::istringstream rest(line);
        for (std::string value; std::getline(rest, value, ',');)
        {
            values.push_back(value);
        }
        return values;
    };
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> names = cells(line);
    std::vector<CsvRow> rows;
    while (std::getline(lines, line))
    {
        const std::vector<std::string> values = cells(line);
        CsvRow& row = rows.emplace_back();
        for (size_t i = 0; i < values.size(); ++i)
        {
            row[names.at(i)] = values[i];
        }
    }
    return rows;
}

/// Cut to whole nanoseconds, as the timeline's.
uint64_t
Nanoseconds(const CsvRow& row, const std::string& column)
{
    return std::stoull(row.at(column));
}

/// Drawn in whole nanoseconds, so that sums may be one off.
void
CheckNear(uint64_t value, uint64_t expected)
{
    CHECK(value + 1 >= expected);
    CHECK(value <= expected + 1);
}

} // namespace

TEST_CASE("Timeline: each request has a track, with the times of its row", "[golden][cli][serving]")
{
    const ScratchDirectory scratch("timeline-serving");
    scratch.Write("c.yaml", APART);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 0);
    const TimelineReader reader(ReadWholeFile(scratch.Path() / "r/timeline.pftrace"));
    std::map<std::string, std::vector<DrawnSlice>> drawn;
    for (const DrawnTrack& track : reader.Tracks())
    {
        if (track.process == "requests")
        {
            drawn[track.name] = track.slices;
        }
    }
    const std::vector<CsvRow> rows = ReadTable(scratch.Path() / "r/requests.csv");
    REQUIRE(rows.size() == 6);
    REQUIRE(drawn.size() == rows.size());
    bool hasQueued = false;
    for (const CsvRow& row : rows)
    {
        const auto& slices = drawn.at("request " + row.at("id") + " (" + row.at("instance") + ")");
        std::map<std::string, DrawnSlice> byName;
        for (const DrawnSlice& slice : slices)
        {
            CHECK(slice.numbers.at("input") == 256);
            CHECK(slice.numbers.at("output") == 5);
            byName[slice.name] = slice;
        }
        CHECK(byName.at("prefill").start == Nanoseconds(row, "start_ns"));
        CHECK(byName.at("prefill").end == Nanoseconds(row, "first_token_ns"));
        CHECK(byName.at("transfer").start == Nanoseconds(row, "first_token_ns"));
        CheckNear(byName.at("transfer").end,
                  Nanoseconds(row, "first_token_ns") + Nanoseconds(row, "transfer_ns"));
        CHECK(byName.at("decode").start == byName.at("transfer").end);
        CHECK(byName.at("decode").end == Nanoseconds(row, "end_ns"));
        const bool isQueued = Nanoseconds(row, "queueing_ns") > 0;
        CHECK(byName.contains("queueing") == isQueued);
        hasQueued = hasQueued || isQueued;
    }
    CHECK(hasQueued);
}

TEST_CASE("Timeline: each instance has a track, with its passes", "[golden][cli][serving]")
{
    const ScratchDirectory scratch("timeline-instances");
    scratch.Write("c.yaml", APART);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 0);
    const TimelineReader reader(ReadWholeFile(scratch.Path() / "r/timeline.pftrace"));
    const std::vector<CsvRow> rows = ReadTable(scratch.Path() / "r/instances.csv");
    REQUIRE(rows.size() == 3);
    for (const CsvRow& row : rows)
    {
        const std::vector<DrawnSlice> passes = reader.Slices(row.at("instance"), "pass");
        CHECK(passes.size() == std::stoull(row.at("iterations")));
        double tokens = 0;
        uint64_t busy = 0;
        for (const DrawnSlice& pass : passes)
        {
            CHECK(pass.numbers.at("requests") == 1);
            tokens += pass.numbers.at("tokens");
            busy += pass.end - pass.start;
        }
        CHECK(tokens == std::stod(row.at("tokens")));
        // One pass at a time; each slice is cut to nanoseconds at both ends.
        CHECK(double(busy) == Approx(std::stod(row.at("busy_ns"))).margin(double(passes.size())));
    }
}
