// SPDX-License-Identifier: GPL-2.0-only
#include "common/error.h"
#include "simulation/demands/demands-writer.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <numeric>
#include <string>

using namespace nadi;
using namespace nadi::test;

namespace
{

using Json = nlohmann::json;

constexpr int64_t SIZE = 1 << 20;

const std::vector<std::string> RING_AND_SWITCH{
    "{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}",
    "{shape: switch, size: 2, bandwidth: 25 GB/s, latency: 1 us}"};

/// The demands of a job on a ring of 4 and a switch of 2, or on other dimensions.
Json
DemandsOf(const std::string& workload,
          const std::string& system = "",
          const std::vector<std::string>& dimensions = RING_AND_SWITCH)
{
    const ScratchDirectory scratch("job-demands");
    const RunInput input(scratch.Write("c.yaml",
                                       "workload: {" + workload + "}\nsystem: {" + system +
                                           "}\nnetwork: {dimensions: [" +
                                           fmt::format("{}", fmt::join(dimensions, ", ")) + "]}\n"),
                         {});
    WorkProgress progress;
    const Json demands = Json::parse(WriteDemands(input, CollectDemands(input, &progress)));
    CHECK(progress.total == input.Workload().RankCount());
    CHECK(progress.done == progress.total);
    return demands;
}

Json
CollectiveOf(const std::string& type, const std::string& system = "")
{
    const Json demands = DemandsOf(
        fmt::format("collective: {{type: {}, size: {} B, repeat: 3}}", type, SIZE), system);
    REQUIRE(demands["ranks"].size() == 1);
    CHECK(demands["ranks"][0]["first"] == 0);
    CHECK(demands["ranks"][0]["count"] == 8);
    REQUIRE(demands["ranks"][0]["collectives"].size() == 1);
    return demands["ranks"][0]["collectives"][0];
}

} // namespace

TEST_CASE("Demands: a collective moves in each dimension what is left of it there",
          "[unit][simulation]")
{
    const Json reduce = CollectiveOf("all-reduce");
    CHECK(reduce["size_bytes"] == SIZE);
    CHECK(reduce["calls"] == 3);
    CHECK(reduce["members"] == Json{4, 2});
    // 2 m (p-1)/p, with m = the whole in the ring and a quarter of it at the switch.
    CHECK(reduce["bytes"] == Json{2 * SIZE * 3 / 4, 2 * (SIZE / 4) / 2});
    CHECK(CollectiveOf("reduce-scatter")["bytes"] == Json{SIZE * 3 / 4, (SIZE / 4) / 2});
    // m (p-1), with m = the shard at the switch, which comes first, and two shards in the ring.
    CHECK(CollectiveOf("all-gather")["bytes"] == Json{2 * SIZE * 3, SIZE});
}

TEST_CASE("Demands: on a ring or a mesh, links also carry what NPUs pass on", "[unit][simulation]")
{
    // An NPU of the ring of 4 sends to three others, which are 1, 2 and 1 hops away.
    CHECK(CollectiveOf("all-to-all")["bytes"] == Json{SIZE * 3 / 4 * 4 / 3, SIZE / 2});
    CHECK(CollectiveOf("all-gather", "collectives: {all-gather: direct}")["bytes"] ==
          Json{2 * SIZE * 3 * 4 / 3, SIZE});
    // Over the middle of a line of 4 go messages of two NPUs to two others, a quarter of SIZE each;
    // over two such links twice as much.
    const std::string mesh = "{shape: mesh, size: 4, bandwidth: 50 GB/s, latency: 500 ns}";
    const std::string all = "{shape: fully-connected, size: 4, bandwidth: 50 GB/s, latency: 1 us}";
    const auto bytesOn = [](const std::string& dimension)
    {
        const std::string job = fmt::format("collective: {{type: all-to-all, size: {} B}}", SIZE);
        return DemandsOf(job, "", {dimension})["ranks"][0]["collectives"][0]["bytes"];
    };
    CHECK(bytesOn(mesh) == Json{2 * 4 * SIZE / 4});
    CHECK(bytesOn(all) == Json{3 * SIZE / 4});
}

TEST_CASE("Demands: the busiest NPU may move more than the others", "[unit][simulation]")
{
    const auto bytesOf = [](const std::string& type, const std::string& algorithm)
    {
        const std::string job = fmt::format("collective: {{type: {}, size: {} B}}", type, SIZE);
        const std::string choice = fmt::format("collectives: {{{}: {}}}", type, algorithm);
        const std::string star = "{shape: switch, size: 8, bandwidth: 50 GB/s, latency: 1 us}";
        return DemandsOf(job, choice, {star})["ranks"][0]["collectives"][0]["bytes"][0];
    };
    CHECK(bytesOf("broadcast", "direct") == 7 * SIZE);           // to each other NPU
    CHECK(bytesOf("broadcast", "halving-doubling") == 3 * SIZE); // to the children of the root
    CHECK(bytesOf("broadcast", "double-binary-tree") == SIZE);
    CHECK(bytesOf("all-reduce", "double-binary-tree") == 2 * SIZE);
    CHECK(bytesOf("all-reduce", "ring") == 2 * SIZE * 7 / 8);
}

TEST_CASE("Demands: chunks that cross the dimensions in other orders move other bytes",
          "[unit][simulation]")
{
    const Json baseline = CollectiveOf("all-gather");
    const Json themis = CollectiveOf("all-gather", "inter-dimension: themis");
    CHECK(themis["bytes"][0] < baseline["bytes"][0]);
    CHECK(themis["bytes"][1] > baseline["bytes"][1]);
}

TEST_CASE(
    "Demands: links are those that the algorithm drives, steps those that wait for each other",
    "[unit][simulation]")
{
    const Json demands = DemandsOf("collective: {type: all-reduce, size: 1 MiB}");
    CHECK(demands["dimensions"] == Json::parse(R"([{"shape": "ring", "size": 4, "links": 2},
                          {"shape": "switch", "size": 2, "links": 1}])"));
    const Json both = CollectiveOf("all-reduce");
    CHECK(both["links"] == Json{2, 1});
    CHECK(both["steps"] == Json{2 * 3, 2 * 1});
    // A link each, and two to pass a switch, and the endpoint delay of 10 ns.
    CHECK(both["step_latency_ns"] == Json{510.0, 2010.0});
    CHECK(CollectiveOf("all-reduce", "collectives: {all-reduce: ring}")["links"] == Json{1, 1});
}

TEST_CASE("Demands: a step over a switch takes the switch's latency, in a stack as in a topology",
          "[unit][simulation]")
{
    const auto latencyWith = [](const std::string& network)
    {
        const ScratchDirectory scratch("job-demands");
        const RunInput input(
            scratch.Write("c.yaml",
                          "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
                          "network: {" +
                              network + ", packet: {switch-latency: 300 ns}}\n"),
            {});
        const Json demands = Json::parse(WriteDemands(input, CollectDemands(input)));
        return demands["ranks"][0]["collectives"][0]["step_latency_ns"];
    };
    // Two links, a switch and the endpoint delay of 10 ns.
    const std::string link = "bandwidth: 400 Gb/s, latency: 25 ns}";
    CHECK(latencyWith("dimensions: [{shape: switch, size: 4, " + link + "]") == Json{360.0});
    CHECK(latencyWith("topology: {generator: leaf-spine, npus: 4, npus-per-leaf: 4, spines: 0, "
                      "link: {" +
                      link + "}") == Json{360.0});
    CHECK(latencyWith("dimensions: [{shape: ring, size: 4, " + link + "]") == Json{35.0});
}

TEST_CASE("Demands: groups along one dimension move bytes in that one", "[unit][simulation]")
{
    const Json demands =
        DemandsOf("generate: {model: mlp, widths: 1024, batch: 64, parallelism: dp-mp}");
    REQUIRE(demands["ranks"].size() == 1);
    for (const Json& call : demands["ranks"][0]["collectives"])
    {
        const bool isAcross = call["members"] == Json{1, 2};
        CHECK((isAcross || call["members"] == Json{4, 1}));
        CHECK(call["bytes"][isAcross ? 0 : 1] == 0);
        CHECK(call["bytes"][isAcross ? 1 : 0] > 0);
    }
}

TEST_CASE("Demands: one list of ranks moves its bytes in each dimension that tells them apart",
          "[unit][simulation]")
{
    // Six of eight ranks are no grid.
    const Json demands = DemandsOf("ranks: 6, collective: {type: all-gather, size: 1 MiB}");
    const Json& call = demands["ranks"][0]["collectives"][0];
    CHECK(call["ranks"] == 6);
    CHECK(call["members"] == Json{4, 2});
    CHECK(call["bytes"] == Json{SIZE * 5, SIZE * 5});
    CHECK(call["steps"][1] == 0);
}

TEST_CASE("Demands: a send counts on its sender, in the dimensions that it crosses",
          "[unit][simulation]")
{
    const Json demands = DemandsOf("flows: [{src: 0, dst: 5, size: 1 MB}]");
    REQUIRE(demands["ranks"].size() == 2);
    const Json& call = demands["ranks"][0]["collectives"][0];
    CHECK(call["type"] == "point-to-point");
    CHECK(call["bytes"] == Json{1'000'000, 1'000'000});
    CHECK(call["steps"] == Json{1, 1});
    CHECK(demands["ranks"][1]["first"] == 1);
    CHECK(demands["ranks"][1]["count"] == 7);
    CHECK(demands["ranks"][1]["collectives"].empty());
}

TEST_CASE("Demands: a straggler computes longer, and is asked for apart", "[unit][simulation]")
{
    const std::string job = "generate: {model: mlp, widths: 1024, batch: 64}";
    const std::string roofline =
        "model: roofline, peak: 100 TFLOP/s, memory-bandwidth: 2 TB/s, per-rank: {3: 2}";
    const Json demands = DemandsOf(job, "compute: {" + roofline + "}");
    REQUIRE(demands["ranks"].size() == 2);
    CHECK(demands["ranks"][0]["count"] == 7);
    CHECK(demands["ranks"][1]["first"] == 3);
    const double usual = demands["ranks"][0]["compute_ns"];
    CHECK(usual > 0);
    CHECK(demands["ranks"][1]["compute_ns"] == Approx(2 * usual));
    CHECK(demands["ranks"][1]["collectives"] == demands["ranks"][0]["collectives"]);
}

TEST_CASE("Demands: a library that plans whole communicators is refused", "[unit][simulation]")
{
    const ScratchDirectory scratch("job-demands");
    const RunInput input(
        scratch.Write("c.yaml",
                      "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
                      "system: {library: {name: nccl}}\n"
                      "network:\n  topology: {generator: nodes, nodes: 1,\n"
                      "    npus-per-node: 8,\n"
                      "    nvlink: {bandwidth: 450 GB/s, latency: 500 ns},\n"
                      "    nic: {bandwidth: 50 GB/s, latency: 500 ns}, spines: 0}\n"),
        {});
    CHECK_THROWS_WITH(CollectDemands(input),
                      Catch::EndsWith("system.library: nccl plans whole communicators, so nobody "
                                      "can say what a collective moves in each dimension; write "
                                      "plain for --demands"));
}

TEST_CASE("Demands: of a collective with a root, direct on a ring counts what the root sends",
          "[unit][simulation]")
{
    // The outermost dimension comes first. So the root then has 4 parts, and 3 of them go to the
    // others of its ring.
    const Json scatter = CollectiveOf("scatter", "collectives: {scatter: direct}");
    CHECK(scatter["bytes"][0] == 3 * SIZE);
}
