// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/generate-arguments.h"
#include "cli/trace/trace-commands.h"
#include "cli/trace/trace-output.h"
#include "common/error.h"
#include "common/usage-error.h"
#include "configuration/config-node.h"
#include "configuration/generate-section.h"
#include "configuration/yaml-reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <memory>
#include <sstream>

namespace nadi
{

namespace
{

ConfigNode
ReadParameter(const std::string& text, const SourceText& source)
{
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
    {
        throw UsageError("\"" + text + "\" is no parameter; write key=value, such as tp=8");
    }
    std::istringstream value(text.substr(equals + 1));
    ConfigNode node = ReadYaml(value, source);
    node.key = text.substr(0, equals);
    return node;
}

/// The arguments as the value of `workload.generate`. Requires: `source` outlives the choice's
/// reading.
ComponentChoice
ReadChoice(const GenerateArguments& arguments)
{
    const SourceText source{"nadi trace generate", std::filesystem::current_path(), false};
    ConfigNode root;
    root.kind = ConfigNode::Kind::Map;
    root.source = &source;
    root.children.push_back(ReadParameter("model=" + arguments.model, source));
    for (const std::string& parameter : arguments.parameters)
    {
        ConfigNode node = ReadParameter(parameter, source);
        if (root.Find(node.key) != nullptr)
        {
            throw UsageError("\"" + node.key + "\" is given twice; keep one of them");
        }
        root.children.push_back(std::move(node));
    }
    root.Seal();
    return MakeModelChoiceCodec().read(root);
}

/// As many as the stack has NPUs, if one is given.
uint32_t
FindRanks(const GenerateArguments& arguments, const WorkloadModel& model)
{
    uint64_t product = 1;
    for (const uint32_t size : arguments.dimensions)
    {
        product = std::min<uint64_t>(product * size, UINT32_MAX);
    }
    const bool hasStack = !arguments.dimensions.empty();
    if (hasStack && arguments.ranks && *arguments.ranks != product)
    {
        throw UsageError(fmt::format("--dimensions {} are {} NPUs, but --ranks is {}; write sizes "
                                     "whose product is that, or leave --ranks out",
                                     fmt::join(arguments.dimensions, ","),
                                     product,
                                     *arguments.ranks));
    }
    if (hasStack || arguments.ranks)
    {
        return hasStack ? static_cast<uint32_t>(product) : *arguments.ranks;
    }
    const std::optional<uint32_t> asked = model.RankCount();
    if (!asked)
    {
        throw UsageError("for how many ranks? write --ranks, or --dimensions such as 8,4");
    }
    return *asked;
}

Workload
MakeJob(const GenerateArguments& arguments, const ComponentChoice& choice)
{
    try
    {
        const auto model = Registry<WorkloadModel>::Instance().Make(choice);
        return model->Make({FindRanks(arguments, *model), arguments.dimensions});
    }
    catch (const ConfigError& error)
    {
        throw ConfigError("nadi trace generate", error.what());
    }
}

void
CheckModelArguments(const GenerateArguments& arguments)
{
    if (arguments.model.empty())
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
    const ComponentChoice choice = ReadChoice(arguments);
    const Workload job = MakeJob(arguments, choice);
    const std::string name = choice.preset == "none" ? choice.name : choice.preset;
    WriteTraceFiles(job, name, arguments.out);
    fmt::print("{} traces, {} groups, in {}; to run them:\n{}",
               job.RankCount(),
               job.communicators.size() - 1,
               arguments.out,
               DescribeRun(arguments.out, name, job.communicators.size() > 1));
}

std::string
CheckCount(const std::string& text)
{
    constexpr uint64_t most = 1U << 24;
    uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool isCount = error == std::errc() && end == text.data() + text.size();
    return isCount && count >= 1 && count <= most
               ? ""
               : fmt::format("{} is no count from 1 to {}", text, most);
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
                         "nadi trace generate --like recorded/gpt.{rank}.et --ranks 64 --seed 1 "
                         "--out traces/gpt-like"},
            .options = {{.name = "MODEL",
                         .target = &arguments->model,
                         .help = "as nadi list models has them; none with --like"},
                        {.name = "PARAMETERS",
                         .target = &arguments->parameters,
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
                         .check = &CheckCount},
                        {.name = "--ranks",
                         .target = &arguments->ranks,
                         .help = "how many; with --like, as many as recorded where it is absent",
                         .valueName = "COUNT",
                         .check = &CheckCount},
                        {.name = "--dimensions",
                         .target = &arguments->dimensions,
                         .help = "sizes of the stack, innermost first",
                         .valueName = "COUNT",
                         .check = &CheckCount},
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
