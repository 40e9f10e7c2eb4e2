// SPDX-License-Identifier: GPL-2.0-only
// What a run leaves: files, columns, and numbers that can be worked out by hand.
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sstream>

using namespace nadi::test;

namespace
{

/// Two NPUs on one link, 1 B/ns.
const std::string PAIR =
    "network:\n"
    "  dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]\n"
    "  packet: {payload: 4096 B, header: 64 B, control-frame: 100 B}\n";
const std::string FLOW = PAIR + "workload: {flows: [{src: 0, dst: 1, size: 10000 B}]}\n";
const std::string STACK =
    "network:\n"
    "  dimensions:\n"
    "    - {shape: ring, size: 4, bandwidth: 62 GB/s, latency: 500 ns}\n"
    "    - {shape: switch, size: 2, bandwidth: 37.5 GB/s, latency: 500 ns}\n"
    "workload: {collective: [{type: all-reduce, size: 1 MB}, {type: all-to-all, size: 99999 B}]}\n";

std::vector<std::string>
LinesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

std::vector<std::string>
CellsOf(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream row(line + ','); // so that an empty last cell is one
    for (std::string cell; std::getline(row, cell, ',');)
    {
        cells.push_back(cell);
    }
    return cells;
}

std::vector<std::string>
RunAndReadLines(const ScratchDirectory& scratch, const std::string& yaml, const std::string& file)
{
    scratch.Write("c.yaml", yaml);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 0);
    return LinesOf(ReadWholeFile(scratch.Path() / "r" / file));
}

/// A result file without the two values that may differ from run to run.
std::string
Reproducible(const std::filesystem::path& file)
{
    std::string text;
    for (const std::string& line : LinesOf(ReadWholeFile(file)))
    {
        const bool mayDiffer = line.find("\"wall_time_s\"") != std::string::npos ||
                               line.find("\"peak_memory_bytes\"") != std::string::npos;
        text += mayDiffer ? "" : line + "\n";
    }
    return text;
}

const std::vector<std::string> FILES{"config.yaml",
                                     "summary.json",
                                     "ranks.csv",
                                     "collectives.csv",
                                     "links.csv",
                                     "communication.csv",
                                     "breakdown.csv"};

} // namespace

TEST_CASE("Results: one flow is timed, sent and counted as by hand", "[golden][cli]")
{
    const ScratchDirectory scratch("results-flow");
    // Three frames of 4096, 4096 and 1808 payload bytes with 64 B of header, at 1 B/ns; then the
    // link, and the receiver's endpoint delay.
    const int wire = 10000 + 3 * 64;
    const int delivered = wire + 1000;
    const int finish = delivered + 10;
    const auto ranks = RunAndReadLines(scratch, FLOW, "ranks.csv");
    REQUIRE(ranks.size() == 3);
    CHECK(ranks[0] == "rank,finish_ns,compute_ns,communication_ns,exposed_communication_ns,idle_ns,"
                      "bytes_sent,waiting_ns,waited_for_ns,npu");
    const std::string met = "0.000,0.000"; // nobody waits in a collective
    CHECK(ranks[1] ==
          fmt::format("0,{0}.000,0.000,{0}.000,{0}.000,0.000,10000,{1},0", delivered, met));
    CHECK(ranks[2] == fmt::format("1,{0}.000,0.000,{0}.000,{0}.000,0.000,0,{1},1", finish, met));

    const auto communication = LinesOf(ReadWholeFile(scratch.Path() / "r/communication.csv"));
    REQUIRE(communication.size() == 3);
    CHECK(communication[0] == "rank,type,communicator,ranks,calls,size_bytes,communication_ns,"
                              "exposed_communication_ns");
    CHECK(communication[1] == fmt::format("0,point-to-point,,,1,10000,{0}.000,{0}.000", delivered));
    CHECK(communication[2] == fmt::format("1,point-to-point,,,1,10000,{0}.000,{0}.000", finish));

    const auto links = LinesOf(ReadWholeFile(scratch.Path() / "r/links.csv"));
    REQUIRE(links.size() == 3);
    CHECK(links[0] == "from,to,bandwidth_gbps,bytes,packets,utilization,max_queue_bytes,ecn_marks,"
                      "pauses,paused_ns,drops,retransmitted_bytes");
    const double used = static_cast<double>(wire) / finish;
    CHECK(links[1] == fmt::format("npu0,npu1,8,{},3,{:.6f},0,0,0,0.000,0,0", wire, used));
    const double back = 100.0 / finish; // one acknowledgement
    CHECK(links[2] == fmt::format("npu1,npu0,8,100,0,{:.6f},0,0,0,0.000,0,0", back));
}

TEST_CASE("Results: summary.json has every field, in order", "[golden][cli]")
{
    const ScratchDirectory scratch("results-summary");
    RunAndReadLines(scratch, FLOW, "summary.json");
    const std::string text = ReadWholeFile(scratch.Path() / "r/summary.json");
    const auto summary = nlohmann::ordered_json::parse(text);
    std::vector<std::string> keys;
    for (const auto& [key, value] : summary.items())
    {
        keys.push_back(key);
    }
    CHECK(keys == std::vector<std::string>{"status",
                                           "exit_reason",
                                           "finish_time_ns",
                                           "backend",
                                           "ranks",
                                           "compute_ns",
                                           "communication_ns",
                                           "exposed_communication_ns",
                                           "idle_ns",
                                           "bytes_sent",
                                           "packets",
                                           "packet_hops",
                                           "events",
                                           "wall_time_s",
                                           "peak_memory_bytes",
                                           "seed",
                                           "version",
                                           "digest",
                                           "mechanisms",
                                           "warnings",
                                           "waiting_ns",
                                           "communication_by_type",
                                           "build",
                                           "memo",
                                           "notes"});
    CHECK(summary["status"] == "done");
    CHECK(summary["backend"] == "packet");
    CHECK(summary["ranks"] == 2);
    CHECK(summary["bytes_sent"] == 10000);
    CHECK(summary["packets"] == 3);
    CHECK(summary["packet_hops"] == 3);
    CHECK(summary["digest"].get<std::string>().size() == 32);
    for (const char* mechanism :
         {"ecn_marks", "pauses", "cnps", "retransmissions", "reroutes", "drops"})
    {
        CAPTURE(mechanism);
        CHECK(summary["mechanisms"].at(mechanism) == 0);
    }
    CHECK(summary["mechanisms"].contains("trains"));
    CHECK(summary["mechanisms"].size() == 7);
    CHECK(text.find("\"finish_time_ns\": 11202.000,") != std::string::npos); // three decimals
}

TEST_CASE("Results: a collective's bandwidths follow from its size and time", "[golden][cli]")
{
    const ScratchDirectory scratch("results-collective");
    const auto rows =
        RunAndReadLines(scratch,
                        PAIR + "workload: {collective: {type: all-gather, size: 5000 B}}\n",
                        "collectives.csv");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0] == "id,name,type,algorithm,communicator,ranks,size_bytes,nccl_size_bytes,"
                     "start_ns,end_ns,duration_ns,algbw_GBps,busbw_GBps,lower_bound_ns,called_ns,"
                     "begin_ns,last_rank,protocol,channels,chosen_by,recorded_ns,fabric_bound_ns,"
                     "proof");
    const std::vector<std::string> cells = CellsOf(rows[1]);
    REQUIRE(cells.size() == 23);
    CHECK(cells[2] == "all-gather");
    CHECK(cells[5] == "2");
    CHECK(cells[6] == "5000");
    CHECK(cells[7] == "10000"); // p S
    const double duration = std::stod(cells[10]);
    CHECK(std::stod(cells[9]) - std::stod(cells[8]) == Approx(duration));
    CHECK(std::stod(cells[11]) == Approx(10000 / duration).epsilon(1e-5));
    CHECK(std::stod(cells[12]) == Approx(10000 / duration / 2).epsilon(1e-5));
    CHECK(cells[13] == "6000.000"); // 5000 B in at 1 B/ns, and 1 us
    CHECK(duration >= 6000);
    CHECK(cells[14] == "0.000"); // called by both at once
    CHECK(cells[15] == "0.000");
    CHECK(cells[16] == "0");
    CHECK(cells[17] == ""); // the library `plain` has no protocols
    CHECK(cells[18] == "");
    CHECK(cells[21] == cells[13]); // two NPUs on a link have no other cut
}

TEST_CASE("Results: the communication of the slowest rank is summed up by type", "[golden][cli]")
{
    const ScratchDirectory scratch("results-types");
    RunAndReadLines(
        scratch, STACK, "summary.json"); // an all-reduce, then an all-to-all; nothing computes
    const auto summary = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
    const auto& types = summary["communication_by_type"];
    REQUIRE(types.size() == 2);
    double sum = 0;
    for (const auto& [type, total] : types.items())
    {
        CHECK(total["calls"] == 1);
        CHECK(total["communication_ns"] == total["exposed_communication_ns"]);
        sum += total["communication_ns"].get<double>();
    }
    CHECK(types["all-reduce"]["size_bytes"] == 1'000'000);
    CHECK(types["all-to-all"]["size_bytes"] == 99'999);
    CHECK(sum == Approx(summary["exposed_communication_ns"].get<double>()));
    CHECK(summary["waiting_ns"] == 0);
}

TEST_CASE("Results: breakdown.csv adds up to the communication of each rank", "[golden][cli]")
{
    const ScratchDirectory scratch("results-breakdown");
    const auto lines =
        RunAndReadLines(scratch,
                        PAIR + "workload: {collective: {parallel: [{type: all-reduce, size: 1 MB},"
                               " {type: all-to-all, size: 2 MB}]}}\n",
                        "breakdown.csv");
    REQUIRE(lines.size() == 1 + 2 * 2);
    CHECK(lines[0] == "rank,type,communicator,calls,bytes,communication_ns,exposed_ns");
    const auto ranks = LinesOf(ReadWholeFile(scratch.Path() / "r/ranks.csv"));
    for (size_t rank = 0; rank < 2; ++rank)
    {
        const auto first = CellsOf(lines[1 + 2 * rank]);
        const auto second = CellsOf(lines[2 + 2 * rank]);
        const auto whole = CellsOf(ranks[1 + rank]);
        CHECK(first[0] == std::to_string(rank));
        for (const auto& [part, sum] : {std::pair<size_t, size_t>{5, 3}, {6, 4}})
        {
            CHECK(std::stod(first[part]) + std::stod(second[part]) ==
                  Approx(std::stod(whole[sum])).epsilon(1e-12));
        }
    }
    const auto communication = LinesOf(ReadWholeFile(scratch.Path() / "r/communication.csv"));
    CHECK(std::stod(CellsOf(communication[1])[6]) + std::stod(CellsOf(communication[2])[6]) >
          std::stod(CellsOf(ranks[1])[3])); // they overlap, and this file counts both
}

TEST_CASE("Results: the notes begin with what the terminal concludes", "[golden][cli]")
{
    const ScratchDirectory scratch("results-notes");
    scratch.Write("c.yaml", FLOW);
    const auto run = RunNadi(scratch, {"run", "c.yaml", "--out", "r"});
    const auto summary = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
    REQUIRE(summary["notes"].size() == 1);
    const std::string conclusion = summary["notes"][0];
    REQUIRE(!conclusion.empty());
    CHECK(run.out.find(conclusion.substr(0, 20)) != std::string::npos); // which wraps its lines
}

TEST_CASE("Results: every byte on a link was sent by an NPU", "[golden][cli]")
{
    const ScratchDirectory scratch("results-bytes");
    RunAndReadLines(scratch, STACK, "links.csv");
    const auto summary = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
    uint64_t sent = 0;
    const auto ranks = LinesOf(ReadWholeFile(scratch.Path() / "r/ranks.csv"));
    for (size_t i = 1; i < ranks.size(); ++i)
    {
        sent += std::stoull(CellsOf(ranks[i]).at(6));
    }
    CHECK(summary["bytes_sent"] == sent);
    uint64_t hops = 0;
    const auto links = LinesOf(ReadWholeFile(scratch.Path() / "r/links.csv"));
    for (size_t i = 1; i < links.size(); ++i)
    {
        hops += std::stoull(CellsOf(links[i]).at(4));
    }
    CHECK(summary["packet_hops"] == hops);
}

TEST_CASE("Results: running the written configuration gives the same bytes", "[golden][cli]")
{
    const ScratchDirectory scratch("results-again");
    RunAndReadLines(scratch, STACK, "ranks.csv");
    const std::vector<std::string> again{"run", "r/config.yaml", "--out", "again", "--quiet"};
    REQUIRE(RunNadi(scratch, again).exitCode == 0);
    for (const std::string& file : FILES)
    {
        CAPTURE(file);
        const std::string first = Reproducible(scratch.Path() / "r" / file);
        CHECK(!first.empty());
        CHECK(first == Reproducible(scratch.Path() / "again" / file));
    }
}

TEST_CASE("Results: flows.csv is there when asked for, the same again, and not left behind",
          "[golden][cli]")
{
    const ScratchDirectory scratch("results-flows");
    const std::filesystem::path file = scratch.Path() / "r/flows.csv";
    RunAndReadLines(scratch, STACK, "ranks.csv");
    CHECK(!std::filesystem::exists(file));

    const auto rows = RunAndReadLines(scratch, STACK + "output: {flows: on}\n", "flows.csv");
    CHECK(rows.size() > 1);
    const std::vector<std::string> again{"run", "r/config.yaml", "--out", "again", "--quiet"};
    REQUIRE(RunNadi(scratch, again).exitCode == 0);
    CHECK(LinesOf(ReadWholeFile(scratch.Path() / "again/flows.csv")) == rows);

    RunAndReadLines(scratch, STACK, "ranks.csv");
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("Results: series.csv is there when asked for, the same again, and not left behind",
          "[golden][cli]")
{
    const ScratchDirectory scratch("results-series");
    const std::filesystem::path file = scratch.Path() / "r/series.csv";
    const auto rows = RunAndReadLines(scratch, FLOW + "output: {series: 1 us}\n", "series.csv");
    REQUIRE(rows.size() > 1);
    CHECK(rows[0] == "time_ns,from,to,queue_bytes,utilization,paused_ns,ecn_marks");
    const std::vector<std::string> again{"run", "r/config.yaml", "--out", "again", "--quiet"};
    REQUIRE(RunNadi(scratch, again).exitCode == 0);
    CHECK(LinesOf(ReadWholeFile(scratch.Path() / "again/series.csv")) == rows);

    RunAndReadLines(scratch, FLOW, "ranks.csv");
    CHECK(!std::filesystem::exists(file));
}

TEST_CASE("Results: ranks.csv names the NPU of each rank, flows.csv the way between them",
          "[golden][cli]")
{
    const ScratchDirectory scratch("results-placement");
    const std::string yaml = "network: {dimensions: [{shape: ring, size: 4, bandwidth: 1 GB/s, "
                             "latency: 1 us}]}\n"
                             "output: {flows: on}\n"
                             "workload: {placement: [2, 3], ranks: 2, "
                             "flows: [{src: 1, dst: 0, size: 10000 B}]}\n";
    const auto rows = RunAndReadLines(scratch, yaml, "ranks.csv");
    REQUIRE(rows.size() == 3);
    CHECK(CellsOf(rows[0]).back() == "npu");
    CHECK(CellsOf(rows[1]).back() == "2");
    CHECK(CellsOf(rows[2]).back() == "3");
    const auto flows = LinesOf(ReadWholeFile(scratch.Path() / "r/flows.csv"));
    REQUIRE(flows.size() == 2);
    CHECK(CellsOf(flows[1])[1] == "1"); // src and dst are ranks
    CHECK(CellsOf(flows[1])[2] == "0");
    CHECK(flows[1].find(",npu3>npu2,") != std::string::npos);
    const auto config = ReadWholeFile(scratch.Path() / "r/config.yaml");
    CHECK(config.find("  placement: [2, 3]\n") != std::string::npos);
    const auto checked = RunNadi(scratch, {"check", "c.yaml"});
    CHECK(checked.out.find("placement   ranks 0 to 1 on the NPUs 2, 3\n") != std::string::npos);
}

TEST_CASE("Results: a shared trace on more NPUs than ranks is noted, and reproduced",
          "[golden][cli]")
{
    const ScratchDirectory scratch("results-notes");
    scratch.Write("c.yaml", STACK);
    const std::vector<std::string> first{
        "run", "c.yaml", "--set", "workload.ranks=4", "--out", "r", "--quiet"};
    REQUIRE(RunNadi(scratch, first).exitCode == 0);
    const auto summary = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/summary.json"));
    CHECK(summary["warnings"] ==
          nlohmann::json({"the job has 4 ranks on 8 NPUs: the first 4 are used"}));
    REQUIRE(RunNadi(scratch, {"run", "r/config.yaml", "--out", "s", "--quiet"}).exitCode == 0);
    CHECK(Reproducible(scratch.Path() / "r/summary.json") ==
          Reproducible(scratch.Path() / "s/summary.json"));
}

TEST_CASE("Results: the terminal gets the time, the breakdown, links, and where the files are",
          "[golden][cli]")
{
    const ScratchDirectory scratch("results-terminal");
    scratch.Write("c.yaml", STACK);
    const ProcessResult result = RunNadi(scratch, {"run", "c.yaml", "--out", "r"});
    CHECK(result.exitCode == 0);
    for (const std::string part : {"The job takes ",
                                   "Where the time of the slowest rank (",
                                   "exposed communication",
                                   "Busiest links",
                                   "lower bound",
                                   "busbw",
                                   "results: r\n"})
    {
        CAPTURE(part);
        CHECK(result.out.find(part) != std::string::npos);
    }
    CHECK(result.out.find('\x1b') == std::string::npos); // no color: not a terminal
}
