// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/generate-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-output.h"
#include "common/text.h"
#include "common/usage-error.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

void
CheckModelArguments(const GenerateArguments& arguments)
{
    if (arguments.model.model.empty())
    {
        throw UsageError("which model? write its name, such as transformer (nadi list models has "
                         "them), or --like and the traces to draw statistics from");
    }
    if (!arguments.groups.empty() || arguments.seed)
    {
        throw UsageError("--groups and --seed belong to --like; leave them out for a model");
    }
}

void
GenerateModel(const GenerateArguments& arguments)
{
    CheckModelArguments(arguments);
    const ComponentChoice choice = ReadModelChoice(arguments.model);
    const Workload job = MakeModelJob(arguments.model, choice);
    // The name of a preset says more than that of its model.
    const std::string name = choice.preset == "none" ? choice.name : choice.preset;
    WriteTraceFiles(job, name, arguments.out);
    fmt::print("{}, {}, in {}; to run them:\n{}",
               CountText(job.RankCount(), "trace"),
               // The first communicator is that of all ranks, which is no group of a file.
               CountText(job.communicators.size() - 1, "group"),
               arguments.out,
               DescribeRun(arguments.out, name, job.communicators.size() > 1));
}

} // namespace

Command
MakeTraceGenerateCommand()
{
    const auto arguments = std::make_shared<GenerateArguments>();
    return {.name = "generate",
            .help =
                "Write the Chakra traces of a model, or traces that are like recorded ones, one "
                "for each rank",
            .examples = {"nadi trace generate transformer preset=llama3-70b tp=8 pp=4 --ranks 64 "
                         "--out traces/llama",
                         "nadi trace generate mlp batch=64 parallelism=dp --ranks 8 --out "
                         "traces/mlp",
                         "nadi trace generate --like traces/mlp/mlp.{rank}.et --ranks 64 --seed 1 "
                         "--out traces/mlp-64"},
            .options = {{.name = "MODEL",
                         .target = &arguments->model.model,
                         .help = "as nadi list models has them; none with --like"},
                        {.name = "PARAMETERS",
                         .target = &arguments->model.parameters,
                         .help = "of the model, as in workload.generate: preset=gpt3-175b tp=8",
                         .valueName = "KEY=VALUE"},
                        {.name = "--like",
                         .target = &arguments->like,
                         .help = "recorded traces, whose statistics the new ones have: a path with "
                                 "{rank}, a pattern with *, or --like once for each file, by rank",
                         .valueName = "TRACES"},
                        {.name = "--groups",
                         .target = &arguments->groups,
                         .help = "with --like: the file that says which ranks are in which group",
                         .valueName = "FILE"},
                        {.name = "--seed",
                         .target = &arguments->seed,
                         .help = "with --like: equal seeds make equal traces; 1 where it is absent",
                         .valueName = "COUNT",
                         .check = &CheckRankCount},
                        {.name = "--ranks",
                         .target = &arguments->model.ranks,
                         .help = "how many; with --like, as many as recorded where it is absent",
                         .valueName = "COUNT",
                         .check = &CheckRankCount},
                        {.name = "--dimensions",
                         .target = &arguments->model.dimensions,
                         .help = "sizes of the stack, innermost first",
                         .valueName = "COUNT",
                         .check = &CheckRankCount},
                        {.name = "--out",
                         .target = &arguments->out,
                         .help = "a directory, absent or empty",
                         .valueName = "DIR",
                         .isRequired = true}},
            .run = [arguments](const ProgramStart&)
            {
                arguments->like.empty() ? GenerateModel(*arguments) : GenerateLike(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
