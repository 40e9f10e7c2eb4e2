// SPDX-License-Identifier: GPL-2.0-only
// Do collectives from files take the time that their messages take, to the picosecond?
#include "tests/support/msccl-programs.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

// Frames without headers, and links of 50 GB/s that are 500 ns long: a message of 1 MiB takes
// 1 MiB / (50 GB/s) + 500 ns when nothing else is on its link.
constexpr int64_t HOP_OF_MIB_PS = 20971520 + 500000;

std::string
JobOf(const std::string& type, const std::string& size, uint32_t ranks, const std::string& choice)
{
    return "workload: {collective: {type: " + type + ", size: " + size +
           "}}\n"
           "network:\n"
           "  dimensions: [{shape: ring, size: " +
           std::to_string(ranks) +
           ", bandwidth: 50 GB/s, latency: 500 ns}]\n"
           "  packet: {header: 0 B}\n"
           "system:\n"
           "  endpoint-delay: 0 ns\n"
           "  collectives: {" +
           type + ": " + choice + "}\n";
}

/// How long the collective of a file takes.
SimTime
TimeOf(const std::string& type, const std::string& size, uint32_t ranks, const std::string& xml)
{
    const ScratchDirectory scratch("custom-collectives");
    const std::string path = scratch.Write("program.xml", xml).string();
    const RunResults results = RunYaml({JobOf(type, size, ranks, "{from: " + path + "}")});
    REQUIRE(results.status == RunStatus::Done);
    REQUIRE(results.collectives.size() == 1);
    return results.finish;
}

} // namespace

TEST_CASE("Custom collectives: an all-gather of cpy, s, rcs and r takes its hops", "[component]")
{
    // Each rank sends its shard, and passes on what it got, p - 1 times in all.
    CHECK(TimeOf("all-gather", "1 MiB", 4, MakeAllGatherRing(4)).Ps() == 3 * HOP_OF_MIB_PS);
}

TEST_CASE("Custom collectives: a reduce-scatter of s, rrs and rrc takes its hops", "[component]")
{
    CHECK(TimeOf("reduce-scatter", "3 MiB", 3, MakeReduceScatterRing()).Ps() == 2 * HOP_OF_MIB_PS);
}

TEST_CASE("Custom collectives: an exchange with nop and re takes one message", "[component]")
{
    // A ring of two is one link each way; both go at once, two chunks in one message.
    CHECK(TimeOf("all-reduce", "1 MiB", 2, MakeExchange()).Ps() == HOP_OF_MIB_PS);
}

TEST_CASE("Custom collectives: traces with the XML they were converted from run as that XML",
          "[component]")
{
    const ScratchDirectory scratch("custom-collectives-input");
    const std::string node = R"({"id": 1, "name": "s", "type": "COMM_SEND_NODE", "attr": [)"
                             R"({"name": "comm_dst", "int32_val": 1}, )"
                             R"({"name": "comm_tag", "int32_val": 0}]})";
    std::string xml;
    for (const char each : MakeAllGatherRing(4))
    {
        xml += each == '"' ? "\\\"" : each == '\n' ? "\\n" : std::string(1, each);
    }
    const auto write = [&](uint32_t ranks)
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            scratch.Write("p." + std::to_string(rank) + ".json",
                          R"({"metadata": {"version": "0.0.4", "attr": [{"name": "input_file", )"
                          R"("stringVal": ")" +
                              xml + R"("}]}, "nodes": [)" + node + "]}");
        }
        const std::string pattern = (scratch.Path() / "p.{rank}.json").string();
        return RunYaml({JobOf("all-gather", "1 MiB", 4, "{from: \"" + pattern + "\"}")});
    };
    CHECK_THROWS_WITH(
        write(3),
        Catch::Contains("names 3 traces, but the algorithm that was converted is one of 4 GPUs"));
    const RunResults results = write(4);
    CHECK(results.finish.Ps() == 3 * HOP_OF_MIB_PS);
    CHECK(results.collectives.at(0).record.decision.proof == ProgramProof::Proven);
}

TEST_CASE("Custom collectives: traces of a ring take their messages and their compute nodes",
          "[component]")
{
    // 14 messages of 128 KiB follow each other, and 7 reductions of 7 us between them.
    const std::string pattern =
        std::string(TEST_DATA) + "/traces/custom-ring/custom_allreduce.{rank}.et";
    const auto run = [&](const std::string& size, const std::string& keys)
    {
        return RunYaml({JobOf("all-reduce", size, 8, "{from: \"" + pattern + "\"" + keys + "}")})
            .finish.Ps();
    };
    constexpr int64_t hop = 2621440 + 500000;
    CHECK(run("1 MiB", "") == 14 * hop + 7 * 7000000);
    // Twice the size takes twice the bytes, in messages that were scaled.
    constexpr int64_t longHop = 2 * 2621440 + 500000;
    CHECK(run("2 MiB", ", scale: on") == 14 * longHop + 7 * 7000000);
}

TEST_CASE("Custom collectives: of several files, the one for the size runs", "[component]")
{
    const ScratchDirectory scratch("custom-sizes");
    const auto limited = [&](const std::string& name, const std::string& limits)
    {
        std::string xml = MakeAllGatherRing(4);
        const std::string key = "inplace=\"0\"";
        xml.replace(xml.find(key), key.size(), key + limits);
        return scratch.Write(name, xml).string();
    };
    const std::string small = limited("small.xml", " minBytes=\"0\" maxBytes=\"1048576\"");
    const std::string large = limited("large.xml", " minBytes=\"1048577\" maxBytes=\"16777216\"");
    const std::string files = "{from: [" + small + ", " + large + "]}";
    const auto runs = [&](const std::string& size)
    { return RunYaml({JobOf("all-gather", size, 4, files)}).status == RunStatus::Done; };
    CHECK(runs("1 KiB"));
    CHECK(runs("1 MiB"));
    // Four shards of 8 MiB are more than any file is meant for.
    CHECK_THROWS_WITH(runs("8 MiB"),
                      Catch::Matchers::Contains("is a program for up to 1 MiB, but all-gather of "
                                                "32 MiB on ranks {0..3} wants it; the other files "
                                                "do not fit either"));
}

namespace
{

/// Traces of four ranks, each with two all-gathers of 1 MiB, one after the other; their ids are
/// `first` and `second` on rank 0, 1 and 2 elsewhere.
std::string
WriteTwoAllGathers(const ScratchDirectory& scratch, int first = 1, int second = 2)
{
    const auto call = [](int id, const std::string& dependencies)
    {
        return fmt::format(R"({{"id": {}, "name": "g{}", "type": "COMM_COLL_NODE", )"
                           R"("data_deps": [{}], "attr": [)"
                           R"({{"name": "comm_type", "int64_val": 2}}, )"
                           R"({{"name": "comm_size", "int64_val": 1048576}}]}})",
                           id,
                           id,
                           dependencies);
    };
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const int one = rank == 0 ? first : 1;
        const int two = rank == 0 ? second : 2;
        scratch.Write(fmt::format("t.{}.json", rank),
                      R"({"metadata": {"version": "0.0.4"}, "nodes": [)" + call(one, "") + ", " +
                          call(two, std::to_string(one)) + "]}");
    }
    return (scratch.Path() / "t.{rank}.json").string();
}

std::string
TracesWith(const std::string& traces, const std::string& perNode)
{
    return fmt::format("workload: {{trace: \"{}\"}}\n"
                       "network: {{dimensions: [{{shape: ring, size: 4, bandwidth: 50 GB/s, "
                       "latency: 500 ns}}]}}\n"
                       "system: {{chunks: 1, collectives: {{all-gather: direct, per-node: {}}}}}\n",
                       traces,
                       perNode);
}

} // namespace

TEST_CASE("Custom collectives: the call by one node may have a file of its own", "[component]")
{
    const ScratchDirectory scratch("custom-per-node");
    const std::string traces = WriteTwoAllGathers(scratch);
    const std::string ring = scratch.Write("ring.xml", MakeAllGatherRing(4)).string();
    const auto algorithms = [&](const std::string& perNode)
    {
        const RunResults results = RunYaml({TracesWith(traces, perNode)});
        std::vector<std::string> names;
        for (const auto& row : results.collectives)
        {
            names.push_back(row.record.decision.algorithm);
        }
        return names;
    };
    using Names = std::vector<std::string>;
    CHECK(algorithms("{2: " + ring + "}") == Names{"direct", "custom"});
    const std::string map = scratch.Write("map.yaml", "1: ring.xml\n2: ring.xml\n").string();
    CHECK(algorithms(map) == Names{"custom", "custom"});
}

TEST_CASE("Custom collectives: files of single nodes that cannot be meant are refused",
          "[component]")
{
    const ScratchDirectory scratch("custom-per-node-errors");
    const std::string traces = WriteTwoAllGathers(scratch);
    const std::string ring = scratch.Write("ring.xml", MakeAllGatherRing(4)).string();
    const auto run = [&](const std::string& perNode)
    { return RunYaml({TracesWith(traces, perNode)}); };
    CHECK_THROWS_WITH(run("{7: " + ring + "}"),
                      Catch::EndsWith("system.collectives.per-node.7: no rank has a collective "
                                      "with the id 7"));
    CHECK_THROWS_WITH(run("{g: " + ring + "}"),
                      Catch::EndsWith("system.collectives.per-node.g: is no id of a node; write "
                                      "lines such as \"12: ring/custom\""));
    CHECK_THROWS_WITH(run("[1]"),
                      Catch::EndsWith("system.collectives.per-node: expected ids of nodes with "
                                      "their files, such as {12: ring/custom}"));
    CHECK_THROWS_WITH(run("{1: nowhere}"), Catch::Contains("nowhere.{rank}.et"));
    CHECK_THROWS_WITH(run("none.yaml"), Catch::Contains("none.yaml"));

    // Rank 0 calls first what the others call second.
    const ScratchDirectory other("custom-per-node-members");
    const std::string crossed = WriteTwoAllGathers(other, 5, 6);
    const RunResults failed = RunYaml({TracesWith(crossed, "{2: " + ring + "}")});
    CHECK(failed.status == RunStatus::Stuck);
    CHECK_THAT(failed.exitReason,
               Catch::Contains("call one collective, but system.collectives.per-node names "
                               "only one of the files for them"));
}
