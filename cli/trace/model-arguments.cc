// SPDX-License-Identifier: GPL-2.0-only
#include "cli/trace/model-arguments.h"

#include "common/error.h"
#include "common/text.h"
#include "common/usage-error.h"
#include "configuration/config-node.h"
#include "configuration/generate-section.h"
#include "configuration/yaml-reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

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
    // YAML, so that lists and texts are written as in a configuration: widths=[1024, 512].
    ConfigNode node = ReadYaml(value, source);
    node.key = text.substr(0, equals);
    return node;
}

/// A path may have letters that mean something in YAML.
ConfigNode
MakeFileParameter(const std::string& path, const SourceText& source)
{
    ConfigNode node;
    node.kind = ConfigNode::Kind::Scalar;
    node.text = path;
    node.key = "file";
    node.source = &source;
    return node;
}

/// As many as the stack has NPUs, else --ranks, else what the model asks for. Throws UsageError
/// where nothing tells the number, or where the stack and --ranks differ.
uint32_t
FindRanks(const ModelArguments& arguments, const WorkloadModel& model)
{
    uint64_t product = 1;
    for (const uint32_t size : arguments.dimensions)
    {
        // Cut to 32 bits at each step, so that the next product fits 64 bits. A product that wraps
        // could agree with --ranks.
        product = std::min<uint64_t>(product * size, UINT32_MAX);
    }
    const bool hasStack = !arguments.dimensions.empty();
    if (hasStack && arguments.ranks && *arguments.ranks != product)
    {
        throw UsageError(fmt::format("--dimensions {} make {}, but --ranks is {}; write sizes "
                                     "whose product is that, or leave --ranks out",
                                     fmt::join(arguments.dimensions, ","),
                                     CountText(product, "NPU"),
                                     *arguments.ranks));
    }
    if (hasStack || arguments.ranks)
    {
        return hasStack ? static_cast<uint32_t>(product) : *arguments.ranks;
    }
    // Some models know from their parameters for how many ranks they are.
    const std::optional<uint32_t> asked = model.RankCount();
    if (!asked)
    {
        throw UsageError("for how many ranks? write --ranks, or --dimensions such as 8,4");
    }
    return *asked;
}

/// The arguments as the mapping that a configuration would have.
ConfigNode
ReadArguments(const ModelArguments& arguments, const SourceText& source)
{
    ConfigNode root;
    root.kind = ConfigNode::Kind::Map;
    root.source = &source;
    root.children.push_back(ReadParameter("model=" + arguments.model, source));
    if (arguments.file)
    {
        root.children.push_back(MakeFileParameter(*arguments.file, source));
    }
    for (const std::string& parameter : arguments.parameters)
    {
        // `model`, and `file` where it was an argument, are among the children already.
        ConfigNode node = ReadParameter(parameter, source);
        if (root.Find(node.key) != nullptr)
        {
            throw UsageError("\"" + node.key + "\" is given twice; keep one of them");
        }
        root.children.push_back(std::move(node));
    }
    root.Seal();
    return root;
}

/// Whether an error is of the file that the arguments name, and not of a word among them.
bool
IsOfFile(const ConfigError& error, const ModelArguments& arguments)
{
    constexpr std::string_view key = "file=";
    const auto isNamed = [&error](std::string_view file)
    { return !file.empty() && error.Problem().find(file) != std::string::npos; };
    return (arguments.file && isNamed(*arguments.file)) ||
           std::ranges::any_of(arguments.parameters,
                               [&](std::string_view parameter) {
                                   return parameter.starts_with(key) &&
                                          isNamed(parameter.substr(key.size()));
                               });
}

} // namespace

ComponentChoice
ReadModelChoice(const ModelArguments& arguments)
{
    // The codec of configurations reads the arguments, so the same names, units and defaults hold,
    // and errors have the same words. Paths start from the working directory.
    const SourceText source{arguments.command, std::filesystem::current_path(), false};
    try
    {
        return MakeModelChoiceCodec().read(ReadArguments(arguments, source));
    }
    catch (const ConfigError& error)
    {
        if (IsOfFile(error, arguments))
        {
            throw;
        }
        throw UsageError(error.Problem());
    }
}

Workload
MakeModelJob(const ModelArguments& arguments, const ComponentChoice& choice)
{
    try
    {
        const auto model = Registry<WorkloadModel>::Instance().Make(choice);
        return model->Make({FindRanks(arguments, *model), arguments.dimensions});
    }
    catch (const ConfigError& error)
    {
        // Models do not know who asks, so the command is named here.
        throw ConfigError(arguments.command, error.what());
    }
}

std::string
CheckRankCount(const std::string& text)
{
    constexpr uint64_t most = 1U << 24;
    uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const bool isCount = error == std::errc() && end == text.data() + text.size();
    return isCount && count >= 1 && count <= most
               ? ""
               : fmt::format("{} is no count from 1 to {}", text, most);
}

} // namespace nadi
