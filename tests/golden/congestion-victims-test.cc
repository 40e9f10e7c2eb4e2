// SPDX-License-Identifier: GPL-2.0-only
// configs/congestion/victim-flow.yaml and pfc-storm.yaml: pauses hold up flows that do no harm, and
// what bounds the bytes in the network spares them.
#include "tests/support/congestion-experiment.h"

#include <catch2/catch.hpp>

#include <set>
#include <string>
#include <vector>

using namespace nadi::test;

namespace
{

const std::string CALM = "network.faults=[]";
const std::string TWO_SPINES = "network.topology.spines=2";
const std::string WINDOW = "network.packet.window=bdp";

std::string
Control(const std::string& name)
{
    return "network.packet.congestion-control=" + name;
}

double
CompletionNs(const CsvRow& flow)
{
    return std::stod(flow.at("fct_ns"));
}

/// Flow times of a lossless run, in the order of the configuration.
std::vector<double>
RunLossless(const std::string& config, const std::vector<std::string>& settings)
{
    const CongestionExperiment run(config, settings);
    CAPTURE(config, settings);
    run.CheckLossless();
    std::vector<double> times;
    for (const CsvRow& flow : run.Rows("flows.csv"))
    {
        times.push_back(CompletionNs(flow));
    }
    return times;
}

/// The third flow of victim-flow.yaml.
double
RunVictim(const std::vector<std::string>& settings)
{
    return RunLossless("victim-flow", settings).at(2);
}

// Two flows of 4 MiB come out of npu4's link at a tenth of its rate. When pauses hold the uplink,
// it serves three flows in turn: a victim as long as they is done near their end, not before the
// half.
constexpr double SLOW_PAIR_NS = 10 * 8 * MEBIBYTE * NS_PER_BYTE;

/// The flows of pfc-storm.yaml that cross a spine from another leaf than npu0's, not to npu0.
const std::vector<size_t> VICTIMS{5, 6, 7, 9, 10, 11, 14, 15};

/// Those that do not meet npu0's traffic: inside another leaf, and out of npu0's leaf.
const std::vector<size_t> BYSTANDERS{1, 2, 3, 4, 8, 12};

double
MeanOf(const std::vector<double>& times, const std::vector<size_t>& which)
{
    double sum = 0;
    for (const size_t i : which)
    {
        sum += times.at(i);
    }
    return sum / static_cast<double>(which.size());
}

size_t
CountSlowed(const std::string& balancing)
{
    const std::vector<double> calm = RunLossless("pfc-storm", {balancing, CALM});
    const std::vector<double> storm = RunLossless("pfc-storm", {balancing});
    size_t slowed = 0;
    for (size_t i = 0; i < calm.size(); ++i)
    {
        slowed += storm[i] > 1.1 * calm[i] ? 1 : 0;
    }
    return slowed;
}

} // namespace

TEST_CASE("Victim flow: pauses of a slow receiver hold up a flow to another one",
          "[golden][congestion]")
{
    const double shared = 3 * 4 * MEBIBYTE * NS_PER_BYTE; // three flows over one uplink
    CHECK(RunVictim({CALM}) < shared + 10'000);
    CHECK(RunVictim({}) > SLOW_PAIR_NS / 2);
}

TEST_CASE("Victim flow: what bounds the bytes on the way spares the victim", "[golden][congestion]")
{
    // It then has more of the uplink than the third that it gets without a slow receiver.
    const double shared = 3 * 4 * MEBIBYTE * NS_PER_BYTE;
    CHECK(RunVictim({WINDOW}) < shared);
    for (const std::string control : {"hpcc", "swift", "dctcp"})
    {
        CHECK(RunVictim({Control(control)}) < shared);
    }
    CHECK(RunVictim({Control("dcqcn")}) < RunVictim({}));
}

TEST_CASE("Victim flow: ECMP spares the victim that has a spine to itself, spraying none",
          "[golden][congestion]")
{
    std::set<bool> seen;
    for (const std::string seed : {"seed=1", "seed=2", "seed=3", "seed=4"})
    {
        CAPTURE(seed);
        const CongestionExperiment run("victim-flow", {TWO_SPINES, Balancing("ecmp"), seed});
        const std::vector<CsvRow> flows = run.Rows("flows.csv");
        const auto spine = [&flows](size_t flow)
        { return flows[flow].at("path").substr(flows[flow].at("path").find("spine"), 6); };
        const bool isAlone = spine(2) != spine(0) && spine(2) != spine(1);
        seen.insert(isAlone);
        if (isAlone)
        {
            CHECK(CompletionNs(flows[2]) == Approx(std::stod(flows[2].at("ideal_fct_ns"))));
        }
        else
        {
            CHECK(CompletionNs(flows[2]) > SLOW_PAIR_NS / 2);
        }
        CHECK(RunVictim({TWO_SPINES, Balancing("spray"), seed}) > SLOW_PAIR_NS / 2);
    }
    CHECK(seen.size() == 2); // chosen so
}

TEST_CASE("PFC storm: it stops flows that send nothing to the slow NPU until it is over",
          "[golden][congestion]")
{
    const double alone = 8 * MEBIBYTE * NS_PER_BYTE;
    const std::vector<double> calm = RunLossless("pfc-storm", {CALM});
    const std::vector<double> storm = RunLossless("pfc-storm", {});
    for (const size_t i : VICTIMS)
    {
        CAPTURE(i);
        CHECK(calm.at(i) < 1.05 * alone);
        CHECK(storm.at(i) > 1'100'000); // the end of the storm; without it they end before
    }
    for (const size_t i : BYSTANDERS)
    {
        CAPTURE(i);
        CHECK(storm.at(i) < 1.05 * alone);
    }
}

TEST_CASE("PFC storm: windows, or buffers for all that is sent to the slow NPU, contain it",
          "[golden][congestion]")
{
    const double alone = 8 * MEBIBYTE * NS_PER_BYTE;
    const std::vector<std::string> remedies{
        WINDOW, Control("swift"), Control("dctcp"), "network.packet.buffer=400 MB"};
    for (const std::string& remedy : remedies)
    {
        CAPTURE(remedy);
        const CongestionExperiment run("pfc-storm", {remedy});
        run.CheckLossless();
        CHECK(run.Count("pauses") == 0);
        const std::vector<CsvRow> flows = run.Rows("flows.csv");
        for (const size_t i : VICTIMS)
        {
            // Acknowledgements of 64 B for each frame of 1064 B share the links with data.
            CHECK(CompletionNs(flows.at(i)) < 1.1 * alone);
        }
    }
}

TEST_CASE("PFC storm: DCQCN takes the victims for culprits", "[golden][congestion]")
{
    // The marks of queues that pauses made cut the rates of those who waited in them. Without a
    // congestion control they go on at line rate.
    const CongestionExperiment run("pfc-storm", {Control("dcqcn")});
    CHECK(run.Count("cnps") > 0);
    const std::vector<double> none = RunLossless("pfc-storm", {});
    CHECK(MeanOf(RunLossless("pfc-storm", {Control("dcqcn")}), VICTIMS) > MeanOf(none, VICTIMS));
}

TEST_CASE("PFC storm: it reaches more flows when each uses every way", "[golden][congestion]")
{
    CHECK(CountSlowed(Balancing("ecmp")) < CountSlowed(Balancing("spray")));
}
