// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/edit-output.h"
#include "cli/trace/fit-text.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-inputs.h"
#include "common/unit-parser.h"
#include "common/usage-error.h"
#include "configuration/kernel-models-file.h"
#include "workload/tools/editing/trace-job.h"
#include "workload/tools/structure/rank-agreement.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>

namespace nadi
{

namespace
{

struct FitArguments
{
    std::vector<std::string> traces;
    std::string groups;
    std::string out;
    std::string peak;
    std::string memoryBandwidth;
    bool isJson = false;
};

FitOptions
ReadFitOptions(const FitArguments& arguments)
{
    FitOptions options;
    // An absent option leaves the value empty. FitKernels then takes the largest rate that it
    // fitted.
    const auto read = [](const char* option, const std::string& text, auto parse, auto& value)
    {
        try
        {
            if (!text.empty())
            {
                value = parse(text);
            }
        }
        catch (const UnitError& error)
        {
            throw UsageError(fmt::format("{}: {}", option, error.what()));
        }
    };
    read("--peak", arguments.peak, ParseFlopRate, options.peak);
    read("--memory-bandwidth", arguments.memoryBandwidth, ParseBandwidth, options.memoryBandwidth);
    return options;
}

void
WriteModels(const KernelModels& models, const std::string& path)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << FormatKernelModels(models);
    file.close();
    if (!file)
    {
        throw UsageError(path +
                         " cannot be written; name a file in a folder that you may write to");
    }
}

void
FitTraces(const FitArguments& arguments)
{
    const FitOptions options = ReadFitOptions(arguments);
    // Only kernels are fitted, and no call has to meet those of other ranks, so some ranks of a job
    // are enough.
    const TraceJob job = ReadTraceJob(FindTraceInputs(arguments.traces).files,
                                      FindInputGroups(arguments.traces, arguments.groups),
                                      AbsentRanks::LeftOut);
    KernelSamples samples;
    for (uint32_t rank = 0; rank < job.RankCount(); ++rank)
    {
        samples.AddRank(job.GraphOf(rank));
    }
    const KernelFit fit = FitKernels(samples, options, job.files.front());
    // The models are written even where the ranks seem to be of different jobs. Whether that
    // matters is for the user to judge.
    WriteModels(fit.models, arguments.out);
    if (const std::string doubt = FindDisagreement(job.workload); !doubt.empty())
    {
        fmt::print(stderr, "note: {}\n", doubt);
    }
    fmt::print("{}", arguments.isJson ? FormatFitJson(fit) : DescribeFit(fit, Style::For(stdout)));
}

} // namespace

Command
MakeTraceFitCommand()
{
    const auto arguments = std::make_shared<FitArguments>();
    return {.name = "fit",
            .help = "Fit models of what kernels take to recorded ones, by kind and size",
            .examples =
                {"nadi trace fit recorded/gpt.{rank}.et --out kernels.yaml",
                 "nadi trace fit recorded/gpt.{rank}.et --peak \"312 TFLOP/s\" --memory-bandwidth "
                 "\"2 TB/s\" --out kernels.yaml"},
            .options = {MakeTracesOption(arguments->traces),
                        MakeGroupsOption(arguments->groups),
                        {.name = "--out",
                         .target = &arguments->out,
                         .help = "the file for the models; one that is there is replaced",
                         .valueName = "FILE",
                         .isRequired = true},
                        {.name = "--peak",
                         .target = &arguments->peak,
                         .help = "the peak compute rate of the NPU, of which efficiencies are "
                                 "shares; the largest fitted rate if it is left out",
                         .valueName = "RATE"},
                        {.name = "--memory-bandwidth",
                         .target = &arguments->memoryBandwidth,
                         .help = "likewise its memory bandwidth",
                         .valueName = "RATE"},
                        {.name = "--json",
                         .target = &arguments->isJson,
                         .help = "print JSON, which has every shape"}},
            .run = [arguments](const ProgramStart&)
            {
                FitTraces(*arguments);
                return EXIT_DONE;
            }};
}

} // namespace nadi
