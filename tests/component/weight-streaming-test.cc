// SPDX-License-Identifier: GPL-2.0-only
// Weights that all NPUs of a wafer load from its I/O channels (Rashidi et al., "FRED",
// arXiv 2406.19580, section 3.2).
#include "tests/support/memory-job.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

constexpr int64_t CHANNELS = 18;
constexpr double CHANNEL_RATE = 128e9;
constexpr double WAFER_LINK_RATE = 750e9;
const Bytes STREAMED_WEIGHTS(CHANNELS * 8'000'000);

/// One channel for each side that an NPU turns to the edge, those of the left and right first.
const std::string OF_EDGES =
    "[npu0, npu5, npu10, npu15, npu4, npu9, npu14, npu19, npu0, npu1, npu2, "
    "npu3, npu4, npu15, npu16, npu17, npu18, npu19]";

/// The rate at which all NPUs together load what they need, as a share of all channels.
double
ShareOfChannels(const std::string& network,
                const std::string& attach,
                const std::string& tree,
                const std::vector<std::string>& settings = {})
{
    MemoryJob job{
        .ranks = {20, {{NodeType::MemoryLoad, STREAMED_WEIGHTS, "all"}}},
        .network = fmt::format("{{file: {}/configs/networks/{}.yaml, memories: [{{name: io, count: "
                               "18, attach: {}, link: {{bandwidth: 128 GB/s, latency: 4 ns}}, "
                               "bandwidth: 128 GB/s, latency: 0 ns}}]}}",
                               SOURCE_DIR,
                               network,
                               attach),
        .remote = "{through: network, slice: 16 KB, gather: {tree: " + tree + "}}",
        .settings = settings};
    const RunResults results = RunMemoryJob(job);
    REQUIRE(results.status == RunStatus::Done);
    CHECK(results.memory->bytes == STREAMED_WEIGHTS);
    const double seconds = static_cast<double>(results.finish.Ps()) * 1e-12;
    return static_cast<double>(STREAMED_WEIGHTS.Count()) / seconds /
           (static_cast<double>(CHANNELS) * CHANNEL_RATE);
}

} // namespace

TEST_CASE("Weight streaming: the tree whose switches multicast uses all channels",
          "[component][wafer]")
{
    CHECK(ShareOfChannels("wafer-fred-cd", "l1.switch*", "inward", {"network.in-network=on"}) >=
          0.99);
}

TEST_CASE(
    "Weight streaming: the mesh is bound by the link that carries the trees of nine channels, "
    "or of eight if they go along the edge first",
    "[component][wafer]")
{
    const auto boundBy = [](int channels) { return WAFER_LINK_RATE / (channels * CHANNEL_RATE); };
    CHECK(boundBy(9) == Approx(0.651).epsilon(0.001));
    CHECK(ShareOfChannels("wafer-mesh-5x4", OF_EDGES, "inward") ==
          Approx(boundBy(9)).epsilon(0.02));
    CHECK(ShareOfChannels("wafer-mesh-5x4", OF_EDGES, "along-edge") ==
          Approx(boundBy(8)).epsilon(0.02));
}
