// SPDX-License-Identifier: GPL-2.0-only
#include "cli/commands.h"
#include "cli/config/config-node.h"
#include "cli/config/generate-section.h"
#include "cli/config/yaml-reader.h"
#include "cli/trace-files.h"
#include "cli/usage-error.h"
#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>

namespace nadi
{

namespace
{

struct GenerateArguments
{
    std::string model;
    std::vector<std::string> parameters; ///< key=value
    std::optional<uint32_t> ranks;
    std::vector<uint32_t> dimensions;
    std::string out;
};

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
ModelChoice
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

uint32_t
FindRanks(const GenerateArguments& arguments, const WorkloadModel& model)
{
    uint64_t product = 1;
    for (const uint32_t size : arguments.dimensions)
    {
        product = std::min<uint64_t>(product * size, UINT32_MAX);
    }
    if (arguments.ranks)
    {
        return *arguments.ranks;
    }
    if (!arguments.dimensions.empty())
    {
        return static_cast<uint32_t>(product);
    }
    const std::optional<uint32_t> asked = model.RankCount();
    if (!asked)
    {
        throw UsageError("for how many ranks? write --ranks, or --dimensions such as 8,4");
    }
    return *asked;
}

Workload
MakeJob(const GenerateArguments& arguments, const ModelChoice& choice)
{
    try
    {
        const auto model = MakeWorkloadModel(choice);
        return model->Make({FindRanks(arguments, *model), arguments.dimensions});
    }
    catch (const ConfigError& error)
    {
        throw ConfigError("nadi trace generate", error.what());
    }
}

void
Generate(const GenerateArguments& arguments)
{
    const ModelChoice choice = ReadChoice(arguments);
    const Workload job = MakeJob(arguments, choice);
    const std::string name = choice.preset == "none" ? choice.model : choice.preset;
    WriteTraceFiles(job, name, arguments.out);
    const bool hasGroups = job.communicators.size() > 1;
    fmt::print("{} traces, {} groups, in {}; to run them:\n"
               "workload: {{trace: {}/{}.{{rank}}.et{}}}\n",
               job.RankCount(),
               job.communicators.size() - 1,
               arguments.out,
               arguments.out,
               name,
               hasGroups ? ", groups: " + arguments.out + "/groups.json" : "");
}

void
AddGenerateCommand(CLI::App& trace)
{
    CLI::App* command =
        trace.add_subcommand("generate", "Write the Chakra traces of a model, one for each rank");
    const auto arguments = std::make_shared<GenerateArguments>();
    command->add_option("MODEL", arguments->model, "as nadi list models has them")->required();
    command
        ->add_option("PARAMETERS",
                     arguments->parameters,
                     "of the model, as in workload.generate: preset=gpt3-175b tp=8")
        ->type_name("KEY=VALUE");
    command->add_option("--ranks", arguments->ranks, "how many")->check(CLI::Range(1U, 1U << 24));
    command
        ->add_option("--dimensions", arguments->dimensions, "sizes of the stack, innermost first")
        ->delimiter(',')
        ->check(CLI::Range(1U, 1U << 24));
    command->add_option("--out", arguments->out, "a directory, absent or empty")
        ->required()
        ->type_name("DIR");
    command->callback([arguments] { Generate(*arguments); });
}

} // namespace

void
AddTraceCommand(CLI::App& app, CommandContext&)
{
    CLI::App* command = app.add_subcommand("trace", "Work with traces");
    command->require_subcommand(1);
    AddGenerateCommand(*command);
}

} // namespace nadi
