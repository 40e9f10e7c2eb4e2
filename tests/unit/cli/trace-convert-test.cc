// SPDX-License-Identifier: GPL-2.0-only
// nadi trace convert: from workloads of ASTRA-sim 1.0, and from collective algorithms of MSCCL.
#include "cli/trace/conversions.h"
#include "cli/trace/trace-commands.h"
#include "common/unit-parser.h"
#include "common/usage-error.h"
#include "tests/support/config-error-text.h"
#include "tests/support/contains.h"
#include "tests/support/msccl-programs.h"
#include "tests/support/run-yaml.h"
#include "tests/support/scratch-directory.h"
#include "tests/support/test-paths.h"
#include "tests/support/trace-bytes.h"
#include "workload/document/node-attributes.h"
#include "workload/document/trace-document.h"
#include "workload/trace/trace-set.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

using namespace nadi;
using namespace nadi::test;

namespace
{

const std::string TEXT = "HYBRID_DATA_MODEL\n2\n"
                         "one -1 100 ALLGATHER 4096 200 ALLREDUCE 2048 300 ALLREDUCE 3072 40\n"
                         "two -1 500 ALLGATHER 8192 600 ALLREDUCE 1024 700 ALLREDUCE 7168 80\n";

/// Eight NPUs in a ring of four by two.
const std::string EIGHT_NPUS = "network: {backend: analytical, dimensions: ["
                               "{shape: ring, size: 4, bandwidth: 50 GB/s, latency: 500 ns}, "
                               "{shape: ring, size: 2, bandwidth: 50 GB/s, latency: 500 ns}]}\n";

/// The text of the UsageError that `action()` throws, or "".
template <class Action>
std::string
UsageErrorText(Action action)
{
    try
    {
        action();
    }
    catch (const UsageError& error)
    {
        return error.what();
    }
    return "";
}

ConversionArguments
MakeTextArguments(const ScratchDirectory& scratch)
{
    ConversionArguments arguments;
    arguments.from = "text";
    arguments.files = {scratch.Write("a: job.txt", TEXT).string(), "passes=2"};
    arguments.dimensions = {4, 2};
    arguments.out = (scratch.Path() / "out").string();
    return arguments;
}

ConversionArguments
MakeMscclArguments(const ScratchDirectory& scratch, const std::string& algorithm)
{
    ConversionArguments arguments;
    arguments.from = "msccl";
    arguments.files = {scratch.Write("ring.xml", algorithm).string()};
    arguments.out = (scratch.Path() / "out").string();
    return arguments;
}

/// What the command says of a count of ranks, or of a size, that says nothing.
std::string
ErrorOfOption(const std::string& from, const std::string& option)
{
    const Command command = MakeTraceConvertCommand();
    for (const CommandOption& each : command.options)
    {
        if (each.name == "--from")
        {
            *std::get<std::string*>(each.target) = from;
        }
        if (each.name == "--ranks" && option == "--ranks")
        {
            *std::get<std::optional<uint32_t>*>(each.target) = 4;
        }
        if (each.name == "--groups" && option == "--groups")
        {
            *std::get<std::string*>(each.target) = "groups.json";
        }
        if (each.name == "--size" && option == "--size")
        {
            *std::get<std::string*>(each.target) = "1 MiB";
        }
        if (each.name == option && std::holds_alternative<bool*>(each.target))
        {
            *std::get<bool*>(each.target) = true;
        }
    }
    return UsageErrorText([&command] { command.run(ProgramStart{}); });
}

/// An all-reduce of a group, or a kernel where no group is named. Times are in nanoseconds.
struct RecordedCall
{
    int64_t start = 0;
    int64_t duration = 0;
    std::string group = "all";
    int64_t bytes = 64;
};

/// Converts recordings of one node each, job.0.et and so on, with --align-clocks.
Conversion
ConvertRecordings(const ScratchDirectory& scratch, const std::vector<RecordedCall>& calls)
{
    for (size_t rank = 0; rank < calls.size(); ++rank)
    {
        const bool isKernel = calls[rank].group.empty();
        TraceDocument document;
        ChakraProtoMsg::Node& node = document.nodes.emplace_back();
        node.set_id(1);
        node.set_type(isKernel ? ChakraProtoMsg::COMP_NODE : ChakraProtoMsg::COMM_COLL_NODE);
        SetStartNanos(node, calls[rank].start);
        SetDurationNanos(node, calls[rank].duration);
        if (!isKernel)
        {
            SetNumber(node, NodeAttribute::CollectiveType, ChakraProtoMsg::ALL_REDUCE);
            SetNumber(node, NodeAttribute::CommunicationSize, calls[rank].bytes);
            SetText(node, NodeAttribute::Group, calls[rank].group);
        }
        scratch.Write(fmt::format("job.{}.et", rank), FormatDocument(document));
    }
    ConversionArguments arguments;
    arguments.from = "chakra";
    arguments.alignClocks = true;
    arguments.files = {(scratch.Path() / "job.{rank}.et").string()};
    arguments.out = (scratch.Path() / "out").string();
    return ConvertChakra(arguments);
}

std::string
SharedTexts()
{
    const char* const named = std::getenv("NADI_SHARED");
    const std::filesystem::path folder =
        (named != nullptr ? std::filesystem::path(named)
                          : std::filesystem::path(SOURCE_DIR) / ".." / "shared") /
        "traces/astrasim_v1_text";
    return std::filesystem::is_directory(folder) ? folder.string() : "";
}

} // namespace

TEST_CASE("a converted text runs as the generated workload does", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-text");
    const ConversionArguments arguments = MakeTextArguments(scratch);
    const Conversion made = ConvertText(arguments);
    CHECK(made.name == "a: job");
    CHECK(made.ranks.size() == 8);
    CHECK(made.groupCount == 4 + 2); // blocks of four ranks, and across them
    const RunResults converted =
        RunYaml({"workload: {trace: \"" + arguments.out + "/a: job.{rank}.et\", groups: \"" +
                 arguments.out + "/groups.json\"}\n" + EIGHT_NPUS});
    const RunResults generated =
        RunYaml({"workload: {generate: {model: text, file: \"" + arguments.files.front() +
                 "\", passes: 2}}\n" + EIGHT_NPUS});
    CHECK(converted.finish > SimTime());
    CHECK(converted.finish == generated.finish);
    CHECK(converted.BytesSent() == generated.BytesSent());
}

TEST_CASE("what the conversion of a text lacks is said", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-text-errors");
    ConversionArguments arguments = MakeTextArguments(scratch);
    arguments.dimensions.clear();
    const auto convert = [&arguments] { ConvertText(arguments); };
    CHECK(UsageErrorText(convert) ==
          "for how many ranks? write --ranks, or --dimensions such as 8,4");
    arguments.ranks = 8;
    CHECK(Contains(ConfigErrorText(convert),
                   "nadi trace convert: file: has data and model parallelism"));
    arguments.files.back() = "passes";
    CHECK(UsageErrorText(convert) == "\"passes\" is no parameter; write key=value, such as tp=8");
    arguments.files.back() = "file=b.txt";
    CHECK(UsageErrorText(convert) == "\"file\" is given twice; keep one of them");
    arguments.files = {(scratch.Path() / "absent.txt").string()};
    CHECK(Contains(ConfigErrorText(convert), "cannot be read; name a text workload"));
    arguments.files.clear();
    CHECK(UsageErrorText(convert) == "which workload? write its file, such as gpt3.txt");
    CHECK_FALSE(std::filesystem::exists(arguments.out));
}

TEST_CASE("texts of other tools convert to as many traces as ranks", "[cli][trace]")
{
    const std::string folder = SharedTexts();
    if (folder.empty())
    {
        WARN("no collection of traces (NADI_SHARED): nothing checked");
        return;
    }
    uint32_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        if (entry.path().stem() == "workload_analytical") // of a dialect with groups of its own
        {
            continue;
        }
        const ScratchDirectory scratch("convert-texts");
        ConversionArguments arguments;
        arguments.files = {entry.path().string()};
        // This one says of how many ranks it is.
        const bool isOfEight = entry.path().stem() == "microAllReduce";
        arguments.dimensions = isOfEight ? std::vector<uint32_t>{8} : std::vector<uint32_t>{16, 4};
        arguments.out = (scratch.Path() / "out").string();
        const Conversion made = ConvertText(arguments);
        const uint32_t ranks = isOfEight ? 8 : 64;
        CHECK(made.ranks.size() == ranks);
        TraceOptions options;
        options.pattern = arguments.out + "/" + made.name + ".{rank}.et";
        if (made.groupCount > 0)
        {
            options.groupsFile = arguments.out + "/groups.json";
        }
        const Workload job = ReadTraces(options);
        CHECK(job.RankCount() == ranks);
        CHECK(job.notes.empty());
        ++count;
    }
    CHECK(count == 12);
}

TEST_CASE("an algorithm converts to traces that run, as fast as its links allow", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-msccl");
    ConversionArguments arguments = MakeMscclArguments(scratch, MakeAllGatherRing(8));
    arguments.size = "8 MiB";
    const Conversion made = ConvertMsccl(arguments);
    CHECK(made.name == "ring");
    CHECK(made.ranks.size() == 8);
    CHECK(made.groupCount == 0);
    CHECK(made.notes.empty());
    const RunResults results = RunYaml(
        {"workload: {trace: \"" + arguments.out +
         "/ring.{rank}.et\"}\n"
         "network: {backend: analytical, dimensions: [{shape: ring, size: 8, bandwidth: 50 GB/s, "
         "latency: 500 ns}]}\n"});
    CHECK(results.status == RunStatus::Done);
    CHECK(results.BytesSent() == Bytes(8 * 7 * (1 << 20)));
    // 7 chunks one after the other over each link, with at most a tenth more for headers.
    const SimTime least = (Bytes(1 << 20) / ParseBandwidth("50 GB/s") + SimTime::FromNs(500)) * 7;
    CHECK(results.finish >= least);
    CHECK(results.finish <= least + SimTime::FromPs(least.Ps() / 10));
}

TEST_CASE("an algorithm's buffer is 1 MiB unless a size is given", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-msccl-size");
    const ConversionArguments arguments = MakeMscclArguments(scratch, MakeAllGatherRing(4));
    ConvertMsccl(arguments);
    const TraceDocument trace = ReadDocument(arguments.out + "/ring.3.et");
    const auto sends = std::count_if(trace.nodes.begin(),
                                     trace.nodes.end(),
                                     [](const ChakraProtoMsg::Node& node)
                                     { return node.type() == ChakraProtoMsg::COMM_SEND_NODE; });
    CHECK(sends == 3);
    TraceOptions options;
    options.pattern = arguments.out + "/ring.{rank}.et";
    const Workload job = ReadTraces(options);
    for (const ExecutionNode& node : job.GraphOf(RankId{0}).Nodes())
    {
        CHECK((node.type == NodeType::Compute || node.size == (1 << 20) / 4));
    }
}

TEST_CASE("what an algorithm is not meant for is noted", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-msccl-notes");
    const auto noteFor = [&scratch](const std::string& limit)
    {
        std::string text = MakeAllGatherRing(4);
        text.insert(text.find("inplace"), limit + " ");
        const Conversion made = ConvertMsccl(MakeMscclArguments(scratch, text));
        std::filesystem::remove_all(scratch.Path() / "out");
        return made.notes.size() == 1 ? made.notes.front() : "";
    };
    CHECK(noteFor("minBytes=\"2097152\"") ==
          "the algorithm is meant for 2097152 bytes or more, but --size is 1048576");
    CHECK(noteFor("maxBytes=\"1000\"") ==
          "the algorithm is meant for 1000 bytes at most, but --size is 1048576");
}

TEST_CASE("what the conversion of an algorithm cannot use is said", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-msccl-errors");
    ConversionArguments arguments = MakeMscclArguments(scratch, MakeAllGatherRing(4));
    const auto convert = [&arguments] { ConvertMsccl(arguments); };
    arguments.size = "64";
    CHECK(Contains(UsageErrorText(convert), "--size: \"64\" has no unit; write "));
    arguments.size = "1 TiB";
    CHECK(UsageErrorText(convert) == "--size: 1 TiB is too large; write a size up to 256 GiB");
    arguments.size = "";
    arguments.files.push_back("b.xml");
    CHECK(UsageErrorText(convert) == "which algorithm? write one file, such as ring.xml");
    arguments.files = {"absent.xml"};
    CHECK(ConfigErrorText(convert) ==
          "absent.xml: cannot be read; name an algorithm of MSCCL, as XML");
    CHECK_FALSE(std::filesystem::exists(arguments.out));
}

TEST_CASE("options that say nothing of what is converted are refused", "[cli][trace]")
{
    CHECK(ErrorOfOption("chakra", "--ranks") ==
          "--ranks and --dimensions go with --from text only; leave them out, the files say how "
          "many ranks there are");
    CHECK(ErrorOfOption("text", "--size") == "--size goes with --from msccl only; leave it out");
    CHECK(ErrorOfOption("pytorch", "--groups") ==
          "--groups goes with --from chakra only; leave it out, what is converted says its groups");
    for (const std::string option : {"--host-pace", "--align-clocks"})
    {
        CHECK(ErrorOfOption("text", option) ==
              "--host-pace and --align-clocks go with --from chakra only; convert to Chakra traces "
              "first, and then these");
    }
}

TEST_CASE("groups of Chakra traces are copied, and those that nothing defines are told",
          "[cli][trace]")
{
    const ScratchDirectory scratch("convert-groups");
    std::filesystem::create_directories(scratch.Path() / "old");
    const std::string groups = R"({"tp": [1, 0]})";
    scratch.Write("old/groups.json", groups);
    for (const uint32_t rank : {0, 1})
    {
        scratch.Write(fmt::format("old/job.{}.et", rank),
                      MakeTrace({AllReduce(1, "tp"), AllReduce(2, "pp"), AllReduce(3)}));
    }
    ConversionArguments arguments;
    arguments.from = "chakra";
    const auto convert = [&](const std::string& files, const std::string& groupsFile)
    {
        arguments.files = {(scratch.Path() / files).string()};
        arguments.groups = groupsFile;
        arguments.out = (scratch.Path() / fmt::format("out-{}", groupsFile.size())).string();
        std::filesystem::remove_all(arguments.out);
        return ConvertChakra(arguments);
    };
    const std::string advice = " defined nowhere, so a run takes the ranks whose traces use the "
                               "name; name the file that lists the ranks with --groups, if there "
                               "is one";
    const std::string beside = (scratch.Path() / "old/groups.json").string();
    for (const Conversion& made : {convert("old", ""), convert("old/job.{rank}.et", beside)})
    {
        CHECK(made.groupCount == 1);
        CHECK(made.notes == std::vector<std::string>{"group \"pp\" is" + advice});
        CHECK(ReadGroupsFile(arguments.out + "/groups.json", 2).at("tp") ==
              std::vector<uint32_t>{1, 0});
    }
    const Conversion made = convert("old/job.{rank}.et", "");
    CHECK(made.groupCount == 0);
    CHECK(made.notes == std::vector<std::string>{"2 groups, such as \"pp\", are" + advice});
    CHECK_FALSE(std::filesystem::exists(arguments.out + "/groups.json"));
    // Ranks without a trace may be in groups where ranks are missing.
    std::filesystem::rename(scratch.Path() / "old/job.1.et", scratch.Path() / "old/job.2.et");
    scratch.Write("old/groups.json", R"({"tp": [0, 5], "pp": [0, 2]})");
    CHECK(convert("old", "").groupCount == 2);
}

TEST_CASE("ranks begin as far apart as their recordings did", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-clocks");
    // The first one began 5 us before the other.
    const Conversion made = ConvertRecordings(scratch, {{1, 25000}, {1000, 20000}});
    CHECK(made.notes == std::vector<std::string>{
                            "the recordings of the ranks began up to 5 us apart, and so do the "
                            "ranks",
                            "group \"all\" is defined nowhere, so a run takes the ranks whose "
                            "traces use the name; name the file that lists the ranks with "
                            "--groups, if there is one"});
    CHECK(ReadDocument((scratch.Path() / "out/job.0.et").string()).nodes.size() == 1);
    const TraceDocument later = ReadDocument((scratch.Path() / "out/job.1.et").string());
    REQUIRE(later.nodes.size() == 2);
    CHECK(GetDurationNanos(later.nodes[0]) == 5000);
}

TEST_CASE("recordings whose clocks nothing aligns are refused", "[cli][trace]")
{
    const ScratchDirectory scratch("convert-clocks-errors");
    const auto errorText = [&scratch](const std::vector<RecordedCall>& calls)
    { return ConfigErrorText([&] { ConvertRecordings(scratch, calls); }); };
    CHECK(
        Contains(errorText({{1, 1000}, {1, 1000, "tp"}}),
                 "job.1.et: its first collective is ALL_REDUCE of 64 B in group tp, and that of "));
    CHECK(Contains(errorText({{1, 1000}, {1, 1000, "tp"}}),
                   "job.0.et is ALL_REDUCE of 64 B in group all; --align-clocks needs one that all "
                   "ranks call first"));
    CHECK(Contains(errorText({{1, 1000}, {1, 1000, "all", 65}}), "is ALL_REDUCE of 65 B in"));
    const std::string none =
        "job.1.et: it has no collective with a recorded start that ends on all "
        "ranks at once, such as an all-reduce, which would say when its "
        "recording began; leave --align-clocks out";
    CHECK(Contains(errorText({{1, 1000}, {1, 1000, ""}}), none));
    CHECK(Contains(errorText({{1, 1000}, {0, 1000}}), none));
    CHECK(Contains(errorText({{1, 1000}, {1, 1000 + 86'400'000'000'001}}),
                   "job.0.et: by its first collective it began more than a day after another "
                   "rank; its times are not those of one job with the others"));
    CHECK_FALSE(std::filesystem::exists(scratch.Path() / "out"));
}
