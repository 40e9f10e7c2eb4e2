// SPDX-License-Identifier: GPL-2.0-only
// configs/congestion/rail-collisions.yaml, interleaved-*.yaml and failed-link.yaml: collisions of
// hashes, collectives that disturb each other, and a link that fails.
#include "tests/support/congestion-experiment.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace nadi::test;

namespace
{

/// How many of the paths share a link between a leaf and a spine, at most.
int
FindLargestLoad(const std::vector<std::string>& paths)
{
    std::map<std::string, int> loads;
    for (const std::string& path : paths)
    {
        const size_t spine = path.find(">spine");
        const size_t leaf = path.rfind('>', spine - 1) + 1;
        ++loads[path.substr(leaf, path.find('>', spine + 1) - leaf)];
    }
    const auto isLess = [](const auto& a, const auto& b) { return a.second < b.second; };
    return std::max_element(loads.begin(), loads.end(), isLess)->second;
}

/// Duration of one call, by its type.
double
DurationNs(const CongestionExperiment& run, const std::string& type)
{
    for (const CsvRow& row : run.Rows("collectives.csv"))
    {
        if (row.at("type") == type)
        {
            return std::stod(row.at("duration_ns"));
        }
    }
    FAIL("no call of " << type);
    return 0;
}

double
RunCollective(const std::string& config,
              const std::string& type,
              const std::vector<std::string>& settings)
{
    const CongestionExperiment run(config, settings);
    run.CheckLossless();
    return DurationNs(run, type);
}

// A ring of four nodes leaves each of them once, with 2 x 15/16 of the buffer: four flows from the
// leaf of rail 3 to the leaf of rail 0.
constexpr double RING_NS = 2 * 15.0 / 16 * 4 * MEBIBYTE * NS_PER_BYTE;

CongestionExperiment
RunFailedLink(const std::string& settings1, const std::string& settings2 = "seed=1")
{
    return CongestionExperiment("failed-link", {settings1, settings2});
}

} // namespace

TEST_CASE("Rail: with ECMP the flows of the fullest link take it one after the other",
          "[golden][congestion]")
{
    const std::string seed = GENERATE("seed=1", "seed=2", "seed=3");
    CAPTURE(seed);
    const CongestionExperiment run("rail-collisions", {Balancing("ecmp"), seed});
    run.CheckLossless();
    std::vector<std::string> paths;
    for (const CsvRow& flow : run.Rows("flows.csv"))
    {
        paths.push_back(flow.at("path"));
    }
    const int load = FindLargestLoad(paths);
    CHECK(load >= 2); // by chance all would be apart once in 13 000 seeds
    CHECK(run.FinishNs() > load * 4 * MEBIBYTE * NS_PER_BYTE);
    CHECK(run.FinishNs() < load * 4 * MEBIBYTE * NS_PER_BYTE + 10'000); // the way there
}

TEST_CASE("Rail: spraying and adaptive routing avoid collisions, flowlets without gaps do not",
          "[golden][congestion]")
{
    const auto finish = [](const std::string& balancing)
    {
        const CongestionExperiment run("rail-collisions", {Balancing(balancing)});
        run.CheckLossless();
        return run.FinishNs() / (4 * MEBIBYTE * NS_PER_BYTE);
    };
    CHECK(finish("adaptive") < 1.02);
    CHECK(finish("spray") < 1.1); // queues of a few tens of frames, by chance
    CHECK(finish("flowlet") > 1.9);
}

TEST_CASE("Rail: twice the spines have fewer collisions", "[golden][congestion]")
{
    double four = 0;
    double eight = 0;
    for (const std::string seed : {"seed=1", "seed=2", "seed=3", "seed=4", "seed=5"})
    {
        four += CongestionExperiment("rail-collisions", {seed}).FinishNs();
        eight +=
            CongestionExperiment("rail-collisions", {seed, "network.topology.spines=8"}).FinishNs();
    }
    CHECK(eight < four);
}

TEST_CASE("Interleaved: an all-reduce alone takes as long as the collisions of its ring say",
          "[golden][congestion]")
{
    const std::string seed = GENERATE("seed=1", "seed=4");
    CAPTURE(seed);
    const CongestionExperiment run("interleaved-all-reduce", {Balancing("ecmp"), seed});
    std::map<std::string, std::string> paths; // of the four flows
    for (const CsvRow& flow : run.Rows("flows.csv"))
    {
        if (flow.at("path").find("spine") != std::string::npos)
        {
            paths[flow.at("src")] = flow.at("path");
        }
    }
    REQUIRE(paths.size() == 4);
    std::vector<std::string> all;
    for (const auto& [sender, path] : paths)
    {
        all.push_back(path);
    }
    const double time = DurationNs(run, "all-reduce");
    CHECK(time > FindLargestLoad(all) * RING_NS);
    CHECK(time < 1.03 * FindLargestLoad(all) * RING_NS);
}

TEST_CASE("Interleaved: beside an all-to-all a ring has one of thirteen turns of its NIC",
          "[golden][congestion]")
{
    const std::string both = "interleaved-both";
    const std::string balancing = Balancing(GENERATE("spray", "adaptive"));
    const double reduceAlone = RunCollective("interleaved-all-reduce", "all-reduce", {balancing});
    const double exchangeAlone = RunCollective("interleaved-all-to-all", "all-to-all", {balancing});
    const double reduce = RunCollective(both, "all-reduce", {balancing});
    const double exchange = RunCollective(both, "all-to-all", {balancing});
    CHECK(reduceAlone < 1.05 * RING_NS);
    // Twelve queue pairs to other nodes, and that of the ring.
    CHECK(exchange / exchangeAlone == Approx(13.0 / 12).margin(0.02));
    CHECK(reduce == Approx(reduceAlone + exchange * 12 / 13).epsilon(0.03));
}

TEST_CASE("Interleaved: spraying gives each seed the same times, alone and together",
          "[golden][congestion]")
{
    const std::string config = GENERATE("interleaved-all-reduce", "interleaved-both");
    std::vector<double> times;
    for (const std::string seed : {"seed=1", "seed=2", "seed=4"})
    {
        times.push_back(RunCollective(config, "all-reduce", {Balancing("spray"), seed}));
    }
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    CHECK(*most < 1.05 * *least); // with ECMP it is twice as long with seed 1 as with seed 4
}

TEST_CASE("Failed link: the ring survives and loses at least the time until the reroute",
          "[golden][congestion]")
{
    const std::string recovery = GENERATE("go-back-n", "selective");
    CAPTURE(recovery);
    const double healthy = RunFailedLink("network.faults=[]").FinishNs();
    double before = healthy;
    for (const int after : {50, 200, 1000})
    {
        CAPTURE(after);
        const CongestionExperiment run =
            RunFailedLink("network.reroute-after=" + std::to_string(after) + " us",
                          "network.packet.loss-recovery=" + recovery);
        CHECK(run.Count("reroutes") == 1);
        CHECK(run.Count("drops") > 0);
        CHECK(run.Count("retransmissions") >= run.Count("drops"));
        CHECK(run.FinishNs() > healthy + after * 1000.0);
        CHECK(run.FinishNs() > before);
        before = run.FinishNs();
    }
}

TEST_CASE("Failed link: an all-to-all has half of the uplinks from then on", "[golden][congestion]")
{
    // Four NPUs send 4 x 2 MiB each out of their leaf, over two links for 100 us and then over one.
    const double halved = 4 * 4 * 2 * MEBIBYTE * NS_PER_BYTE - 100'000;
    const std::string exchange = "workload.collective.type=all-to-all";
    const CongestionExperiment run =
        RunFailedLink(exchange, "network.packet.retransmit-timeout=2 ms");
    CHECK(run.FinishNs() > halved);
    CHECK(run.FinishNs() < 1.2 * halved + 300'000);
    CHECK(CongestionExperiment("failed-link", {exchange, "network.faults=[]"}).FinishNs() < halved);
}

TEST_CASE("Failed link: without a reroute the run ends and says which queue pair gave up",
          "[golden][congestion]")
{
    const ScratchDirectory scratch("congestion-failed-link-for-good");
    const std::string file = std::string(nadi::SOURCE_DIR) + "/configs/congestion/failed-link.yaml";
    const ProcessResult result =
        RunNadi(scratch, {"run", file, "--quiet", "--set", "network.reroute-after=1 s"});
    CHECK(result.exitCode == 4);
    CHECK_THAT(result.error, Catch::Contains("gave up"));
}
