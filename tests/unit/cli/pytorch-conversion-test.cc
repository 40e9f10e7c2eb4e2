// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/trace-inputs.h"
#include "common/usage-error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/kineto-text.h"
#include "tests/support/scratch-directory.h"
#include "workload/document/trace-document.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

using namespace nadi;
using test::Contains;
using test::KinetoText;
using test::ScratchDirectory;

namespace
{

ConversionArguments
ArgumentsOf(const std::vector<std::string>& host,
            const std::vector<std::string>& device,
            const std::string& out = "out")
{
    ConversionArguments arguments;
    arguments.from = "pytorch";
    arguments.host = host;
    arguments.device = device;
    arguments.out = out;
    return arguments;
}

std::string
ConversionUsageError(const ConversionArguments& arguments)
{
    try
    {
        ConvertPyTorch(arguments);
    }
    catch (const UsageError& error)
    {
        return error.what();
    }
    return "";
}

KinetoText
KinetoOfRank(uint32_t rank)
{
    const nlohmann::json args{{"Collective name", "allreduce"},
                              {"dtype", "Float"},
                              {"In msg nelems", 10},
                              {"Process Group Name", "pair"},
                              {"Process Group Ranks", "[0, 1]"}};
    return KinetoText()
        .Operator("op", 0, 10)
        .Launch("ncclAllReduce", 1, 3, 5, 1, 24, args)
        .Distributed(rank, 2);
}

} // namespace

TEST_CASE("nadi trace convert --from pytorch: writes a trace a rank and the groups", "[unit][cli]")
{
    const ScratchDirectory scratch("convert-pytorch");
    scratch.Write("worker0_step_12.345.json", KinetoOfRank(0).Text());
    scratch.Write("worker1_step_12.678.json", KinetoOfRank(1).Text());
    const std::string out = scratch.Path() / "out";
    const Conversion made =
        ConvertPyTorch(ArgumentsOf({}, {scratch.Path() / "worker{rank}_step_12.*.json"}, out));
    CHECK(made.name == "worker");
    CHECK(made.ranks == std::vector<uint32_t>{0, 1});
    CHECK(made.groupCount == 1);
    CHECK(made.notes.empty());
    CHECK(test::ReadWholeFile(out + "/groups.json") == "{\"pair\":[0,1]}\n");
    for (const char* const name : {"/worker.0.et", "/worker.1.et"})
    {
        const TraceDocument document = ReadDocument(out + name);
        CHECK(std::count_if(document.nodes.begin(),
                            document.nodes.end(),
                            [](const ChakraProtoMsg::Node& node)
                            { return node.type() == ChakraProtoMsg::COMM_COLL_NODE; }) == 1);
    }
}

TEST_CASE("nadi trace convert --from pytorch: says which files it needs", "[unit][cli]")
{
    CHECK(Contains(ConversionUsageError(ArgumentsOf({}, {})), "write --device"));
    CHECK(Contains(ConversionUsageError(ArgumentsOf({"h.json"}, {})),
                   "--host alone is not enough, because a host execution trace has neither times"));
    ConversionArguments unnamed = ArgumentsOf({}, {"k.json"});
    unnamed.files = {"a.json"};
    CHECK(Contains(ConversionUsageError(unnamed), "\"a.json\" is of which kind?"));
    const ScratchDirectory scratch("convert-pytorch");
    const std::string device = scratch.Write("k.json", KinetoOfRank(0).Text());
    CHECK(Contains(ConversionUsageError(ArgumentsOf({"a.json", "b.json"}, {device})),
                   "--host has 2 files, but --device 1"));
}

TEST_CASE("nadi trace convert --from pytorch: some ranks of a job keep their numbers",
          "[unit][cli]")
{
    const ScratchDirectory scratch("convert-some-ranks");
    const std::string pattern = scratch.Path() / "k{rank}.json";
    for (const uint32_t rank : {1U, 9U})
    {
        scratch.Write(fmt::format("k{}.json", rank), KinetoOfRank(rank).Text());
    }
    const std::string out = scratch.Path() / "out";
    const Conversion made = ConvertPyTorch(ArgumentsOf({}, {pattern}, out));
    CHECK(made.ranks == std::vector<uint32_t>{1, 9});
    CHECK(std::filesystem::exists(out + "/k.1.et"));
    CHECK(std::filesystem::exists(out + "/k.9.et"));
    CHECK_FALSE(std::filesystem::exists(out + "/k.0.et"));
    // In a list, files are of ranks 0, 1, ...
    const std::string other = scratch.Path() / "other";
    CHECK(
        Contains(ConfigErrorText(
                     [&]
                     {
                         ConvertPyTorch(ArgumentsOf(
                             {}, {scratch.Path() / "k1.json", scratch.Path() / "k9.json"}, other));
                     }),
                 "k1.json: is the recording of rank 1, but stands in the place of rank 0; give "
                 "the files in the order of ranks, or with {rank} for the number in their names"));
    scratch.Write("h1.json", "{}");
    scratch.Write("h2.json", "{}");
    CHECK(Contains(
        ConversionUsageError(ArgumentsOf({scratch.Path() / "h{rank}.json"}, {pattern}, other)),
        "--host has no file of rank 9, but --device has "));
}

TEST_CASE("FindTraceInputs: a star in a pattern of ranks stands for the rest of a name",
          "[unit][cli]")
{
    const ScratchDirectory scratch("starred-ranks");
    for (uint32_t rank = 0; rank < 11; ++rank)
    {
        scratch.Write(fmt::format("w{}.{}.json", rank, 1000 - rank), "");
    }
    const std::string pattern = scratch.Path() / "w{rank}.*.json";
    const TraceInputs inputs = FindTraceInputs({pattern});
    REQUIRE(inputs.files.size() == 11);
    CHECK(inputs.files[10] == (scratch.Path() / "w10.990.json").string());
    CHECK(inputs.name == "w");
    scratch.Write("w3.again.json", "");
    CHECK(Contains(ConfigErrorText([&] { FindTraceInputs({pattern}); }),
                   "fits several files of rank 3"));
    CHECK(Contains(ConfigErrorText([&] { FindTraceInputs({scratch.Path() / "v{rank}.*"}); }),
                   "fits no file of any rank"));
    std::filesystem::remove(scratch.Path() / "w3.again.json");
    std::filesystem::remove(scratch.Path() / "w3.997.json");
    CHECK(Contains(ConfigErrorText([&] { FindTraceInputs({pattern}); }),
                   "is missing, while the file of rank 4 is there"));
}
