// SPDX-License-Identifier: GPL-2.0-only
// From files to a workload: finding files, sharing graphs, communicators.
#include "tests/support/config-error-text.h"
#include "tests/support/trace-bytes.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>
#include <vector>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// A folder of traces x.<rank>.et.
class Traces
{
  public:
    explicit Traces(const std::vector<std::string>& contents)
        : m_folder("trace-sets")
    {
        for (size_t rank = 0; rank < contents.size(); ++rank)
        {
            m_folder.Write("x." + std::to_string(rank) + ".et", contents[rank]);
        }
    }

    TraceOptions Options(const std::string& pattern = "x.{rank}.et") const
    {
        TraceOptions options;
        options.pattern = m_folder.At(pattern);
        return options;
    }

    TraceOptions WithGroups(const std::string& groups) const
    {
        m_folder.Write("groups.json", groups);
        TraceOptions options = Options();
        options.groupsFile = m_folder.At("groups.json");
        return options;
    }

    /// The message of the ConfigError of reading, with the folder's path left out.
    std::string ErrorOf(const TraceOptions& options) const
    {
        std::string text = ConfigErrorText([&] { ReadTraces(options); });
        const std::string prefix = m_folder.Path() + "/";
        for (size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        {
            text.erase(at, prefix.size());
        }
        return text;
    }

    const ScratchFolder& Folder() const
    {
        return m_folder;
    }

  private:
    ScratchFolder m_folder;
};

std::string
Calls(const std::vector<std::string>& groups)
{
    std::vector<TraceNode> nodes;
    for (size_t index = 0; index < groups.size(); ++index)
    {
        nodes.push_back(AllReduce(index, groups[index]));
    }
    return MakeTrace(nodes);
}

std::string
CallsIn(const std::string& group, const std::string& ranks)
{
    TraceNode init(100, ChakraProtoMsg::METADATA_NODE, "## process_group:init ##");
    init.Message().mutable_inputs()->set_values("['[{\"pg_name\": \"" + group +
                                                "\", \"ranks\": " + ranks + "}]']");
    return MakeTrace({init, AllReduce(1, group)});
}

/// The ranks that the last group of a rank's graph means.
std::vector<uint32_t>
MembersOf(const Workload& workload, uint32_t rank)
{
    std::vector<uint32_t> members;
    const CommunicatorId id = workload.communicatorOfGroup[rank].back();
    for (const RankId member : workload.communicators[id.value].ranks)
    {
        members.push_back(member.value);
    }
    return members;
}

using Ranks = std::vector<uint32_t>;

} // namespace

TEST_CASE("Trace set: takes the files of all ranks from 0", "[unit][workload]")
{
    const Traces traces({MakeTrace({Kernel(1)}), MakeTrace({Kernel(1), Kernel(2)})});
    TraceOptions options = traces.Options();
    options.elementSize = Bytes(2);
    const Workload workload = ReadTraces(options);
    REQUIRE(workload.RankCount() == 2);
    CHECK(workload.GraphOf(RankId{0}).NodeCount() == 1);
    CHECK(workload.GraphOf(RankId{1}).NodeCount() == 2);
    CHECK(workload.GraphOf(RankId{1}).Source() == traces.Folder().At("x.1.et"));
    CHECK(workload.elementSize == Bytes(2));
    CHECK(workload.notes.empty());
    REQUIRE(workload.communicators.size() == 1);
    CHECK(workload.communicators[0].ranks == std::vector<RankId>{RankId{0}, RankId{1}});
}

TEST_CASE("Trace set: ranks whose files are equal share a graph", "[unit][workload]")
{
    const std::string even = MakeTrace({Kernel(1)});
    const std::string odd = MakeTrace({Kernel(2)});
    const Workload workload = ReadTraces(Traces({even, odd, even, odd}).Options());
    CHECK(workload.graphs.size() == 2);
    CHECK(workload.graphOfRank == Ranks{0, 1, 0, 1});
}

TEST_CASE("Trace set: one file does for all ranks", "[unit][workload]")
{
    const Traces traces({Calls({""})});
    TraceOptions options = traces.Options("x.0.et");
    options.npuCount = 6;
    CHECK(ReadTraces(options).RankCount() == 6);
    options.ranks = 3;
    const Workload workload = ReadTraces(options);
    CHECK(workload.RankCount() == 3);
    CHECK(workload.graphs.size() == 1);
}

TEST_CASE("Trace set: files may be listed by rank in place of a pattern", "[unit][workload]")
{
    const Traces traces({MakeTrace({Kernel(1)}), MakeTrace({Kernel(1), Kernel(2)})});
    TraceOptions options;
    options.files = {traces.Folder().At("x.1.et"), traces.Folder().At("x.0.et")};
    const Workload workload = ReadTraces(options);
    REQUIRE(workload.RankCount() == 2);
    CHECK(workload.GraphOf(RankId{0}).NodeCount() == 2);
    CHECK(workload.GraphOf(RankId{1}).NodeCount() == 1);
    options.files.pop_back(); // a list of one file is a job of one rank
    options.npuCount = 6;
    CHECK(ReadTraces(options).RankCount() == 1);
    options.ranks = 2;
    CHECK(traces.ErrorOf(options) ==
          "x.1.et: 2 ranks are wanted, but there are files for ranks 0..0 only");
}

TEST_CASE("Trace set: fewer ranks than files may be wanted, more may not", "[unit][workload]")
{
    const Traces traces({Calls({""}), Calls({""})});
    TraceOptions options = traces.Options();
    options.ranks = 1;
    CHECK(ReadTraces(options).RankCount() == 1);
    options.ranks = 3;
    CHECK(traces.ErrorOf(options) ==
          "x.{rank}.et: 3 ranks are wanted, but there are files for ranks 0..1 only");
    options.ranks = 0;
    CHECK(traces.ErrorOf(options) == "x.{rank}.et: a job of 0 ranks does nothing; give at least 1");
}

TEST_CASE("Trace set: a missing rank is refused by its file", "[unit][workload]")
{
    const Traces traces({MakeTrace({}), MakeTrace({})});
    traces.Folder().Write("x.5.et", MakeTrace({}));
    CHECK(traces.ErrorOf(traces.Options()) ==
          "x.2.et: is missing, while the file of rank 5 is there; traces are needed of all ranks "
          "from 0");
}

TEST_CASE("Trace set: a pattern that fits no file is refused with one that does",
          "[unit][workload]")
{
    const Traces traces({MakeTrace({})});
    traces.Folder().Write("a.0.et", "");
    CHECK(traces.ErrorOf(traces.Options("y.{rank}.et")) ==
          "y.{rank}.et: there is no trace file for rank 0, \"y.0.et\"; did you mean "
          "\"a.{rank}.et\"?");
    CHECK(traces.ErrorOf(traces.Options("x.{rank}")) ==
          "x.{rank}: there is no trace file for rank 0, \"x.0\"; did you mean \"x.{rank}.et\"?");
    CHECK(traces.ErrorOf(traces.Options("x.et")) ==
          "x.et: there is no such trace file; did you mean \"x.{rank}.et\"?");
    CHECK(traces.ErrorOf(traces.Options("x")) ==
          "x: there is no such trace file; did you mean \"x.{rank}.et\"?");
}

TEST_CASE("Trace set: what is there and is no file is not said to be missing", "[unit][workload]")
{
    TraceOptions options;
    options.pattern = "/dev/null";
    CHECK(Traces({}).ErrorOf(options) ==
          "/dev/null: is no regular file, but a device, a pipe or a folder; name a trace file");
    const Traces traces({MakeTrace({})});
    std::filesystem::create_symlink("gone.et", traces.Folder().At("l.0.et"));
    CHECK(traces.ErrorOf(traces.Options("l.{rank}.et")) ==
          "l.0.et: is a symbolic link to a file that is not there; name a trace file");
}

TEST_CASE("Trace set: a folder is no trace", "[unit][workload]")
{
    const Traces traces({MakeTrace({})});
    TraceOptions options;
    options.pattern = traces.Folder().Path();
    const std::string text = traces.ErrorOf(options);
    CHECK(text.find("is a folder; name the trace files in it; did you mean \"x.{rank}.et\"?") !=
          std::string::npos);
}

TEST_CASE("Trace set: a pattern in an empty or absent folder is refused", "[unit][workload]")
{
    TraceOptions options;
    options.pattern = "/nowhere/x.{rank}.et";
    CHECK(ConfigErrorText([&] { ReadTraces(options); }) ==
          "/nowhere/x.{rank}.et: there is no trace file for rank 0, \"x.0.et\"; files are named by "
          "rank, from 0, as in \"mlp.{rank}.et\"");
    options.pattern = "/nowhere/run-{rank}/x.et";
    CHECK(ConfigErrorText([&] { ReadTraces(options); }) ==
          "/nowhere/run-{rank}/x.et: there is no trace file for rank 0, \"run-0/x.et\"; files are "
          "named by rank, from 0, as in \"mlp.{rank}.et\"");
}

TEST_CASE("Trace set: the rank may stand in several places", "[unit][workload]")
{
    const Traces traces({});
    for (const char* rank : {"0", "1"})
    {
        const std::string folder = std::string("r") + rank;
        std::filesystem::create_directory(traces.Folder().At(folder));
        traces.Folder().Write(folder + "/t." + rank + ".et", MakeTrace({Kernel(1)}));
    }
    CHECK(ReadTraces(traces.Options("r{rank}/t.{rank}.et")).RankCount() == 2);
}

TEST_CASE("Trace set: who waits is told how many ranks are read", "[unit][workload]")
{
    const Traces traces({Calls({"1"}), Calls({"1"}), Calls({"2"})});
    WorkProgress progress;
    TraceOptions options = traces.Options();
    options.progress = &progress;
    ReadTraces(options);
    CHECK(progress.total == 3);
    CHECK(progress.done == 3);
}

TEST_CASE("Groups: the groups file says who is in a group, in its order", "[unit][workload]")
{
    const Traces traces({Calls({"1"}), Calls({"1"}), Calls({"2"})});
    const Workload workload = ReadTraces(traces.WithGroups(R"({"1": [1, 0], "2": [2]})"));
    CHECK(MembersOf(workload, 0) == Ranks{1, 0});
    CHECK(MembersOf(workload, 1) == Ranks{1, 0});
    CHECK(MembersOf(workload, 2) == Ranks{2});
    CHECK(workload.communicators.size() == 3);
    CHECK(workload.notes.empty());
}

TEST_CASE("Groups: equal lists are one communicator, whatever their names", "[unit][workload]")
{
    const Traces traces({Calls({"a", "b", "c", "0"}), Calls({"a", "b", "c", "0"})});
    const Workload workload =
        ReadTraces(traces.WithGroups(R"({"a": [0, 1], "b": [0, 1], "c": [1, 0]})"));
    const std::vector<CommunicatorId>& ids = workload.communicatorOfGroup[0];
    REQUIRE(ids.size() == 4); // all ranks, a, b, c
    CHECK(ids[0] == CommunicatorId{0});
    CHECK(ids[1] == CommunicatorId{0});
    CHECK(ids[2] == CommunicatorId{0});
    CHECK(ids[3] == CommunicatorId{1});
    for (uint32_t id = 0; id < workload.communicators.size(); ++id)
    {
        CHECK(workload.communicators[id].id == CommunicatorId{id});
    }
}

TEST_CASE("Groups: each rank's own trace may use one name for another group", "[unit][workload]")
{
    const Traces traces({CallsIn("3", "[0, 1]"),
                         CallsIn("3", "[0, 1]"),
                         CallsIn("3", "[2, 3]"),
                         CallsIn("3", "[2, 3]")});
    const Workload workload = ReadTraces(traces.Options());
    CHECK(MembersOf(workload, 1) == Ranks{0, 1});
    CHECK(MembersOf(workload, 2) == Ranks{2, 3});
    CHECK(workload.communicators.size() == 3);
    CHECK(workload.notes.empty());
}

TEST_CASE("Groups: the groups file goes before what the trace says", "[unit][workload]")
{
    const Traces traces({CallsIn("3", "[0]"), CallsIn("3", "[1]")});
    CHECK(MembersOf(ReadTraces(traces.WithGroups(R"({"3": [0, 1]})")), 0) == Ranks{0, 1});
}

TEST_CASE("Groups: an empty list in a trace means all ranks", "[unit][workload]")
{
    const Traces traces({CallsIn("dp", "[]"), CallsIn("dp", "[]"), CallsIn("dp", "[]")});
    CHECK(MembersOf(ReadTraces(traces.Options()), 1) == Ranks{0, 1, 2});
}

TEST_CASE("Groups: one that nothing defines is the ranks that use it, which is noted",
          "[unit][workload]")
{
    const Traces traces({Calls({"tp", "x"}), Calls({""}), Calls({"tp"})});
    const Workload workload = ReadTraces(traces.Options());
    CHECK(MembersOf(workload, 2) == Ranks{0, 2});
    CHECK(workload.notes ==
          std::vector<std::string>{
              "group \"tp\" is defined nowhere: taken as the ranks whose traces use it, {0, 2}",
              "group \"x\" is defined nowhere: taken as the ranks whose traces use it, {0}"});
}

TEST_CASE(
    "Groups: where one is undefined, a groups.json beside the traces is named unless a groups "
    "file is read",
    "[unit][workload]")
{
    const Traces traces({Calls({"tp"}), Calls({"tp"})});
    const std::string undefined =
        "group \"tp\" is defined nowhere: taken as the ranks whose traces use it, {0, 1}";
    traces.Folder().Write("groups.json", R"({"tp": [1, 0]})");
    const std::string beside = traces.Folder().At("groups.json");
    CHECK(ReadTraces(traces.Options()).notes ==
          std::vector<std::string>{undefined + "; " + beside +
                                   " lies beside the traces and was not read: name it as the "
                                   "groups file"});
    CHECK(ReadTraces(traces.WithGroups(R"({"pp": [1, 0]})")).notes ==
          std::vector<std::string>{undefined});
    CHECK(ReadTraces(traces.WithGroups(R"({"tp": [1, 0]})")).notes.empty());
}

TEST_CASE("Groups: a collective in a group without its rank is refused", "[unit][workload]")
{
    const Traces traces({Calls({"1"}), Calls({"", "1"})});
    CHECK(traces.ErrorOf(traces.WithGroups(R"({"1": [0]})")) ==
          "x.1.et: node 1 \"node\" of rank 1 is a collective in group \"1\" {0}, which rank 1 is "
          "not in");
}

TEST_CASE("Groups: a used group of the trace with ranks outside the job is refused",
          "[unit][workload]")
{
    const Traces outside({CallsIn("3", "[0, 2]"), CallsIn("4", "[1]")});
    CHECK(outside.ErrorOf(outside.Options()) ==
          "x.0.et: group \"3\" of the trace names rank 2; the job has ranks 0..1");
    const Traces twice({CallsIn("3", "[0, 0]")});
    CHECK(twice.ErrorOf(twice.Options()) ==
          "x.0.et: group \"3\" of the trace names rank 0 twice; each rank can be in a group once");
}

TEST_CASE("Trace set: notes add up over the ranks", "[unit][workload]")
{
    const auto traceOf = [](uint64_t id)
    { return MakeTrace({TraceNode(id, ChakraProtoMsg::COMM_COLL_NODE).Int("comm_type", 0)}); };
    const Traces traces({MakeTrace({Kernel(1)}), traceOf(1), traceOf(1), traceOf(2)});
    const Workload workload = ReadTraces(traces.Options());
    CHECK(workload.notes ==
          std::vector<std::string>{
              "3 communication nodes have no comm_size: taken as 0 (3 of 4 ranks, first in " +
              traces.Folder().At("x.1.et") + ")"});
}
