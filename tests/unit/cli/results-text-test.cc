// SPDX-License-Identifier: GPL-2.0-only
#include "cli/terminal/progress-display.h"
#include "cli/terminal/table.h"
#include "simulation/results/text-format.h"
#include "simulation/results/waits-writer.h"
#include "simulation/run-results.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace nadi;

TEST_CASE("NsText: three decimals, exact", "[unit][cli]")
{
    CHECK(NsText(SimTime{}) == "0.000");
    CHECK(NsText(SimTime::FromPs(1)) == "0.001");
    CHECK(NsText(SimTime::FromPs(1'234'567'890'123)) == "1234567890.123");
    CHECK(NsText(SimTime::Max()) == "9223372036854775.807");
}

TEST_CASE("GbpsText: as many decimals as it takes", "[unit][cli]")
{
    CHECK(GbpsText(Bandwidth::FromBytesPerSecond(62'000'000'000)) == "496");
    CHECK(GbpsText(Bandwidth::FromBitsPerSecond(500'000'000)) == "0.5");
    CHECK(GbpsText(Bandwidth::FromBitsPerSecond(1'000'000'001)) == "1.000000001");
}

TEST_CASE("CsvText: quotes what a reader would take apart", "[unit][cli]")
{
    CHECK(CsvText("plain name") == "plain name");
    CHECK(CsvText("a,b") == "\"a,b\"");
    CHECK(CsvText("say \"x\"") == "\"say \"\"x\"\"\"");
    CHECK(CsvText("two\nlines") == "\"two\nlines\"");
}

TEST_CASE("ComputeUtilization: carried over what could have been carried", "[unit][cli]")
{
    // 1 GB/s for 1 us carries 1000 B.
    const Bandwidth rate = Bandwidth::FromBytesPerSecond(1'000'000'000);
    CHECK(ComputeUtilization(Bytes(250), rate, SimTime::FromUs(1)) == Approx(0.25));
    CHECK(ComputeUtilization(Bytes(0), rate, SimTime{}) == 0);
}

TEST_CASE("RunResults: the slowest rank is the one that finishes last, of equals the first",
          "[unit][cli]")
{
    RunResults results;
    for (const int64_t ns : {5, 9, 9, 1})
    {
        RankResult rank;
        rank.metrics.finish = SimTime::FromNs(ns);
        rank.sent = Bytes(ns);
        results.ranks.push_back(rank);
    }
    CHECK(results.SlowestRank() == 1);
    CHECK(results.BytesSent() == Bytes(5 + 9 + 9 + 1));
}

TEST_CASE("WriteWaits: the report as JSON, whatever names hold", "[unit][cli]")
{
    WaitReport report;
    report.causes = {"rank 1 waits"};
    report.cycle = {RankId{0}, RankId{1}};
    report.ranks.push_back({RankId{1}, NodeId{7}, "bad \xff name", "a send", {RankId{0}}, 3});
    const auto json = nlohmann::json::parse(WriteWaits(report));
    CHECK(json["causes"] == nlohmann::json({"rank 1 waits"}));
    CHECK(json["cycle"] == nlohmann::json({0, 1}));
    CHECK(json["ranks"][0]["rank"] == 1);
    CHECK(json["ranks"][0]["node"] == 7);
    CHECK(json["ranks"][0]["waits_for"] == "a send");
    CHECK(json["ranks"][0]["waits_for_ranks"] == nlohmann::json({0}));
    CHECK(json["ranks"][0]["nodes_left"] == 3);
}

TEST_CASE("WriteWaits: switches that wait come behind the ranks, where there are any",
          "[unit][cli]")
{
    WaitReport report;
    CHECK_FALSE(nlohmann::json::parse(WriteWaits(report)).contains("switches"));
    report.switches.push_back({"leaf3", "all-reduce #0", {"npu5", "spine1"}});
    const auto json = nlohmann::json::parse(WriteWaits(report));
    CHECK(json["switches"].size() == 1);
    CHECK(json["switches"][0]["switch"] == "leaf3");
    CHECK(json["switches"][0]["waits_for"] == "all-reduce #0");
    CHECK(json["switches"][0]["waits_for_names"] == nlohmann::json({"npu5", "spine1"}));
}

TEST_CASE("AlignTable: first column left, the others right, no trailing space", "[unit][cli]")
{
    const std::vector<std::string> expected{"  a    12", "  bcd   3", "  e"};
    CHECK(AlignTable({{"a", "12"}, {"bcd", "3"}, {"e", ""}}) == expected);
}

TEST_CASE("MakeBar: as long as the share, a sliver for what is not nothing", "[unit][cli]")
{
    CHECK(MakeBar(0, 10).empty());
    CHECK(MakeBar(0.001, 10) == ".");
    CHECK(MakeBar(0.5, 10) == "#####");
    CHECK(MakeBar(1.2, 10) == "##########");
}

TEST_CASE("DescribeProgress: time, nodes, rate and what is left", "[unit][cli]")
{
    RunProgress progress;
    progress.timePs = SimTime::FromUs(3).Ps();
    progress.nodesTotal = 100;
    const auto describe = [&](uint64_t done, uint64_t events)
    {
        progress.nodesDone = done;
        progress.events = events;
        return DescribeProgress(progress, std::chrono::seconds(10));
    };
    CHECK(describe(25, 20'000'000) ==
          "25 %, about 30 s left: 3 us simulated, 25 of 100 nodes, 2.0 M events/s");
    CHECK(describe(0, 50'000) == "0 %: 3 us simulated, 0 of 100 nodes, 5 k events/s");
    // A flow network has few events.
    CHECK(describe(0, 6400) == "0 %: 3 us simulated, 0 of 100 nodes, 640 events/s");
    CHECK(describe(0, 9) == "0 %: 3 us simulated, 0 of 100 nodes");
    CHECK(describe(1, 10'000'000) ==
          "1 %, about 16 min 30 s left: 3 us simulated, 1 of 100 nodes, 1.0 M events/s");
    CHECK(describe(100, 10'000'000) == "100 %: 3 us simulated, 100 of 100 nodes, 1.0 M events/s");
}

TEST_CASE("DescribeProgress: what is delivered of collectives under way counts", "[unit][cli]")
{
    RunProgress progress;
    progress.timePs = SimTime::FromUs(3).Ps();
    progress.nodesTotal = 64;
    progress.nodesInCollectives = 64;
    progress.collectivesShare = 0.25;
    progress.events = 10'000'000;
    CHECK(DescribeProgress(progress, std::chrono::seconds(10)) ==
          "25 %, about 30 s left: 3 us simulated, 0 of 64 nodes, 64 more in collectives that are "
          "25 % "
          "through, 1.0 M events/s");
    progress.nodesDone = 32;
    progress.nodesInCollectives = 16;
    progress.collectivesShare = 0.5;
    CHECK(DescribeProgress(progress, std::chrono::seconds(10)) ==
          "62 %, about 6 s left: 3 us simulated, 32 of 64 nodes, 16 more in collectives that are "
          "50 % "
          "through, 1.0 M events/s");
}

TEST_CASE("DescribeStage: has a share where the number of ranks is known", "[unit][cli]")
{
    WorkProgress ranks;
    CHECK(DescribeStage("preparing a run", ranks, std::chrono::seconds(10)) ==
          "checking for 10 s: preparing a run");
    ranks.Begin(4096);
    ranks.done = 512;
    CHECK(DescribeStage("planning the collectives", ranks, std::chrono::seconds(20)) ==
          "checking for 20 s: planning the collectives, 512 of 4096 ranks done (12 %)");
    ranks.Begin(1);
    CHECK(DescribeStage("reading", ranks, std::chrono::seconds(20)) ==
          "checking for 20 s: reading, 0 of 1 rank done (0 %)");
}
