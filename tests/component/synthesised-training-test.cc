// SPDX-License-Identifier: GPL-2.0-only
// Does a training job of many groups run no slower with synthesised collectives than with defaults?
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace nadi;

namespace
{

const std::string SLOW_LINK = "{bandwidth: 50 GB/s, latency: 500 ns}";
const std::string FAST_LINK = "{bandwidth: 200 GB/s, latency: 500 ns}";

struct TrainingNetwork
{
    std::string name;
    std::string yaml;
};

/// Networks of 16 NPUs, in which the groups of a job do not choose among ways by hash.
std::vector<TrainingNetwork>
ListNetworks()
{
    const auto square = [](const std::string& shape)
    {
        const std::string line =
            "{shape: " + shape + ", size: 4, bandwidth: 50 GB/s, latency: 500 ns}";
        return "{dimensions: [" + line + ", " + line + "]}";
    };
    return {{"torus", square("ring")},
            {"mesh", square("mesh")},
            {"switches", square("switch")},
            {"rail",
             "{topology: {generator: rail, nodes: 4, npus-per-node: 4, spines: 2, nvlink: " +
                 FAST_LINK + ", nic: " + SLOW_LINK + "}}"}};
}

/// A step of Megatron on 16 ranks, whose communication nothing hides.
RunResults
TrainOn(const std::string& network, const std::string& degrees, const std::string& system)
{
    RunResults results = RunYaml(
        {"workload: {generate: {model: transformer, layers: 2, hidden: 512, heads: 16, sequence: "
         "512, batch: 8, vocabulary: 16000, " +
         degrees + "}, ranks: 16}\nnetwork: " + network + "\nsystem: {" + system + "}\n"});
    REQUIRE(results.status == RunStatus::Done);
    return results;
}

const std::string ALL_SYNTHESIZED =
    "collectives: {all-reduce: synthesized, all-gather: synthesized, reduce-scatter: synthesized}";

} // namespace

TEST_CASE("Synthesised training: tensor, data and pipeline parallel groups run no slower than with "
          "the defaults",
          "[component][synthesised-training]")
{
    for (const TrainingNetwork& network : ListNetworks())
    {
        for (const std::string degrees :
             {"tp: 4, dp: 2, pp: 2", "tp: 2, dp: 4, pp: 2", "tp: 4, dp: 2, pp: 2, zero: 1"})
        {
            CAPTURE(network.name, degrees);
            const RunResults usual = TrainOn(network.yaml, degrees, "");
            const RunResults made = TrainOn(network.yaml, degrees, ALL_SYNTHESIZED);
            CHECK(made.collectives.size() == usual.collectives.size());
            CHECK(made.finish <= usual.finish);
        }
    }
}

TEST_CASE("Synthesised training: where groups share uplinks by hash, no plan knows of the others",
          "[component][synthesised-training]")
{
    // Each group is planned alone: uplinks that two groups choose may cost some per cent.
    const std::string network =
        "{topology: {generator: leaf-spine, npus: 16, npus-per-leaf: 4, spines: 4, uplink: " +
        SLOW_LINK + ", link: " + SLOW_LINK + "}}";
    const std::string degrees = "tp: 4, dp: 2, pp: 2";
    const SimTime usual = TrainOn(network, degrees, "").finish;
    const SimTime made = TrainOn(network, degrees, ALL_SYNTHESIZED).finish;
    CAPTURE(usual.Ps(), made.Ps());
    CHECK(made.Ps() * 100 <= usual.Ps() * 105);
}
