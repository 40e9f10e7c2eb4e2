// SPDX-License-Identifier: GPL-2.0-only
// What the results say of collectives in which switches help, and of runs that cannot end.
#include "tests/support/nadi-process.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Json = nlohmann::ordered_json;

/// Eight NPUs under one switch, at 1 B/ns and 1 us, without headers.
const std::string STAR =
    "network:\n"
    "  dimensions: [{shape: switch, size: 8, bandwidth: 1 GB/s, latency: 1 us}]\n"
    "  packet: {header: 0 B}\n";
const std::string ALL_REDUCE = "workload: {collective: {type: all-reduce, size: 4 MiB}}\n";
const std::vector<std::string> OVER_TREES{"system.collectives.all-reduce=in-network",
                                          "network.in-network=on"};

Json
SummaryOf(const std::string& yaml, const std::vector<std::string>& settings)
{
    const ScratchDirectory scratch("in-network-results");
    scratch.Write("c.yaml", yaml);
    std::vector<std::string> words{"run", "c.yaml", "--out", "r", "--quiet"};
    for (const std::string& setting : settings)
    {
        words.insert(words.end(), {"--set", setting});
    }
    REQUIRE(RunNadi(scratch, words).exitCode == 0);
    return Json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
}

/// Two leaves of four NPUs under a spine. `link` is down from `at` on.
std::string
BrokenTree(const std::string& link, const std::string& at)
{
    return "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
           "system: {collectives: {all-reduce: in-network}}\n"
           "network:\n"
           "  topology: {generator: leaf-spine, npus: 8, npus-per-leaf: 4, spines: 1,\n"
           "    link: {bandwidth: 50 GB/s, latency: 500 ns}}\n"
           "  in-network: on\n"
           "  faults: [{link: " +
           link + ", state: down, at: " + at + "}]\n";
}

/// waits.json of a run that ends with exit 4.
Json
WaitsOf(const std::string& yaml)
{
    const ScratchDirectory scratch("in-network-stuck");
    scratch.Write("c.yaml", yaml);
    CHECK(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 4);
    return Json::parse(ReadWholeFile(scratch.Path() / "r/waits.json"));
}

/// For whom the switch waits, by the list of switches; null: it is not in the list.
Json
WaitsOfSwitch(const Json& waits, const std::string& name)
{
    for (const Json& waiting : waits["switches"])
    {
        if (waiting["switch"] == name)
        {
            CHECK(waiting["waits_for"] == "all-reduce #0 of communicator 0 {0..7}");
            return waiting["waits_for_names"];
        }
    }
    return {};
}

} // namespace

TEST_CASE("summary.json: in_network is the last field, and counts what switches did", "[golden]")
{
    const Json summary = SummaryOf(STAR + ALL_REDUCE, OVER_TREES);
    REQUIRE(summary.back() == summary["in_network"]);
    CHECK(summary["in_network"]["collectives"] == 1);
    // The result goes to each of the eight; what they send up is theirs.
    CHECK(summary["in_network"]["bytes"] == 8 * (4 << 20));
    CHECK(summary["bytes_sent"] == 8 * (4 << 20));
    CHECK(summary["in_network"]["fallbacks"] == 0);
}

TEST_CASE("summary.json: without network.in-network there is no such field", "[golden]")
{
    CHECK_FALSE(SummaryOf(STAR + ALL_REDUCE, {}).contains("in_network"));
}

TEST_CASE("summary.json: where switches could help, and no algorithm asks them, they did nothing",
          "[golden]")
{
    const Json summary = SummaryOf(STAR + ALL_REDUCE, {"network.in-network=on"});
    CHECK(summary["in_network"]["collectives"] == 0);
    CHECK(summary["in_network"]["bytes"] == 0);
}

TEST_CASE(
    "Lower bound: an all-reduce over switches has S to send, and one of endpoints 2 S (p-1)/p",
    "[golden]")
{
    const SimTime twoLinks = SimTime::FromUs(2);
    const int64_t size = 4 << 20; // a nanosecond for each byte
    const RunResults endpoints = RunYaml({STAR + ALL_REDUCE, {"network.in-network=on"}});
    CHECK(endpoints.collectives.at(0).lowerBound == SimTime::FromNs(size * 2 * 7 / 8) + twoLinks);
    const RunResults switches = RunYaml({STAR + ALL_REDUCE, OVER_TREES});
    const CollectiveResult& result = switches.collectives.at(0);
    CHECK(result.lowerBound == SimTime::FromNs(size) + twoLinks);
    const SimTime duration = result.record.end - result.record.start;
    CHECK(duration >= result.lowerBound);
    CHECK(duration < endpoints.collectives.at(0).lowerBound);
}

TEST_CASE("Lower bound: a collective that switches help in one dimension only has theirs",
          "[golden]")
{
    const RunResults mixed =
        RunYaml({"network:\n"
                 "  in-network: on\n"
                 "  dimensions:\n"
                 "    - {shape: switch, size: 4, bandwidth: 1 GB/s, latency: 1 us}\n"
                 "    - {shape: ring, size: 4, bandwidth: 1 GB/s, latency: 1 us}\n"
                 "system: {collectives: {all-reduce: [in-network, ring]}}\n" +
                 ALL_REDUCE});
    REQUIRE(mixed.status == RunStatus::Done);
    CHECK(mixed.collectives.at(0).record.hasSwitches);
    // Each NPU has three links: to the switch, and to its neighbours in the ring.
    CHECK(mixed.collectives.at(0).lowerBound ==
          Bytes(4 << 20) / Bandwidth::FromBytesPerSecond(3'000'000'000) + SimTime::FromUs(1));
    CHECK(mixed.inNetwork->collectives == 1);
}

TEST_CASE("waits.json: a link to a member that stays down: its switch waits for it, and is named",
          "[golden]")
{
    const Json waits = WaitsOf(BrokenTree("[npu5, leaf1]", "0 us"));
    CHECK(WaitsOfSwitch(waits, "leaf1") == Json({"npu5"}));
    // leaf0 has sent its part up, and waits for the result.
    CHECK(WaitsOfSwitch(waits, "spine0") == Json({"leaf1"}));
    CHECK(WaitsOfSwitch(waits, "leaf0") == Json({"spine0"}));
    // Every rank waits for its leaf, and in the end for rank 5.
    REQUIRE(waits["ranks"].size() == 8);
    CHECK(waits["ranks"][0]["waits_for_ranks"] == Json({5}));
    CHECK(waits["ranks"][0]["waits_for"].get<std::string>().find("leaf0") != std::string::npos);
}

TEST_CASE("waits.json: a link between switches that breaks while slices are under way", "[golden]")
{
    const Json waits = WaitsOf(BrokenTree("[leaf0, spine0]", "10 us"));
    const Json spine = WaitsOfSwitch(waits, "spine0");
    CHECK(std::find(spine.begin(), spine.end(), Json("leaf0")) != spine.end());
    CHECK(waits["causes"].size() > 0);
    CHECK(waits["ranks"].size() == 8);
}
