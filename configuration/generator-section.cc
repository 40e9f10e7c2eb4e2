// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/generator-section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace nadi
{

namespace
{

using Values = std::map<std::string, std::string>;

/// A quantity that is checked as a T and kept as the text of it that a configuration has.
template <class T>
Codec<std::string>
MakeCheckedText(const Codec<T>& codec)
{
    Codec<std::string> text;
    text.schema = codec.schema;
    text.read = [codec](const ConfigNode& node) -> std::string
    {
        const Json value = codec.write(codec.read(node));
        return value.is_string() ? value.get<std::string>() : value.dump();
    };
    text.write = [](const std::string& value) { return Json(value); };
    return text;
}

/// The list that a text such as "8,4" stands for: its parts, where the text stands.
ConfigNode
SplitAtCommas(const ConfigNode& node)
{
    ConfigNode list = node;
    list.kind = ConfigNode::Kind::List;
    size_t start = 0;
    for (size_t comma = 0; comma != std::string::npos; start = comma + 1)
    {
        comma = node.text.find(',', start);
        start = std::min(node.text.find_first_not_of(' ', start), node.text.size());
        list.children.push_back(node);
        list.children.back().text = node.text.substr(start, comma - start);
    }
    return list;
}

/// Whole numbers as a list, or as a text separated by commas, as which they are kept.
Codec<std::string>
MakeCountsText(uint32_t most)
{
    const Codec<uint32_t> one = MakeCountCodec(0, most);
    const Codec<std::vector<uint32_t>> many =
        MakeListCodec(one, "a list of whole numbers, such as [8, 4]");
    const Json separated{{"type", "string"}, {"pattern", "^[0-9]+(,[0-9]+)*$"}};
    Codec<std::string> text;
    text.schema = {{"anyOf", Json::array({one.schema, many.schema, separated})}};
    text.read = [many](const ConfigNode& node)
    {
        const std::vector<uint32_t> counts = node.kind == ConfigNode::Kind::Scalar
                                                 ? many.read(SplitAtCommas(node))
                                                 : many.read(node);
        if (counts.empty())
        {
            node.Fail("is empty; write at least one number");
        }
        return fmt::format("{}", fmt::join(counts, ","));
    };
    text.write = [](const std::string& value) { return Json::parse("[" + value + "]"); };
    return text;
}

/// One of `words`, or any; `on` and `off` as every switch.
Codec<std::string>
MakeWordText(const std::vector<std::string>& words)
{
    if (words.empty())
    {
        return MakeTextCodec("a word");
    }
    if (words != std::vector<std::string>{"on", "off"})
    {
        return MakeWordCodec(words);
    }
    return MakeCheckedText(MakeSwitchCodec());
}

Codec<std::string>
MakeParameterCodec(const ParameterSpec& spec)
{
    constexpr uint32_t most = 1U << 24; // generators say which are too many, and 0 where it is few
    switch (spec.kind)
    {
    case ParameterKind::Size:
        return MakeCheckedText(MakeSizeCodec());
    case ParameterKind::ComputeRate:
        return MakeCheckedText(MakeFlopRateCodec());
    case ParameterKind::Word:
        return MakeWordText(spec.words);
    case ParameterKind::Path:
        return MakePathCodec();
    case ParameterKind::Counts:
        return MakeCountsText(most);
    case ParameterKind::Rate:
        return MakeCheckedText(MakeRateCodec());
    case ParameterKind::Duration:
        return MakeCheckedText(MakeTimeCodec());
    case ParameterKind::Count:
    case ParameterKind::Number:
        break;
    }
    Codec<std::string> codec = spec.kind == ParameterKind::Count
                                   ? MakeCheckedText(MakeCountCodec(0, most))
                                   : MakeCheckedText(MakeFactorCodec());
    codec.write = [](const std::string& value) { return Json::parse(value); };
    return codec;
}

/// What holds where `spec` is absent: nothing where it must be given, or where another parameter's
/// value is its default. Such a default is not written out, so in an effective configuration it
/// still follows the other one.
std::string
OwnDefault(const ParameterSpec& spec)
{
    return FindDefaultSource(spec).empty() ? spec.defaultText : "";
}

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
        const std::string text = found == values.end() ? OwnDefault(spec) : found->second;
        return text.empty() ? std::nullopt : std::optional<Json>(codec.write(text));
    };
    return field;
}

/// The mapping whose keys are the parameters `name`.<key>.
Field
MakeMappingField(const std::string& name, const std::vector<ParameterSpec>& specs, Values& values)
{
    Section section;
    for (const ParameterSpec& spec : specs)
    {
        section.push_back(MakeParameterField(spec.name.substr(name.size() + 1), spec, values));
    }
    Field field = MakeSectionField(name, section, "{bandwidth, latency} " + specs.back().help);
    field.isRequired = std::any_of(
        section.begin(), section.end(), [](const Field& inner) { return inner.isRequired; });
    return field;
}

} // namespace

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
