// SPDX-License-Identifier: GPL-2.0-only
// Broadcasts, held against their closed forms on every backend, and defaults against all others.
#include "tests/support/endpoint-delay.h"
#include "tests/support/frame-sizes.h"
#include "tests/support/run-yaml.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>

using namespace nadi;

namespace
{

constexpr int64_t FRAMES = 256; // of a broadcast's buffer

/// A message alone crosses two links, and the switch stores a frame.
SimTime
TimeOfFrames(int64_t frames)
{
    return Bytes(PAYLOAD + HEADER) / RATE * (frames + 1) + LATENCY * 2;
}

SimTime
CollectiveTime(uint32_t ranks,
               const std::string& type,
               const std::string& system,
               const std::string& backend = "packet")
{
    return RunYaml({.yaml = fmt::format(
                        "workload: {{collective: {{type: {}, size: {} B}}}}\n"
                        "system: {{chunks: 1, {}}}\n"
                        "network:\n  backend: {}\n  dimensions:\n"
                        "    - {{shape: switch, size: {}, bandwidth: 50 GB/s, latency: 500 ns}}\n",
                        type,
                        FRAMES * PAYLOAD,
                        system,
                        backend,
                        ranks)})
        .finish;
}

struct Line
{
    std::string shape;
    uint32_t ranks;
    std::string latency;
};

struct Rooted
{
    std::string type = "broadcast";
    std::string size;
    std::string algorithm;
};

SimTime
TimeOver(const Line& line, const Rooted& call)
{
    return RunYaml({.yaml = fmt::format("workload: {{collective: {{type: {}, size: {}}}}}\n"
                                        "system: {{collectives: {{{}: {}}}}}\n"
                                        "network:\n  dimensions:\n"
                                        "    - {{shape: {}, size: {}, bandwidth: 50 GB/s, "
                                        "latency: {}}}\n",
                                        call.type,
                                        call.size,
                                        call.type,
                                        call.algorithm,
                                        line.shape,
                                        line.ranks,
                                        line.latency)})
        .finish;
}

} // namespace

TEST_CASE("HalvingDoubling: a broadcast to p takes ceil(log2 p) messages, one after the other",
          "[component][packet]")
{
    const uint32_t ranks = GENERATE(2U, 3U, 6U, 8U, 16U);
    const std::string backend = GENERATE("packet", "flow", "analytical");
    CAPTURE(ranks, backend);
    const int64_t levels = std::bit_width(ranks - 1);
    const SimTime time =
        CollectiveTime(ranks, "broadcast", "collectives: {broadcast: halving-doubling}", backend);
    // The last rank to be served is at the end of a chain of messages, or the last child of
    // somebody on the way: for powers of two the chain, with an endpoint at each of its members.
    CHECK(time <= (TimeOfFrames(FRAMES) + ENDPOINT_DELAY) * levels);
    CHECK(time >= TimeOfFrames(FRAMES) * levels + ENDPOINT_DELAY);
    if (std::has_single_bit(ranks))
    {
        CHECK(time == (TimeOfFrames(FRAMES) + ENDPOINT_DELAY) * levels);
    }
}

TEST_CASE("HalvingDoubling: a reduce takes as long as a broadcast", "[component][packet]")
{
    // The k messages that the root takes come one after the other by themselves: each comes from a
    // subtree of twice the size.
    CHECK(CollectiveTime(8, "reduce", "collectives: {reduce: halving-doubling}") ==
          (TimeOfFrames(FRAMES) + ENDPOINT_DELAY) * 3);
}

TEST_CASE("Broadcast and reduce: large buffers are pipelined unless the user chose otherwise",
          "[component][packet]")
{
    const std::string type = GENERATE("broadcast", "reduce");
    const SimTime chosen =
        CollectiveTime(16, type, fmt::format("collectives: {{{}: double-binary-tree}}", type));
    CHECK(CollectiveTime(16, type, "collectives: {}") == chosen);
    // 32 slices of each half: S/b (1 + 3/32) + 4 a, instead of 4 (S/b + a).
    CHECK(chosen < TimeOfFrames(FRAMES) * 2);
}

TEST_CASE("Broadcast: by default as fast as the best of a single step and two trees",
          "[component][packet]")
{
    // From where latency rules to where the wire does, and where none of them is far ahead.
    const uint32_t ranks = GENERATE(3U, 8U, 9U, 64U);
    const uint64_t size = GENERATE(1, 1000, 8000, 24'000, 64'000, 1'000'000);
    const auto timeOf = [&](const std::string& algorithm)
    {
        return TimeOver({.shape = "switch", .ranks = ranks, .latency = "500 ns"},
                        {.size = fmt::format("{} B", size), .algorithm = algorithm});
    };
    const SimTime best =
        std::min({timeOf("direct"), timeOf("halving-doubling"), timeOf("double-binary-tree")});
    CAPTURE(ranks, size, best.Ps());
    CHECK(timeOf("auto").Ps() * 100 <= best.Ps() * 105);
}

TEST_CASE("Broadcast: over links of their own by default nearly as fast as the better of two",
          "[component][packet]")
{
    const auto ranks = GENERATE(4U, 8U, 16U);
    const std::string size = GENERATE("64 KiB", "1 MiB", "4 MiB", "64 MiB");
    const std::string type = GENERATE("broadcast", "reduce");
    const auto timeOf = [&](const std::string& algorithm)
    {
        return TimeOver({.shape = "fully-connected", .ranks = ranks, .latency = "1 us"},
                        {.type = type, .size = size, .algorithm = algorithm});
    };
    const SimTime best = std::min(timeOf("direct"), timeOf("double-binary-tree"));
    CAPTURE(ranks, size, type, best.Ps());
    CHECK(timeOf("auto").Ps() * 100 <= best.Ps() * 115);
}

TEST_CASE("Broadcast: along neighbours by default nearly as fast as the best plain algorithm",
          "[component][packet]")
{
    const std::string shape = GENERATE("ring", "mesh");
    const auto ranks = GENERATE(4U, 5U, 9U, 16U, 33U);
    const std::string size =
        GENERATE("1 KiB", "2 KiB", "8 KiB", "26 KiB", "100 KiB", "1 MiB", "8 MiB");
    const auto timeOf = [&](const std::string& algorithm)
    {
        return TimeOver({.shape = shape, .ranks = ranks, .latency = "500 ns"},
                        {.size = size, .algorithm = algorithm});
    };
    SimTime best = timeOf("direct");
    for (const char* algorithm : {"halving-doubling",
                                  "double-binary-tree",
                                  "ring",
                                  "bidirectional-ring",
                                  "{name: bidirectional-ring, slice: 4 KiB}",
                                  "{name: ring, slice: 128 KiB}"})
    {
        best = std::min(best, timeOf(algorithm));
    }
    CAPTURE(shape, ranks, size, best.Ps());
    CHECK(timeOf("auto").Ps() * 100 <= best.Ps() * 130);
}
