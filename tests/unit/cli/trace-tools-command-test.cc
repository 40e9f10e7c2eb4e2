// SPDX-License-Identifier: GPL-2.0-only
// The commands of `nadi trace` that make traces of traces or export them, on small traces.
#include "cli/command-parser.h"
#include "cli/commands.h"
#include "cli/trace/list-arguments.h"
#include "common/error.h"
#include "common/usage-error.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/trace-bytes.h"
#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A job of two ranks with a group of its own name, in a directory.
class TraceFolder
{
  public:
    explicit TraceFolder(const std::string& name)
        : m_directory(name)
    {
        for (const char* const rank : {"0", "1"})
        {
            m_directory.Write(std::string("job.") + rank + ".et",
                              MakeTrace({Kernel(1).Micros(5),
                                         AllReduce(2, "tp").Data(1),
                                         Kernel(3).Micros(7).Data(2)}));
        }
        m_directory.Write("groups.json", R"({"tp": [1, 0]})");
    }

    std::string At(const std::string& name) const
    {
        return (m_directory.Path() / name).string();
    }

    std::string Traces() const
    {
        return At("job.{rank}.et");
    }

    /// Runs `nadi trace <arguments>` with the groups file and `--out <directory>/<out>`.
    void Run(std::vector<std::string> arguments, const std::string& out = "out") const
    {
        arguments.push_back("--groups");
        arguments.push_back(At("groups.json"));
        RunWithoutGroups(arguments, out);
    }

    void RunWithoutGroups(std::vector<std::string> arguments, const std::string& out) const
    {
        arguments.insert(arguments.begin(), "trace");
        arguments.push_back("--out");
        arguments.push_back(At(out));
        // Apart from the check, which would swallow what is thrown.
        const ExitCode code = RunCommands({MakeTraceCommand()}, arguments, {});
        CHECK(code == EXIT_DONE);
    }

    Workload ReadOut(bool hasGroups = true) const
    {
        TraceOptions options;
        options.pattern = At("out/job.{rank}.et");
        if (hasGroups)
        {
            options.groupsFile = At("out/groups.json");
        }
        return ReadTraces(options);
    }

    /// What the user reads when `nadi trace <arguments>` cannot be done.
    std::string ErrorOf(const std::vector<std::string>& arguments) const
    {
        try
        {
            Run(arguments);
        }
        catch (const UsageError& error)
        {
            return error.what();
        }
        catch (const ConfigError& error)
        {
            return error.what();
        }
        return "";
    }

    void Write(const std::string& name, const std::string& text) const
    {
        m_directory.Write(name, text);
    }

    std::string Read(const std::string& name) const
    {
        return ReadWholeFile(At(name));
    }

  private:
    ScratchDirectory m_directory;
};

std::string
UsageTextOf(const std::function<void()>& act)
{
    try
    {
        act();
    }
    catch (const UsageError& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST_CASE("trace slice: the part that is asked for runs with its groups", "[unit][cli]")
{
    const TraceFolder folder("cli-slice");
    folder.Run({"slice", folder.Traces(), "--types", "COMP_NODE,COMM_COLL_NODE", "--nodes", "2-3"});
    const Workload read = folder.ReadOut();
    REQUIRE(read.RankCount() == 2);
    CHECK(read.GraphOf(RankId{0}).NodeCount() == 2);
    REQUIRE(read.communicators.size() == 2);
    CHECK(read.communicators[1].ranks == std::vector<RankId>{RankId{1}, RankId{0}});
    CHECK(folder.Read("out/groups.json") == "{\"1\":[1,0]}\n");
}

TEST_CASE("trace slice: ids may stand in a file", "[unit][cli]")
{
    const TraceFolder folder("cli-slice-file");
    folder.Write("ids.txt", "1\n\n3,9\n");
    folder.Run({"slice", folder.Traces(), "--nodes", folder.At("ids.txt")});
    CHECK(folder.ReadOut(false).GraphOf(RankId{1}).NodeCount() == 2);
}

TEST_CASE("trace slice: what cannot be cut is refused in one line", "[unit][cli]")
{
    const TraceFolder folder("cli-slice-errors");
    CHECK(folder.ErrorOf({"slice", folder.Traces()}) ==
          "which part? write --iterations, --from, --to, --types, --nodes or --ranks");
    CHECK(folder.ErrorOf({"slice", folder.Traces(), "--from", "10"})
              .find("--from \"10\" has no "
                    "unit") == 0);
    CHECK(folder.ErrorOf({"slice", folder.Traces(), "--types", "KERNEL"}) ==
          "--types \"KERNEL\" is no type of nodes; write some of INVALID_NODE, METADATA_NODE, "
          "MEM_LOAD_NODE, MEM_STORE_NODE, COMP_NODE, COMM_SEND_NODE, COMM_RECV_NODE, "
          "COMM_COLL_NODE");
    CHECK(folder.ErrorOf({"slice", folder.Traces(), "--ranks", "3-1"}) ==
          "--ranks \"3-1\" is no range of numbers; write it as 3 or 1-5");
}

TEST_CASE("trace merge: two jobs, a sequence, or measured times", "[unit][cli]")
{
    const TraceFolder jobs("cli-merge-jobs");
    jobs.Run({"merge", jobs.Traces(), jobs.Traces(), "--second-groups", jobs.At("groups.json")});
    CHECK(jobs.ReadOut().RankCount() == 4);
    const TraceFolder sequence("cli-merge-sequence");
    sequence.Run({"merge",
                  sequence.Traces(),
                  sequence.Traces(),
                  "--sequence",
                  "--second-groups",
                  sequence.At("groups.json")});
    CHECK(sequence.ReadOut().GraphOf(RankId{0}).NodeCount() == 2 * 3);
    const TraceFolder measured("cli-merge-measured");
    measured.Run({"merge", measured.Traces(), "--durations", measured.Traces()});
    CHECK(measured.Read("out/groups.json") == "{\"tp\":[1,0]}\n");
    CHECK(measured.ErrorOf({"merge", measured.Traces()}) ==
          "merge with what? write the second job's traces, or --durations");
    CHECK(measured.ErrorOf({"merge", measured.Traces(), "--sequence", "--durations", "x"}) ==
          "--durations takes times from its own traces; write one TRACES, without --sequence and "
          "--second-groups");
}

TEST_CASE("trace replicate: copies and groups that span them", "[unit][cli]")
{
    const TraceFolder folder("cli-replicate");
    folder.Run({"replicate", folder.Traces(), "--ranks", "6", "--span", "tp"});
    const Workload read = folder.ReadOut();
    CHECK(read.RankCount() == 6);
    CHECK(folder.Read("out/groups.json") == "{\"1\":[1,0,3,2,5,4]}\n");
    CHECK(folder.ErrorOf({"replicate", folder.Traces()}) == "for how many ranks? write --ranks");
}

TEST_CASE("trace scale: factors are numbers with an x", "[unit][cli]")
{
    const TraceFolder folder("cli-scale");
    folder.Run({"scale", folder.Traces(), "--sizes", "2x", "--durations", "0.5x"});
    const TraceDocument document = ReadDocument(folder.At("out/job.1.et"));
    CHECK(GetDurationNanos(document.nodes[0]) == 2500);
    CHECK(ToInteger(GetAttribute(document.nodes[1], NodeAttribute::CommunicationSize)) == 2048);
    for (const char* const wrong : {"2", "x", "-1x", "2xx", "nanx"})
    {
        CHECK(folder.ErrorOf({"scale", folder.Traces(), "--sizes", wrong}) ==
              std::string("--sizes \"") + wrong + "\" is no factor; write it as 2x or 0.5x");
    }
    CHECK(folder.ErrorOf({"scale", folder.Traces()}) ==
          "scale what? write --sizes or --durations, such as --sizes 2x");
}

TEST_CASE("trace anonymise: the files have a neutral name too", "[unit][cli]")
{
    const TraceFolder folder("cli-anonymise");
    folder.Run({"anonymise", folder.Traces()});
    CHECK(ReadDocument(folder.At("out/trace.0.et")).nodes[0].name() == "compute_1");
}

TEST_CASE("trace export: one rank is a file, several are a directory, a timeline is one file",
          "[unit][cli]")
{
    const TraceFolder folder("cli-export");
    folder.RunWithoutGroups({"export", folder.At("job.0.et"), "--format", "dot"}, "one.dot");
    CHECK(folder.Read("one.dot").find("digraph trace {") == 0);
    folder.Run({"export", folder.Traces(), "--format", "graphml"}, "graphs");
    CHECK(folder.Read("graphs/job.1.graphml").find("<graphml") != std::string::npos);
    folder.Run({"export", folder.Traces(), "--format", "json"}, "json");
    CHECK(nlohmann::json::parse(folder.Read("json/job.0.json")).at("nodes").size() == 3);
    folder.Run({"export", folder.Traces(), "--format", "param"}, "param");
    CHECK(nlohmann::json::parse(folder.Read("param/job.1.json")).at("nodes").size() >= 2);
    folder.Run({"export", folder.Traces(), "--format", "timeline"}, "all.pftrace");
    CHECK(folder.Read("all.pftrace").find("rank 1") != std::string::npos);
    CHECK(folder.ErrorOf({"export", folder.Traces(), "--format", "svg"})
              .find("svg is no format; "
                    "write one of") != std::string::npos);
}

TEST_CASE("ParseNumbers: ranges and numbers in any order, each once", "[unit][cli]")
{
    CHECK(ParseNumbers("--ranks", "4-6,1,5") == std::vector<uint32_t>{1, 4, 5, 6});
    CHECK(UsageTextOf([] { ParseNumbers("--ranks", "1,,2"); }) ==
          "--ranks \"1,,2\" has an empty part; write the parts with one comma between them");
    CHECK(UsageTextOf([] { ParseNumbers("--ranks", "0-16777216"); }) ==
          "--ranks 16777216 is too large; numbers are below 16777216");
}
