// SPDX-License-Identifier: GPL-2.0-only
// The program as scripts see it: exit codes and where its words go.
#include "tests/support/contains.h"
#include "tests/support/nadi-process.h"
#include "tests/support/scratch-directory.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

using namespace nadi::test;

namespace
{

const std::string RING_OF_TWO =
    "network: {dimensions: [{shape: ring, size: 2, bandwidth: 1 GB/s, latency: 1 us}]}\n";
const std::string BARRIER = RING_OF_TWO + "workload: {collective: {type: barrier}}\n";

/// A trace of one rank in the feeder's JSON: one node, of that number in the schema's enumeration.
std::string
JsonTraceOf(int nodeType, const std::string& keys)
{
    return R"({"workload_graph": [{"Id": 1, "Name": "only", "is_cpu_op": false, "runtime": 1,)"
           R"( "data_deps": [], "NodeType": )" +
           std::to_string(nodeType) + keys + "}]}";
}

constexpr int RECEIVE_NODE = 6;
constexpr int COLLECTIVE_NODE = 7;

bool
IsOneLine(const std::string& text)
{
    return std::count(text.begin(), text.end(), '\n') == 1 && text.back() == '\n';
}

nlohmann::json
SummaryOf(const ScratchDirectory& scratch, const std::string& directory)
{
    return nlohmann::json::parse(ReadWholeFile(scratch.Path() / directory / "summary.json"));
}

} // namespace

TEST_CASE("Command line: --help and --version are answers, not errors", "[golden][cli]")
{
    const ScratchDirectory scratch("command-help");
    const ProcessResult help = RunNadi(scratch, {"--help"});
    CHECK(help.exitCode == 0);
    for (const std::string word :
         {"run", "check", "config", "list", "schema", "sweep", "Examples:", "Exit codes:"})
    {
        CHECK(Contains(help.out, word));
    }
}

TEST_CASE("Command line: names that no file can have are one line and exit 2 or 3", "[golden][cli]")
{
    const ScratchDirectory scratch("command-long-names");
    const std::string config = scratch.Write("c.yaml", BARRIER);
    const std::string name(300, 'x');
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"run", config, "--out", name},
             {"trace", "generate", "mlp", "batch=8", "--ranks", "2", "--out", name},
             {"trace", "info", name},
             {"trace", "check", name},
             {"import",
              "astra-sim",
              "--workload",
              name,
              "--system",
              name,
              "--network",
              name,
              "--out",
              name}})
    {
        CAPTURE(arguments.front(), arguments[1]);
        const ProcessResult result = RunNadi(scratch, arguments);
        CHECK((result.exitCode == 2 || result.exitCode == 3));
        CHECK(IsOneLine(result.error));
        CHECK(Contains(result.error, name));
    }
}

TEST_CASE("Command line: output that cannot be written is one line and exit 2", "[golden][cli]")
{
    const ScratchDirectory scratch("command-full-disk");
    const std::string config = scratch.Write("c.yaml", BARRIER);
    for (const std::string arguments :
         {"list", "list presets", "list keys", "schema", "--help", "config c.yaml", "check c.yaml"})
    {
        CAPTURE(arguments);
        const std::string command = "cd '" + scratch.Path().string() + "' && '" +
                                    std::string(NADI_BINARY) + "' " + arguments +
                                    " > /dev/full 2> error.txt";
        const int status = std::system(command.c_str());
        CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 2));
        CHECK(ReadWholeFile(scratch.Path() / "error.txt") ==
              "nadi: the output cannot be written: No space left on device\n");
    }
}

TEST_CASE("Command line: the help of each command has examples of its own", "[golden][cli]")
{
    const ScratchDirectory scratch("command-examples");
    const std::vector<std::vector<std::string>> commands{{"run"},
                                                         {"check"},
                                                         {"config"},
                                                         {"import"},
                                                         {"import", "astra-sim"},
                                                         {"list"},
                                                         {"schema"},
                                                         {"trace"},
                                                         {"trace", "generate"}};
    for (std::vector<std::string> command : commands)
    {
        CAPTURE(command);
        const std::string own = "Examples:\n  nadi " + command.front() + " ";
        command.push_back("--help");
        const ProcessResult help = RunNadi(scratch, command);
        CHECK(help.exitCode == 0);
        CHECK(Contains(help.out, own));
    }
}

TEST_CASE("Command line: list alone says what can be listed", "[golden][cli]")
{
    const ScratchDirectory scratch("command-list-alone");
    const ProcessResult lists = RunNadi(scratch, {"list"});
    CHECK(lists.exitCode == 0);
    for (const std::string name : {"algorithms",
                                   "backends",
                                   "congestion-controls",
                                   "generators",
                                   "keys",
                                   "libraries",
                                   "load-balancers",
                                   "models",
                                   "policies",
                                   "presets",
                                   "shapes"})
    {
        CHECK(Contains(lists.out, "\n  " + name + " "));
    }
}

TEST_CASE("Command line: --version names the commit and the build, as results do", "[golden][cli]")
{
    const ScratchDirectory scratch("command-version");
    const ProcessResult version = RunNadi(scratch, {"--version"});
    CHECK(version.exitCode == 0);
    scratch.Write("c.yaml", BARRIER);
    REQUIRE(RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"}).exitCode == 0);
    const auto summary = SummaryOf(scratch, "r");
    const auto sources = summary["version"].get<std::string>();
    const auto build = summary["build"].get<std::string>();
    CHECK(version.out == "nadi " + sources + " (build " + build + ")\n");
    CHECK((sources == "0.1.0" || sources.starts_with("0.1.0+g")));
    CHECK(build.size() == 40); // of SHA-1, in hex digits
    CHECK(build.find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("Command line: a wrong one is exit 2 with one helpful line", "[golden][cli]")
{
    const ScratchDirectory scratch("command-wrong");
    const auto check = [&](const std::vector<std::string>& arguments, const std::string& line)
    {
        const ProcessResult result = RunNadi(scratch, arguments);
        CHECK(result.exitCode == 2);
        CHECK(result.error == line + "\n");
        CHECK(result.out.empty());
    };
    check({},
          "nadi: no command; known: run, check, compare, config, import, list, optimize, report, "
          "schema, sweep, synthesize, trace, validate (nadi --help says more)");
    check({"rnu", "c.yaml"}, "nadi: unknown command \"rnu\" (did you mean run?)");
    check({"test", "--full"},
          "nadi: \"test\" is a command of the launcher; write scripts/nadi test");
    check({"sweep"},
          "nadi sweep: the following arguments are required: STUDY (nadi sweep --help says more)");
    check({"compare", "a"}, "nadi compare: one result cannot be compared; name two or more");
    check({"run"}, "nadi: CONFIG is required (nadi run --help says more)");
    check({"list", "shape"},
          "nadi: WHAT: shape is no list (did you mean shapes?) (nadi list --help says more)");
    check({"run", "c.yaml", "--set", "seed"},
          "nadi: --set: \"seed\" is not key.path=value, such as network.packet.payload=\"1 KB\" "
          "(nadi run --help says more)");
    check({"run", "c.yaml", "--qiet"},
          "nadi: unknown option --qiet (did you mean --quiet?) (nadi run --help says more)");
}

TEST_CASE("Command line: sweep is a script's, which is told the rest of the line", "[golden][cli]")
{
    const ScratchDirectory scratch("command-sweep");
    const ProcessResult help = RunNadi(scratch, {"sweep", "--help"});
    CHECK(help.exitCode == 0);
    CHECK(help.out.starts_with("usage: nadi sweep "));
    CHECK(!Contains(help.out, "--simulator"));
    // Nothing of the line is the program's own, though `run` could be its command.
    const ProcessResult absent = RunNadi(scratch, {"sweep", "run", "--workers", "2"});
    CHECK(absent.exitCode == 3);
    CHECK(absent.error == "nadi sweep: cannot read \"run\": No such file or directory\n");
}

TEST_CASE("Command line: an invalid configuration is exit 3 with one line", "[golden][cli]")
{
    const ScratchDirectory scratch("command-config");
    scratch.Write("c.yaml", BARRIER + "sed: 1\n");
    for (const std::string command : {"run", "check"})
    {
        const ProcessResult result = RunNadi(scratch, {command, "c.yaml"});
        CHECK(result.exitCode == 3);
        CHECK(result.error == "c.yaml:3: sed: unknown key (did you mean seed?)\n");
        CHECK(!std::filesystem::exists(scratch.Path() / "results"));
    }
    const ProcessResult absent = RunNadi(scratch, {"run", "absent.yaml"});
    CHECK(absent.exitCode == 3);
    CHECK(absent.error == "cannot read \"absent.yaml\": No such file or directory\n");
}

TEST_CASE("Command line: a request that no instance can hold is exit 3, of check too",
          "[golden][cli]")
{
    const ScratchDirectory scratch("command-request");
    // In the file the first request fits into the 64 KiB, and the second does not.
    scratch.Write("requests.csv",
                  "arrived_at,num_prefill_tokens,num_decode_tokens\n0,16,2\n0.001,5000,2\n");
    for (const std::string requests :
         {"{trace: requests.csv}",
          "{arrivals: closed, users: 1, count: 50, input: {distribution: uniform, min: 16, max: "
          "5000}, output: 2}"})
    {
        scratch.Write("c.yaml",
                      "workload: {serve: {model: {layers: 1, hidden: 64, heads: 4, vocabulary: "
                      "100}, requests: " +
                          requests +
                          ", instances: [{tp: 1}], batching: {kv-memory: 64 KiB}}}\n"
                          "system: {compute: {model: roofline, peak: 1 TFLOP/s, memory-bandwidth: "
                          "1 TB/s}}\n"
                          "network: {dimensions: [{shape: switch, size: 2, bandwidth: 1 GB/s, "
                          "latency: 1 us}]}\n");
        const ProcessResult run = RunNadi(scratch, {"run", "c.yaml"});
        CAPTURE(requests, run.error);
        CHECK(run.exitCode == 3);
        CHECK_THAT(run.error,
                   Catch::Contains("c.yaml:1: workload.serve: request ") &&
                       Catch::Contains("needs more KV blocks than a replica of both0 has"));
        const ProcessResult check = RunNadi(scratch, {"check", "c.yaml"});
        CHECK(check.exitCode == 3);
        CHECK(check.error == run.error);
    }
}

TEST_CASE("Command line: a name of a file that is too long is exit 3 with one line",
          "[golden][cli]")
{
    const ScratchDirectory scratch("command-long-name");
    const std::string name = std::string(300, 'x') + ".yaml";
    // An error keeps 80 bytes of each end of so long a name.
    const std::string tail = "..." + name.substr(name.size() - 80) + "\": File name too long\n";
    const auto check = [&](const std::string& config, const std::string& place)
    {
        scratch.Write("c.yaml", config);
        for (const std::string command : {"check", "run"})
        {
            const ProcessResult result = RunNadi(scratch, {command, "c.yaml"});
            CHECK(result.exitCode == 3);
            CHECK(result.error == place + ": cannot read \"" + name.substr(0, 80) + tail);
        }
    };
    check("workload: {collective: {type: barrier}}\nnetwork: " + name + "\n", "c.yaml:2");
    check(RING_OF_TWO + "workload: " + name + "\n", "c.yaml:2");
    scratch.Write("c.yaml",
                  "workload: {collective: {type: barrier}}\nnetwork:\n  topology: {file: " + name +
                      "}\n");
    const ProcessResult result = RunNadi(scratch, {"check", "c.yaml"});
    CHECK(result.exitCode == 3);
    CHECK(Contains(result.error, tail));
    CHECK(IsOneLine(result.error));
}

TEST_CASE("Command line: times past the clock are the configuration's fault", "[golden][cli]")
{
    const ScratchDirectory scratch("command-overflow");
    scratch.Write("c.yaml",
                  RING_OF_TWO + "workload: {collective: {type: all-reduce, size: 8 TB}}\n");
    const ProcessResult result = RunNadi(
        scratch, {"run", "c.yaml", "--set", "network.dimensions[0].bandwidth=1 b/s", "--quiet"});
    CHECK(result.exitCode == 3);
    CHECK(IsOneLine(result.error));
    CHECK(Contains(result.error, "the simulated clock ends after 106 days"));
    CHECK(result.error.starts_with("--set: network.dimensions[0].bandwidth: with 1 b/s, "));
}

TEST_CASE("Command line: slices that are too many are named, not the clock", "[golden][cli]")
{
    const ScratchDirectory scratch("command-slices");
    scratch.Write("c.yaml",
                  RING_OF_TWO + "workload: {collective: {type: all-reduce, size: 400 GiB}}\n");
    const ProcessResult result =
        RunNadi(scratch,
                {"run",
                 "c.yaml",
                 "--set",
                 "system.collectives.all-reduce={name: double-binary-tree, slice: 1 B}",
                 "--quiet"});
    CHECK(result.exitCode == 3);
    CHECK(result.error ==
          "system.collectives: a buffer is cut in more than 2^32 slices; write a larger slice\n");
}

TEST_CASE("Command line: --set changes the run", "[golden][cli]")
{
    const ScratchDirectory scratch("command-set");
    scratch.Write("c.yaml", BARRIER);
    const ProcessResult result = RunNadi(
        scratch,
        {"run", "c.yaml", "--set", "seed=7", "--set", "network.dimensions[0].size=4", "--quiet"});
    CHECK(result.exitCode == 0);
    CHECK(result.out.empty());
    CHECK(result.error.empty());
    CHECK(SummaryOf(scratch, "results/c")["seed"] == 7);
    CHECK(SummaryOf(scratch, "results/c")["ranks"] == 4);
}

TEST_CASE("Command line: results never replace what is not theirs", "[golden][cli]")
{
    const ScratchDirectory scratch("command-foreign");
    scratch.Write("c.yaml", BARRIER);
    scratch.Write("mine/notes.txt", "precious");
    const ProcessResult result = RunNadi(scratch, {"run", "c.yaml", "--out", "mine"});
    CHECK(result.exitCode == 2);
    CHECK(IsOneLine(result.error));
    CHECK(ReadWholeFile(scratch.Path() / "mine/notes.txt") == "precious");
    CHECK(!std::filesystem::exists(scratch.Path() / "mine/summary.json"));
}

TEST_CASE("Command line: a job that cannot finish is exit 4 with the wait-for report",
          "[golden][cli]")
{
    const ScratchDirectory scratch("command-stuck");
    scratch.Write("c.yaml", RING_OF_TWO + "workload: {trace: \"t.{rank}.json\"}\n");
    const std::string ends = R"(, "comm_src": 1, "comm_dst": 0, "comm_tag": 5, "comm_size": 8)";
    scratch.Write("t.0.json", JsonTraceOf(RECEIVE_NODE, ends));
    scratch.Write("t.1.json", JsonTraceOf(4, ""));
    const ProcessResult result = RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"});
    CHECK(result.exitCode == 4);
    CHECK(Contains(result.error, "rank 0 waits in node 1 \"only\""));
    CHECK(SummaryOf(scratch, "r")["status"] == "stuck");
    const auto waits = nlohmann::json::parse(ReadWholeFile(scratch.Path() / "r/waits.json"));
    REQUIRE(waits["ranks"].size() == 1);
    CHECK(waits["ranks"][0]["rank"] == 0);
    CHECK(waits["ranks"][0]["waits_for_ranks"] == nlohmann::json({1}));
    CHECK(waits["ranks"][0]["nodes_left"] == 1);
}

TEST_CASE("Command line: ranks that call different collectives are exit 4, both named",
          "[golden][cli]")
{
    const ScratchDirectory scratch("command-mismatch");
    scratch.Write("c.yaml", RING_OF_TWO + "workload: {trace: \"t.{rank}.json\"}\n");
    const std::string rest = R"(, "comm_size": 8, "comm_type": )";
    scratch.Write("t.0.json", JsonTraceOf(COLLECTIVE_NODE, rest + "0"));
    scratch.Write("t.1.json", JsonTraceOf(COLLECTIVE_NODE, rest + "2"));
    const ProcessResult result = RunNadi(scratch, {"run", "c.yaml", "--out", "r", "--quiet"});
    CHECK(result.exitCode == 4);
    for (const std::string word : {"all-reduce", "all-gather", "rank 0", "rank 1"})
    {
        CHECK(Contains(result.error, word));
    }
    CHECK(std::filesystem::exists(scratch.Path() / "r/waits.json"));
}

TEST_CASE("Command line: Ctrl-C, SIGTERM and a lost terminal keep partial results and are exit 5",
          "[golden][cli]")
{
    const ScratchDirectory scratch("command-interrupt");
    // Long enough to be interrupted whenever the signal comes: 2^40 bytes are 2^28 frames.
    scratch.Write("c.yaml",
                  RING_OF_TWO + "workload: {collective: {type: all-reduce, size: 1 TiB}}\n");
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
    {
        NadiProcess process(scratch,
                            {"run", "c.yaml", "--out", "r", "--set", "network.packet.trains=off"});
        if (!process.WaitUntilCatching(number))
        {
            const ProcessResult early = process.Wait();
            FAIL("ended before signal " << number << " with " << early.exitCode << ": "
                                        << early.error);
        }
        process.Signal(number);
        process.Signal(SIGTERM); // batch systems signal twice
        const ProcessResult result = process.Wait();
        CHECK(result.exitCode == 5);
        CHECK(Contains(result.out, "Interrupted"));
        const auto summary = SummaryOf(scratch, "r");
        CHECK(summary["status"] == "interrupted");
        CHECK(summary["exposed_communication_ns"] == summary["finish_time_ns"]);
        CHECK(std::filesystem::exists(scratch.Path() / "r/links.csv"));
    }
}

TEST_CASE("Command line: check says what it found and simulates nothing", "[golden][cli]")
{
    const ScratchDirectory scratch("command-check");
    scratch.Write("c.yaml",
                  RING_OF_TWO +
                      "workload: {collective: {type: all-reduce, size: 1 TiB, repeat: 3}}\n");
    const ProcessResult result = RunNadi(scratch, {"check", "c.yaml", "--dot", "t.dot"});
    CHECK(result.exitCode == 0);
    for (const std::string part : {"c.yaml is valid\n",
                                   "ranks       2\n",
                                   "6 over all ranks: 6 all-reduce\n",
                                   "ring(2): 2 NPUs, 0 switches\n",
                                   "2 of 1 GB/s, 1 us\n",
                                   "npu1 -> npu0: 1 link, 1 us\n",

                                   "algorithms  all-reduce: bidirectional-ring\n"})
    {
        CAPTURE(part);
        CHECK(Contains(result.out, part));
    }
    CHECK(ReadWholeFile(scratch.Path() / "t.dot").starts_with("graph"));
    CHECK(!std::filesystem::exists(scratch.Path() / "results"));
}

TEST_CASE("Command line: check names the dimensions that a generator makes", "[golden][cli]")
{
    const ScratchDirectory scratch("command-check-wafer");
    scratch.Write("c.yaml",
                  "workload: {collective: {type: all-reduce, size: 1 MiB}}\n"
                  "network: {topology: {generator: wafer, fabric: mesh, width: 5, height: 4,\n"
                  "  link: {bandwidth: 750 GB/s, latency: 4 ns}}}\n");
    const ProcessResult result = RunNadi(scratch, {"check", "c.yaml"});
    CHECK(result.exitCode == 0);
    CHECK(Contains(result.out, "wafer, mesh(5) x mesh(4): 20 NPUs, 0 switches\n"));
}

TEST_CASE("Command line: every list has what can be named, or says that it is empty",
          "[golden][cli]")
{
    const ScratchDirectory scratch("command-list");
    const auto list = [&](const std::string& what)
    {
        const ProcessResult result = RunNadi(scratch, {"list", what});
        CHECK(result.exitCode == 0);
        return result.out;
    };
    for (const std::string name :
         {"bidirectional-ring ", "direct ", "double-binary-tree ", "halving-doubling ", "ring "})
    {
        CHECK(Contains(list("algorithms"), name));
    }
    for (const std::string name : {"baseline ", "themis ", "fifo ", "lifo ", "smallest-first "})
    {
        CHECK(Contains(list("policies"), name));
    }
    for (const std::string name : {"fully-connected ", "mesh ", "ring ", "switch "})
    {
        CHECK(Contains(list("shapes"), name));
    }
    for (const std::string name :
         {"dragonfly ", "fat-tree ", "leaf-spine ", "memory-pool ", "nodes ", "rail ", "wafer "})
    {
        CHECK(Contains(list("generators"), name));
    }
    for (const std::string part : {"npus: The number of NPUs. (required)\n",
                                   "uplinks-per-spine: The number of parallel links between each "
                                   "leaf and each spine. (default 1)\n",
                                   "uplink.latency: The latency of a link between a leaf and a "
                                   "spine, in one direction. (default as link.latency)\n"})
    {
        CHECK(Contains(list("generators"), part));
    }
    for (const std::string name : {"none ", "dcqcn ", "hpcc ", "timely ", "swift ", "dctcp "})
    {
        CHECK(Contains(list("congestion-controls"), "\n" + name));
    }
}
