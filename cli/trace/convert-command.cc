// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/conversions.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-output.h"
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

constexpr std::array SOURCES{Source{"chakra", &ConvertChakra}, Source{"pytorch", &ConvertPyTorch}};

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

void
Convert(const ConversionArguments& arguments)
{
    for (const Source& source : SOURCES)
    {
        if (source.name == arguments.from)
        {
            const Conversion made = source.convert(arguments);
            for (const std::string& note : made.notes)
            {
                fmt::print(stderr, "note: {}\n", note);
            }
            fmt::print("{} traces, {} groups, in {}; to run them:\n{}",
                       made.rankCount,
                       made.groupCount,
                       arguments.out,
                       DescribeRun(arguments.out, made.name, made.groupCount > 0));
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
            .examples = {"nadi trace convert --from chakra old/mlp.{rank}.et --out traces/mlp",
                         "nadi trace convert --from pytorch --host host.{rank}.json --device "
                         "kineto.{rank}.json --out traces/gpt"},
            .options = {{.name = "--from",
                         .target = &arguments->from,
                         .help = "what the files are: chakra, for Chakra traces of any schema; "
                                 "pytorch, for what PyTorch's profiler recorded",
                         .valueName = "KIND",
                         .isRequired = true,
                         .check = &CheckSource},
                        {.name = "FILES",
                         .target = &arguments->files,
                         .help = "a path with {rank}, a pattern with *, or the files by rank"},
                        {.name = "--host",
                         .target = &arguments->host,
                         .help = "of pytorch: the host execution traces of the ranks, as FILES "
                                 "names files; they add shapes and the sizes of collectives",
                         .valueName = "FILE"},
                        {.name = "--device",
                         .target = &arguments->device,
                         .help = "of pytorch: the Kineto traces of the ranks, which have the "
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
