// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/field.h"

#include "common/text.h"

#include <algorithm>

namespace nadi
{

namespace
{

std::vector<std::string>
NamesOf(const Section& section)
{
    std::vector<std::string> names;
    for (const Field& field : section)
    {
        names.push_back(field.name);
    }
    return names;
}

std::string
KeysText(const Section& section)
{
    std::string text;
    for (const Field& field : section)
    {
        text += (text.empty() ? "" : ", ") + field.name;
    }
    return text;
}

/// A place in the schema of a section, with the path of its keys.
struct SchemaPlace
{
    std::string path;
    Json schema;
};

/// The mappings that stand one level below those of `places`.
std::vector<SchemaPlace>
FindBelow(const std::vector<SchemaPlace>& places)
{
    std::vector<SchemaPlace> below;
    for (const SchemaPlace& place : places)
    {
        for (const auto& [key, schema] : place.schema["properties"].items())
        {
            if (schema.contains("properties"))
            {
                below.push_back({place.path + key + ".", schema});
            }
        }
    }
    return below;
}

/// The paths of the keys of this name in the mappings below a section, those of the fewest levels:
/// `backend` at the top is found as `network.backend`.
std::vector<std::string>
FindDeeper(const ConfigNode& node, const Section& section, const std::string& key)
{
    const std::string path = node.Path();
    std::vector<std::string> found;
    std::vector<SchemaPlace> places{{path.empty() ? "" : path + ".", MakeSectionSchema(section)}};
    while (found.empty() && !places.empty())
    {
        places = FindBelow(places);
        for (const SchemaPlace& place : places)
        {
            if (place.schema["properties"].contains(key))
            {
                found.push_back(place.path + key);
            }
        }
    }
    return found;
}

/// A key that stands a level too high is told its place; any other one the key that is near.
std::string
SuggestKey(const ConfigNode& node, const Section& section, const std::string& key)
{
    constexpr size_t mostWorthSaying = 3;
    const std::vector<std::string> deeper = FindDeeper(node, section, key);
    return deeper.empty() || deeper.size() > mostWorthSaying
               ? SuggestFrom(key, NamesOf(section))
               : " (did you mean " + JoinWithOr(deeper) + "?)";
}

/// A misspelt key that was ignored would leave a setting at its default, and nobody would know.
void
RefuseUnknownKeys(const ConfigNode& node, const Section& section)
{
    for (const ConfigNode& child : node.children)
    {
        const bool isKnown =
            std::any_of(section.begin(),
                        section.end(),
                        [&](const Field& field) { return field.name == child.key; });
        if (!isKnown)
        {
            child.FailAtKey("unknown key" + SuggestKey(node, section, child.key));
        }
    }
}

} // namespace

void
ReadSection(const ConfigNode& node, const Section& section)
{
    if (node.kind != ConfigNode::Kind::Map && node.kind != ConfigNode::Kind::Null)
    {
        node.Fail("is not a mapping; write keys of " + KeysText(section));
    }
    // Before any value is read: where a key is misspelled, the message should be about it, and not
    // that the right one is missing.
    RefuseUnknownKeys(node, section);
    for (const Field& field : section)
    {
        // Keys are read in the order of the section, not in that of the file: a field may rely on
        // one that is declared before it, as those of `system` rely on `library`.
        if (const ConfigNode* value = node.Find(field.name))
        {
            field.read(*value);
        }
        else if (field.isRequired)
        {
            node.Fail("key \"" + field.name + "\" is missing: " + ToClause(field.help));
        }
    }
}

Json
WriteSection(const Section& section)
{
    Json values = Json::object();
    for (const Field& field : section)
    {
        if (const std::optional<Json> value = field.write())
        {
            values[field.name] = *value;
        }
    }
    return values;
}

/// An optional key without a value has no default, as its `write` returns nothing; one that is left
/// out now may bring its default along (WithDefault).
Json
MakeSectionSchema(const Section& section)
{
    Json properties = Json::object();
    Json required = Json::array();
    for (const Field& field : section)
    {
        Json property = field.schema.Get();
        property["description"] = field.help;
        if (field.isRequired)
        {
            required.push_back(field.name);
        }
        else if (const std::optional<Json> value = field.write(); value && !value->is_object())
        {
            // A mapping gets no default: the defaults of its keys say the same.
            property["default"] = *value;
        }
        properties[field.name] = property;
    }
    Json schema = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
    if (!required.empty())
    {
        schema["required"] = required;
    }
    return schema;
}

Field
MakeBareField(std::string_view name, std::string_view help, const Schema& schema)
{
    Field field;
    field.name = name;
    field.help = help;
    field.schema = schema;
    return field;
}

Field
WithExample(Field field, Json example)
{
    field.schema = field.schema.With("examples", Json::array({std::move(example)}));
    return field;
}

Field
WithDefault(Field field)
{
    field.schema = field.schema.With("default", field.write().value());
    return field;
}

Field
MakeSectionField(std::string_view name, Section section, std::string_view help)
{
    // Fields are copied a lot.
    const auto shared = std::make_shared<const Section>(std::move(section));
    Field field = MakeBareField(name, help, [shared] { return MakeSectionSchema(*shared); });
    field.read = [shared](const ConfigNode& node) { ReadSection(node, *shared); };
    field.write = [shared]() -> std::optional<Json> { return WriteSection(*shared); };
    return field;
}

} // namespace nadi
