// SPDX-License-Identifier: GPL-2.0-only
// Every set of traces at hand either runs to its end or says what is wrong with it.
#include "common/error.h"
#include "simulation/run-input.h"
#include "simulation/simulate.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <set>

using namespace nadi;
using namespace nadi::test;

namespace
{

struct TraceSet
{
    std::string pattern; ///< below the folder of all sets
    uint32_t npus = 1;
    std::string groups = {}; ///< file beside the traces
    std::string error = {};  ///< a part of it; empty: the set runs
    std::string note = {};   ///< a part of one that must be there
};

const std::string NO_JOB_OF_ONE = "the job has one rank: its collectives";
const std::string HOST_TRACE = "is a PyTorch host trace";
const std::string KINETO_TRACE = "is a Kineto trace";
const std::string TAR = "is a tar archive";
const std::string TEXT = "is a text, not a Chakra trace";

std::string
ConfigurationOf(const TraceSet& set, const std::filesystem::path& folder)
{
    const std::filesystem::path trace = folder / set.pattern;
    std::string workload = "{trace: \"" + trace.string() + "\"";
    if (!set.groups.empty())
    {
        workload += ", groups: \"" + (trace.parent_path() / set.groups).string() + "\"";
    }
    // Large frames: what is asked here is whether a job ends, not how its packets go.
    return "workload: " + workload +
           "}\n"
           "network:\n"
           "  dimensions: [{shape: switch, size: " +
           std::to_string(set.npus) +
           ", bandwidth: 400 Gb/s, latency: 500 ns}]\n"
           "  packet: {payload: 65536 B}\n";
}

/// Whether some node must put bytes on the wire.
bool
HasBytesToSend(const Workload& workload)
{
    for (uint32_t rank = 0; rank < workload.RankCount(); ++rank)
    {
        const ExecutionGraph& graph = workload.GraphOf(RankId{rank});
        for (uint32_t index = 0; index < graph.NodeCount(); ++index)
        {
            const ExecutionNode& node = graph.Node(index);
            const CommunicatorId group = workload.communicatorOfGroup[rank][node.group];
            const bool isCollective = node.type == NodeType::Collective &&
                                      workload.communicators[group.value].ranks.size() > 1;
            const bool isMessage = isCollective || node.type == NodeType::Send;
            if (isMessage && !node.isCpu && node.size > 0)
            {
                return true;
            }
        }
    }
    return false;
}

void
CheckResults(const RunResults& results, const RunInput& input)
{
    CHECK(results.status == RunStatus::Done);
    CHECK((results.BytesSent() > Bytes{0}) == HasBytesToSend(input.Workload()));
    for (const RankResult& rank : results.ranks)
    {
        const RankMetrics& metrics = rank.metrics;
        const bool isWhole =
            metrics.compute + metrics.exposedCommunication + metrics.idle == metrics.finish;
        const bool isOrdered = metrics.exposedCommunication <= metrics.communication &&
                               metrics.finish <= results.finish && metrics.idle >= SimTime{};
        CHECK((isWhole && isOrdered));
    }
}

bool
HasNote(const RunInput& input, const std::string& part)
{
    return std::any_of(input.Notes().begin(),
                       input.Notes().end(),
                       [&](const std::string& note)
                       { return note.find(part) != std::string::npos; });
}

/// The error of reading a set, or "" once it has run and its results hold together.
std::string
RunSet(const TraceSet& set, const std::filesystem::path& folder)
{
    const ScratchDirectory scratch("traces");
    const auto file = scratch.Write("c.yaml", ConfigurationOf(set, folder));
    try
    {
        const RunInput input(file, {});
        CHECK((set.note.empty() || HasNote(input, set.note)));
        CheckResults(Simulate(input), input);
        return "";
    }
    catch (const ConfigError& error)
    {
        return error.what();
    }
}

void
CheckSets(const std::vector<TraceSet>& sets, const std::filesystem::path& folder)
{
    for (const TraceSet& set : sets)
    {
        CAPTURE(set.pattern, set.npus, set.error);
        const std::string error = RunSet(set, folder);
        CAPTURE(error);
        CHECK(error.empty() == set.error.empty());
        CHECK(error.find(set.error) != std::string::npos);
    }
}

/// The sets that a checkout may have beside it; empty: none.
std::filesystem::path
SharedTraces()
{
    const char* given = std::getenv("NADI_SHARED");
    const std::filesystem::path shared =
        given != nullptr ? given : std::filesystem::path(SOURCE_DIR) / ".." / "shared";
    return std::filesystem::is_directory(shared / "traces") ? shared / "traces"
                                                            : std::filesystem::path();
}

/// The files of a folder; what is wrong with each follows from its name.
std::vector<TraceSet>
RefusedFiles(const std::filesystem::path& folder,
             const std::string& name,
             const std::function<std::string(const std::string&)>& errorOf)
{
    std::vector<TraceSet> sets;
    for (const auto& entry : std::filesystem::directory_iterator(folder / name))
    {
        const std::string file = entry.path().filename().string();
        sets.push_back({.pattern = name + "/" + file, .npus = 2, .error = errorOf(file)});
    }
    return sets;
}

/// `kind.0.et` -> `kind.{rank}.et`, for all kinds of schema 0.0.3.
std::vector<TraceSet>
SchemaSets(const std::filesystem::path& folder, const std::string& name)
{
    std::set<std::string> kinds;
    for (const auto& entry : std::filesystem::directory_iterator(folder / name))
    {
        kinds.insert(entry.path().stem().stem().string());
    }
    std::vector<TraceSet> sets;
    for (const std::string& kind : kinds)
    {
        TraceSet set{.pattern = name + "/" + kind + ".{rank}.et", .npus = 2};
        // They name ranks of a larger job.
        set.error = kind == "one_comm_send_node"   ? "sends to rank"
                    : kind == "one_comm_recv_node" ? "receives from rank"
                                                   : "";
        sets.push_back(set);
    }
    return sets;
}

/// The header of an archive: 512 bytes with the sum of all of them, blanks in its own place.
std::string
MakeTarHeader()
{
    std::string header(512, '\0');
    header.replace(0, 8, "trace.et");
    header.replace(257, 5, "ustar");
    header.replace(148, 8, "        ");
    uint32_t sum = 0;
    for (const char letter : header)
    {
        sum += static_cast<uint8_t>(letter);
    }
    header.replace(148, 6, fmt::format("{:06o}", sum));
    return header;
}

} // namespace

TEST_CASE("Traces: the sets in the checkout run, or say what is wrong", "[golden][traces]")
{
    const std::filesystem::path folder = std::string(TEST_DATA) + "/traces";
    CheckSets(SchemaSets(folder, "proto2-v003"), folder);
    CheckSets(
        {{.pattern = "all-reduce-4/all_reduce.{rank}.et", .npus = 4},
         {.pattern = "custom-ring/custom_allreduce.{rank}.et", .npus = 8},
         {.pattern = "dlrm/dlrm.{rank}.et.gz", .npus = 8, .note = NO_JOB_OF_ONE},
         {.pattern = "dlrm/dlrm.0.et.gz", .npus = 2},
         {.pattern = "proto2-v001/twoCompNodesDependent.0.eg", .npus = 2},
         {.pattern = "resnet-json/small_chakra.0.json", .npus = 1},
         {.pattern = "stg-gpt-pp2/workload.{rank}.et", .npus = 2, .groups = "workload.json"},
         {.pattern = "stg-gpt-tp4dp2/workload.{rank}.et", .npus = 8, .groups = "workload.json"},
         {.pattern = "text-resnet50/Resnet50_DataParallel.{rank}.et",
          .npus = 2,
          .note = "have no comm_size"}},
        folder);
}

TEST_CASE("Traces: fewer NPUs than traces is an error that names both", "[golden][traces]")
{
    const std::filesystem::path folder = std::string(TEST_DATA) + "/traces";
    CheckSets({{.pattern = "custom-ring/custom_allreduce.{rank}.et",
                .npus = 4,
                .error = "has 8 ranks, but the network"}},
              folder);
}

TEST_CASE("Traces: files that are no traces are named for what they are", "[golden][traces]")
{
    const ScratchDirectory scratch("no-traces");
    scratch.Write("kineto.json", R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "ts": 1}]})");
    scratch.Write("host.json", R"({"schema": "1.1.0", "nodes": [{"id": 1, "name": "[root]"}]})");
    scratch.Write("layers.txt", "DATA\n2\nlayer1 -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 1024 5\n");
    scratch.Write("archive.tar", MakeTarHeader());
    CheckSets({{.pattern = "kineto.json", .npus = 2, .error = KINETO_TRACE},
               {.pattern = "host.json", .npus = 2, .error = HOST_TRACE},
               {.pattern = "layers.txt", .npus = 2, .error = TEXT},
               {.pattern = "archive.tar", .npus = 2, .error = TAR}},
              scratch.Path());
}

TEST_CASE("Traces: the sets beside the checkout run, or say what is wrong", "[golden][traces]")
{
    const std::filesystem::path folder = SharedTraces();
    if (folder.empty())
    {
        WARN("no traces beside the checkout: only those in tests/data/traces were run");
        return;
    }
    CheckSets(SchemaSets(folder, "proto2_v003_chakra_old"), folder);
    for (const std::string collective :
         {"all_gather", "all_reduce", "all_to_all", "reduce_scatter"})
    {
        const std::string start = "astrasim_microbench/" + collective + "/";
        CheckSets({{.pattern = start + "4npus_1MB/" + collective + ".{rank}.et", .npus = 4},
                   {.pattern = start + "8npus_1MB/" + collective + ".{rank}.et", .npus = 8}},
                  folder);
    }
    const std::string groups = "workload.json";
    CheckSets(
        {{.pattern = "custom_ring_allreduce_8_mscclang/custom_allreduce.{rank}.et", .npus = 8},
         {.pattern = "dlrm_8gpu_converter_jan2024/dlrm.{rank}.et",
          .npus = 8,
          .note = "128 communication nodes are host calls"},
         {.pattern = "dlrm_8gpu_kineto_derived/dlrm.{rank}.et", .npus = 8},
         {.pattern = "megatron_tp8_kineto_derived/megatron.{rank}.et", .npus = 8},
         {.pattern = "proto2_v001_eg/twoCompNodesDependent.{rank}.eg"},
         {.pattern = "pytorch_2gpu_2025/chakra_trace.{rank}.et",
          .npus = 2,
          .note = "group \"1\" is defined nowhere"},
         {.pattern = "resnet_ddp_rank0_mlcommons/chakra.{rank}.et",
          .npus = 8,
          .note = NO_JOB_OF_ONE},
         {.pattern = "resnet_ddp_rank0_mlcommons/chakra.{rank}.json.gz", .npus = 8},
         {.pattern = "resnet_ddp_rank0_mlcommons/small_chakra.{rank}.json", .npus = 8},
         {.pattern = "stg_gpt_fsdp_dp8/workload.{rank}.et", .npus = 8, .groups = groups},
         {.pattern = "stg_gpt_layer1_tp4dp2/workload.{rank}.et", .npus = 8, .groups = groups},
         {.pattern = "stg_gpt_layer2_pp2/workload.{rank}.et", .npus = 2, .groups = groups},
         {.pattern = "stg_t1/workload.{rank}.et", .npus = 8, .groups = groups},
         {.pattern = "stress_500k/megatron_x80.{rank}.et.gz", .note = NO_JOB_OF_ONE},
         {.pattern = "stress_500k/megatron_x80.0.et.gz", .npus = 2},
         {.pattern = "text_mlp_modelparallel_32/MLP_ModelParallel.{rank}.et", .npus = 32},
         {.pattern = "text_resnet50_dp_64/Resnet50_DataParallel.{rank}.et",
          .npus = 64,
          .note = "3456 communication nodes have no comm_size"}},
        folder);
}

TEST_CASE("Traces: files beside the checkout that are no traces are named for what they are",
          "[golden][traces]")
{
    const std::filesystem::path folder = SharedTraces();
    if (folder.empty())
    {
        WARN("no traces beside the checkout");
        return;
    }
    CheckSets(RefusedFiles(folder, "astrasim_v1_text", [](const std::string&) { return TEXT; }),
              folder);
    CheckSets(RefusedFiles(folder,
                           "pytorch_host_et_json",
                           [](const std::string& file)
                           {
                               const bool isTar = file.find(".tar.") != std::string::npos ||
                                                  file.find(".tgz") != std::string::npos;
                               const bool isKineto = file.find("nccl_data") != std::string::npos;
                               return isTar ? TAR : isKineto ? KINETO_TRACE : HOST_TRACE;
                           }),
              folder);
}
