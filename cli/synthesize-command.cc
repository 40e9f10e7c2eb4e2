// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/terminal/progress-display.h"
#include "cli/whole-file.h"
#include "common/error.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "common/usage-error.h"
#include "simulation/simulate.h"
#include "simulation/synthesis-job.h"
#include "system/message-programs/msccl-writer.h"
#include "workload/custom-collectives/program-traces.h"
#include "workload/trace-writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

struct SynthesizeArguments
{
    ConfigArguments config;
    std::string out;
    std::string type;
    std::string size;
    std::string group;
    std::string format = "msccl";
    bool isMeasured = false;
};

/// Throws UsageError for a text that is no number, such as the empty end of "3-".
uint32_t
ReadNpu(const std::string& text)
{
    uint32_t npu = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, npu);
    if (error != std::errc{} || stop != end)
    {
        throw UsageError("--group: \"" + text + "\" is no NPU; write numbers such as 0-7,12");
    }
    return npu;
}

/// "0-3,8": 0, 1, 2, 3, 8.
std::vector<uint32_t>
ReadGroup(const std::string& text)
{
    std::vector<uint32_t> npus;
    for (size_t begin = 0; begin < text.size();)
    {
        const size_t comma = std::min(text.find(',', begin), text.size());
        const std::string part = text.substr(begin, comma - begin);
        const size_t dash = part.find('-');
        const uint32_t first = ReadNpu(part.substr(0, dash));
        const uint32_t last = dash == std::string::npos ? first : ReadNpu(part.substr(dash + 1));
        // The bound keeps a range such as "0-4000000000" from filling the memory.
        if (last < first || last - first > (1U << 20))
        {
            throw UsageError("--group: \"" + part + "\" is no range; write numbers such as 0-7,12");
        }
        for (uint32_t npu = first; npu <= last; ++npu)
        {
            npus.push_back(npu);
        }
        begin = comma + 1;
    }
    return npus;
}

/// That of its first collective, if it has a size.
CollectiveType
FindTypeOfJob(const SynthesizeArguments& arguments)
{
    CollectiveType type{};
    try
    {
        type = FirstCollectiveType(RunInput(arguments.config.file, arguments.config.settings));
    }
    catch (const ConfigError& error)
    {
        throw ConfigError(error.Where(), error.Problem() + "; or write --type, which needs no job");
    }
    if (type == CollectiveType::Barrier && !arguments.size.empty())
    {
        throw UsageError("--size: the job's first collective is a barrier, which has none; write "
                         "--type");
    }
    return type;
}

CollectiveType
ChooseType(const SynthesizeArguments& arguments)
{
    if (arguments.type.empty())
    {
        return FindTypeOfJob(arguments);
    }
    const std::optional<CollectiveType> type = FindCollectiveType(arguments.type);
    if (!type)
    {
        throw UsageError("--type: \"" + arguments.type +
                         "\" is no collective; write all-gather, all-reduce or another one");
    }
    return *type;
}

/// What --type, --size and --group say, over the configuration.
std::vector<std::string>
SettingsFor(const SynthesizeArguments& arguments)
{
    std::vector<std::string> settings = arguments.config.settings;
    if (arguments.type.empty() && arguments.size.empty() && arguments.group.empty())
    {
        return settings;
    }
    const std::vector<uint32_t> group = ReadGroup(arguments.group);
    for (const std::string& setting : SynthesisSettings(
             ChooseType(arguments), arguments.size.empty() ? "64 MiB" : arguments.size, group))
    {
        settings.push_back(setting);
    }
    return settings;
}

/// What a configuration says to run the program again.
std::string
WriteProgram(const SynthesizeArguments& arguments, const MadeProgram& made, const Config& config)
{
    if (arguments.format == "msccl")
    {
        SaveWhole(WriteMsccl(made.program, made.builtIn.empty() ? made.algorithm : made.builtIn),
                  arguments.out,
                  "--out");
        return arguments.out;
    }
    // Traces hold bytes and the time of reductions, so they are of one size and one rate of
    // reducing. The XML counts parts of the buffer, whatever their size.
    const std::vector<ExecutionGraph> traces =
        MakeProgramTraces(made.program, made.wish.size, config.system.options.reductionBandwidth);
    for (size_t rank = 0; rank < traces.size(); ++rank)
    {
        SaveWhole(FormatTrace(traces[rank]), fmt::format("{}.{}.et", arguments.out, rank), "--out");
    }
    return arguments.out + ".{rank}.et";
}

/// With all digits that matter beside a bound.
std::string
MicrosecondsText(SimTime time)
{
    return fmt::format("{:.3f} us", static_cast<double>(time.Ps()) * 1e-6);
}

void
PrintMade(const MadeProgram& made)
{
    fmt::print("{} of {} on {}, by {}\n",
               ToText(made.wish.type),
               ToText(made.wish.size),
               CountText(made.wish.ranks.size(), "rank"),
               made.builtIn.empty()
                   ? made.algorithm
                   : made.builtIn + ", which is predicted to be faster than what was synthesised");
    for (size_t index = 0; index < made.candidates.size(); ++index)
    {
        const SynthesisCandidate& tried = made.candidates[index];
        fmt::print("  {} {}{}: {}{}\n",
                   index == made.best ? "*" : " ",
                   tried.isBuiltIn
                       ? ""
                       : fmt::format("{}, seed {}, ", CountText(tried.chunks, "chunk"), tried.seed),
                   tried.rule,
                   MicrosecondsText(tried.predicted),
                   tried.isByFrames ? ", frame by frame" : "");
    }
    if (made.bound)
    {
        fmt::print("  bound      {}, which no algorithm beats on this network\n",
                   MicrosecondsText(*made.bound));
    }
    if (made.predicted)
    {
        fmt::print("  predicted  {}\n", MicrosecondsText(*made.predicted));
    }
    fmt::print("  proof      {}\n",
               made.isProven
                   ? "every rank ends with what the collective promises"
                   : "matched, not proven: its messages meet, but nobody knows what they carry");
    fmt::print("  program    {}\n", CountText(made.program.StepCount(), "step"));
    if (!made.storeFailure.empty())
    {
        fmt::print(stderr, "note: {}\n", made.storeFailure);
    }
}

/// What was written, read back and run packet by packet: the one collective, since other calls of
/// the job may be of other sizes.
void
Measure(const SynthesizeArguments& arguments,
        const MadeProgram& made,
        const RunInput& input,
        const std::string& path)
{
    std::vector<std::string> settings = SettingsFor(arguments);
    for (const std::string& setting : MeasurementSettings(input, made))
    {
        settings.push_back(setting);
    }
    settings.push_back(
        fmt::format("system.collectives.{}={{from: \"{}\"}}", ToText(made.wish.type), path));
    // Later settings override earlier ones, so these two hold whatever the user has set.
    settings.push_back("network.backend=packet");
    const RunResults results = Simulate(RunInput(arguments.config.file, settings));
    fmt::print("  measured   {}, packet by packet\n", MicrosecondsText(results.finish));
}

/// A measurement runs the file that was written, and so tests that too.
void
RunSynthesis(const SynthesizeArguments& arguments)
{
    const RunInput input(arguments.config.file, SettingsFor(arguments));
    auto display = std::make_unique<ProgressDisplay>(
        [](auto elapsed)
        { return fmt::format("making the program for {:.0f} s", elapsed.count()); },
        ChooseProgressMode());
    const MadeProgram made = MakeJobProgram(input);
    display.reset();
    PrintMade(made);
    const std::string path = WriteProgram(arguments, made, input.Config());
    if (arguments.isMeasured)
    {
        Measure(arguments, made, input, path);
    }
    fmt::print("  written    {}; run it with system.collectives.{}: {{from: {}}}\n",
               path,
               ToText(made.wish.type),
               path);
}

std::string
CheckProgramFormat(const std::string& format)
{
    return format == "msccl" || format == "chakra"
               ? ""
               : "\"" + format + "\" is no format; write msccl or chakra";
}

} // namespace

Command
MakeSynthesizeCommand()
{
    const auto arguments = std::make_shared<SynthesizeArguments>();
    Command command{
        .name = "synthesize",
        .help = "Make a collective algorithm for a network, and write it as a file",
        .examples = {"nadi synthesize c.yaml --out ag.xml --type all-gather --size \"64 MiB\"",
                     "nadi synthesize c.yaml --out ag --format chakra --measure    as traces, and "
                     "run once"}};
    command.options = arguments->config.Options();
    command.options.push_back({.name = "--out",
                               .target = &arguments->out,
                               .help = "the file; of traces FILE.<rank>.et",
                               .valueName = "FILE",
                               .isRequired = true});
    command.options.push_back({.name = "--type",
                               .target = &arguments->type,
                               .help = "the collective; default: the first one of the job",
                               .valueName = "TYPE"});
    command.options.push_back({.name = "--size",
                               .target = &arguments->size,
                               .help = "its size; default: 64 MiB with --type or --group, else "
                                       "that of the job's",
                               .valueName = "SIZE"});
    command.options.push_back({.name = "--group",
                               .target = &arguments->group,
                               .help = "the NPUs of the group, such as 0-7; default: all",
                               .valueName = "NPUS"});
    command.options.push_back({.name = "--format",
                               .target = &arguments->format,
                               .help = "msccl (the default) or chakra",
                               .valueName = "FORMAT",
                               .check = &CheckProgramFormat});
    command.options.push_back({.name = "--measure",
                               .target = &arguments->isMeasured,
                               .help = "run what was written once, packet by packet"});
    command.run = [arguments](const ProgramStart&)
    {
        return arguments->config.BlameForClockEnd(
            [&arguments]
            {
                RunSynthesis(*arguments);
                return EXIT_DONE;
            });
    };
    return command;
}

} // namespace nadi
