// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/parameter-codec.h"

#include "common/unit-parser.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <variant>

namespace nadi
{

namespace
{

using Values = std::map<std::string, std::string>;

/// A default "as ..." would not show what a value looks like.
std::string
ExpectedText(const ParameterSpec& spec)
{
    return spec.defaultText.empty() || !FindDefaultSource(spec).empty()
               ? "a value of " + spec.name
               : "a value such as " + spec.defaultText;
}

/// The text of a value, checked, in the form in which it is written back.
/// It is parsed and printed again, so that "0.5 us" and "500 ns" have one effective form.
std::string
ReadParameterText(const ConfigNode& node, const ParameterSpec& spec)
{
    const std::string& text = node.Scalar(ExpectedText(spec));
    try
    {
        return ToText(ParseParameter(spec, text));
    }
    catch (const UnitError& error)
    {
        node.Fail(error.what());
    }
}

/// The whole numbers of a list, as the text that separates them by commas.
std::string
ReadNumbers(const ConfigNode& node, ParameterSpec number)
{
    if (node.children.empty())
    {
        node.Fail("is empty; write at least one number");
    }
    // Only the kind changes: range and words of the list are those of each number.
    number.kind = ParameterKind::Count;
    std::string text;
    for (const ConfigNode& item : node.children)
    {
        text += (text.empty() ? "" : ",") + ReadParameterText(item, number);
    }
    return text;
}

std::string
ReadValue(const ConfigNode& node, const ParameterSpec& spec)
{
    const bool isList = spec.kind == ParameterKind::Counts && node.kind == ConfigNode::Kind::List;
    return isList ? ReadNumbers(node, spec) : ReadParameterText(node, spec);
}

/// Numbers stand as numbers, lists as lists, everything else as text.
Json
WriteValue(const std::string& text, const ParameterSpec& spec)
{
    const ParameterValue value = ParseParameter(spec, text);
    if (const auto* count = std::get_if<int64_t>(&value))
    {
        return *count;
    }
    if (const auto* number = std::get_if<double>(&value))
    {
        return *number;
    }
    if (const auto* counts = std::get_if<std::vector<int64_t>>(&value))
    {
        return *counts;
    }
    return text;
}

/// One path, or a list of them.
Codec<std::string>
MakePathsCodec()
{
    const Codec<std::string> path = MakePathCodec();
    Codec<std::string> codec;
    codec.schema = [path]
    {
        const Json one = path.schema.Get();
        const Json list{{"type", "array"}, {"items", one}, {"minItems", 1}};
        return Json{{"title", "a path, or a list of them"}, {"anyOf", Json::array({one, list})}};
    };
    codec.read = [path](const ConfigNode& node)
    {
        if (node.kind != ConfigNode::Kind::List)
        {
            return path.read(node);
        }
        return ToText(ParameterValue(MakeListCodec(path, "a list of paths").read(node)));
    };
    codec.write = [](const std::string& text)
    {
        const ParameterSpec paths{"", ParameterKind::Paths, "", ""};
        return Json(std::get<std::vector<std::string>>(ParseParameter(paths, text)));
    };
    return codec;
}

/// JSON has no infinity, so a range without an upper bound has no maximum.
Json
MakeNumberSchema(const NumberRange& range)
{
    Json schema{{"type", "number"}};
    schema[range.isLeastAllowed ? "minimum" : "exclusiveMinimum"] = range.least;
    if (range.most < std::numeric_limits<double>::infinity())
    {
        schema["maximum"] = range.most;
    }
    return schema;
}

/// The same with bounds that are whole numbers, and a number that most counts can be for an
/// example.
Json
MakeWholeNumberSchema(const NumberRange& range)
{
    constexpr double usual = 8;
    constexpr double mostExact = 1ULL << 53U; // larger bounds are those of the type
    Json schema = MakeNumberSchema(range);
    schema["type"] = "integer";
    for (const char* bound : {"minimum", "exclusiveMinimum", "maximum"})
    {
        if (schema.contains(bound) && schema[bound] <= mostExact)
        {
            schema[bound] = static_cast<int64_t>(schema[bound].get<double>());
        }
    }
    const double example = std::clamp(usual, range.least, range.most);
    schema["examples"] = Json::array({static_cast<int64_t>(example)});
    return schema;
}

Json
MakeWordsSchema(const std::vector<std::string>& words)
{
    if (words.empty())
    {
        return MakeTextCodec("a word").schema.Get();
    }
    const bool isSwitch = words == std::vector<std::string>{"on", "off"};
    return isSwitch ? MakeSwitchCodec().schema.Get() : MakeWordCodec(words).schema.Get();
}

/// A number, a list of them, or a text that separates them by commas.
Json
MakeCountsSchema(const NumberRange& range)
{
    const Json one = MakeWholeNumberSchema(range);
    const Json list{{"type", "array"}, {"items", one}, {"minItems", 1}};
    const Json text{{"type", "string"}, {"pattern", "^[0-9]+(, *[0-9]+)*$"}};
    Json schema{{"title", "whole numbers"}, {"anyOf", Json::array({one, list, text})}};
    return schema;
}

/// A quantity or a path has the schema of its codec, so that parameters and keys of one kind are
/// described alike.
Json
MakeValueSchema(const ParameterSpec& spec)
{
    switch (spec.kind)
    {
    case ParameterKind::Size:
        return MakeSizeCodec().schema.Get();
    case ParameterKind::Rate:
        return MakeRateCodec().schema.Get();
    case ParameterKind::Duration:
        return MakeTimeCodec().schema.Get();
    case ParameterKind::ComputeRate:
        return MakeFlopRateCodec().schema.Get();
    case ParameterKind::Count:
        return MakeWholeNumberSchema(spec.range);
    case ParameterKind::Number:
        return MakeNumberSchema(spec.range);
    case ParameterKind::Counts:
        return MakeCountsSchema(spec.range);
    case ParameterKind::Path:
        return MakePathCodec().schema.Get();
    case ParameterKind::Paths:
        return MakePathsCodec().schema.Get();
    case ParameterKind::Word:
        break;
    }
    return MakeWordsSchema(spec.words);
}

/// A value, or one of the words that may stand in its place.
Json
MakeSchema(const ParameterSpec& spec)
{
    const Json value = MakeValueSchema(spec);
    if (spec.kind == ParameterKind::Word || spec.words.empty())
    {
        return value;
    }
    return Json{{"anyOf", Json::array({MakeWordCodec(spec.words).schema.Get(), value})}};
}

/// What holds where `spec` is absent: nothing where it must be given, or where another parameter's
/// value is its default. Such a default is not written out, so in an effective configuration it
/// still follows the other one.
std::string
OwnDefault(const ParameterSpec& spec)
{
    return FindDefaultSource(spec).empty() ? spec.defaultText : "";
}

/// Requires: `values` stays where it is. A parameter without a default must be given, unless a
/// preset has put it into `values` before the section is made (ReadPreset).
Field
MakeParameterField(const std::string& key, const ParameterSpec& spec, Values& values)
{
    const Codec<std::string> codec = MakeParameterCodec(spec);
    Field field;
    field.name = key;
    field.help = spec.help;
    field.isRequired = spec.defaultText.empty() && !values.contains(spec.name);
    field.schema = codec.schema;
    field.read = [&values, name = spec.name, codec](const ConfigNode& node)
    { values[name] = codec.read(node); };
    field.write = [&values, spec, codec]() -> std::optional<Json>
    {
        const auto found = values.find(spec.name);
        // A value is missing where nothing was read, as when the schema is made.
        const std::string text = found == values.end() ? OwnDefault(spec) : found->second;
        return text.empty() ? std::nullopt : std::optional<Json>(codec.write(text));
    };
    return field;
}

/// The mapping whose keys are the parameters `name`.<key>.
///
/// Requires: the parameters are those of a link, and the last of them is the latency.
Field
MakeMappingField(const std::string& name, const std::vector<ParameterSpec>& specs, Values& values)
{
    Section section;
    for (const ParameterSpec& spec : specs)
    {
        section.push_back(MakeParameterField(spec.name.substr(name.size() + 1), spec, values));
    }
    // The help of the latency is "The latency of a link between ...".
    const std::string link = specs.back().help.substr(std::string("The latency").size());
    Field field = MakeSectionField(name, section, "The bandwidth and latency" + link);
    field.isRequired = std::any_of(
        section.begin(), section.end(), [](const Field& inner) { return inner.isRequired; });
    return field;
}

} // namespace

/// Parameters of every kind are kept as texts, so that all components are stored alike
/// (ComponentChoice). A text is parsed here for the error at its line, and once more when the
/// component is made, for its value.
Codec<std::string>
MakeParameterCodec(const ParameterSpec& spec)
{
    if (spec.kind == ParameterKind::Path)
    {
        return MakePathCodec();
    }
    if (spec.kind == ParameterKind::Paths)
    {
        return MakePathsCodec();
    }
    Codec<std::string> codec;
    codec.schema = [spec] { return MakeSchema(spec); };
    codec.read = [spec](const ConfigNode& node) { return ReadValue(node, spec); };
    codec.write = [spec](const std::string& text) { return WriteValue(text, spec); };
    return codec;
}

Section
DescribeParameters(const std::vector<ParameterSpec>& specs, Values& values)
{
    Section section;
    for (auto at = specs.begin(); at != specs.end();)
    {
        const size_t dot = at->name.find('.');
        if (dot == std::string::npos)
        {
            section.push_back(MakeParameterField(at->name, *at, values));
            ++at;
            continue;
        }
        const std::string prefix = at->name.substr(0, dot + 1);
        const auto end = std::find_if(at,
                                      specs.end(),
                                      [&prefix](const ParameterSpec& spec)
                                      { return !spec.name.starts_with(prefix); });
        section.push_back(MakeMappingField(at->name.substr(0, dot), {at, end}, values));
        at = end;
    }
    return section;
}

} // namespace nadi
