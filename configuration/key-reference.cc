// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/key-reference.h"

#include "common/text.h"
#include "configuration/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

namespace nadi
{

namespace
{

// The reference is made from the schemas that editors use, so what editors are told and what people
// read cannot differ. A component is recognised by the form that component-codec gives its schema:
// it has a title, and its first required key is the one that names the component.

/// A larger bound of a number is that of the type that holds it.
constexpr uint64_t MOST_WORTH_SAYING = std::numeric_limits<uint32_t>::max();

/// Whether the schema is that of a mapping with keys of its own.
bool
HasKeys(const Json& schema)
{
    return schema.contains("properties");
}

/// Whether the schema is that of one component, with its parameters.
bool
IsComponent(const Json& schema)
{
    return schema.contains("title") && HasKeys(schema);
}

/// Whether a component is chosen by a name: all but those of which there is one only.
bool
HasName(const Json& component)
{
    return component.contains("required") && !component["required"].empty();
}

/// Requires: HasName(component).
std::string
NameKeyOf(const Json& component)
{
    return component["required"][0].get<std::string>();
}

/// The alternatives of a schema; the schema itself where it has none.
std::vector<Json>
AlternativesOf(const Json& schema)
{
    const auto choices = schema.find("anyOf");
    return choices == schema.end() ? std::vector<Json>{schema} : choices->get<std::vector<Json>>();
}

/// A value as it is written in YAML.
std::string
ToYaml(const Json& value)
{
    if (value.is_string())
    {
        return value.get<std::string>();
    }
    if (value.is_array())
    {
        std::string text;
        for (const Json& item : value)
        {
            text += (text.empty() ? "" : ", ") + ToYaml(item);
        }
        return "[" + text + "]";
    }
    if (value.is_object())
    {
        std::string text;
        for (const auto& [key, inner] : value.items())
        {
            text += (text.empty() ? "" : ", ") + key + ": " + ToYaml(inner);
        }
        return "{" + text + "}";
    }
    return value.dump();
}

/// "1" for 1.0 too.
std::string
BareNumber(const Json& number)
{
    const auto value = number.get<double>();
    const auto whole = static_cast<int64_t>(value);
    return static_cast<double>(whole) == value ? std::to_string(whole) : number.dump();
}

std::string
DescribeNumber(const Json& schema)
{
    std::string text = schema["type"] == "integer" ? "a whole number" : "a number";
    const bool isAbove = schema.contains("exclusiveMinimum");
    if (isAbove || schema.contains("minimum"))
    {
        text += isAbove ? " above " + BareNumber(schema["exclusiveMinimum"])
                        : " from " + BareNumber(schema["minimum"]);
    }
    const bool isBounded = schema.contains("maximum") && schema["maximum"] < MOST_WORTH_SAYING;
    return isBounded ? text + " to " + BareNumber(schema["maximum"]) : text;
}

/// The words among which a value is chosen. A boolean beside texts is left out: it only tells
/// editors, which read YAML 1.2, that `false` is another word for no.
std::vector<std::string>
WordsOf(const Json& choices)
{
    std::vector<std::string> words;
    for (const Json& choice : choices)
    {
        if (!choice.is_boolean())
        {
            words.push_back(ToYaml(choice));
        }
    }
    return words;
}

/// Whether the words are the ways to spell on and off (MakeSwitchCodec), and not choices beside
/// others, such as auto.
bool
IsSwitch(const std::vector<std::string>& words)
{
    const auto has = [&words](const char* word) { return std::ranges::count(words, word) > 0; };
    return has("on") && has("off") && !has("auto");
}

std::string
DescribeMapping(const Json& schema)
{
    std::string keys;
    for (const auto& [name, value] : schema["properties"].items())
    {
        keys += (keys.empty() ? "" : ", ") + name;
    }
    return "{" + keys + "}";
}

std::string DescribeValues(const Json& schema);

/// What one alternative of a schema allows.
/// Tests first for what tells most: one word, several words, a component, keys, a title, the bare
/// type.
std::string
DescribeAlternative(const Json& schema)
{
    if (schema.contains("const"))
    {
        return ToYaml(schema["const"]);
    }
    if (schema.contains("enum"))
    {
        const std::vector<std::string> words = WordsOf(schema["enum"]);
        return IsSwitch(words) ? "on or off" : JoinWithOr(words);
    }
    if (IsComponent(schema))
    {
        return "{" + (HasName(schema) ? NameKeyOf(schema) : "preset") + ": NAME, ...}";
    }
    if (HasKeys(schema))
    {
        return DescribeMapping(schema);
    }
    if (schema.contains("title"))
    {
        return schema["title"];
    }
    const std::string type = schema["type"].is_string() ? schema["type"] : Json("mapping");
    if (type == "integer" || type == "number")
    {
        return DescribeNumber(schema);
    }
    if (type == "array")
    {
        return "a list; each item is " + DescribeValues(schema["items"]);
    }
    return type == "object" ? "a mapping" : "a text";
}

/// What all alternatives allow.
///
/// A title of the whole goes before its alternatives: it says in a few words what they say at
/// length. Alternatives that read alike, such as those of all components of a kind, are told once.
std::string
DescribeValues(const Json& schema)
{
    if (schema.contains("title") && !HasKeys(schema))
    {
        return schema["title"];
    }
    std::vector<std::string> values;
    for (const Json& choice : AlternativesOf(schema))
    {
        const std::string text =
            choice.contains("anyOf") ? DescribeValues(choice) : DescribeAlternative(choice);
        if (std::find(values.begin(), values.end(), text) == values.end())
        {
            values.push_back(text);
        }
    }
    return JoinWithOr(values);
}

/// The first text of that name in a schema or in its alternatives.
std::string
FindText(const Json& schema, const char* name)
{
    if (schema.contains(name))
    {
        return ToYaml(schema[name].is_array() ? schema[name][0] : schema[name]);
    }
    for (const Json& choice : AlternativesOf(schema))
    {
        if (choice.contains(name) || choice.contains("anyOf"))
        {
            return FindText(choice, name);
        }
    }
    return schema.contains("items") ? FindText(schema["items"], name) : "";
}

/// A value of the key's own, one that tells more than a word such as none, or one of its kind.
std::string
FindExample(const Json& schema, const std::string& defaultText)
{
    // A default such as "4 KiB" shows how a value is written. Words such as none or auto do not, so
    // an example, or a value that is allowed, is looked for.
    const bool isNumber = defaultText.find_first_of("0123456789") != std::string::npos;
    if (isNumber)
    {
        return defaultText;
    }
    for (const char* name : {"examples", "enum", "const", "minimum"})
    {
        const std::string text = FindText(schema, name);
        if (!text.empty())
        {
            // FindText may have found an item of a list. The value itself is a list.
            const bool isItem = schema.contains("items") && !schema.contains(name);
            return isItem ? "[" + text + "]" : text;
        }
    }
    return defaultText;
}

/// A mapping of a single key, such as {flat: ring}, is one way to write a value among others.
bool
IsRequired(const Json& mapping, const std::string& key)
{
    if (!mapping.contains("required") || mapping["properties"].size() == 1)
    {
        return false;
    }
    const Json& required = mapping["required"];
    return std::find(required.begin(), required.end(), key) != required.end();
}

/// Gathers the keys below the sections, and the components that they can name.
///
/// Goes down the schemas. A value adds the keys of each form that it may have: those of a mapping
/// with the name of the key before them, those of the items of a list with `[]` between. A
/// component is no part of the key that names it: it goes to a group of its own (AddComponent).
class KeyCollector
{
  public:
    std::vector<KeyGroup> Collect()
    {
        Config config;
        const Section sections = DescribeConfig(config);
        const Json schemas = MakeSectionSchema(sections)["properties"];
        for (const Field& field : sections)
        {
            const Json& schema = schemas[field.name];
            KeyGroup group{.title = field.name, .meaning = field.help, .keys = {}};
            AddValue(field.name, schema, group);
            // A section that is a single value, such as `seed`, is a key itself.
            if (!HasKeys(schema))
            {
                group.keys.push_back(Describe(field.name, schema));
            }
            m_groups.push_back(std::move(group));
        }
        std::move(m_components.begin(), m_components.end(), std::back_inserter(m_groups));
        return std::move(m_groups);
    }

  private:
    static KeyDescription Describe(const std::string& path, const Json& schema)
    {
        const std::string defaultText =
            schema.contains("default") ? ToYaml(schema["default"]) : std::string();
        const bool isList =
            schema.contains("default") && schema["default"].empty() && schema["default"].is_array();
        return {.path = path,
                .values = DescribeValues(schema),
                // JSON Schema has no keyword for units: MakeQuantitySchema puts them into a
                // comment.
                .units = FindText(schema, "$comment"),
                .defaultText = isList ? "none" : defaultText,
                .meaning = schema.value("description", ""),
                .example = FindExample(schema, defaultText)};
    }

    /// The keys of a mapping, each followed by the keys of its value.
    void AddKeys(const std::string& path, const Json& mapping, KeyGroup& group)
    {
        for (const auto& [name, schema] : mapping["properties"].items())
        {
            const std::string inner = path + "." + name;
            if (!HasKeys(schema))
            {
                group.keys.push_back(Describe(inner, schema));
                group.keys.back().isRequired = IsRequired(mapping, name);
            }
            AddValue(inner, schema, group);
        }
    }

    /// The keys that stand in a value.
    void AddValue(const std::string& path, const Json& schema, KeyGroup& group)
    {
        for (const Json& choice : AlternativesOf(schema))
        {
            if (IsComponent(choice))
            {
                AddComponent(choice);
            }
            else if (HasKeys(choice))
            {
                AddKeys(path, choice, group);
            }
            else if (choice.contains("items"))
            {
                AddItems(path + "[]", choice["items"], group);
            }
        }
    }

    /// Items that a list may have beside a single value have the keys of that value.
    void AddItems(const std::string& path, const Json& items, KeyGroup& group)
    {
        const std::string single = path.substr(0, path.size() - 2);
        const bool isKnown = std::any_of(group.keys.begin(),
                                         group.keys.end(),
                                         [&](const KeyDescription& key)
                                         { return key.path.starts_with(single + "."); });
        if (!isKnown)
        {
            AddValue(path, items, group);
        }
    }

    /// A component is described once, however many keys can name it.
    void AddComponent(const Json& component)
    {
        const std::string title = component["title"];
        if (!m_titles.insert(title).second)
        {
            return;
        }
        KeyGroup group{
            .title = title, .meaning = component["description"], .isComponent = true, .keys = {}};
        // No key is above those of a component, so AddKeys gives them paths that begin with a dot.
        // The dot is taken off below.
        AddKeys("", component, group);
        if (HasName(component))
        {
            group.keys.erase(group.keys.begin()); // the name, which the title has
        }
        for (KeyDescription& key : group.keys)
        {
            key.path.erase(0, 1);
        }
        if (!group.keys.empty())
        {
            m_components.push_back(std::move(group));
        }
    }

    std::vector<KeyGroup> m_groups;
    std::vector<KeyGroup> m_components;
    std::set<std::string> m_titles;
};

/// The text as a cell of a Markdown table.
/// A bar would end the cell, so it is escaped.
std::string
ToCell(const std::string& text, bool isCode)
{
    if (text.empty())
    {
        return "";
    }
    std::string cell;
    for (const char letter : text)
    {
        cell += letter == '|' ? std::string("\\|") : std::string(1, letter);
    }
    return isCode ? "`" + cell + "`" : cell;
}

std::string
ToRow(const KeyDescription& key)
{
    // "as link.latency" is no value that somebody could write, so it does not stand as code.
    const bool isText = key.defaultText.starts_with("as ");
    return fmt::format("| {} | {} | {} | {} | {} | {} |\n",
                       ToCell(key.path, true),
                       ToCell(key.values, false),
                       ToCell(key.units, false),
                       key.isRequired ? "required" : ToCell(key.defaultText, !isText),
                       ToCell(key.meaning, false),
                       ToCell(key.example, true));
}

} // namespace

std::vector<KeyGroup>
DescribeKeys()
{
    return KeyCollector().Collect();
}

std::string
ToMarkdown(const std::vector<KeyGroup>& groups)
{
    std::string text;
    bool areComponents = false;
    for (const KeyGroup& group : groups)
    {
        if (group.isComponent && !areComponents)
        {
            text += "## Parameters of what is chosen by name\n\n";
            areComponents = true;
        }
        text += fmt::format(
            "{} {}\n\n{}\n\n", areComponents ? "###" : "##", group.title, group.meaning);
        text += "| key | value | unit | default | meaning | example |\n|---|---|---|---|---|---|\n";
        for (const KeyDescription& key : group.keys)
        {
            text += ToRow(key);
        }
        text += "\n";
    }
    return text;
}

} // namespace nadi
