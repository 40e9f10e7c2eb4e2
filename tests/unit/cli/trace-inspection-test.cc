// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/info-text.h"
#include "tests/support/contains.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "tests/support/trace-run.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

ExitCode
RunTrace(const std::vector<std::string>& arguments)
{
    return TraceRun(arguments).exitCode;
}

} // namespace

TEST_CASE("trace check: the exit code says whether a run would go wrong", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-trace-check");
    const auto write = [&](const char* name, const std::vector<TraceNode>& nodes)
    { return scratch.Write(name, MakeTrace(nodes)).string(); };
    const std::string good = write("good.0.et", {Kernel(1).Micros(1)});
    const std::string doubtful = write("doubtful.0.et", {Kernel(1)});
    const std::string bad = write("bad.0.et", {Kernel(1).Micros(1).Data(1)});
    CHECK(RunTrace({"check", good}) == EXIT_DONE);
    CHECK(RunTrace({"check", good, "--strict", "--json"}) == EXIT_DONE);
    CHECK(RunTrace({"check", doubtful}) == EXIT_DONE);
    CHECK(RunTrace({"check", doubtful, "--strict"}) == EXIT_CONFIG);
    const TraceRun refused({"check", bad});
    CHECK(refused.exitCode == EXIT_CONFIG);
    CHECK(Contains(refused.out, "error: " + bad + " (rank 0): node 1 \"node\" "));
    CHECK(Contains(refused.out, "1 error, 0 warnings, 1 note in 1 trace of 1 node\n"));
    CHECK(RunTrace({"check", good, bad, "--json"}) == EXIT_CONFIG);
    CHECK(RunTrace({"check", (scratch.Path() / "none.{rank}.et").string()}) == EXIT_CONFIG);
    CHECK(RunTrace({"check"}) == EXIT_USAGE);
}

TEST_CASE("trace info: ends with 0 for traces that a run takes, else with 3", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-trace-info");
    scratch.Write("x.0.et", MakeTrace({Kernel(1).Micros(1), AllReduce(2, "g")}));
    scratch.Write("y.0.et", "no trace at all");
    const std::string pattern = (scratch.Path() / "x.{rank}.et").string();
    const std::string groups = scratch.Write("groups.json", R"({"g": [0]})").string();
    CHECK(RunTrace({"info", pattern}) == EXIT_DONE);
    CHECK(RunTrace({"info", pattern, "--groups", groups, "--json"}) == EXIT_DONE);
    CHECK(RunTrace({"info", (scratch.Path() / "y.{rank}.et").string()}) == EXIT_CONFIG);
}

TEST_CASE("trace diff: ends with 0 whether or not the traces differ", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-trace-diff");
    const std::string first = scratch.Write("a.0.et", MakeTrace({Kernel(1)})).string();
    const std::string second = scratch.Write("b.0.et", MakeTrace({Kernel(1).Micros(3)})).string();
    const TraceRun equal({"diff", first, first});
    CHECK(equal.exitCode == EXIT_DONE);
    CHECK(equal.out == "equal: 1 trace\nrank 0: equal, 1 node\n");
    const TraceRun different({"diff", first, second});
    CHECK(different.exitCode == EXIT_DONE);
    CHECK(different.out.starts_with("different\nrank 0: 1 node in A, 1 in B; "));
    CHECK(Contains(different.out, "      duration_micros: 0 -> 3\n"));
    CHECK(RunTrace({"diff", first, second, "--json"}) == EXIT_DONE);
    CHECK(RunTrace({"diff", first}) == EXIT_USAGE);
}

TEST_CASE("trace diff: groups that are only numbered otherwise are no difference", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-trace-diff-groups");
    const auto write = [&](const std::string& name, const std::string& group)
    {
        std::filesystem::create_directories(scratch.Path() / name);
        for (const std::string rank : {"0", "1"})
        {
            scratch.Write(name + "/x." + rank + ".et", MakeTrace({AllReduce(1, group)}));
        }
        scratch.Write(name + "/groups.json", R"({")" + group + R"(": [0, 1]})");
    };
    write("a", "1");
    write("b", "7");
    const std::string first = (scratch.Path() / "a").string();
    const std::string second = (scratch.Path() / "b").string();
    const std::string equal = "equal: 2 traces\nrank 0: equal, 1 node\nrank 1: equal, 1 node\n";
    CHECK(TraceRun({"diff", first, second}).out == equal);
    CHECK(TraceRun({"diff", first + "/x.{rank}.et", second + "/x.{rank}.et"}).out == equal);
    const std::string others = scratch.Write("others.json", R"({"7": [1, 0]})").string();
    CHECK(Contains(TraceRun({"diff", first, second, "--second-groups", others}).out,
                   "      pg_name: 1 (ranks 0, 1) -> 7 (ranks 1, 0)\n"));
    std::filesystem::remove(scratch.Path() / "b" / "groups.json");
    CHECK(Contains(TraceRun({"diff", first, second}).out, "      pg_name: 1 -> 7\n"));
    CHECK(TraceRun({"diff", first, second, "--second-groups", first + "/groups.json"})
              .out.starts_with("different\n"));
}

TEST_CASE("DescribeInfo: has the totals, and says what the critical path leaves out", "[unit][cli]")
{
    JobInfo info;
    for (uint32_t rank = 0; rank < 20; ++rank)
    {
        info.ranks.push_back({.file = "x", .schema = "0.0.4", .recordedSchema = "", .totals = {}});
    }
    info.total.nodes = 1234;
    info.total.types["all-reduce"] = 56;
    info.total.criticalPath = {.nanos = 1'500'000, .nodes = 9, .cpuNanos = 500'000};
    info.total.communication[{"g", "all-reduce"}] = {.calls = 3, .size = 2048, .recordedNanos = 0};
    info.total.notes.push_back({7, "nodes have no type"});
    const std::string text = DescribeInfo(info, Style::Plain());
    CHECK(Contains(text, "20 ranks, 1234 nodes, schema 0.0.4 or 1.0.0"));
    CHECK(Contains(text, "4 more ranks; --json has them all")); // 16 are shown
    CHECK(Contains(text, "all-reduce      g      3  2 KiB"));
    CHECK(Contains(text, "takes 1.5 ms, of which 500 us on the CPU, and has 9 nodes"));
    CHECK(Contains(text, "communication takes no time"));
    CHECK(Contains(text, "note: 7 nodes have no type"));
}

TEST_CASE("trace commands: the groups file of a directory of traces is taken", "[unit][cli]")
{
    const ScratchDirectory scratch("cli-trace-groups");
    for (const std::string rank : {"0", "1"})
    {
        scratch.Write("job/x." + rank + ".et", MakeTrace({Kernel(1).Micros(1), AllReduce(2, "g")}));
    }
    scratch.Write("job/groups.json", R"({"g": [0, 1]})");
    const std::string job = (scratch.Path() / "job").string();
    CHECK(Contains(TraceRun({"check", job}).out, "0 errors, 0 warnings"));
    CHECK(Contains(TraceRun({"info", job}).out, "groups file"));
    for (const std::string edit : {"scale", "replicate"})
    {
        CAPTURE(edit);
        const std::string out = (scratch.Path() / edit).string();
        const std::string option = edit == "scale" ? "--sizes" : "--ranks";
        CHECK(RunTrace({edit, job, "--out", out, option, edit == "scale" ? "2x" : "4"}) ==
              EXIT_DONE);
        CHECK(std::filesystem::exists(out + "/groups.json"));
    }
}
