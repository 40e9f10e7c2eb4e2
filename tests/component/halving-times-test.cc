// SPDX-License-Identifier: GPL-2.0-only
// All-reduces by halving over groups that are no power of two: held against the closed form, and
// against a ring.
#include "tests/support/endpoint-delay.h"
#include "tests/support/frame-sizes.h"
#include "tests/support/run-yaml.h"
#include "tests/support/usual-link.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <bit>
#include <string>

using namespace nadi;

namespace
{

struct SwitchCall
{
    std::string type;
    std::string algorithm;
    uint32_t ranks = 2;
    uint32_t mebibytes = 1;
    std::string chunks = "1";
    std::string backend = "packet";
};

SimTime
TimeOverSwitch(const SwitchCall& call)
{
    return RunYaml({.yaml = fmt::format(
                        "workload: {{collective: {{type: {}, size: {} MiB}}}}\n"
                        "system: {{chunks: {}, collectives: {{{}: {}}}}}\n"
                        "network:\n  backend: {}\n  dimensions:\n"
                        "    - {{shape: switch, size: {}, bandwidth: 50 GB/s, latency: 500 ns}}\n",
                        call.type,
                        call.mebibytes,
                        call.chunks,
                        call.type,
                        call.algorithm,
                        call.backend,
                        call.ranks)})
        .finish;
}

/// 2 S (p - 1) / (p b) + 2 a ceil(log2 p), with headers, and the frame that the switch stores in
/// each step.
SimTime
ClosedForm(uint32_t ranks, uint32_t mebibytes)
{
    const int64_t levels = std::bit_width(ranks - 1);
    const auto moved =
        static_cast<int64_t>(mebibytes) * 1024 * 1024 / ranks * (ranks - 1) / PAYLOAD;
    const Bytes frame(PAYLOAD + HEADER);
    return frame * moved / RATE * 2 + (LATENCY * 2 + ENDPOINT_DELAY + frame / RATE) * (2 * levels);
}

} // namespace

TEST_CASE("HalvingDoubling: an all-reduce takes 2 S (p - 1) / (p b) + 2 a ceil(log2 p) for any p",
          "[component][packet]")
{
    const uint32_t ranks = GENERATE(3U, 5U, 24U, 33U, 48U, 65U);
    const uint32_t mebibytes = GENERATE(4U, 64U);
    const std::string backend = GENERATE("packet", "flow", "analytical");
    CAPTURE(ranks, mebibytes, backend);
    const SimTime time = TimeOverSwitch({.type = "all-reduce",
                                         .algorithm = "halving-doubling",
                                         .ranks = ranks,
                                         .mebibytes = mebibytes,
                                         .backend = backend});
    CHECK(time.Ns() == Approx(ClosedForm(ranks, mebibytes).Ns()).epsilon(0.03));
}

TEST_CASE("HalvingDoubling: on a switch it is about as fast as a ring, or faster, for any p",
          "[component][packet]")
{
    const uint32_t ranks = GENERATE(24U, 33U, 65U);
    const uint32_t mebibytes = GENERATE(4U, 8U, 64U);
    const std::string chunks = GENERATE("1", "auto");
    const std::string type = GENERATE("all-reduce", "all-gather");
    // A shard of an all-gather is what the call names.
    const uint32_t size = type == "all-gather" ? 1U : mebibytes;
    CAPTURE(ranks, size, chunks, type);
    const auto timeOf = [&](const std::string& algorithm)
    {
        return TimeOverSwitch({.type = type,
                               .algorithm = algorithm,
                               .ranks = ranks,
                               .mebibytes = size,
                               .chunks = chunks});
    };
    // In one chunk, which is what auto takes for it, nothing fills the wire while the latency of a
    // step passes. A ring in several chunks has little idle time.
    const double most = chunks == "1" ? 1.02 : 1.1;
    CHECK(timeOf("halving-doubling").Ns() <= most * timeOf("ring").Ns());
}
