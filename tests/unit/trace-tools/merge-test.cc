// SPDX-License-Identifier: GPL-2.0-only
#include "tests/support/config-error-text.h"
#include "tests/support/trace-edit-bench.h"
#include "workload/document/node-attributes.h"
#include "workload/tools/editing/duration-merge.h"
#include "workload/tools/editing/job-merge.h"
#include "workload/tools/editing/sequence-merge.h"

#include <catch2/catch.hpp>

using namespace nadi;
using namespace nadi::test;

namespace
{

TraceNode
TimedNode(uint64_t id, const std::string& name, uint64_t start, uint64_t duration)
{
    TraceNode node(id, ChakraProtoMsg::COMP_NODE, name);
    node.Message().set_start_time_micros(start);
    return node.Micros(duration);
}

} // namespace

TEST_CASE("JobMerge: the second job's ranks, peers and groups come after the first's",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-jobs");
    const TraceJob first = MakeTraceJob(
        folder, "a", {{AllReduce(1), SendTo(2, 1)}, {AllReduce(1), ReceiveFrom(2, 0)}});
    const TraceJob second = MakeTraceJob(
        folder, "b", {{AllReduce(1), ReceiveFrom(2, 1)}, {AllReduce(1), SendTo(2, 0)}});
    JobMerge merge(first, second);
    const Workload read = ReadBack(folder, merge);
    REQUIRE(read.RankCount() == 4);
    CHECK(RanksOf(read, 1, 0) == std::vector<uint32_t>{0, 1});
    CHECK(RanksOf(read, 2, 0) == std::vector<uint32_t>{2, 3});
    CHECK(read.GraphOf(RankId{0}).Node(1).peer == 1);
    CHECK(read.GraphOf(RankId{2}).Node(1).peer == 3);
    CHECK(read.GraphOf(RankId{3}).Node(1).peer == 2);
    CHECK(read.notes.empty());
}

TEST_CASE("JobMerge: jobs that give one name to different groups keep both", "[trace-tools]")
{
    const ScratchFolder folder("merge-groups");
    const TraceJob first = ReadTraceJob(SampleFiles(SampleTrace("stg-gpt-tp4dp2/workload."), 8),
                                        SampleTrace("stg-gpt-tp4dp2/workload.json"));
    const TraceJob second = MakeTraceJob(folder, "b", {{AllReduce(1, "1")}, {AllReduce(1, "1")}});
    JobMerge merge(first, second);
    const Workload read = ReadBack(folder, merge);
    REQUIRE(read.RankCount() == 10);
    CHECK(RanksOf(read, 8, 0) == std::vector<uint32_t>{8, 9});
    // All ranks, which nothing uses; 4 groups for data and 2 for tensor parallelism; the second's.
    CHECK(read.communicators.size() == 1 + 4 + 2 + 1);
    CHECK(read.notes.empty());
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        const ExecutionGraph& before = first.GraphOf(rank);
        for (uint32_t index = 0; index < before.NodeCount(); ++index)
        {
            if (before.Node(index).type == NodeType::Collective)
            {
                CHECK(RanksOf(read, rank, index) ==
                      first.RanksOfGroup(rank, before.Node(index).group));
            }
        }
    }
}

TEST_CASE("SequenceMerge: the second trace begins when all of the first is done", "[trace-tools]")
{
    const ScratchFolder folder("merge-sequence");
    const TraceJob first = MakeTraceJob(folder, "a", {{Kernel(4), AllReduce(5).Data(4)}});
    const TraceJob second =
        MakeTraceJob(folder, "b", {{Kernel(4), Kernel(5), AllReduce(6).Data(4).Control(5)}});
    SequenceMerge merge(first, second);
    const auto documents = MakeDocuments(merge);
    // Ids follow 5, of which 6 is kept for a node between the two.
    REQUIRE(documents[0].nodes.size() == 5);
    CHECK(documents[0].nodes[2].id() == 4 + 7);
    CHECK(DataOf(documents[0].nodes[2]) == std::vector<uint64_t>{5});
    CHECK(DataOf(documents[0].nodes[3]) == std::vector<uint64_t>{5});
    CHECK(DataOf(documents[0].nodes[4]) == std::vector<uint64_t>{4 + 7});
    CHECK(ControlOf(documents[0].nodes[4]) == std::vector<uint64_t>{5 + 7});
    CHECK(ReadBack(folder, documents, merge.Groups()).notes.empty());
}

TEST_CASE("SequenceMerge: a node without time stands between several ends and several beginnings",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-joint");
    const TraceJob first = MakeTraceJob(folder, "a", {{Kernel(0), Kernel(1), Kernel(2).Data(0)}});
    const TraceJob second = MakeTraceJob(folder, "b", {{Kernel(0), Kernel(1)}});
    SequenceMerge merge(first, second);
    const auto documents = MakeDocuments(merge);
    REQUIRE(documents[0].nodes.size() == 6);
    const ChakraProtoMsg::Node& joint = documents[0].nodes[3];
    CHECK(joint.type() == ChakraProtoMsg::METADATA_NODE);
    CHECK(DataOf(joint) == std::vector<uint64_t>{1, 2});
    CHECK(DataOf(documents[0].nodes[4]) == std::vector<uint64_t>{joint.id()});
    CHECK(DataOf(documents[0].nodes[5]) == std::vector<uint64_t>{joint.id()});
}

TEST_CASE("SequenceMerge: ids that would begin anew at 0 are refused", "[trace-tools]")
{
    const ScratchFolder folder("merge-ids");
    const TraceJob first = MakeTraceJob(folder, "a", {{Kernel(5)}});
    for (const uint64_t most : {UINT64_MAX, UINT64_MAX - 6})
    {
        const TraceJob second = MakeTraceJob(folder, "b", {{Kernel(most)}});
        SequenceMerge merge(first, second);
        CHECK_THROWS_WITH(merge.MakeDocument(0),
                          Catch::Contains("has ids so large that none are left"));
    }
    const TraceJob last = MakeTraceJob(folder, "b", {{Kernel(UINT64_MAX - 7)}});
    SequenceMerge merge(first, last);
    CHECK(merge.MakeDocument(0).nodes.back().id() == UINT64_MAX);
}

TEST_CASE("SequenceMerge: control dependencies hold also after a trace whose own are ignored",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-kinds");
    folder.Write("pytorch.0.et",
                 MakeTrace({Kernel(1), Kernel(2).Control(1)}, "1.1.1-chakra.0.0.4"));
    const TraceJob first = ReadTraceJob({folder.At("pytorch.0.et")}, std::nullopt);
    const TraceJob second = MakeTraceJob(folder, "b", {{Kernel(1), Kernel(2).Control(1)}});
    SequenceMerge merge(first, second);
    const Workload read = ReadBack(folder, merge);
    const ExecutionGraph& graph = read.GraphOf(RankId{0});
    CHECK(graph.ParentCount(1) == 0);                     // ignored before, ignored now
    CHECK(graph.ParentCount(graph.NodeCount() - 1) == 1); // held before, holds now
}

TEST_CASE("SequenceMerge: recorded starts of the second job move to the end of the first",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-starts");
    const TraceJob first =
        MakeTraceJob(folder, "a", {{TimedNode(1, "x", 100, 10)}, {TimedNode(1, "x", 100, 30)}});
    const TraceJob second =
        MakeTraceJob(folder, "b", {{TimedNode(1, "y", 7, 1)}, {TimedNode(1, "y", 5, 1)}});
    SequenceMerge merge(first, second);
    const auto documents = MakeDocuments(merge);
    // The first job ends at 130 us, and the second one's first start is at 5 us.
    CHECK(documents[0].nodes[1].start_time_micros() == 130 + 7 - 5);
    CHECK(documents[1].nodes[1].start_time_micros() == 130);
}

TEST_CASE("SequenceMerge: jobs of different sizes are refused", "[trace-tools]")
{
    const ScratchFolder folder("merge-sizes");
    const TraceJob first = MakeTraceJob(folder, "a", {{Kernel(1)}});
    const TraceJob second = MakeTraceJob(folder, "b", {{Kernel(1)}, {Kernel(1)}});
    CHECK(ConfigErrorText([&] { SequenceMerge(first, second); }) ==
          second.files[0] + ": is of a job of 2 ranks, and the first one has 1; one after the "
                            "other, both need the same ranks");
}

TEST_CASE("DurationMerge: times go to the node of the same name and place, in the order of ids",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-durations");
    const auto traces = WriteRanks(folder,
                                   "a",
                                   {{TimedNode(1, "x", 0, 5),
                                     TimedNode(3, "x", 0, 6),
                                     TimedNode(2, "y", 0, 7),
                                     TimedNode(4, "z", 0, 8)}});
    const auto measured = WriteRanks(folder,
                                     "m",
                                     {{TimedNode(20, "x", 90, 50),
                                       TimedNode(10, "x", 80, 40),
                                       TimedNode(5, "y", 0, 3),
                                       TimedNode(6, "w", 1, 1)}});
    DurationMerge merge(traces, measured, {});
    const TraceDocument document = merge.MakeDocument(0);
    CHECK(document.nodes[0].duration_micros() == 40);
    CHECK(document.nodes[0].start_time_micros() == 80);
    CHECK(document.nodes[1].duration_micros() == 50);
    CHECK(document.nodes[2].duration_micros() == 3);
    CHECK(document.nodes[3].duration_micros() == 8);
    CHECK(merge.Notes() ==
          std::vector<std::string>{
              "3 nodes have their measured times",
              "1 nodes have no measured one of their name and place: they keep their times",
              "1 measured nodes have no counterpart: their times are not used"});
}

TEST_CASE("DurationMerge: a trace merged with itself stays as it is", "[trace-tools]")
{
    const auto files = SampleFiles(SampleTrace("dlrm/dlrm."), 1, ".et.gz");
    DurationMerge merge(files, files, {});
    CHECK(FormatDocument(merge.MakeDocument(0)) == FormatDocument(ReadDocument(files[0])));
    CHECK(merge.Notes().size() == 1);
    CHECK(ConfigErrorText(
              [&] {
                  DurationMerge({"a", "b"}, {"m"}, {});
              }) == "m: measured traces are of 1 ranks, the others of 2; give as many");
}

TEST_CASE("SequenceMerge: a start of 0 counts where the clock of a recording begins there",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-zero");
    const std::vector<std::vector<TraceNode>> ranks{
        {TimedNode(1, "a", 0, 10), TimedNode(2, "b", 10, 2), TimedNode(3, "c", 12, 2)}};
    const TraceJob job = MakeTraceJob(folder, "z", ranks);
    SequenceMerge merge(job, job);
    const auto documents = MakeDocuments(merge);
    std::vector<uint64_t> starts;
    for (const ChakraProtoMsg::Node& node : documents[0].nodes)
    {
        if (node.type() == ChakraProtoMsg::COMP_NODE)
        {
            starts.push_back(node.start_time_micros());
        }
    }
    CHECK(starts == std::vector<uint64_t>{0, 10, 12, 14, 24, 26});
}

TEST_CASE("SequenceMerge: a start of 0 is none where the clock counts from 1970", "[trace-tools]")
{
    const ScratchFolder folder("merge-epoch");
    constexpr uint64_t epoch = 1'700'000'000'000'000;
    const TraceJob job = MakeTraceJob(
        folder, "e", {{TimedNode(1, "a", 0, 10), TimedNode(2, "b", epoch, 2).Data(1)}});
    SequenceMerge merge(job, job);
    const auto documents = MakeDocuments(merge);
    CHECK(documents[0].nodes[2].start_time_micros() == 0);
    CHECK(documents[0].nodes[3].start_time_micros() == epoch + 2);
}

TEST_CASE("DurationMerge: a measured start of 0 counts where the clock begins there",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-measured-zero");
    const auto traces = WriteRanks(folder, "a", {{TimedNode(1, "x", 50, 5)}});
    const auto measured =
        WriteRanks(folder, "m", {{TimedNode(1, "x", 0, 10), TimedNode(2, "y", 10, 2)}});
    DurationMerge merge(traces, measured, {});
    CHECK(merge.MakeDocument(0).nodes[0].start_time_micros() == 0);
}

TEST_CASE("DurationMerge: what was not measured keeps its times, and zeros are counted",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-unmeasured");
    const auto traces = WriteRanks(
        folder, "a", {{TimedNode(1, "x", 3, 5), TimedNode(2, "y", 4, 6), TimedNode(3, "z", 5, 7)}});
    constexpr uint64_t epoch = 1'700'000'000'000'000;
    const auto measured = WriteRanks(
        folder,
        "m",
        {{NamedNode(1, "x"), TimedNode(2, "y", epoch, 0), NamedNode(3, "z").Int("runtime", 9)}});
    DurationMerge merge(traces, measured, {});
    const TraceDocument document = merge.MakeDocument(0);
    CHECK(document.nodes[0].duration_micros() == 5);
    CHECK(document.nodes[0].start_time_micros() == 3);
    CHECK(document.nodes[1].duration_micros() == 0);
    CHECK(document.nodes[1].start_time_micros() == epoch);
    CHECK(document.nodes[2].duration_micros() == 9);
    CHECK(merge.Notes() ==
          std::vector<std::string>{
              "2 nodes have their measured times",
              "1 nodes have a counterpart without start and duration: they keep their durations",
              "1 nodes that had a duration have a measured one of 0"});
}

TEST_CASE("DurationMerge: a measured wait comes with its duration, and an old one goes",
          "[trace-tools]")
{
    const ScratchFolder folder("merge-waits");
    const auto call = [](uint64_t id, const std::string& name, uint64_t start, uint64_t micros)
    {
        TraceNode node = TimedNode(id, name, start, micros);
        node.Message().set_type(ChakraProtoMsg::COMM_COLL_NODE);
        return node;
    };
    const auto traces = WriteRanks(folder,
                                   "a",
                                   {{call(1, "x", 3, 5),
                                     call(2, "y", 4, 6).Int("waited_nanos", 700),
                                     call(3, "z", 5, 7).Int("waited_nanos", 800),
                                     call(4, "sends alone", 6, 9)}});
    const auto measured = WriteRanks(folder,
                                     "m",
                                     {{call(1, "x", 1, 50).Int("waited_nanos", 40),
                                       call(2, "y", 2, 60),
                                       call(4, "sends alone", 0, 0).Int("waited_nanos", 0)}});
    DurationMerge merge(traces, measured, {});
    const TraceDocument document = merge.MakeDocument(0);
    const auto waitOf = [&document](size_t node)
    { return ToInteger(GetAttribute(document.nodes[node], NodeAttribute::WaitNanos)); };
    CHECK(waitOf(0) == 40);
    CHECK(waitOf(1) == std::nullopt);
    CHECK(waitOf(2) == 800); // not measured, so it keeps its duration, too
    CHECK(waitOf(3) == 0);
    CHECK(document.nodes[3].duration_micros() == 0);
    const std::vector<std::string> notes = merge.Notes();
    CHECK(std::ranges::find(notes,
                            "1 nodes lose what they waited for other ranks (waited_nanos), as "
                            "their measured ones do not say it") != notes.end());
}
