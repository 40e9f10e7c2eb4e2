// SPDX-License-Identifier: GPL-2.0-only
#include "workload/models/text-file.h"

#include "common/error.h"
#include "workload/models/text-settings.h"
#include "workload/models/workload-line.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

namespace nadi
{

namespace
{

const std::map<std::string, std::optional<CollectiveType>> COLLECTIVES{
    {"NONE", std::nullopt},
    {"ALLREDUCE", CollectiveType::AllReduce},
    {"ALLGATHER", CollectiveType::AllGather},
    {"REDUCESCATTER", CollectiveType::ReduceScatter},
    {"ALLTOALL", CollectiveType::AllToAll}};

TextPass
ReadPass(const WorkloadLine& line, size_t at)
{
    TextPass pass;
    pass.compute = SimTime::FromNs(static_cast<int64_t>(line.Number(at, "compute time")));
    pass.collective = line.OneOf(COLLECTIVES, at + 1, "collective of text workloads");
    pass.bytes = line.Number(at + 2, "size of a collective");
    if (pass.bytes == 0)
    {
        pass.collective.reset();
    }
    return pass;
}

TextLayer
ReadLayer(const WorkloadLine& line, TextPolicy policyOfFile)
{
    constexpr size_t columns = 12;
    const bool isCustomized = policyOfFile == TextPolicy::Customized;
    TextLayer layer;
    layer.name = line.Word(0, "name of a layer");
    layer.forward = ReadPass(line, 2);
    layer.inputGradient = ReadPass(line, 5);
    layer.weightGradient = ReadPass(line, 8);
    // ASTRA-sim's Layer takes the one time for all three of its own.
    const SimTime update =
        SimTime::FromNs(static_cast<int64_t>(line.Number(11, "time of the update")));
    for (TextPass* pass : {&layer.forward, &layer.inputGradient, &layer.weightGradient})
    {
        pass->update = update;
    }
    layer.policy =
        isCustomized ? line.OneOf(TextPolicies(), columns, "policy of a layer") : policyOfFile;
    if (line.Words().size() != columns + (isCustomized ? 1 : 0))
    {
        line.Fail(fmt::format(
            "has {} columns; write {}", line.Words().size(), columns + (isCustomized ? 1 : 0)));
    }
    return layer;
}

void
CheckNumbers(const TextFile& file, const std::string& name)
{
    for (const auto* list : {&file.checkpoints, &file.initiators})
    {
        if (!list->empty() && list->back() >= file.layers.size())
        {
            throw ConfigError(name + ":1",
                              fmt::format("names layer {}; the layers are 0 to {}",
                                          list->back(),
                                          file.layers.size() - 1));
        }
    }
    if (file.policy == TextPolicy::Dlrm && file.lastBottomLayer + 1 >= file.layers.size())
    {
        throw ConfigError(name + ":1",
                          fmt::format("no layer follows the last bottom layer, {}; write one below "
                                      "{}",
                                      file.lastBottomLayer,
                                      file.layers.size() - 1));
    }
}

} // namespace

TextFile
ParseTextFile(const std::string& text, const std::string& name)
{
    std::vector<WorkloadLine> lines;
    std::istringstream stream(text);
    uint32_t number = 0;
    for (std::string line; std::getline(stream, line);)
    {
        WorkloadLine words(line, fmt::format("{}:{}", name, ++number));
        // Empty lines count, so that errors name the right line of the file.
        if (!words.Words().empty())
        {
            lines.push_back(std::move(words));
        }
    }
    if (lines.size() < 3)
    {
        throw ConfigError(name,
                          "is no text workload; write its policy, the number of its layers, "
                          "and a line for each layer");
    }
    TextFile file;
    ReadTextSettings(lines[0], file);
    const uint64_t layers = lines[1].Number(0, "number of layers");
    if (layers != lines.size() - 2)
    {
        lines[1].Fail(fmt::format("says {} layers, but {} follow", layers, lines.size() - 2));
    }
    for (size_t at = 2; at < lines.size(); ++at)
    {
        file.layers.push_back(ReadLayer(lines[at], file.policy));
    }
    CheckNumbers(file, name);
    return file;
}

TextFile
ReadTextFile(const std::string& path)
{
    std::ifstream stream(path);
    if (!stream)
    {
        throw ConfigError("file", fmt::format("\"{}\" cannot be read; name a text workload", path));
    }
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return ParseTextFile(text, path);
}

} // namespace nadi
