// SPDX-License-Identifier: GPL-2.0-only
// Tokens on their way to experts and back, against what DeepEP measured on H800 (its low-latency
// kernels; reference: github.com/deepseek-ai/DeepEP, README): 128 tokens a GPU, eight of 256
// experts each, 50 GB/s for each GPU between nodes.
#include "tests/support/case-count.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct MeasuredExchange
{
    int gpus = 0;
    double dispatch = 0; ///< us
    double combine = 0;  ///< us
};

const std::vector<MeasuredExchange> MEASURED{
    {16, 118, 195}, {32, 155, 273}, {64, 173, 314}, {128, 192, 369}, {256, 194, 360}};

// What kernels take beside the network, us: one number for all dispatches, one for all combines.
constexpr double DISPATCH_KERNEL = 29;
constexpr double COMBINE_KERNEL = 36;

RunResults
RunExchange(int gpus)
{
    const std::string count = std::to_string(gpus);
    const std::string requests = std::to_string(128 * gpus);
    const std::filesystem::path file =
        std::filesystem::path(SOURCE_DIR) / "configs/serving/deepseek-v3-exchange.yaml";
    return Simulate(
        file,
        {"network.topology.nodes=" + std::to_string(gpus / 8),
         "workload.serve.requests={arrivals: closed, users: " + requests + ", count: " + requests +
             ", input: 1, output: 1}",
         "workload.serve.instances=[{dp: " + count + ", ep: " + count + ", memory: 141 GB}]"});
}

/// From when all GPUs have called it to its end.
double
MicrosecondsOf(const RunResults& results, const std::string& name)
{
    const auto found =
        std::ranges::find(results.collectives,
                          name,
                          [](const CollectiveResult& result) { return result.record.name; });
    REQUIRE(found != results.collectives.end());
    return (found->record.end - found->record.begin).Ns() / 1e3;
}

} // namespace

TEST_CASE("Expert exchange: dispatches and combines take what was measured, and one constant each",
          "[component][serving]")
{
    const size_t count = CaseCount{.reduced = 2, .normal = 4, .full = 5}.Pick();
    for (size_t i = 0; i < count; ++i)
    {
        const MeasuredExchange& measured = MEASURED[i];
        INFO(measured.gpus << " GPUs");
        const RunResults results = RunExchange(measured.gpus);
        REQUIRE(results.status == RunStatus::Done);
        CHECK(results.collectives.size() == 2);
        CHECK(MicrosecondsOf(results, "dispatch") + DISPATCH_KERNEL ==
              Approx(measured.dispatch).epsilon(0.10));
        CHECK(MicrosecondsOf(results, "combine") + COMBINE_KERNEL ==
              Approx(measured.combine).epsilon(0.12));
    }
}
