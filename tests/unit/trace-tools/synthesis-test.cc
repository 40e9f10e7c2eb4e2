// SPDX-License-Identifier: GPL-2.0-only
// Synthetic traces against the recorded ones that they are drawn from.
#include "system/kernels/kernel-launch.h"
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/recorded-traces.h"
#include "tests/support/scratch-directory.h"
#include "workload/engine/node-route.h"
#include "workload/execution-graph-builder.h"
#include "workload/tools/synthesis/dropped-attributes.h"
#include "workload/tools/synthesis/job-sequence.h"
#include "workload/tools/synthesis/synthesis-report.h"
#include "workload/tools/synthesis/trace-synthesizer.h"
#include "workload/trace-writer.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <map>
#include <span>

using namespace nadi;
using namespace nadi::test;

namespace
{

/// Synthetic traces on disk, read as any others.
struct SyntheticJob
{
    std::vector<std::string> files; ///< contents
    Workload workload;
    std::vector<ClassComparison> comparison;
};

SyntheticJob
MakeSynthetic(const TraceModel& model, const TraceSynthesisOptions& options)
{
    const ScratchDirectory scratch("synthetic");
    const TraceSynthesizer synthesizer(model, options);
    SynthesisReport report(model);
    SyntheticJob made;
    for (uint32_t rank = 0; rank < options.ranks; ++rank)
    {
        const SyntheticRank one = synthesizer.MakeRank(rank);
        report.AddRank(one);
        made.files.push_back(FormatTrace(one.graph));
        scratch.Write(fmt::format("t.{}.et", rank), made.files.back());
    }
    scratch.Write("groups.json", nlohmann::json(synthesizer.Groups()).dump());
    made.workload = ReadRecordedJob(
        {(scratch.Path() / "t.{rank}.et").string(), (scratch.Path() / "groups.json").string()});
    made.comparison = report.Compare();
    return made;
}

std::vector<RecordedJob>
AllRecordedJobs()
{
    std::vector<RecordedJob> jobs = SampleJobs();
    const std::vector<RecordedJob> collection = CollectionJobs();
    jobs.insert(jobs.end(), collection.begin(), collection.end());
    return jobs;
}

/// The types of the collectives of a rank, by the members of their communicators.
std::map<std::vector<uint32_t>, std::vector<CollectiveType>>
ListTypes(const MasterTrace& master, uint32_t rank)
{
    std::map<std::vector<uint32_t>, std::vector<CollectiveType>> types;
    const std::vector<std::vector<uint32_t>> calls = ListCallsOfRanks(master);
    for (const uint32_t index : calls[rank])
    {
        const MasterCall& call = master.calls[index];
        types[master.channels[call.channel].ranks].push_back(call.collective);
    }
    return types;
}

} // namespace

TEST_CASE("Synthesis: distributions, shares and autocorrelation are those of the recording",
          "[unit][trace-tools]")
{
    for (const RecordedJob& job : AllRecordedJobs())
    {
        CAPTURE(job.pattern);
        const TraceModel model = LearnTraceModel(ReadRecordedJob(job));
        const SyntheticJob made =
            MakeSynthetic(model, {.ranks = model.master.rankCount, .seed = 1});
        for (const ClassComparison& one : made.comparison)
        {
            CAPTURE(one.name, one.recorded, one.synthetic);
            constexpr uint64_t many = 256;
            const double bound = one.recorded >= many ? 0.05 : 0.15;
            CHECK(one.distances[0] < bound);
            CHECK(one.distances[1] < bound);
            CHECK(one.distances[2] < bound);
            // Threads of the host take turns in long runs, of which a rank has few.
            const bool isThread = Contains(one.name, ", thread ");
            CHECK(std::abs(one.syntheticShare - one.recordedShare) < (isThread ? 0.02 : 0.005));
            if (one.recordedShare > 0.05)
            {
                CHECK(one.syntheticShare ==
                      Approx(one.recordedShare).epsilon(isThread ? 0.05 : 0.02));
            }
            if (one.recorded >= many)
            {
                CHECK(one.syntheticCorrelation == Approx(one.recordedCorrelation).margin(0.1));
            }
        }
    }
}

TEST_CASE("Synthesis: with as many ranks as recorded, every rank makes the recorded calls",
          "[unit][trace-tools]")
{
    for (const RecordedJob& job : AllRecordedJobs())
    {
        CAPTURE(job.pattern);
        const TraceModel model = LearnTraceModel(ReadRecordedJob(job));
        const uint32_t ranks = model.master.rankCount;
        const MasterTrace made =
            SequenceJob(MakeSynthetic(model, {.ranks = ranks, .seed = 5}).workload).master;
        CHECK(made.calls.size() == model.master.calls.size());
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            CHECK(ListTypes(made, rank) == ListTypes(model.master, rank));
        }
    }
}

TEST_CASE("Synthesis: with any number of ranks, calls match and the job can run",
          "[unit][trace-tools]")
{
    for (const RecordedJob& job : SampleJobs())
    {
        CAPTURE(job.pattern);
        const TraceModel model = LearnTraceModel(ReadRecordedJob(job));
        for (const uint32_t ranks : {1U, 3U, 8U, 13U, 16U})
        {
            CAPTURE(ranks);
            const SyntheticJob made = MakeSynthetic(model, {.ranks = ranks, .seed = 2});
            CHECK(made.workload.RankCount() == ranks);
            // It throws where a member calls another size or type, or the calls cannot be made.
            CHECK_NOTHROW(SequenceJob(made.workload));
        }
    }
}

TEST_CASE("Synthesis: twice the ranks give groups of twice the size", "[unit][trace-tools]")
{
    const std::string folder = std::string(TEST_DATA) + "/traces/stg-gpt-tp4dp2/";
    const TraceModel model =
        LearnTraceModel(ReadRecordedJob({folder + "workload.{rank}.et", folder + "workload.json"}));
    const TraceSynthesizer once(model, {.ranks = 8});
    const TraceSynthesizer twice(model, {.ranks = 16});
    REQUIRE(once.Groups().size() == twice.Groups().size());
    for (const auto& [name, ranks] : once.Groups())
    {
        std::vector<uint32_t> expected; // rank r is played by 2 r and 2 r + 1
        for (const uint32_t rank : ranks)
        {
            expected.push_back(2 * rank);
            expected.push_back(2 * rank + 1);
        }
        CHECK(twice.Groups().at(name) == expected);
    }
}

TEST_CASE("Synthesis: groups that call the same sizes side by side do so again",
          "[unit][trace-tools]")
{
    const std::string folder = std::string(TEST_DATA) + "/traces/stg-gpt-tp4dp2/";
    const TraceModel model =
        LearnTraceModel(ReadRecordedJob({folder + "workload.{rank}.et", folder + "workload.json"}));
    const MasterTrace made =
        SequenceJob(MakeSynthetic(model, {.ranks = 8, .seed = 3}).workload).master;
    std::map<uint32_t, std::vector<uint64_t>> sizes; // by channel
    for (const MasterCall& call : made.calls)
    {
        sizes[call.channel].push_back(call.sizes.front());
    }
    std::map<uint32_t, std::vector<uint64_t>> ofFamily;
    for (const auto& [channel, ofChannel] : sizes)
    {
        const auto found = ofFamily.try_emplace(made.channels[channel].family, ofChannel);
        CHECK(found.first->second == ofChannel);
    }
    CHECK(ofFamily.size() < sizes.size()); // so there were groups side by side
}

TEST_CASE("Synthesis: pairs of ranks with messages of their own size keep these sizes",
          "[unit][trace-tools]")
{
    Workload job;
    const std::array<uint64_t, 2> sizes{64, 128}; // from 0 to 1, from 2 to 3
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        const bool isSender = rank % 2 == 0;
        ExecutionGraphBuilder builder("pairs");
        builder.AddNode({.size = sizes[rank / 2],
                         .peer = isSender ? rank + 1 : rank - 1,
                         .type = isSender ? NodeType::Send : NodeType::Receive},
                        "message");
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        job.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    job.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}, RankId{2}, RankId{3}}}};
    const TraceModel model = LearnTraceModel(job);
    const TraceSynthesizer synthesizer(model, {.ranks = 4});
    std::vector<uint64_t> made;
    for (uint32_t rank = 0; rank < 4; ++rank)
    {
        made.push_back(synthesizer.MakeRank(rank).graph.Node(0).size);
    }
    CHECK(made[0] == made[1]);
    CHECK(made[2] == made[3]);
    CHECK(made[0] + made[2] == sizes[0] + sizes[1]);
}

TEST_CASE("Synthesis: tags of any size are written, equal ones for both ends of a message",
          "[unit][trace-tools]")
{
    Workload job;
    constexpr uint64_t large = uint64_t{1} << 40; // attribute comm_tag has 32 bits
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const NodeType type = rank == 0 ? NodeType::Send : NodeType::Receive;
        ExecutionGraphBuilder builder("tags");
        builder.AddNode({.id = 0, .size = 8, .tag = large, .peer = 1 - rank, .type = type},
                        "message");
        builder.AddNode({.id = 1, .size = 8, .tag = large + 1, .peer = 1 - rank, .type = type},
                        "message");
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        job.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    job.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}}}};
    const SyntheticJob made = MakeSynthetic(LearnTraceModel(job), {.ranks = 2});
    const ExecutionGraph& sender = made.workload.GraphOf(RankId{0});
    const ExecutionGraph& receiver = made.workload.GraphOf(RankId{1});
    CHECK(sender.Node(0).tag != sender.Node(1).tag);
    CHECK(sender.Node(0).tag == receiver.Node(0).tag);
    CHECK(sender.Node(1).tag == receiver.Node(1).tag);
}

TEST_CASE("Synthesis: threads of the host work side by side", "[unit][trace-tools]")
{
    Workload job;
    ExecutionGraphBuilder builder("threads");
    for (uint64_t id = 0; id < 20; ++id)
    {
        builder.AddNode({.id = id,
                         .durationPs = 10'000'000,
                         .stream = 1 + static_cast<uint32_t>(id % 2),
                         .type = NodeType::Compute,
                         .isCpu = true},
                        "made");
    }
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0};
    job.communicators = {{CommunicatorId{0}, {RankId{0}}}};
    job.communicatorOfGroup = {{CommunicatorId{0}}};
    const SyntheticJob made = MakeSynthetic(LearnTraceModel(job), {.ranks = 1});
    std::map<uint32_t, uint32_t> nodes; // by thread
    for (const ExecutionNode& node : made.workload.GraphOf(RankId{0}).Nodes())
    {
        ++nodes[node.stream];
    }
    CHECK(nodes == std::map<uint32_t, uint32_t>{{1, 10}, {2, 10}});
    REQUIRE(made.comparison.size() == 2);
    CHECK(made.comparison[0].name == "compute, CPU, thread 1");
}

TEST_CASE("Synthesis: messages keep their kinds", "[unit][trace-tools]")
{
    Workload job;
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        ExecutionGraphBuilder builder("kinds");
        builder.AddNode({.size = 8,
                         .peer = 1 - rank,
                         .type = rank == 0 ? NodeType::Send : NodeType::Receive,
                         .kind = MessageKind::Kv},
                        "message");
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        job.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    job.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}}}};
    const SyntheticJob made = MakeSynthetic(LearnTraceModel(job), {.ranks = 2});
    CHECK(made.workload.GraphOf(RankId{0}).Node(0).kind == MessageKind::Kv);
}

namespace
{

/// Two ranks exchange 32 and 64 elements, in parts that differ.
Workload
MakeUnequalExchange()
{
    Workload job;
    const std::array<std::vector<uint64_t>, 2> sends{{{8, 24}, {64, 0}}};
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        ExecutionGraphBuilder builder("exchange");
        builder.AddNode({.size = sends[rank][0] + sends[rank][1],
                         .type = NodeType::Collective,
                         .collective = CollectiveType::AllToAll},
                        "exchange");
        builder.SetSplits(std::make_shared<const ExchangeSplits>(ExchangeSplits{sends[rank]}));
        job.graphs.push_back(builder.Build());
        job.graphOfRank.push_back(rank);
        job.communicatorOfGroup.push_back({CommunicatorId{0}});
    }
    job.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}}}};
    return job;
}

/// What a rank of a synthetic job sends in its first node.
std::vector<uint64_t>
SendsOf(const SyntheticJob& job, uint32_t rank)
{
    const ExecutionGraph& graph = job.workload.GraphOf(RankId{rank});
    return graph.SplitsOf(0) == nullptr ? std::vector<uint64_t>{} : graph.SplitsOf(0)->sends;
}

} // namespace

TEST_CASE("Synthesis: parts of an all-to-all keep their proportions, with any number of ranks",
          "[unit][trace-tools]")
{
    using Sends = std::vector<uint64_t>;
    const TraceModel model = LearnTraceModel(MakeUnequalExchange());
    const SyntheticJob two = MakeSynthetic(model, {.ranks = 2});
    CHECK(SendsOf(two, 0) == Sends{8, 24});
    CHECK(SendsOf(two, 1) == Sends{64, 0});
    // Ranks 0 and 1 play rank 0, and share what it got.
    const SyntheticJob four = MakeSynthetic(model, {.ranks = 4});
    CHECK(SendsOf(four, 1) == Sends{4, 4, 12, 12});
    CHECK(SendsOf(four, 2) == Sends{32, 32, 0, 0});
    // Rank 1 is left out, and rank 0 gets its part.
    const SyntheticJob one = MakeSynthetic(model, {.ranks = 1});
    CHECK(SendsOf(one, 0) == Sends{32});
}

TEST_CASE("Synthesis: nodes whose attributes are dropped are counted over all ranks",
          "[unit][trace-tools]")
{
    ExecutionGraphBuilder builder("dropped");
    builder.AddNode({.id = 1, .type = NodeType::Compute}, "product");
    builder.SetKernels(ParseKernels("gemm bf16 k=8 n=8 m=2").value());
    builder.AddNode({.id = 2, .priority = 1, .type = NodeType::Compute}, "first");
    builder.AddNode(
        {.id = 3, .size = 8, .type = NodeType::MemoryLoad, .isRemote = true, .isOfGroup = true},
        "load");
    builder.AddNode({.id = 4, .durationPs = 9000, .type = NodeType::Collective}, "sum");
    builder.SetWait(SimTime::FromNs(5));
    Workload job;
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0, 0};
    CHECK(DescribeDropped(job) ==
          std::vector<std::string>{
              "the attribute comm_priority of 2 nodes is not kept",
              "the attribute pg_name of 2 nodes is not kept: each rank accesses remote memory by "
              "itself, where a group did it together",
              "the attribute kernels of 2 nodes is not kept: their times are the recorded ones, or "
              "follow from num_ops and tensor_size alone",
              "the attribute waited_nanos of 2 nodes is not kept: with communication: recorded a "
              "call takes the least duration of its members"});
    Workload plain = MakeUnequalExchange();
    CHECK(DescribeDropped(plain).empty());
}

TEST_CASE("Synthesis: a job that cannot be run is refused", "[unit][trace-tools]")
{
    Workload job;
    ExecutionGraphBuilder builder("large");
    builder.AddNode({.id = 7, .size = UINT64_MAX, .type = NodeType::Compute}, "kernel");
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0};
    job.communicators = {{CommunicatorId{0}, {RankId{0}}}};
    job.communicatorOfGroup = {{CommunicatorId{0}}};
    CHECK(Contains(ConfigErrorText([&] { LearnTraceModel(job); }), "node 7 \"kernel\" has a size"));
}

TEST_CASE("Synthesis: equal seeds give equal bytes, other seeds others", "[unit][trace-tools]")
{
    const TraceModel model =
        LearnTraceModel(ReadRecordedJob({std::string(TEST_DATA) + "/traces/dlrm/dlrm.0.et.gz"}));
    const SyntheticJob one = MakeSynthetic(model, {.ranks = 2, .seed = 1});
    const SyntheticJob same = MakeSynthetic(model, {.ranks = 2, .seed = 1});
    const SyntheticJob other = MakeSynthetic(model, {.ranks = 2, .seed = 2});
    CHECK(one.files == same.files);
    CHECK(one.files[0] != other.files[0]);
    CHECK(one.files[0] != one.files[1]); // ranks are drawn by themselves
}

TEST_CASE("Synthesis: a kernel waits for its launch, and a collective for its kernel",
          "[unit][trace-tools]")
{
    // Alternately a CPU node, a kernel that it launches, and a collective that waits for both.
    constexpr uint32_t nodes = 3 * 20 + 2;
    ExecutionGraphBuilder builder("made");
    for (uint64_t id = 0; id < nodes; ++id)
    {
        const ExecutionNode launch{.id = id, .type = NodeType::Compute, .isCpu = true};
        const ExecutionNode kernel{.id = id, .stream = 8, .type = NodeType::Compute};
        const ExecutionNode reduce{.id = id, .stream = 25, .type = NodeType::Collective};
        const std::array<ExecutionNode, 3> kinds{launch, kernel, reduce};
        const std::array<std::vector<uint64_t>, 3> parents{id == 0 ? std::vector<uint64_t>{}
                                                                   : std::vector{id - 3},
                                                           {{id - 1}},
                                                           {{id - 2, id - 1}}};
        builder.AddNode(kinds[id % 3], "made", std::span(parents[id % 3]));
    }
    Workload job;
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0, 0};
    job.communicators = {{CommunicatorId{0}, {RankId{0}, RankId{1}}}};
    job.communicatorOfGroup = {{CommunicatorId{0}}, {CommunicatorId{0}}};
    const TraceModel model = LearnTraceModel(job);
    const SyntheticRank made = TraceSynthesizer(model, {.ranks = 2}).MakeRank(1);
    REQUIRE(made.graph.NodeCount() == nodes);
    for (uint32_t node = 0; node < made.graph.NodeCount(); ++node)
    {
        CAPTURE(node);
        const ExecutionNode& one = made.graph.Node(node);
        CHECK(one.type == (node % 3 == 2 ? NodeType::Collective : NodeType::Compute));
        CHECK(one.isCpu == (node % 3 == 0));
        const std::array<uint32_t, 3> parents{node == 0 ? 0U : 1U, 1, 2};
        CHECK(made.graph.ParentCount(node) == parents[node % 3]);
    }
}

TEST_CASE("Synthesis: chains that run side by side stay side by side", "[unit][trace-tools]")
{
    // Two chains, their nodes in turn: each waits for the one before the last.
    ExecutionGraphBuilder builder("chains");
    constexpr uint32_t nodes = 200;
    for (uint64_t id = 0; id < nodes; ++id)
    {
        const std::vector<uint64_t> parents =
            id < 2 ? std::vector<uint64_t>{} : std::vector{id - 2};
        builder.AddNode({.id = id, .type = NodeType::Compute}, "made", std::span(parents));
    }
    Workload job;
    job.graphs.push_back(builder.Build());
    job.graphOfRank = {0};
    job.communicators = {{CommunicatorId{0}, {RankId{0}}}};
    job.communicatorOfGroup = {{CommunicatorId{0}}};
    const TraceModel model = LearnTraceModel(job);
    const SyntheticRank made = TraceSynthesizer(model, {.ranks = 1}).MakeRank(0);
    REQUIRE(made.graph.NodeCount() == nodes);
    uint32_t waiting = 0;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        CHECK(made.graph.ParentCount(node) <= 1);
        for (const uint32_t child : made.graph.Children(node))
        {
            // The second node of the recording waits for nothing, as one somewhere does here. If
            // that is a later one, the second waits for the first.
            CHECK((child == node + 2 || child == 1));
            ++waiting;
        }
    }
    CHECK(waiting == nodes - 2);
}

TEST_CASE("Synthesis: traces without nodes have no statistics", "[unit][trace-tools]")
{
    Workload job;
    job.graphs.push_back(ExecutionGraphBuilder("empty").Build());
    job.graphOfRank = {0};
    job.communicators = {{CommunicatorId{0}, {RankId{0}}}};
    job.communicatorOfGroup = {{CommunicatorId{0}}};
    CHECK(ConfigErrorText([&] { LearnTraceModel(job); }) ==
          "empty: the traces have no node, so there are no statistics of them");
}

TEST_CASE("Synthesis: the report names the types in a table", "[unit][trace-tools]")
{
    const std::vector<ClassComparison> comparison{{.name = "compute, stream 7",
                                                   .recorded = 200,
                                                   .synthetic = 100,
                                                   .recordedShare = 0.5,
                                                   .syntheticShare = 0.25,
                                                   .distances = {0.125, 0, 0},
                                                   .recordedCorrelation = -0.5,
                                                   .syntheticCorrelation = 0.25}};
    const std::string text = FormatComparison(comparison);
    CHECK(Contains(text, "\ncompute, stream 7       200      100    50.00%   25.00%"));
    CHECK(Contains(text, "0.125   0.000   0.000   -0.500   0.250\n"));
}
