// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/not-yet.h"

#include "common/text.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <cstring>

namespace nadi
{

namespace
{

bool
IsDefault(const ConfigNode& node, const NotYetKey& key)
{
    if (node.kind != ConfigNode::Kind::Scalar)
    {
        return false;
    }
    const std::optional<bool> given = FindSwitch(node.text);
    return node.text == key.defaultText || (given && given == FindSwitch(key.defaultText));
}

bool
IsKnownWord(const ConfigNode& node, const NotYetKey& key)
{
    const std::optional<bool> given = FindSwitch(node.text);
    return std::any_of(key.words.begin(),
                       key.words.end(),
                       [&](const std::string& word)
                       { return word == node.text || (given && given == FindSwitch(word)); });
}

void
CheckValue(const ConfigNode& node, const ParameterSpec& spec)
{
    try
    {
        Parameters::Parse({spec},
                          {{spec.name, node.Scalar("a value such as " + spec.defaultText)}});
    }
    catch (const UnitError& error)
    {
        // The place names the key already.
        node.Fail(std::string(error.what()).substr(spec.name.size() + std::strlen(": ")));
    }
}

void
CheckScalar(const ConfigNode& node, const NotYetKey& key)
{
    if (IsKnownWord(node, key))
    {
        return;
    }
    if (key.quantity && !node.text.empty() && node.text[0] >= '0' && node.text[0] <= '9')
    {
        CheckValue(node, {key.name, *key.quantity, key.defaultText, key.help});
        return;
    }
    FailUnknownWord(node, key.words);
}

void
CheckMapping(const ConfigNode& node, const NotYetKey& key)
{
    if (key.takesParameters)
    {
        const ConfigNode* name = node.Find("name");
        if (name == nullptr)
        {
            node.Fail("key \"name\" is missing: " + JoinWithOr(key.words));
        }
        name->Scalar(JoinWithOr(key.words));
        CheckScalar(*name, key);
        return;
    }
    Section section;
    for (const ParameterSpec& spec : key.keys)
    {
        Field field;
        field.name = spec.name;
        field.help = spec.help;
        field.read = [spec](const ConfigNode& value) { CheckValue(value, spec); };
        section.push_back(std::move(field));
    }
    ReadSection(node, section);
}

[[noreturn]] void
Refuse(const ConfigNode& node, const std::string& defaultText)
{
    const std::string given =
        node.kind == ConfigNode::Kind::Scalar ? "\"" + node.text + "\" is" : "is";
    node.Fail(given + " not available yet; write " + defaultText);
}

void
Check(const ConfigNode& node, const NotYetKey& key)
{
    if (IsDefault(node, key))
    {
        return;
    }
    const bool takesMapping = key.takesParameters || !key.keys.empty();
    if (takesMapping && node.kind == ConfigNode::Kind::Map)
    {
        CheckMapping(node, key);
    }
    else
    {
        node.Scalar(JoinWithOr(key.words));
        CheckScalar(node, key);
    }
    Refuse(node, key.defaultText);
}

} // namespace

Field
MakeNotYetField(const NotYetKey& key)
{
    Field field;
    field.name = key.name;
    field.help = key.help + " (only " + key.defaultText + " is available yet)";
    field.read = [key](const ConfigNode& node) { Check(node, key); };
    field.write = [text = key.defaultText]() -> std::optional<Json> { return Json(text); };
    Json values = Json::array({key.defaultText});
    if (const std::optional<bool> value = FindSwitch(key.defaultText))
    {
        values.push_back(*value);
    }
    field.schema["enum"] = values;
    return field;
}

Field
MakeNotYetEmptyField(const std::string& name, const Json& empty, const std::string& help)
{
    Field field;
    field.name = name;
    field.help = help + " (not available yet)";
    field.schema["const"] = empty;
    field.write = [empty]() -> std::optional<Json> { return empty; };
    field.read = [empty](const ConfigNode& node)
    {
        const auto expected = empty.is_array() ? ConfigNode::Kind::List : ConfigNode::Kind::Map;
        if (node.kind != ConfigNode::Kind::Null && node.kind != expected)
        {
            node.Fail(std::string("is not a ") + (empty.is_array() ? "list" : "mapping") +
                      "; write " + empty.dump());
        }
        if (!node.children.empty())
        {
            Refuse(node, empty.dump());
        }
    };
    return field;
}

} // namespace nadi
