// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/model-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"
#include "common/usage-error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct Source
{
    const char* name;
    Conversion (*convert)(const ConversionArguments& arguments);
};

constexpr std::array SOURCES{Source{"chakra", &ConvertChakra},
                             Source{"msccl", &ConvertMsccl},
                             Source{"pytorch", &ConvertPyTorch},
                             Source{"text", &ConvertText}};

std::string
CheckSource(const std::string& text)
{
    std::vector<std::string> names;
    for (const Source& source : SOURCES)
    {
        if (source.name == text)
        {
            return "";
        }
        names.emplace_back(source.name);
    }
    return fmt::format(
        "{} is nothing to convert from; write one of {}", text, fmt::join(names, ", "));
}

/// Refuses options that say nothing about what is converted.
void
CheckOptions(const ConversionArguments& arguments)
{
    const bool hasRanks = arguments.ranks || !arguments.dimensions.empty();
    if (hasRanks && arguments.from != "text")
    {
        throw UsageError("--ranks and --dimensions go with --from text only; leave them out, the "
                         "files say how many ranks there are");
    }
    if (!arguments.size.empty() && arguments.from != "msccl")
    {
        throw UsageError("--size goes with --from msccl only; leave it out");
    }
    if (!arguments.groups.empty() && arguments.from != "chakra")
    {
        throw UsageError("--groups goes with --from chakra only; leave it out, what is converted "
                         "says its groups");
    }
    if ((arguments.hostPace || arguments.alignClocks) && arguments.from != "chakra")
    {
        throw UsageError("--host-pace and --align-clocks go with --from chakra only; convert to "
                         "Chakra traces first, and then these");
    }
}

/// A run takes traces of all ranks only.
void
PrintMade(const Conversion& made, const std::string& out)
{
    // This sees gaps alone. Ranks behind the last one may be missing, too.
    if (made.ranks == AllRanks(static_cast<uint32_t>(made.ranks.size())))
    {
        fmt::print("{}, {}, in {}; to run them:\n{}",
                   CountText(made.ranks.size(), "trace"),
                   CountText(made.groupCount, "group"),
                   out,
                   DescribeRun(out, made.name, made.groupCount > 0));
        return;
    }
    fmt::print("{}, {}, in {}, of ranks {}; `nadi trace what-if` makes traces of all "
               "ranks from those of some\n",
               CountText(made.ranks.size(), "trace"),
               CountText(made.groupCount, "group"),
               out,
               fmt::join(made.ranks, ", "));
}

void
Convert(const ConversionArguments& arguments)
{
    CheckOptions(arguments);
    for (const Source& source : SOURCES)
    {
        // Holds: one source has the name, as CheckSource has refused all others.
        if (source.name == arguments.from)
        {
            const Conversion made = source.convert(arguments);
            for (const std::string& note : made.notes)
            {
                fmt::print(stderr, "note: {}\n", note);
            }
            PrintMade(made, arguments.out);
        }
    }
}

} // namespace

Command
MakeTraceConvertCommand()
{
    const auto arguments = std::make_shared<ConversionArguments>();
    return {.name = "convert",
            .help = "Make Chakra traces of schema 1.0.0 from other recordings and descriptions",
            .examples = {"nadi trace convert --from chakra traces/mlp/mlp.{rank}.et --out "
                         "traces/mlp-new",
                         "nadi trace convert --from pytorch --host host.{rank}.json --device "
                         "gpt.{rank}.json --out recorded",
                         "nadi trace convert --from text gpt3.txt passes=2 --ranks 64 --out "
                         "traces/gpt3",
                         "nadi trace convert --from msccl ag.xml --size \"64 MiB\" --out "
                         "traces/ag"},
            .options = {{.name = "--from",
                         .target = &arguments->from,
                         .help = "what the files are: chakra, for Chakra traces of any schema; "
                                 "pytorch, for what PyTorch's profiler recorded; text, for a "
                                 "workload of ASTRA-sim 1.0; msccl, for a collective "
                                 "algorithm as XML of MSCCL",
                         .valueName = "KIND",
                         .isRequired = true,
                         .check = &CheckSource},
                        {.name = "FILES",
                         .target = &arguments->files,
                         .help = "a path with {rank}, a pattern with *, or the files by rank; "
                                 "with text and msccl one file, which with text may be followed by "
                                 "parameters of the model text, such as passes=2"},
                        {.name = "--ranks",
                         .target = &arguments->ranks,
                         .help = "with text: for how many ranks the traces are",
                         .valueName = "COUNT",
                         .check = &CheckRankCount},
                        {.name = "--dimensions",
                         .target = &arguments->dimensions,
                         .help = "with text: the sizes of the logical dimensions, innermost first, "
                                 "such as 8,4; data and model parallelism together need two",
                         .valueName = "COUNT",
                         .check = &CheckRankCount},
                        {.name = "--size",
                         .target = &arguments->size,
                         .help = "with msccl: the size of the collective's buffer (all of what an "
                                 "all-gather leaves on each rank); 1 MiB if it is left out",
                         .valueName = "SIZE"},
                        {.name = "--groups",
                         .target = &arguments->groups,
                         .help = "with chakra: the groups file of the traces, where they have one, "
                                 "which is copied; that of a directory is taken without this",
                         .valueName = "FILE"},
                        {.name = "--host-pace",
                         .target = &arguments->hostPace,
                         .help = "with chakra: add, by the recorded starts, the time that the host "
                                 "spent between operations and waiting for the accelerator"},
                        {.name = "--align-clocks",
                         .target = &arguments->alignClocks,
                         .help = "with chakra: let each rank begin when its recording did; the "
                                 "first collective, which all ranks must call, ended on all of "
                                 "them at the same time"},
                        {.name = "--host",
                         .target = &arguments->host,
                         .help = "with pytorch: the host execution traces of the ranks, as FILES "
                                 "names files; they add shapes and the sizes of collectives",
                         .valueName = "FILE"},
                        {.name = "--device",
                         .target = &arguments->device,
                         .help = "with pytorch: the Kineto traces of the ranks, which have the "
                                 "times and the kernels",
                         .valueName = "FILE"},
                        {.name = "--out",
                         .target = &arguments->out,
                         .help = "a directory, absent or empty",
                         .valueName = "DIR",
                         .isRequired = true}},
            .run = [arguments](const ProgramStart&)
            {
                Convert(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
