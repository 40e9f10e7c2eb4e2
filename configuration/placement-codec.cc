// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/placement-codec.h"

#include "configuration/config-document.h"
#include "configuration/field.h"
#include "configuration/yaml-reader.h"
#include "network/topology-limits.h"

#include <fmt/format.h>

#include <unordered_map>

namespace nadi
{

namespace
{

using Kind = PlacementChoice::Kind;

constexpr const char* FORMS =
    "linear, snake, random, {snake: [1, 0]}, a list of NPUs such as [2, 0, 1], or {file: PATH}";

const std::vector<std::pair<std::string, Kind>> PLACEMENT_WORDS{
    {"linear", Kind::Linear}, {"snake", Kind::Snake}, {"random", Kind::Random}};

/// Whole numbers, each of them once.
/// Only the schema says that they differ. Repeats are refused with better messages elsewhere: those
/// of NPUs by CheckDistinct, those of dimensions by FindOrder, which knows how many there are.
Codec<std::vector<uint32_t>>
MakeDistinctCodec(const std::string& expected)
{
    Codec<std::vector<uint32_t>> codec =
        MakeListCodec(MakeCountCodec(0, MOST_VERTICES - 1), expected);
    codec.schema = codec.schema.With("uniqueItems", true);
    return codec;
}

Codec<std::vector<uint32_t>>
MakeOrderCodec()
{
    Codec<std::vector<uint32_t>> codec = MakeDistinctCodec("a list of dimensions such as [1, 0]");
    codec.schema = codec.schema.With("minItems", 1);
    return codec;
}

/// A number that is there twice is refused where it stands the second time.
/// Linear in the list, which has a number for each rank.
std::vector<uint32_t>
CheckDistinct(const ConfigNode& node, std::vector<uint32_t> npus)
{
    std::unordered_map<uint32_t, uint32_t> rankOfNpu; // nothing is read off in its order
    for (uint32_t rank = 0; rank < npus.size(); ++rank)
    {
        const auto [known, isNew] = rankOfNpu.emplace(npus[rank], rank);
        if (!isNew)
        {
            node.children[rank].Fail(
                fmt::format("npu{} hosts rank {} already; write an NPU of its own for each rank",
                            npus[rank],
                            known->second));
        }
    }
    return npus;
}

NpuList
ReadNpus(const ConfigNode& node)
{
    return {.npus = MakeNpusCodec().read(node), .where = node.Where()};
}

Section
DescribeSnake(PlacementChoice& choice)
{
    return {WithExample(
        MakeRequiredField("snake",
                          choice.order,
                          MakeOrderCodec(),
                          "The dimensions, from the one whose coordinate runs fastest to the one "
                          "whose coordinate runs slowest."),
        {1, 0})};
}

Section
DescribePlacementFile(PlacementChoice& choice)
{
    return {WithExample(MakeRequiredField("file",
                                          choice.file,
                                          MakePathCodec(),
                                          "A YAML file with a list of NPUs, one for each rank."),
                        "placements/wafer.yaml")};
}

/// The key that is there chooses between the two sections, so an error about another key names the
/// keys of that form only.
PlacementChoice
ReadMapping(const ConfigNode& node)
{
    PlacementChoice choice;
    if (node.Find("snake") == nullptr && node.Find("file") == nullptr)
    {
        node.Fail("needs one of snake and file");
    }
    const bool isSnake = node.Find("snake") != nullptr;
    if (isSnake && node.Find("file") != nullptr)
    {
        node.Find("file")->FailAtKey("cannot stand beside \"snake\"; keep one of snake and file");
    }
    choice.kind = isSnake ? Kind::Snake : Kind::File;
    ReadSection(node, isSnake ? DescribeSnake(choice) : DescribePlacementFile(choice));
    if (isSnake && choice.order.empty())
    {
        node.Find("snake")->Fail("is empty; write a list of dimensions such as [1, 0]");
    }
    return choice;
}

PlacementChoice
ReadWord(const ConfigNode& node)
{
    for (const auto& [word, kind] : PLACEMENT_WORDS)
    {
        if (node.text == word)
        {
            return {.kind = kind};
        }
    }
    node.Fail("\"" + node.text + "\" is not valid; write " + FORMS);
}

PlacementChoice
ReadPlacement(const ConfigNode& node)
{
    switch (node.kind)
    {
    case ConfigNode::Kind::Scalar:
        return ReadWord(node);
    case ConfigNode::Kind::List:
        return {.kind = Kind::List, .list = ReadNpus(node)};
    case ConfigNode::Kind::Map:
        return ReadMapping(node);
    case ConfigNode::Kind::Null:
        break;
    }
    node.Fail(std::string("is empty; write ") + FORMS);
}

/// Requires: a kind that has a word.
Json
WriteWord(Kind kind)
{
    size_t at = 0;
    while (PLACEMENT_WORDS[at].second != kind)
    {
        ++at;
    }
    return PLACEMENT_WORDS[at].first;
}

Json
WritePlacement(const PlacementChoice& choice)
{
    PlacementChoice written = choice;
    if (choice.kind == Kind::List)
    {
        return MakeNpusCodec().write(choice.list.npus);
    }
    if (choice.kind == Kind::File)
    {
        return WriteSection(DescribePlacementFile(written));
    }
    // A snake without an order goes along all dimensions, innermost first. It is the bare word.
    return choice.order.empty() ? WriteWord(choice.kind) : WriteSection(DescribeSnake(written));
}

Json
MakePlacementSchema()
{
    Json words = Json::array();
    for (const auto& [word, kind] : PLACEMENT_WORDS)
    {
        words.push_back(word);
    }
    PlacementChoice choice;
    return Json{{"anyOf",
                 Json::array({Json{{"enum", words}},
                              MakeNpusCodec().schema.Get(),
                              MakeSectionSchema(DescribeSnake(choice)),
                              MakeSectionSchema(DescribePlacementFile(choice))})}};
}

} // namespace

Codec<std::vector<uint32_t>>
MakeNpusCodec()
{
    Codec<std::vector<uint32_t>> codec = MakeDistinctCodec("a list of NPUs such as [2, 0, 1]");
    codec.read = [read = codec.read](const ConfigNode& node)
    { return CheckDistinct(node, read(node)); };
    return codec;
}

Codec<PlacementChoice>
MakePlacementCodec()
{
    Codec<PlacementChoice> codec;
    codec.schema = [] { return MakePlacementSchema(); };
    codec.read = [](const ConfigNode& node)
    {
        PlacementChoice choice = ReadPlacement(node);
        // Whether the ranks fit the NPUs is checked once the network is known. That error needs the
        // place.
        choice.where = node.Where() + ": " + node.Path();
        return choice;
    };
    codec.write = [](const PlacementChoice& choice) { return WritePlacement(choice); };
    return codec;
}

NpuList
ReadPlacementFile(const std::filesystem::path& file, const std::string& where)
{
    std::ifstream stream = OpenFile(file, where);
    const SourceText source{file.string(), file.parent_path(), true};
    ConfigNode root = ReadYaml(stream, source);
    root.Seal();
    return ReadNpus(root);
}

} // namespace nadi
