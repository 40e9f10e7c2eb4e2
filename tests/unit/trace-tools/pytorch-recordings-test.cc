// SPDX-License-Identifier: GPL-2.0-only
// Recordings of real jobs, from a larger collection where there is one.
#include "tests/support/document-replay.h"
#include "tests/support/scratch-directory.h"
#include "workload/tools/conversion/host-job.h"
#include "workload/tools/conversion/pytorch-converter.h"
#include "workload/tools/fitting/kernel-fit.h"
#include "workload/tools/structure/job-analysis.h"
#include "workload/trace/file-contents.h"
#include "workload/trace/trace-file.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

using namespace nadi;

namespace
{

/// The folder of the collection's traces; empty where there is none.
std::string
RecordingsFolder()
{
    const char* const named = std::getenv("NADI_SHARED");
    const std::filesystem::path folder =
        (named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(SOURCE_DIR) / ".." / "shared") /
        "traces";
    return std::filesystem::is_directory(folder) ? folder.string() + "/" : "";
}

/// The files of a compressed tar archive, by name without folders.
std::map<std::string, std::string>
Unpack(const std::string& path)
{
    constexpr size_t block = 512;
    const std::string tar = Inflate(ReadFileContents(path), path);
    std::map<std::string, std::string> files;
    for (size_t at = 0; at + block <= tar.size() && tar[at] != '\0';)
    {
        const std::string name(tar.c_str() + at);
        const size_t size = std::stoull(tar.substr(at + 124, 12), nullptr, 8);
        files[std::filesystem::path(name).filename()] = tar.substr(at + block, size);
        at += block + (size + block - 1) / block * block;
    }
    return files;
}

/// The time from the first event of a recording to the end of the last one.
int64_t
RecordedNs(const TraceDocument& document)
{
    int64_t begin = INT64_MAX;
    int64_t end = 0;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        begin = std::min(begin, GetStartNanos(node));
        end = std::max(end, GetStartNanos(node) + GetDurationNanos(node));
    }
    return end - begin;
}

/// Each rank by itself takes the time of its recording, even on a machine whose CPU does one thing
/// at a time.
void
CheckReplay(const TraceDocument& document)
{
    const auto recorded = static_cast<double>(RecordedNs(document));
    for (const auto cpus : {test::DocumentReplay::Cpus::Unlimited, test::DocumentReplay::Cpus::One})
    {
        const auto replayed = static_cast<double>(test::DocumentReplay(document, cpus).EndNs());
        CHECK(replayed / recorded == Approx(1.0).epsilon(0.02));
    }
}

/// Sizes of collectives in the order of the file, and compute by stream in nanoseconds.
struct DeviceSummary
{
    std::vector<int64_t> sizes;
    std::map<int64_t, int64_t> computeNs;

    bool operator==(const DeviceSummary&) const = default;
};

DeviceSummary
Summarize(const TraceDocument& document)
{
    DeviceSummary summary;
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        const auto stream = ToInteger(GetAttribute(node, NodeAttribute::Stream));
        if (node.type() == ChakraProtoMsg::COMM_COLL_NODE)
        {
            summary.sizes.push_back(
                ToInteger(GetAttribute(node, NodeAttribute::CommunicationSize)).value());
        }
        else if (stream && GetAttribute(node, NodeAttribute::IsCpu) != AttributeValue(true))
        {
            summary.computeNs[*stream] += GetDurationNanos(node);
        }
    }
    return summary;
}

} // namespace

TEST_CASE("PyTorch: Megatron TP-8 has the collectives and compute of its derived traces",
          "[unit][trace-tools]")
{
    const std::string folder = RecordingsFolder();
    if (folder.empty())
    {
        WARN("there is no collection of traces");
        return;
    }
    auto files = Unpack(folder + "pytorch_host_et_json/megatron_tp8_et_kineto_rank0-1.tgz");
    PytorchConverter converter(2);
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const std::string number = std::to_string(rank);
        const PytorchHostTrace host =
            ParsePytorchHostTrace(files.at("megatron_et_" + number + ".json"), "host");
        const TraceDocument converted = converter.Convert(
            rank,
            ParseKinetoTrace(files.at("megatron_kineto_" + number + ".json"), "device"),
            &host);
        const TraceDocument derived =
            ReadDocument(folder + "megatron_tp8_kineto_derived/megatron." + number + ".et");
        CHECK(Summarize(converted) == Summarize(derived));
        CHECK(Summarize(converted).sizes.size() == 84);
        CheckReplay(converted);
    }
    CHECK(converter.Groups().empty());
}

TEST_CASE("FitKernels: large products of Megatron, one shape left out at a time",
          "[unit][trace-tools]")
{
    const std::string folder = RecordingsFolder();
    if (folder.empty())
    {
        WARN("there is no collection of traces");
        return;
    }
    auto files = Unpack(folder + "pytorch_host_et_json/megatron_tp8_et_kineto_rank0-1.tgz");
    PytorchConverter converter(2);
    KernelSamples samples;
    for (uint32_t rank = 0; rank < 2; ++rank)
    {
        const std::string number = std::to_string(rank);
        const PytorchHostTrace host =
            ParsePytorchHostTrace(files.at("megatron_et_" + number + ".json"), "host");
        const TraceDocument converted = converter.Convert(
            rank,
            ParseKinetoTrace(files.at("megatron_kineto_" + number + ".json"), "device"),
            &host);
        samples.AddRank(
            ParseTrace(FormatDocument(converted), "megatron", DependencyPolicy::Auto).graph);
    }
    const KernelFit fit = FitKernels(samples, {}, "megatron");
    // Each rank runs 161 operators aten::mm, and one aten::bmm and one aten::baddbmm in each of 40
    // layers.
    CHECK(fit.kinds.at(KernelOp::Gemm).kernels == 2 * 161);
    CHECK(fit.kinds.at(KernelOp::BatchedGemm).kernels == 2 * 80);
    uint32_t large = 0;
    for (const ShapeFit& shape : fit.kinds.at(KernelOp::Gemm).shapes)
    {
        if (shape.sample.work.operations > 100'000'000'000)
        {
            CHECK(std::abs(shape.errorLeftOut.value()) < 0.1);
            ++large;
        }
    }
    CHECK(large == 4);
}

TEST_CASE("PyTorch: DLRM converts on all eight ranks, as the collectives of one job",
          "[unit][trace-tools]")
{
    const std::string folder = RecordingsFolder();
    if (folder.empty())
    {
        WARN("there is no collection of traces");
        return;
    }
    auto hosts = Unpack(folder + "pytorch_host_et_json/dlrm_pytorch_et.tar.gz");
    const auto devices = Unpack(folder + "pytorch_host_et_json/dlrm_kineto.tar.gz");
    PytorchConverter converter(8);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        const std::string number = std::to_string(rank);
        const auto device = devices.lower_bound("worker" + number + "_step_12.");
        const PytorchHostTrace host =
            ParsePytorchHostTrace(hosts.at("dlrm_eg_" + number + ".json"), "host");
        const TraceDocument converted =
            converter.Convert(rank, ParseKinetoTrace(device->second, device->first), &host);
        const DeviceSummary summary = Summarize(converted);
        // Three all-reduces and five all-to-alls; these are the sizes in the inputs of their calls.
        REQUIRE(summary.sizes.size() == 8);
        CHECK(std::count(summary.sizes.begin(), summary.sizes.end(), 394241 * 4) == 1);
        CHECK(std::count(summary.sizes.begin(), summary.sizes.end(), 6144 * 4) == 2);
        CheckReplay(converted);
        CHECK(ParseTrace(FormatDocument(converted), "dlrm", DependencyPolicy::Auto)
                  .graph.NodeCount() == converted.nodes.size());
    }
}

TEST_CASE("PyTorch: a Kineto trace alone tells collectives and groups", "[unit][trace-tools]")
{
    const std::string folder = RecordingsFolder();
    if (folder.empty())
    {
        WARN("there is no collection of traces");
        return;
    }
    PytorchConverter converter(1);
    const TraceDocument converted = converter.Convert(
        0, {.device = folder + "pytorch_host_et_json/nccl_parser_config__nccl_data.json.gz"});
    // Three iterations of five all-reduces and two broadcasts. One all-reduce of each is of 6637568
    // floats.
    const DeviceSummary summary = Summarize(converted);
    CHECK(summary.sizes.size() == 3 * (5 + 2));
    CHECK(std::count(summary.sizes.begin(), summary.sizes.end(), 6637568 * 4) == 3);
    CHECK(converter.Groups().empty()); // "0", of all two ranks
    CheckReplay(converted);
}

TEST_CASE("PyTorch: host traces of schemas 1.0.1 to 1.1.1 can be read", "[unit][trace-tools]")
{
    const std::string folder = RecordingsFolder();
    if (folder.empty())
    {
        WARN("there is no collection of traces");
        return;
    }
    const PytorchHostTrace trace =
        ReadPytorchHostTrace(folder + "pytorch_host_et_json/hoti2024_ddp_host_et_0.json.gz");
    CHECK(trace.schema == "1.0.2-chakra.0.0.4");
    std::vector<uint64_t> bytes;
    for (const PytorchHostNode& node : trace.nodes)
    {
        if (node.name == "record_param_comms" && node.call && node.call->type)
        {
            CHECK(node.call->group == "0");
            CHECK(node.call->groupSize == 2U);
            bytes.push_back(node.call->inputBytes.value_or(0));
        }
    }
    // Elements of its two broadcasts, of floats and of long ints, and of its five all-reduces.
    CHECK(bytes ==
          std::vector<uint64_t>{
              53120 * 4, 53 * 8, 2049000 * 4, 7875584 * 4, 6563840 * 4, 6637568 * 4, 2431040 * 4});
    for (const char* const name : {"linear_et.json.gz", "hoti2024_ddp_host_et_1.json.gz"})
    {
        CHECK(!ReadPytorchHostTrace(folder + "pytorch_host_et_json/" + name).nodes.empty());
    }
    const auto files = Unpack(folder + "pytorch_host_et_json/hf_GPT2_et.json.tar.gz");
    for (const auto& [name, text] : files)
    {
        if (name.ends_with(".json") && !name.starts_with("."))
        {
            CHECK(ParsePytorchHostTrace(text, name).nodes.size() > 20'000);
        }
    }
}

TEST_CASE("Host traces alone: a recorded GPT-2 has 36 layers forward and backward",
          "[unit][trace-tools]")
{
    const std::string folder = RecordingsFolder();
    if (folder.empty())
    {
        WARN("there is no collection of traces");
        return;
    }
    const auto files = Unpack(folder + "pytorch_host_et_json/hf_GPT2_et.json.tar.gz");
    const test::ScratchDirectory scratch("host-gpt2");
    const HostJob job =
        ReadHostJob({scratch.Write("host.0.json", files.at("hf_GPT2_et.json")).string()});
    const JobStructure found = FindStructure(job.workload, job.orders, {});
    CHECK(found.layers == 36);
    CHECK(found.isOfHost);
    REQUIRE(found.ranks[0].kinds.size() == 2);
    CHECK(found.ranks[0].kinds[0].taskCount == 20);
    CHECK(found.ranks[0].kinds[1].taskCount == 34);
    CHECK_FALSE(found.ranks[0].kinds[1].isForward);
    CHECK(found.ranks[0].tasks.size() == 3268);
}
