// SPDX-License-Identifier: GPL-2.0-only
// Broadcasts over a switch, held against their closed forms on every backend.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <bit>
#include <string>

using namespace nadi;

namespace
{

constexpr int64_t FRAMES = 256; // of a broadcast's buffer
constexpr int64_t PAYLOAD = 4096;
constexpr int64_t HEADER = 64;
const Bandwidth RATE = Bandwidth::FromBytesPerSecond(50'000'000'000);
const SimTime LATENCY = SimTime::FromNs(500);
const SimTime ENDPOINT_DELAY = SimTime::FromNs(10);

/// A message alone crosses two links, and the switch stores a frame.
SimTime
MessageTime(int64_t frames)
{
    return Bytes(PAYLOAD + HEADER) / RATE * (frames + 1) + LATENCY * 2;
}

SimTime
TimeOf(uint32_t ranks,
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

} // namespace

TEST_CASE("HalvingDoubling: a broadcast to p takes ceil(log2 p) messages, one after the other",
          "[component][packet]")
{
    const uint32_t ranks = GENERATE(2U, 3U, 6U, 8U, 16U);
    const std::string backend = GENERATE("packet", "flow", "analytical");
    CAPTURE(ranks, backend);
    const int64_t levels = std::bit_width(ranks - 1);
    const SimTime time =
        TimeOf(ranks, "broadcast", "collectives: {broadcast: halving-doubling}", backend);
    // The last rank to be served is at the end of a chain of messages, or the last child of
    // somebody on the way: for powers of two the chain, with an endpoint at each of its members.
    CHECK(time <= (MessageTime(FRAMES) + ENDPOINT_DELAY) * levels);
    CHECK(time >= MessageTime(FRAMES) * levels + ENDPOINT_DELAY);
    if (std::has_single_bit(ranks))
    {
        CHECK(time == (MessageTime(FRAMES) + ENDPOINT_DELAY) * levels);
    }
}

TEST_CASE("HalvingDoubling: a reduce takes as long as a broadcast", "[component][packet]")
{
    // The k messages that the root takes come one after the other by themselves: each comes from a
    // subtree of twice the size.
    CHECK(TimeOf(8, "reduce", "collectives: {reduce: halving-doubling}") ==
          (MessageTime(FRAMES) + ENDPOINT_DELAY) * 3);
}

TEST_CASE("Broadcast and reduce: large buffers are pipelined unless the user chose otherwise",
          "[component][packet]")
{
    const std::string type = GENERATE("broadcast", "reduce");
    const SimTime chosen =
        TimeOf(16, type, fmt::format("collectives: {{{}: double-binary-tree}}", type));
    CHECK(TimeOf(16, type, "collectives: {}") == chosen);
    // 8 slices of 128 KiB: S/b (1 + 3/4) + 4 a, instead of 4 (S/b + a).
    CHECK(chosen < MessageTime(FRAMES) * 2);
}
