// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/algorithm-codec.h"

#include "common/text.h"
#include "configuration/component-codec.h"
#include "system/collective-plan.h"
#include "system/message-programs/file-program.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

/// Whether the size may choose the algorithm: where it does by default, and written as it is.
bool
CanGoBySize(CollectiveType type)
{
    return type == CollectiveType::Broadcast || type == CollectiveType::Reduce;
}

/// The algorithms that support `type`.
ComponentKind
MakeAlgorithmKind(CollectiveType type)
{
    ComponentKind kind = MakeRegisteredKind<CollectiveAlgorithm>("collective algorithm", "name");
    const std::vector<std::string> able = AlgorithmsFor(type);
    std::erase_if(kind.components,
                  [&able](const ComponentInfo& info)
                  { return std::find(able.begin(), able.end(), info.name) == able.end(); });
    if (CanGoBySize(type))
    {
        kind.components.push_back({.name = BY_SIZE,
                                   .help =
                                       "The algorithm that is expected to be faster for the size "
                                       "of the call.",
                                   .parameters = {}});
        kind.check = [check = kind.check](const ComponentChoice& choice)
        {
            if (choice.name != BY_SIZE)
            {
                check(choice);
            }
        };
    }
    return kind;
}

/// Throws ConfigError for an algorithm that exists, but not for this type.
void
CheckSupport(const ConfigNode& name, CollectiveType type)
{
    const std::vector<std::string> able = AlgorithmsFor(type);
    // A misspelt name is left to the codec, which lists the words that are right.
    const bool isRegistered = name.kind == ConfigNode::Kind::Scalar &&
                              Registry<CollectiveAlgorithm>::Instance().Find(name.text) != nullptr;
    if (isRegistered && std::find(able.begin(), able.end(), name.text) == able.end())
    {
        name.Fail(fmt::format(
            "{} does not exist for {}; write {}", name.text, ToText(type), JoinWithOr(able)));
    }
}

/// The same mapping, with the name of the algorithm that reads `from`.
ConfigNode
NameCustom(const ConfigNode& node)
{
    ConfigNode named = node;
    ConfigNode name = *node.Find("from");
    // The name is a changed copy of the value of `from`, so that errors about the name show the
    // line of `from`.
    name.kind = ConfigNode::Kind::Scalar;
    name.children.clear();
    name.key = "name";
    name.text = "custom";
    named.children.push_back(name);
    // All copies keep their parents, which are nodes of the document, so their paths stay right.
    return named;
}

/// Throws ConfigError for an algorithm of files that has none.
void
CheckFiles(const ConfigNode& node, const ComponentChoice& choice)
{
    if (choice.name == "custom" && FindProgramFiles(choice).paths.empty())
    {
        node.Fail("custom reads a file; write {from: FILE}");
    }
}

/// CheckSupport comes before the codec: its message says that the algorithm exists for other types
/// only, while the codec would call the word unknown.
ComponentChoice
ReadAlgorithm(const ConfigNode& node, CollectiveType type, const Codec<ComponentChoice>& codec)
{
    if (node.kind == ConfigNode::Kind::Map && node.Find("from") != nullptr &&
        node.Find("name") == nullptr)
    {
        return ReadAlgorithm(NameCustom(node), type, codec);
    }
    const ConfigNode* name = node.kind == ConfigNode::Kind::Map ? node.Find("name") : &node;
    if (name == nullptr)
    {
        node.Fail("key \"name\" is missing; write {name: ring}, {flat: ring} or {from: FILE}");
    }
    CheckSupport(*name, type);
    ComponentChoice choice = codec.read(node);
    CheckFiles(*name, choice);
    return choice;
}

Codec<ComponentChoice>
MakeAlgorithmCodec(CollectiveType type)
{
    Codec<ComponentChoice> codec =
        MakeComponentCodec(MakeAlgorithmKind(type), ComponentForm::NameOrMapping);
    codec.schema = codec.schema.With(
        "title", JoinWithOr(AlgorithmsFor(type)) + ", or {name: ALGORITHM, <parameters>}");
    codec.read = [type, any = codec](const ConfigNode& node)
    { return ReadAlgorithm(node, type, any); };
    return codec;
}

/// Whether its plans are programs for a whole group.
/// BY_SIZE is no algorithm of the registry, which would refuse that name.
bool
RunsOverGroup(const ComponentChoice& algorithm)
{
    return algorithm.name != BY_SIZE &&
           Registry<CollectiveAlgorithm>::Instance().Make(algorithm)->Programs() != nullptr;
}

void
CheckList(const ConfigNode& node, const std::vector<ComponentChoice>& algorithms)
{
    for (size_t index = 0; index < algorithms.size(); ++index)
    {
        if (RunsOverGroup(algorithms[index]))
        {
            node.children[index].Fail(algorithms[index].name +
                                      " runs over all ranks of a group at once, not along one "
                                      "dimension; write it alone, without a list");
        }
    }
}

/// A list is one algorithm for each dimension. Everything else is one algorithm: by its name; as a
/// mapping with `name`, or with `from` for one that a file describes; or any of these below `flat`.
AlgorithmSetting
ReadSetting(const ConfigNode& node, const Codec<ComponentChoice>& algorithm)
{
    AlgorithmSetting setting;
    setting.where = node.Where();
    if (node.kind == ConfigNode::Kind::List)
    {
        setting.isList = true;
        setting.choice.perDimension = MakeListCodec(algorithm, "a list of algorithms").read(node);
        CheckList(node, setting.choice.perDimension);
        return setting;
    }
    const ConfigNode* flat = node.Find("flat");
    if (flat != nullptr && node.children.size() > 1)
    {
        flat->FailAtKey("stands alone; write {flat: ring} or {flat: {name: ring}}");
    }
    setting.choice.perDimension = {algorithm.read(flat == nullptr ? node : *flat)};
    // A program of a whole group knows no dimensions, so it is flat even where `flat` is not
    // written.
    setting.choice.isFlat = flat != nullptr || RunsOverGroup(setting.choice.perDimension.front());
    return setting;
}

Json
WriteChoice(const AlgorithmChoice& choice, const Codec<ComponentChoice>& algorithm)
{
    // Requires: ResolveAlgorithms has resolved the choice. It is flat, or has an algorithm for each
    // dimension, also where one name was given for all of them.
    if (choice.isFlat)
    {
        Json value = Json::object();
        value["flat"] = algorithm.write(choice.perDimension.front());
        return value;
    }
    Json list = Json::array();
    for (const ComponentChoice& dimension : choice.perDimension)
    {
        list.push_back(algorithm.write(dimension));
    }
    return list;
}

/// The short form of an algorithm that a file describes.
Json
MakeFileSchema()
{
    const Json path{{"type", "string"}};
    const Json paths{{"type", "array"}, {"items", path}, {"minItems", 1}};
    Json file{
        {"type", "object"}, {"additionalProperties", false}, {"required", Json::array({"from"})}};
    file["properties"]["from"] =
        Json{{"title", "a path, or a list of them"},
             {"anyOf", Json::array({path, paths})},
             {"examples", {"ring.xml"}},
             {"description",
              "The file of an algorithm; of several, the first one that is "
              "meant for the size and the number of ranks."}};
    file["properties"]["scale"] = MakeSwitchCodec().schema.Get();
    file["properties"]["scale"]["default"] = "off";
    file["properties"]["scale"]["description"] =
        "Of traces: scale the sizes of messages to that of the call.";
    return file;
}

/// One for all dimensions, a list of one for each, `{flat: one}`, or `{from: FILE}`.
Json
MakeSettingSchema(const Json& algorithm)
{
    const Json list{{"type", "array"}, {"items", algorithm}, {"minItems", 1}};
    Json flat{
        {"type", "object"}, {"additionalProperties", false}, {"required", Json::array({"flat"})}};
    flat["properties"]["flat"] = algorithm;
    flat["properties"]["flat"]["description"] =
        "One algorithm over all ranks at once, whatever the dimensions.";
    Json choices = algorithm["anyOf"];
    choices.push_back(list);
    choices.push_back(flat);
    choices.push_back(MakeFileSchema());
    return Json{
        {"title",
         "an algorithm, a list of one for each dimension, {flat: ALGORITHM} or {from: FILE}"},
        {"anyOf", choices}};
}

} // namespace

Codec<AlgorithmSetting>
MakeAlgorithmSettingCodec(CollectiveType type)
{
    const Codec<ComponentChoice> algorithm = MakeAlgorithmCodec(type);
    Codec<AlgorithmSetting> codec;
    codec.schema = [algorithm] { return MakeSettingSchema(algorithm.schema.Get()); };
    codec.read = [algorithm](const ConfigNode& node) { return ReadSetting(node, algorithm); };
    codec.write = [algorithm](const AlgorithmSetting& setting)
    { return WriteChoice(setting.choice, algorithm); };
    return codec;
}

} // namespace nadi
