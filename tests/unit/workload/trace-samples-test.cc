// SPDX-License-Identifier: GPL-2.0-only
// Traces that other tools wrote: tests/data/traces, and a larger collection where there is one.
#include "tests/support/test-paths.h"
#include "workload/trace/trace-file.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

using Counts = std::array<uint32_t, 4>; // computes, sends, receives, collectives

Counts
CountTypes(const ExecutionGraph& graph)
{
    Counts counts{};
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const NodeType type = graph.Node(index).type;
        counts[0] += type == NodeType::Compute ? 1 : 0;
        counts[1] += type == NodeType::Send ? 1 : 0;
        counts[2] += type == NodeType::Receive ? 1 : 0;
        counts[3] += type == NodeType::Collective ? 1 : 0;
    }
    return counts;
}

std::string
Sample(const std::string& path)
{
    return std::string(TEST_DATA) + "/traces/" + path;
}

ExecutionGraph
ReadOne(const std::string& path)
{
    return ReadTraceFile(Sample(path), DependencyPolicy::Auto).graph;
}

Workload
ReadSet(const std::string& pattern, const std::string& groups = "")
{
    TraceOptions options;
    options.pattern = pattern;
    if (!groups.empty())
    {
        options.groupsFile = groups;
    }
    return ReadTraces(options);
}

/// The folder of the larger collection; empty where there is none.
std::string
CollectionFolder()
{
    const char* const named = std::getenv("NADI_SHARED");
    const std::filesystem::path folder =
        (named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(SOURCE_DIR) / ".." / "shared") /
        "traces";
    return std::filesystem::is_directory(folder) ? folder.string() + "/" : "";
}

/// A set of the collection and what every rank of it holds at least and at most.
struct CollectionSet
{
    std::string pattern;
    uint32_t ranks = 1;
    uint32_t leastNodes = 0;
    uint32_t mostNodes = 0;
    Counts ofRank0{};
};

} // namespace

TEST_CASE("Sample: schema 0.0.1", "[unit][workload]")
{
    const ExecutionGraph graph = ReadOne("proto2-v001/twoCompNodesDependent.0.eg");
    CHECK(CountTypes(graph) == Counts{2, 0, 0, 0});
    CHECK(graph.ParentCount(1) == 1);
    CHECK(graph.Node(0).durationPs == 5'000'000); // 5 us
}

TEST_CASE("Sample: schema 0.0.3, every kind", "[unit][workload]")
{
    const auto one = [](const std::string& kind)
    { return ReadOne("proto2-v003/" + kind + ".0.et"); };
    const auto collective = [&one](const std::string& kind)
    {
        const ExecutionNode node = one("one_comm_coll_node_" + kind).Node(0);
        CHECK(node.type == NodeType::Collective);
        CHECK(node.size == 65536);
        return node.collective;
    };
    CHECK(collective("allreduce") == CollectiveType::AllReduce);
    CHECK(collective("alltoall") == CollectiveType::AllToAll);
    CHECK(collective("allgather") == CollectiveType::AllGather);
    CHECK(collective("reducescatter") == CollectiveType::ReduceScatter);
    CHECK(one("one_comm_send_node").Node(0).type == NodeType::Send);
    CHECK(one("one_comm_send_node").Node(0).peer == 1);
    CHECK(one("one_comm_recv_node").Node(0).type == NodeType::Receive);
    CHECK(one("one_comm_recv_node").Node(0).peer == 3);
    CHECK(one("one_mem_load_node").Node(0).type == NodeType::MemoryLoad);
    CHECK(one("one_mem_store_node").Node(0).size == 1024);
    CHECK(one("one_comp_node").Node(0).durationPs == 5'000'000);
    CHECK(one("two_comp_nodes_dependent").ParentCount(1) == 1);
    CHECK(one("two_comp_nodes_independent").ParentCount(1) == 0);
    for (const char* kind :
         {"bool", "bools", "float", "floats", "int", "ints", "string", "strings"})
    {
        CHECK(one(std::string("one_metadata_node_") + kind).Node(0).type == NodeType::Metadata);
    }
}

TEST_CASE("Sample: a ring all-reduce by MSCCLang", "[unit][workload]")
{
    const Workload workload = ReadSet(Sample("custom-ring/custom_allreduce.{rank}.et"));
    REQUIRE(workload.RankCount() == 8);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        CHECK(CountTypes(workload.GraphOf(RankId{rank})) == Counts{7, 14, 14, 0});
    }
}

TEST_CASE("Sample: a GPT layer with its groups", "[unit][workload]")
{
    const Workload workload = ReadSet(Sample("stg-gpt-tp4dp2/workload.{rank}.et"),
                                      Sample("stg-gpt-tp4dp2/workload.json"));
    REQUIRE(workload.RankCount() == 8);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        CHECK(CountTypes(workload.GraphOf(RankId{rank})) == Counts{43, 0, 0, 15});
    }
    // Beside all ranks: 4 groups for data, 2 for tensor parallelism.
    CHECK(workload.communicators.size() == 7);
    CHECK(workload.notes.empty());
}

TEST_CASE("Sample: pipeline stages, a micro-benchmark, a converted text", "[unit][workload]")
{
    const Workload stages = ReadSet(Sample("stg-gpt-pp2/workload.{rank}.et"));
    CHECK(CountTypes(stages.GraphOf(RankId{0})) == Counts{68, 2, 2, 0});
    CHECK(CountTypes(stages.GraphOf(RankId{1})) == Counts{72, 2, 2, 0});
    const Workload reduce = ReadSet(Sample("all-reduce-4/all_reduce.{rank}.et"));
    CHECK(reduce.RankCount() == 4);
    CHECK(reduce.GraphOf(RankId{3}).Node(0).size == 1 << 20);
    const Workload resnet = ReadSet(Sample("text-resnet50/Resnet50_DataParallel.{rank}.et"));
    CHECK(CountTypes(resnet.GraphOf(RankId{1})) == Counts{161, 0, 0, 54});
    REQUIRE(resnet.notes.size() == 1);
    CHECK(resnet.notes[0].find("108 communication nodes have no comm_size") == 0);
}

TEST_CASE("Sample: a compressed trace of a real run has streams on GPU nodes, threads on CPU nodes",
          "[unit][workload]")
{
    const ExecutionGraph graph = ReadOne("dlrm/dlrm.0.et.gz");
    REQUIRE(graph.NodeCount() == 1933);
    uint32_t cpus = 0;
    std::set<uint32_t> threads;
    std::set<uint32_t> streams;
    for (uint32_t index = 0; index < graph.NodeCount(); ++index)
    {
        const ExecutionNode& node = graph.Node(index);
        cpus += node.isCpu ? 1 : 0;
        (node.isCpu ? threads : streams).insert(node.stream);
    }
    CHECK(threads == std::set<uint32_t>{1, 2});
    CHECK(streams.count(0) == 0);
    CHECK(cpus == 1672);
    CHECK(CountTypes(graph) == Counts{1925, 0, 0, 8});
}

TEST_CASE("Sample: the feeder's JSON", "[unit][workload]")
{
    const ExecutionGraph graph = ReadOne("resnet-json/small_chakra.0.json");
    CHECK(graph.NodeCount() == 7);
    CHECK(graph.Node(0).id == 216);
}

TEST_CASE("Collection: every set of traces reads with the nodes it is said to have",
          "[unit][workload]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const std::vector<CollectionSet> sets{
        {"megatron_tp8_kineto_derived/megatron.{rank}.et", 8, 6200, 6200, {6116, 0, 0, 84}},
        // Of the 24 collectives, 16 are host calls.
        {"dlrm_8gpu_converter_jan2024/dlrm.{rank}.et", 8, 1131, 1189, {1123, 0, 0, 8}},
        {"dlrm_8gpu_kineto_derived/dlrm.{rank}.et", 8, 1933, 2009, {1925, 0, 0, 8}},
        {"resnet_ddp_rank0_mlcommons/chakra.{rank}.et", 1, 3664, 3664, {3643 + 14, 0, 0, 7}},
        {"resnet_ddp_rank0_mlcommons/chakra.{rank}.json.gz", 1, 3664, 3664, {3664, 0, 0, 0}},
        {"pytorch_2gpu_2025/chakra_trace.{rank}.et", 2, 1634, 1634, {1632, 0, 0, 2}},
        {"stg_gpt_layer1_tp4dp2/workload.{rank}.et", 8, 58, 58, {43, 0, 0, 15}},
        {"stg_gpt_layer2_pp2/workload.{rank}.et", 2, 72, 76, {68, 2, 2, 0}},
        {"stg_t1/workload.{rank}.et", 8, 348, 356, {250, 4, 4, 90}},
        {"stg_gpt_fsdp_dp8/workload.{rank}.et", 8, 558, 558, {508, 0, 0, 50}},
        {"custom_ring_allreduce_8_mscclang/custom_allreduce.{rank}.et", 8, 35, 35, {7, 14, 14, 0}},
        {"text_mlp_modelparallel_32/MLP_ModelParallel.{rank}.et", 32, 29, 29, {18, 0, 0, 11}},
        {"text_resnet50_dp_64/Resnet50_DataParallel.{rank}.et", 64, 215, 215, {161, 0, 0, 54}},
        {"stress_500k/megatron_x80.{rank}.et.gz",
         1,
         80 * 6200,
         80 * 6200,
         {80 * 6116, 0, 0, 80 * 84}}};
    for (const CollectionSet& set : sets)
    {
        INFO(set.pattern);
        const Workload workload = ReadSet(folder + set.pattern);
        CHECK(workload.RankCount() == set.ranks);
        CHECK(CountTypes(workload.GraphOf(RankId{0})) == set.ofRank0);
        for (const ExecutionGraph& graph : workload.graphs)
        {
            CHECK(graph.NodeCount() >= set.leastNodes);
            CHECK(graph.NodeCount() <= set.mostNodes);
        }
    }
}

TEST_CASE("Collection: groups of a 3D-parallel job", "[unit][workload]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const Workload workload =
        ReadSet(folder + "stg_t1/workload.{rank}.et", folder + "stg_t1/workload.json");
    // Beside all ranks: 4 pairs for data and 4 for tensor parallelism; single ranks call nothing.
    CHECK(workload.communicators.size() == 9);
    CHECK(workload.notes.empty());
}

TEST_CASE("Collection: half a million nodes take at most 100 bytes each", "[unit][workload]")
{
    const std::string folder = CollectionFolder();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    const TraceFile trace =
        ReadTraceFile(folder + "stress_500k/megatron_x80.0.et.gz", DependencyPolicy::Auto);
    CHECK(trace.graph.MemoryBytes() <= 100 * size_t{trace.graph.NodeCount()});
}
