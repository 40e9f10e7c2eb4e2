// SPDX-License-Identifier: GPL-2.0-only
// When does a collective end on each of its ranks? Not before all that the rank sends is delivered,
// as a send does.
#include "system/collective-plan.h"
#include "tests/support/run-yaml.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

const std::string ONE_SWITCH = "{in-network: on, dimensions: [{shape: switch, size: 4, bandwidth: "
                               "50 GB/s, latency: 500 ns}]}";
const std::string TWO_LEVELS =
    "{dimensions: [{shape: ring, size: 4, bandwidth: 50 GB/s, latency: "
    "500 ns}, {shape: switch, size: 2, bandwidth: 10 GB/s, latency: 500 ns}]}";

std::string
ConfigOf(const std::string& network, CollectiveType type, const std::string& algorithm)
{
    const std::string name(ToText(type));
    return "network: " + network + "\nworkload: {collective: {type: " + name +
           ", size: 1 MiB}}\nsystem: {collectives: {" + name + ": " + algorithm +
           "}}\noutput: {flows: on}\n";
}

/// When the last message of each rank is delivered.
std::map<uint32_t, SimTime>
FindLastDeliveries(const RunResults& results)
{
    std::map<uint32_t, SimTime> last;
    for (const FlowRecord& flow : results.flows.value())
    {
        SimTime& known = last[flow.source.value];
        known = std::max(known, flow.delivered);
    }
    return last;
}

void
CheckEnds(const RunResults& results)
{
    REQUIRE(results.status == RunStatus::Done);
    const std::map<uint32_t, SimTime> last = FindLastDeliveries(results);
    CHECK(!last.empty());
    for (const auto& [vertex, delivered] : last)
    {
        // What switches send is for the ranks that wait for it.
        if (vertex < results.ranks.size())
        {
            CAPTURE(vertex);
            CHECK(results.ranks[vertex].metrics.finish >= delivered);
        }
    }
}

} // namespace

TEST_CASE("A collective ends on no rank before all that the rank sends is delivered",
          "[component][collective-completion]")
{
    const CollectiveType type = GENERATE(CollectiveType::AllReduce,
                                         CollectiveType::ReduceScatter,
                                         CollectiveType::AllGather,
                                         CollectiveType::AllToAll,
                                         CollectiveType::Broadcast,
                                         CollectiveType::Reduce,
                                         CollectiveType::Gather,
                                         CollectiveType::Scatter);
    for (const std::string& algorithm : AlgorithmsFor(type))
    {
        if (algorithm != "custom") // takes a file
        {
            CAPTURE(ToText(type), algorithm);
            CheckEnds(RunYaml({.yaml = ConfigOf(ONE_SWITCH, type, algorithm)}));
        }
    }
    CAPTURE(ToText(type));
    CheckEnds(RunYaml({.yaml = ConfigOf(TWO_LEVELS, type, "direct")}));
    CheckEnds(RunYaml({.yaml = ConfigOf(TWO_LEVELS, type, "direct"),
                       .settings = {"network.backend=analytical"}}));
}

TEST_CASE("A collective ends on the root of a broadcast as a send of the same bytes does",
          "[component][collective-completion]")
{
    // Two links of 500 ns and a frame of 4160 bytes that the switch stores, behind 256 frames on
    // the wire.
    const SimTime sent = SimTime::FromPs(256 * 83'200 + 83'200 + 2 * 500'000);
    const std::string algorithm =
        GENERATE("{name: ring, slice: 1 MiB}", "direct", "halving-doubling");
    const RunResults results = RunYaml(
        {.yaml = "network: {dimensions: [{shape: switch, size: 2, bandwidth: 50 GB/s, latency: "
                 "500 ns}]}\nworkload: {collective: {type: broadcast, size: 1 MiB}}\nsystem: "
                 "{chunks: 1, collectives: {broadcast: " +
                 algorithm + "}}\n"});
    CAPTURE(algorithm);
    CHECK(results.ranks[0].metrics.finish == sent);
}
