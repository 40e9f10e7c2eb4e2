// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/node-algorithms.h"

#include "common/parameters.h"
#include "configuration/config-document.h"
#include "configuration/parameter-codec.h"
#include "configuration/yaml-reader.h"
#include "system/collective-plan.h"
#include "system/message-programs/file-program.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace nadi
{

namespace
{

NodeId
ReadNodeId(const ConfigNode& file)
{
    uint64_t id = 0;
    const char* const end = file.key.data() + file.key.size();
    const auto [last, error] = std::from_chars(file.key.data(), end, id);
    if (error != std::errc() || last != end)
    {
        file.FailAtKey("is no id of a node; write lines such as \"12: ring/custom\"");
    }
    return NodeId{id};
}

/// The file itself, or the traces that a prefix stands for.
std::string
ReadFileName(const ConfigNode& node)
{
    const std::string path = MakePathCodec().read(node);
    // ASTRA-sim's mapping names prefixes of traces, so a name that is no file is taken for one.
    const bool isWhole =
        path.find("{rank}") != std::string::npos || std::filesystem::is_regular_file(path);
    return isWhole ? path : path + ".{rank}.et";
}

void
ReadEntries(const ConfigNode& map, SystemConfig& system)
{
    if (map.kind != ConfigNode::Kind::Map)
    {
        map.Fail("expected ids of nodes with their files, such as {12: ring/custom}");
    }
    for (const ConfigNode& file : map.children)
    {
        const NodeId id = ReadNodeId(file);
        if (system.options.nodeAlgorithms.contains(id))
        {
            file.FailAtKey(fmt::format("node {} is given twice; remove one", id.value));
        }
        system.options.nodeAlgorithms[id] =
            CompleteAlgorithm({"custom", {{"from", ReadFileName(file)}}});
        system.nodeAlgorithmsWhere[id] = file.Where() + ": " + file.Path();
    }
}

/// Paths in that file are relative to that file and not to the configuration, as each value knows
/// its source.
void
ReadEntriesOfFile(const ConfigNode& name, SystemConfig& system)
{
    const std::filesystem::path path = MakePathCodec().read(name);
    std::ifstream stream = OpenFile(path, name.Where() + ": " + name.Path());
    const SourceText source{path.string(), path.parent_path(), true};
    ConfigNode root = ReadYaml(stream, source);
    root.Seal();
    ReadEntries(root, system);
}

Json
WriteEntries(const std::map<NodeId, ComponentChoice>& algorithms)
{
    Json entries = Json::object();
    for (const auto& [id, algorithm] : algorithms)
    {
        entries[std::to_string(id.value)] = FindProgramFiles(algorithm).paths.front();
    }
    return entries;
}

Json
MakeEntriesSchema()
{
    const Json path = MakePathCodec().schema.Get();
    Json entries{{"type", "object"}, {"additionalProperties", path}};
    return Json{{"title", "a path, or ids of nodes with their files"},
                {"anyOf", Json::array({path, entries})}};
}

} // namespace

Field
MakeNodeAlgorithmsField(SystemConfig& system)
{
    Field field;
    field.name = "per-node";
    field.help = "The files of algorithms for the calls by single nodes, by their ids: a mapping, "
                 "or the path of a YAML file with one. They go before the algorithm of the type.";
    field.schema = &MakeEntriesSchema;
    field.read = [&system](const ConfigNode& node)
    {
        node.kind == ConfigNode::Kind::Scalar ? ReadEntriesOfFile(node, system)
                                              : ReadEntries(node, system);
    };
    field.write = [&system]() -> std::optional<Json>
    {
        const auto& algorithms = system.options.nodeAlgorithms;
        return algorithms.empty() ? std::nullopt : std::optional<Json>(WriteEntries(algorithms));
    };
    return field;
}

} // namespace nadi
