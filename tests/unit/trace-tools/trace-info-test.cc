// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/inspection/critical-path.h"
#include "workload/tools/inspection/info-json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>

namespace nadi::test
{

namespace
{

/// Two ranks: rank 0 has 5 us on the CPU, 7 us on stream 3 and an all-reduce of 1024 in group "g";
/// rank 1 has the all-reduce and an all-gather of all ranks.
std::vector<std::string>
WriteTwoRanks(const ScratchDirectory& scratch)
{
    const TraceNode host = TraceNode(1, ChakraProtoMsg::COMP_NODE).Cpu(true).Micros(5);
    const TraceNode kernel = Kernel(2).Micros(7).Int("stream", 3).Data(1);
    const TraceNode sum = AllReduce(3, "g").Micros(11).Data(2).Data(99);
    TraceNode allGather(4, ChakraProtoMsg::COMM_COLL_NODE);
    allGather.Cpu(false).Int("comm_type", ChakraProtoMsg::ALL_GATHER).Int("comm_size", 10);
    return {scratch.Write("x.0.et", MakeTrace({host, kernel, sum})).string(),
            scratch.Write("x.1.et", MakeTrace({AllReduce(1, "g"), allGather})).string()};
}

} // namespace

TEST_CASE("InspectTraces: counts nodes, calls and durations of each rank and of all",
          "[unit][trace-tools]")
{
    const ScratchDirectory scratch("info-counts");
    const JobInfo info = InspectTraces(WriteTwoRanks(scratch), std::nullopt);
    CHECK(info.total.nodes == 3 + 2);
    CHECK(info.total.types ==
          std::map<std::string, uint64_t>{{"all-gather", 1}, {"all-reduce", 2}, {"compute", 2}});
    const TraceTotals& first = info.ranks[0].totals;
    CHECK(first.cpu.nodes == 1);
    CHECK(first.cpu.nanos == 5000);
    CHECK(first.streams.at(3).nodes == 1);
    CHECK(first.streams.at(3).nanos == 7000);
    CHECK(first.dependencies.data == 3);
    CHECK(first.dependencies.danglingData == 1);
    CHECK(first.communication.at({"g", "all-reduce"}).size == 1024);
    CHECK(first.communication.at({"g", "all-reduce"}).recordedNanos == 11'000);
    CHECK(info.total.communication.at({"g", "all-reduce"}).calls == 2);
    CHECK(info.total.communication.at({"", "all-gather"}).size == 10);
    // The all-reduce lasts 11 us, but communication takes no time here.
    CHECK(info.total.criticalPath.nanos == 5000 + 7000);
    CHECK(info.total.criticalPath.cpuNanos == 5000);
    CHECK(info.ranks[1].totals.criticalPath.nanos == 0);
    REQUIRE(info.total.notes.size() == 1);
    CHECK(info.total.notes[0].count == 1);
}

TEST_CASE("InspectTraces: a group is what the groups file, the trace or its users say",
          "[unit][trace-tools]")
{
    const ScratchDirectory scratch("info-groups");
    const std::vector<std::string> files = WriteTwoRanks(scratch);
    const JobInfo used = InspectTraces(files, std::nullopt);
    REQUIRE(used.groups.size() == 2);
    CHECK(used.groups[0].name.empty());
    CHECK(used.groups[0].ranks == std::vector<uint32_t>{0, 1});
    CHECK(used.groups[0].origin == GroupInfo::Origin::AllRanks);
    CHECK(used.groups[1].name == "g");
    CHECK(used.groups[1].origin == GroupInfo::Origin::Users);
    CHECK(used.groups[1].volume.size == 2 * 1024);

    const std::string groups = scratch.Write("groups.json", R"({"g": [1, 0]})").string();
    const JobInfo listed = InspectTraces(files, groups);
    REQUIRE(listed.groups.size() == 2);
    CHECK(listed.groups[1].ranks == std::vector<uint32_t>{1, 0});
    CHECK(listed.groups[1].origin == GroupInfo::Origin::File);
}

TEST_CASE("FormatInfoJson: has the same members for all ranks and for each", "[unit][trace-tools]")
{
    const ScratchDirectory scratch("info-json");
    const auto json =
        nlohmann::json::parse(FormatInfoJson(InspectTraces(WriteTwoRanks(scratch), std::nullopt)));
    CHECK(json["nodes"] == 5);
    CHECK(json["types"]["all-reduce"] == 2);
    CHECK(json["groups"][1]["ranks"] == nlohmann::json{0, 1});
    REQUIRE(json["ranks"].size() == 2);
    CHECK(json["ranks"][0]["schema"] == "0.0.4");
    for (const char* const member :
         {"nodes", "types", "dependencies", "communication", "compute", "critical_path", "notes"})
    {
        INFO(member);
        CHECK(json.contains(member));
        CHECK(json["ranks"][1].contains(member));
    }
    CHECK(json["ranks"][0]["compute"]["streams"][0]["stream"] == 3);
    CHECK(json["critical_path"]["duration_ns"] == 12'000);
}

TEST_CASE("InspectTraces: a file that a run refuses is refused", "[unit][trace-tools]")
{
    const ScratchDirectory scratch("info-refused");
    const std::string file = scratch.Write("x.0.et", MakeTrace({Kernel(1).Data(1)})).string();
    CHECK(ConfigErrorText([&] { InspectTraces({file}, std::nullopt); }).find("cycle") !=
          std::string::npos);
}

TEST_CASE("FindCriticalPath: of two ways the longer one counts", "[unit][trace-tools]")
{
    // 1 (3 us) -> 2 (4 us) -> 4 (1 us), and 1 -> 3 (9 us) -> 4: the way over 3 is longer.
    ExecutionGraphBuilder builder("test");
    const auto add = [&](uint64_t id, int64_t us, std::initializer_list<uint64_t> parents)
    {
        builder.AddNode(
            {.id = id, .durationPs = us * 1'000'000, .type = NodeType::Compute}, "node", parents);
    };
    add(4, 1, {2, 3});
    add(1, 3, {});
    add(2, 4, {1});
    add(3, 9, {1});
    const CriticalPath path = FindCriticalPath(builder.Build());
    CHECK(path.nanos == (3 + 9 + 1) * 1000);
    CHECK(path.nodes == std::vector<uint32_t>{1, 3, 0}); // indices: in the order of adding
}

TEST_CASE("FindCriticalPath: durations that pass 64 bits together are the largest number",
          "[unit][trace-tools]")
{
    ExecutionGraphBuilder builder("test");
    constexpr int64_t longest = std::numeric_limits<int64_t>::max();
    builder.AddNode({.id = 0, .durationPs = longest, .type = NodeType::Compute}, "node");
    for (uint64_t id = 1; id < 3000; ++id)
    {
        builder.AddNode(
            {.id = id, .durationPs = longest, .type = NodeType::Compute}, "node", {id - 1});
    }
    CHECK(FindCriticalPath(builder.Build()).nanos == std::numeric_limits<uint64_t>::max());
}

} // namespace nadi::test
