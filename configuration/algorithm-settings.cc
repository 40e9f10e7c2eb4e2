// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/algorithm-settings.h"

#include "common/error.h"
#include "common/registry.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "network/shape.h"
#include "system/collective-plan.h"
#include "system/scheduling/inter-dimension-policy.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

using AlgorithmRegistry = Registry<CollectiveAlgorithm>;

/// The entry of that name; it supports `type`.
const AlgorithmRegistry::Entry&
FindAlgorithm(const ConfigNode& node, CollectiveType type)
{
    const std::vector<std::string> able = AlgorithmsFor(type);
    const std::string& name = node.Scalar("the name of an algorithm: " + JoinWithOr(able));
    const auto* entry = AlgorithmRegistry::Instance().Find(name);
    if (entry == nullptr)
    {
        FailUnknownWord(node, AlgorithmRegistry::Instance().Names());
    }
    if (std::find(able.begin(), able.end(), name) == able.end())
    {
        node.Fail(fmt::format(
            "{} does not exist for {}; write {}", name, ToText(type), JoinWithOr(able)));
    }
    return *entry;
}

void
CheckParameters(const ConfigNode& node,
                const AlgorithmRegistry::Entry& entry,
                const AlgorithmSpec& spec)
{
    try
    {
        entry.make(Parameters::Parse(entry.parameters, spec.parameters));
    }
    catch (const UnitError& error)
    {
        node.Fail(error.what());
    }
    catch (const ConfigError& error)
    {
        node.Fail(error.Problem());
    }
}

/// Whether the size may choose the algorithm: where it does by default, and written as it is.
bool
CanGoBySize(CollectiveType type)
{
    return type == CollectiveType::Broadcast || type == CollectiveType::Reduce;
}

AlgorithmSpec
ReadSpec(const ConfigNode& node, CollectiveType type)
{
    if (node.kind == ConfigNode::Kind::Scalar && node.text == BY_SIZE && CanGoBySize(type))
    {
        return {BY_SIZE, {}};
    }
    if (node.kind != ConfigNode::Kind::Map)
    {
        return {FindAlgorithm(node, type).name, {}};
    }
    const ConfigNode* name = node.Find("name");
    if (name == nullptr)
    {
        node.Fail("key \"name\" is missing; write {name: ring} or {flat: ring}");
    }
    const AlgorithmRegistry::Entry& entry = FindAlgorithm(*name, type);
    AlgorithmSpec spec{entry.name, {}};
    for (const ConfigNode& child : node.children)
    {
        if (child.key != "name")
        {
            spec.parameters[child.key] = child.Scalar("a value of " + child.key);
        }
    }
    CheckParameters(node, entry, spec);
    return spec;
}

AlgorithmSetting
ReadSetting(const ConfigNode& node, CollectiveType type)
{
    AlgorithmSetting setting;
    setting.where = node.Where();
    if (node.kind == ConfigNode::Kind::List)
    {
        setting.isList = true;
        for (const ConfigNode& item : node.children)
        {
            setting.choice.perDimension.push_back(ReadSpec(item, type));
        }
        return setting;
    }
    const ConfigNode* flat = node.Find("flat");
    if (flat != nullptr && node.children.size() > 1)
    {
        flat->FailAtKey("stands alone; write {flat: ring} or {flat: {name: ring}}");
    }
    setting.choice.isFlat = flat != nullptr;
    setting.choice.perDimension = {ReadSpec(flat == nullptr ? node : *flat, type)};
    return setting;
}

Json
WriteSpec(const AlgorithmSpec& spec)
{
    if (spec.parameters.empty())
    {
        return spec.name;
    }
    Json value = Json::object();
    value["name"] = spec.name;
    for (const auto& [name, text] : spec.parameters)
    {
        value[name] = text;
    }
    return value;
}

Json
WriteChoice(const AlgorithmChoice& choice)
{
    if (choice.isFlat)
    {
        Json value = Json::object();
        value["flat"] = WriteSpec(choice.perDimension.front());
        return value;
    }
    Json list = Json::array();
    for (const AlgorithmSpec& spec : choice.perDimension)
    {
        list.push_back(WriteSpec(spec));
    }
    return list;
}

Json
WriteChoices(const SystemConfig& system)
{
    Json values = Json::object();
    for (const auto& [type, choice] : system.options.algorithms)
    {
        values[std::string(ToText(type))] = WriteChoice(choice);
    }
    return values;
}

void
ReadChoices(const ConfigNode& node, SystemConfig& system)
{
    Section section;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        Field field;
        field.name = ToText(type);
        field.read = [&system, type](const ConfigNode& value)
        { system.collectives[type] = ReadSetting(value, type); };
        section.push_back(std::move(field));
    }
    ReadSection(node, section);
}

Json
MakeSpecSchema(CollectiveType type)
{
    Json name = {{"enum", AlgorithmsFor(type)}};
    Json mapping = Json::object();
    mapping["type"] = "object";
    mapping["properties"]["name"] = name;
    mapping["required"] = Json::array({"name"});
    Json spec = Json::object();
    spec["anyOf"] = Json::array({name, mapping});
    if (CanGoBySize(type))
    {
        spec["anyOf"].push_back(Json{{"const", BY_SIZE}});
    }
    return spec;
}

Json
MakeChoicesSchema()
{
    Json schema = {{"type", "object"}, {"additionalProperties", false}};
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const Json spec = MakeSpecSchema(type);
        Json list = {{"type", "array"}, {"items", spec}};
        Json flat = {{"type", "object"}, {"required", Json::array({"flat"})}};
        flat["properties"]["flat"] = spec;
        schema["properties"][std::string(ToText(type))]["anyOf"] = Json::array({spec, list, flat});
    }
    return schema;
}

AlgorithmChoice
MakeDefaultChoice(CollectiveType type, const std::vector<std::string>& shapes)
{
    AlgorithmChoice choice;
    for (const std::string& shape : shapes)
    {
        choice.perDimension.push_back(
            DefaultAlgorithm(type, *MakeShape(shape, "network.dimensions")));
    }
    return choice;
}

AlgorithmChoice
Resolve(CollectiveType type, const AlgorithmSetting& setting, size_t dimensions)
{
    AlgorithmChoice choice = setting.choice;
    if (setting.isList && choice.perDimension.size() != dimensions)
    {
        throw ConfigError(setting.where,
                          fmt::format("system.collectives.{}: lists {} algorithms for a stack of "
                                      "{}; write one for each dimension, or one name for all",
                                      ToText(type),
                                      choice.perDimension.size(),
                                      dimensions));
    }
    if (!setting.isList && !choice.isFlat)
    {
        // From here on the choice has one entry for each dimension. "ring" for a stack of three is
        // the same as [ring, ring, ring], and the effective configuration has it so.
        choice.perDimension.resize(dimensions, choice.perDimension.front());
    }
    return choice;
}

bool
CanRun(CollectiveType type, const AlgorithmSpec& spec)
{
    const std::vector<std::string> able = AlgorithmsFor(type);
    return std::find(able.begin(), able.end(), spec.name) != able.end();
}

bool
CanRun(CollectiveType type, const AlgorithmChoice& choice)
{
    return std::all_of(choice.perDimension.begin(),
                       choice.perDimension.end(),
                       [&](const AlgorithmSpec& spec) { return CanRun(type, spec); });
}

/// An all-reduce over a stack scatters along all dimensions but the last of a chunk's order, and
/// gathers on the way back; only a policy of a fixed order fixes which one is the last.
void
CheckScatterGather(const AlgorithmSetting& setting, const SystemConfig& system)
{
    const AlgorithmChoice& choice = system.options.algorithms.at(CollectiveType::AllReduce);
    const SchedulingOptions& scheduling = system.options.scheduling;
    if (choice.isFlat || choice.perDimension.size() < 2 || scheduling.perDimension)
    {
        return;
    }
    // Under a fixed order the last dimension is the last of every chunk, and an algorithm that can
    // only all-reduce will do there. Under other orders a dimension that is the last of one chunk
    // is an earlier one of another, so all are judged.
    const auto policy =
        Registry<InterDimensionPolicy>::Instance().MakeDefault(scheduling.interDimension);
    const size_t fixedLast = policy->HasFixedOrder() ? 1 : 0;
    for (size_t d = 0; d + fixedLast < choice.perDimension.size(); ++d)
    {
        const AlgorithmSpec& spec = choice.perDimension[d];
        if (!CanRun(CollectiveType::ReduceScatter, spec) ||
            !CanRun(CollectiveType::AllGather, spec))
        {
            throw ConfigError(
                setting.where,
                fmt::format("system.collectives.all-reduce: {} cannot scatter and gather along "
                            "dimension {} "
                            "of the stack; write {}, {{flat: {}}}, or hierarchy: per-dimension",
                            spec.name,
                            d,
                            JoinWithOr(AlgorithmsFor(CollectiveType::ReduceScatter)),
                            spec.name));
        }
    }
}

} // namespace

Field
MakeAlgorithmsField(SystemConfig& system)
{
    Field field;
    field.name = "collectives";
    field.help = "algorithms by type: one for all dimensions, a list of one for each, or {flat: "
                 "one}; defaults follow the shapes";
    field.schema = MakeChoicesSchema();
    field.read = [&system](const ConfigNode& node) { ReadChoices(node, system); };
    field.write = [&system]() -> std::optional<Json> { return WriteChoices(system); };
    return field;
}

void
ResolveAlgorithms(SystemConfig& system, const std::vector<std::string>& shapes)
{
    auto& algorithms = system.options.algorithms;
    for (const CollectiveType type : AllCollectiveTypes())
    {
        const auto given = system.collectives.find(type);
        algorithms[type] = given == system.collectives.end()
                               ? MakeDefaultChoice(type, shapes)
                               : Resolve(type, given->second, shapes.size());
    }
    const auto allReduce = system.collectives.find(CollectiveType::AllReduce);
    if (allReduce != system.collectives.end())
    {
        CheckScatterGather(allReduce->second, system);
    }
    // A barrier that nobody chose for follows the choice for all-reduce. Where one of those
    // algorithms cannot run a barrier, it keeps its own default.
    const bool isBarrierGiven = system.collectives.contains(CollectiveType::Barrier);
    if (!isBarrierGiven && CanRun(CollectiveType::Barrier, algorithms[CollectiveType::AllReduce]))
    {
        algorithms[CollectiveType::Barrier] = algorithms[CollectiveType::AllReduce];
    }
}

} // namespace nadi
