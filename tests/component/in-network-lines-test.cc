// SPDX-License-Identifier: GPL-2.0-only
// Lines of an outer dimension whose trees have links between switches in common.
#include "tests/support/frame-sizes.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <string>

using namespace nadi;

namespace
{

const SimTime LINE_LATENCY = SimTime::FromNs(500);
const SimTime LINE_DELAY = SimTime::FromNs(250); // of a switch that computes
const Bandwidth LINE_LINK = Bandwidth::FromBytesPerSecond(50'000'000'000);
const Bandwidth LINE_UPLINK = Bandwidth::FromBytesPerSecond(100'000'000'000);

constexpr int64_t LINE_SLICES = 40; // of each of the two lines
constexpr int64_t SHARED_BYTES = 2 * LINE_SLICES * PAYLOAD;

/// Two leaves of four NPUs. Their pairs are the inner dimension; of the outer one, the even and the
/// odd NPUs, both lines hang on both leaves.
std::string
SharedLeaves(const std::string& type, const std::string& backend, uint32_t spines)
{
    const std::string size = type == "barrier" ? "" : fmt::format(", size: {} B", SHARED_BYTES);
    return fmt::format("workload: {{collective: {{type: {}{}}}}}\n"
                       "system:\n"
                       "  dimensions: [2, 4]\n"
                       "  chunks: 1\n"
                       "  endpoint-delay: 0 ns\n"
                       "  collectives: {{{}: [ring, {{name: in-network, slice: {} B}}]}}\n"
                       "network:\n"
                       "  backend: {}\n"
                       "  topology: {{generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: "
                       "{}, link: {{bandwidth: 50 GB/s, latency: 500 ns}}, uplink: {{bandwidth: "
                       "100 GB/s, latency: 500 ns}}}}\n"
                       "  in-network: {{latency: 250 ns}}\n",
                       type,
                       size,
                       type,
                       PAYLOAD,
                       backend,
                       spines);
}

/// What switches send, counted by hand: for each of both lines, two leaves send `up` to the spine,
/// it sends `down` to each of them, and they send `toMembers` to their two members together.
Bytes
SwitchBytes(int64_t up, int64_t down, int64_t toMembers)
{
    return Bytes(2 * 2 * (up + down + toMembers));
}

Bytes
SwitchBytesOf(const std::string& type)
{
    // The inner ring goes first, and leaves each line half of what is reduced. An all-gather begins
    // with the lines: each gathers what its four members bring.
    constexpr int64_t line = SHARED_BYTES / 2;
    if (type == "reduce-scatter")
    {
        return SwitchBytes(line, line / 2, line / 2);
    }
    if (type == "all-gather")
    {
        // A leaf sends what its two members have up and to the other of them, and what comes down
        // to both.
        constexpr int64_t gathered = 4 * SHARED_BYTES;
        return SwitchBytes(gathered / 2, gathered / 2, gathered / 2 + gathered);
    }
    return type == "barrier" ? Bytes(0) : SwitchBytes(line, line, 2 * line);
}

} // namespace

/// The slices of both lines come to a leaf at the same time, and one after the other they take half
/// of their time on the uplink, which is twice as fast: the second line is later by half a slice.
TEST_CASE(
    "In-network: lines that share links between switches share their time, by the closed form",
    "[component][in-network]")
{
    const SimTime frame = Bytes(PAYLOAD + HEADER) / LINE_LINK;
    const SimTime half = Bytes(PAYLOAD + HEADER) / LINE_UPLINK;
    // Over the ring of two goes one message each way, of half the buffer; there and back.
    const SimTime ring = frame * (LINE_SLICES + 1) + LINE_LATENCY * 2;
    const SimTime roundTrip = (frame + half + LINE_LATENCY * 2) * 2 + LINE_DELAY * 3 + half;
    const RunResults results = RunYaml({SharedLeaves("all-reduce", "packet", 1)});
    REQUIRE(results.status == RunStatus::Done);
    // The acknowledgement of the ring's first message is before the first slice at its link.
    const SimTime acknowledgement = Bytes(CONTROL) / LINE_LINK;
    CHECK(results.finish == ring * 2 + acknowledgement + roundTrip + frame * (LINE_SLICES - 1));
}

TEST_CASE("In-network: lines that share switches move what is counted by hand, with any backend",
          "[component][in-network]")
{
    const std::string type = GENERATE("all-reduce", "reduce-scatter", "all-gather", "barrier");
    const std::string backend = GENERATE("packet", "flow", "analytical");
    const uint32_t spines = GENERATE(1U, 2U);
    CAPTURE(type, backend, spines);
    const YamlRun run{SharedLeaves(type, backend, spines)};
    const RunResults results = RunYaml(run);
    REQUIRE(results.status == RunStatus::Done);
    CHECK(results.inNetwork->bytes == SwitchBytesOf(type));
    // The order in which simultaneous events of the two lines are executed decides nothing.
    CHECK(RunYaml({.yaml = run.yaml, .scrambleSeed = 1}).digest == results.digest);
    const RunResults packet = RunYaml({SharedLeaves(type, "packet", spines)});
    CHECK(static_cast<double>(results.finish.Ps()) ==
          Approx(static_cast<double>(packet.finish.Ps())).epsilon(0.02));
}

/// Ranks that are late make the lines come to the shared links at different times.
TEST_CASE("In-network: lines that come at different times to switches that they share keep apart",
          "[component][in-network]")
{
    const auto [dimensions, topology] = GENERATE(table<std::string, std::string>(
        {{"dimensions: [4, 4]",
          "{generator: leaf-spine, npus: 16, npus-per-leaf: 4, spines: 2, uplinks-per-spine: 2, "
          "link: "
          "{bandwidth: 50 GB/s, latency: 500 ns}}"},
         {"dimensions: [2, 8]",
          "{generator: fat-tree, npus: 16, radix: 4, link: {bandwidth: 50 GB/s, latency: 500 ns}}"},
         {"chunks-in-flight: 2",
          "{generator: nodes, nodes: 4, npus-per-node: 4, nics-per-node: 2, leaves: 2, spines: 2, "
          "nvlink: {bandwidth: 450 GB/s, latency: 100 ns}, nic: {bandwidth: 50 GB/s, latency: 500 "
          "ns}}"}}));
    CAPTURE(topology);
    // A training step in which some ranks compute for longer, and whose groups are whole lines.
    const std::string yaml =
        fmt::format("workload: {{generate: {{model: mlp, layers: 3, widths: [256], batch: 16}}}}\n"
                    "system:\n"
                    "  {}\n"
                    "  concurrent-collectives: 0\n"
                    "  compute: {{model: roofline, peak: 1 TFLOP/s, memory-bandwidth: 100 GB/s, "
                    "per-rank: {{0: 3, 5: 2}}}}\n"
                    "  collectives: {{all-reduce: [ring, {{name: in-network, slice: 1 KiB}}]}}\n"
                    "network:\n"
                    "  topology: {}\n"
                    "  in-network: {{latency: 100 ns}}\n",
                    dimensions,
                    topology);
    const RunResults results = RunYaml({yaml});
    REQUIRE(results.status == RunStatus::Done);
    CHECK(results.inNetwork->collectives > 0);
    CHECK(RunYaml({.yaml = yaml, .scrambleSeed = 7}).digest == results.digest);
}
