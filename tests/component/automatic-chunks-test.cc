// SPDX-License-Identifier: GPL-2.0-only
// `chunks: auto` against the numbers of chunks that it chooses from, over shapes, sizes and
// algorithms.
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

struct ChunkedCall
{
    std::string type;
    std::string algorithm;
    std::string dimensions;
    std::string size;
};

std::string
LineOf(const std::string& shape, uint32_t ranks)
{
    return fmt::format(
        "{{shape: {}, size: {}, bandwidth: 50 GB/s, latency: 500 ns}}", shape, ranks);
}

double
TimeWith(const ChunkedCall& call, const std::string& chunks)
{
    return RunYaml({.yaml = fmt::format("workload: {{collective: {{type: {}, size: {}}}}}\n"
                                        "system: {{chunks: {}, collectives: {{{}: {}}}}}\n"
                                        "network: {{dimensions: [{}]}}\n",
                                        call.type,
                                        call.size,
                                        chunks,
                                        call.type,
                                        call.algorithm,
                                        call.dimensions)})
        .finish.Ns();
}

/// What auto takes, as a multiple of the best of all numbers that it chooses from.
double
Excess(const ChunkedCall& call)
{
    double best = TimeWith(call, "1");
    for (const char* chunks : {"2", "4", "8", "16"})
    {
        best = std::min(best, TimeWith(call, chunks));
    }
    return TimeWith(call, "auto") / best;
}

constexpr double MOST_EXCESS = 1.15;

} // namespace

TEST_CASE("Chunks: auto takes at most 1.15 times as long as the best number, over lines",
          "[component][packet]")
{
    const std::string shape = GENERATE("ring", "mesh", "switch", "fully-connected");
    const uint32_t ranks = GENERATE(4U, 8U, 16U);
    const std::string algorithm =
        GENERATE("ring", "bidirectional-ring", "direct", "halving-doubling");
    const std::string size = GENERATE("256 KiB", "1 MiB", "4 MiB");
    CAPTURE(shape, ranks, algorithm, size);
    CHECK(Excess({"all-reduce", algorithm, LineOf(shape, ranks), size}) <= MOST_EXCESS);
}

/// Over slow links a frame takes longer than the latency of a link.
TEST_CASE("Chunks: auto takes at most 1.2 times as long as the best number, where frames count",
          "[component][packet]")
{
    const std::string link = GENERATE("bandwidth: 25 Gb/s, latency: 100 ns",
                                      "bandwidth: 100 Gb/s, latency: 50 ns",
                                      "bandwidth: 10 Gb/s, latency: 500 ns");
    const uint32_t ranks = GENERATE(8U, 16U);
    const std::string size = GENERATE("256 KiB", "1 MiB");
    CAPTURE(link, ranks, size);
    const std::string line = fmt::format("{{shape: switch, size: {}, {}}}", ranks, link);
    CHECK(Excess({"all-reduce", "ring", line, size}) <= 1.2);
}

TEST_CASE("Chunks: auto takes at most 1.15 times as long as the best number, in all-to-alls",
          "[component][packet]")
{
    const std::string shape = GENERATE("ring", "mesh", "switch", "fully-connected");
    const uint32_t ranks = GENERATE(4U, 8U, 16U);
    const std::string algorithm = GENERATE("ring", "direct");
    const std::string size = GENERATE("256 KiB", "1 MiB");
    CAPTURE(shape, ranks, algorithm, size);
    CHECK(Excess({"all-to-all", algorithm, LineOf(shape, ranks), size}) <= MOST_EXCESS);
}
