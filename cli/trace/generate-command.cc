// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/model-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-output.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

namespace nadi
{

namespace
{

struct GenerateArguments
{
    ModelArguments model{.command = "nadi trace generate"};
    std::string out;
};

void
Generate(const GenerateArguments& arguments)
{
    const ComponentChoice choice = ReadModelChoice(arguments.model);
    const Workload job = MakeModelJob(arguments.model, choice);
    const std::string name = choice.preset == "none" ? choice.name : choice.preset;
    WriteTraceFiles(job, name, arguments.out);
    fmt::print("{} traces, {} groups, in {}; to run them:\n{}",
               job.RankCount(),
               job.communicators.size() - 1,
               arguments.out,
               DescribeRun(arguments.out, name, job.communicators.size() > 1));
}

} // namespace

Command
MakeTraceGenerateCommand()
{
    const auto arguments = std::make_shared<GenerateArguments>();
    return {.name = "generate",
            .help = "Write the Chakra traces of a model, one for each rank",
            .examples = {"nadi trace generate transformer preset=llama3-70b tp=8 pp=4 --ranks 64 "
                         "--out traces/llama",
                         "nadi trace generate mlp batch=64 parallelism=dp --ranks 8 --out "
                         "traces/mlp"},
            .options = {{.name = "MODEL",
                         .target = &arguments->model.model,
                         .help = "as nadi list models has them",
                         .isRequired = true},
                        {.name = "PARAMETERS",
                         .target = &arguments->model.parameters,
                         .help = "of the model, as in workload.generate: preset=gpt3-175b tp=8",
                         .valueName = "KEY=VALUE"},
                        {.name = "--ranks",
                         .target = &arguments->model.ranks,
                         .help = "how many",
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
                Generate(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
