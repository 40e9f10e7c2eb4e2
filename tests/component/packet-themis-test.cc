// SPDX-License-Identifier: GPL-2.0-only
// What the planner of chunk schedules predicts, held against packets.
#include "system/collective-schedule.h"
#include "tests/support/packet-forms.h"

#include <array>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Three switches of four, without headers: so that payload is all that links carry.
struct Cube
{
    std::array<int64_t, 3> rateGbps{};
    std::string policy;

    static constexpr uint32_t LENGTH = 4;
    static constexpr int64_t SIZE = 16 << 20;
    static constexpr int64_t FRAME_PAYLOAD = 8192;
    static constexpr int64_t LATENCY_NS = 100;
    static constexpr int64_t ENDPOINT_NS = 10;

    Bandwidth Rate(size_t dimension) const
    {
        return Bandwidth::FromBitsPerSecond(rateGbps[dimension] * 1'000'000'000);
    }

    SimTime Simulate() const
    {
        std::string dimensions;
        for (size_t i = 0; i < rateGbps.size(); ++i)
        {
            dimensions +=
                fmt::format("  - {{shape: switch, size: {}, bandwidth: {} Gb/s, latency: {} ns}}\n",
                            LENGTH,
                            rateGbps[i],
                            LATENCY_NS);
        }
        const std::string yaml =
            fmt::format("workload: {{collective: {{type: all-reduce, size: {} B}}}}\n"
                        "system: {{chunks: 16, chunks-in-flight: 1, inter-dimension: {},\n"
                        "  intra-dimension: smallest-first, endpoint-delay: {} ns}}\n"
                        "network:\n packet: {{payload: {} B, header: 0 B, control-frame: 1 B}}\n"
                        " dimensions:\n{}",
                        SIZE,
                        policy,
                        ENDPOINT_NS,
                        FRAME_PAYLOAD,
                        dimensions);
        return RunYaml({.yaml = yaml, .settings = {}, .scrambleSeed = {}}).finish;
    }

    /// A step costs two links, one more frame (the switch stores it first) and the endpoint delay.
    SimTime Predict() const
    {
        std::vector<uint32_t> steps(AllCollectiveTypes().size());
        steps[static_cast<size_t>(CollectiveType::ReduceScatter)] = 2; // log2 of the length
        steps[static_cast<size_t>(CollectiveType::AllGather)] = 2;
        steps[static_cast<size_t>(CollectiveType::AllReduce)] = 4;
        ScheduleRequest request{.type = CollectiveType::AllReduce,
                                .elements = static_cast<uint64_t>(SIZE),
                                .elementBytes = 1,
                                .dimensions = {}};
        for (size_t i = 0; i < rateGbps.size(); ++i)
        {
            const SimTime step = SimTime::FromNs(2 * LATENCY_NS + ENDPOINT_NS);
            request.dimensions.push_back({.size = LENGTH,
                                          .rate = Rate(i),
                                          .stepLatency = step + Bytes(FRAME_PAYLOAD) / Rate(i),
                                          .steps = steps});
        }
        return PlanCollective(request,
                              {.chunks = 16,
                               .chunksInFlight = 1,
                               .interDimension = policy,
                               .intraDimension = "smallest-first"})
            .predicted;
    }
};

} // namespace

TEST_CASE("Themis: packets take the time that the planner predicts, within 3 %",
          "[component][packet]")
{
    const std::vector<std::array<int64_t, 3>> systems{
        {400, 400, 400}, {800, 400, 200}, {400, 800, 100}};
    for (const auto& rates : systems)
    {
        const Cube themis{rates, "themis"};
        const Cube baseline{rates, "baseline"};
        CAPTURE(rates[0], rates[1], rates[2]);
        const double simulated = themis.Simulate().Ns();
        const double predicted = themis.Predict().Ns();
        CHECK(simulated == Approx(predicted).epsilon(0.03));
        const double simulatedGain = baseline.Simulate().Ns() / simulated;
        const double predictedGain = baseline.Predict().Ns() / predicted;
        CHECK(simulatedGain == Approx(predictedGain).epsilon(0.05));
        CHECK(simulatedGain > 1);
    }
}

TEST_CASE("Themis: four chunks in flight hide latency, whatever the policy", "[component][flow]")
{
    // In each dimension a chunk takes four steps of 0.72 us and, its bytes evened out, 2 MiB x 2 x
    // 63/64 / 300 GB/s = 14 us. So one chunk at a time waits a sixth of the time.
    const std::string policy = GENERATE("fifo", "smallest-first", "lifo");
    const auto simulate = [&policy](uint32_t chunksInFlight)
    {
        const std::string yaml =
            fmt::format("workload: {{collective: {{type: all-reduce, size: 64 MiB}}}}\n"
                        "system: {{chunks: 32, chunks-in-flight: {}, inter-dimension: themis,\n"
                        "  intra-dimension: {}, endpoint-delay: 20 ns}}\n"
                        "network:\n backend: flow\n dimensions:\n"
                        "  - {{shape: switch, size: 4, bandwidth: 800 Gb/s, latency: 350 ns}}\n"
                        "  - {{shape: switch, size: 4, bandwidth: 800 Gb/s, latency: 350 ns}}\n"
                        "  - {{shape: switch, size: 4, bandwidth: 800 Gb/s, latency: 350 ns}}\n",
                        chunksInFlight,
                        policy);
        return RunYaml({.yaml = yaml, .settings = {}, .scrambleSeed = {}}).finish;
    };
    CAPTURE(policy);
    CHECK(simulate(4) < simulate(1));
}
