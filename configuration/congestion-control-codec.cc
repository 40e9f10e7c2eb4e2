// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/congestion-control-codec.h"

#include "configuration/field.h"
#include "common/text.h"
#include "common/unit-parser.h"
#include "network/packet/congestion-controls.h"

#include <cstring>

namespace nadi
{

namespace
{

std::vector<std::string>
CongestionControlNames()
{
    std::vector<std::string> names;
    for (const CongestionControlInfo& control : DescribeCongestionControls())
    {
        names.push_back(control.name);
    }
    return names;
}

/// Throws ConfigError where the text is no value of the parameter.
void
CheckParameter(const ConfigNode& node, const ParameterSpec& spec)
{
    const std::string& text = node.Scalar("a value such as " + spec.defaultText);
    try
    {
        Parameters::Parse({spec}, {{spec.name, text}});
    }
    catch (const UnitError& error)
    {
        // The place names the parameter already.
        node.Fail(std::string(error.what()).substr(spec.name.size() + std::strlen(": ")));
    }
}

/// What a parameter looks like to an editor.
Json
MakeParameterSchema(const ParameterSpec& spec)
{
    const bool isNumber = spec.kind == ParameterKind::Count || spec.kind == ParameterKind::Number;
    Json schema;
    schema["type"] = isNumber ? "number" : "string";
    return schema;
}

Field
MakeParameterField(const ParameterSpec& spec, CongestionControlChoice& choice)
{
    Field field;
    field.name = spec.name;
    field.help = spec.help + " (default " + spec.defaultText + ")";
    field.schema = MakeParameterSchema(spec);
    field.read = [&choice, spec](const ConfigNode& node)
    {
        CheckParameter(node, spec);
        choice.parameters[spec.name] = node.text;
    };
    field.write = [&choice, spec]() -> std::optional<Json>
    {
        const auto found = choice.parameters.find(spec.name);
        return found == choice.parameters.end() ? std::nullopt : std::optional<Json>(found->second);
    };
    return field;
}

/// The keys of one congestion control.
Section
DescribeControl(const CongestionControlInfo& control, CongestionControlChoice& choice)
{
    Section section{MakeRequiredField(
        "name", choice.name, MakeWordCodec(CongestionControlNames()), control.help)};
    for (const ParameterSpec& spec : control.parameters)
    {
        section.push_back(MakeParameterField(spec, choice));
    }
    return section;
}

CongestionControlChoice
ReadControl(const ConfigNode& node)
{
    const std::vector<std::string> names = CongestionControlNames();
    CongestionControlChoice choice;
    if (node.kind != ConfigNode::Kind::Map)
    {
        choice.name = MakeWordCodec(names).read(node);
        return choice;
    }
    const ConfigNode* name = node.Find("name");
    if (name == nullptr)
    {
        node.Fail("key \"name\" is missing: " + JoinWithOr(names));
    }
    choice.name = MakeWordCodec(names).read(*name);
    ReadSection(node, DescribeControl(*FindCongestionControl(choice.name), choice));
    return choice;
}

Json
WriteControl(const CongestionControlChoice& choice)
{
    if (choice.parameters.empty())
    {
        return choice.name;
    }
    CongestionControlChoice copy = choice;
    return WriteSection(DescribeControl(*FindCongestionControl(choice.name), copy));
}

/// A name, or one of the mappings.
Json
MakeControlSchema()
{
    Json choices = Json::array({MakeWordCodec(CongestionControlNames()).schema});
    for (const CongestionControlInfo& control : DescribeCongestionControls())
    {
        CongestionControlChoice choice;
        Json schema = MakeSectionSchema(DescribeControl(control, choice));
        schema["properties"]["name"] = Json{{"const", control.name}};
        choices.push_back(schema);
    }
    return Json{{"anyOf", choices}};
}

} // namespace

Codec<CongestionControlChoice>
MakeCongestionControlCodec()
{
    return {&ReadControl, &WriteControl, MakeControlSchema()};
}

} // namespace nadi
