// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/component-codec.h"

#include "common/check.h"
#include "common/text.h"
#include "configuration/parameter-codec.h"

#include <algorithm>
#include <memory>
#include <sstream>

namespace nadi
{

namespace
{

// Which keys a component has depends on its name, so its section cannot be declared once as others
// are. It is made anew for each value that is read, written or described, once the name is known.

constexpr const char* NO_PRESET = "none";

std::vector<std::string>
NamesOf(const ComponentKind& kind)
{
    std::vector<std::string> names;
    for (const ComponentInfo& component : kind.components)
    {
        names.push_back(component.name);
    }
    return names;
}

const ComponentInfo&
FindComponent(const ComponentKind& kind, const std::string& name)
{
    const auto found = std::find_if(kind.components.begin(),
                                    kind.components.end(),
                                    [&](const ComponentInfo& info) { return info.name == name; });
    // The codec of the name has refused all others, and the defaults of options are names that
    // exist.
    NADI_CHECK(found != kind.components.end());
    return *found;
}

std::vector<ComponentPreset>
PresetsOf(const ComponentKind& kind, const std::string& component)
{
    return kind.presets ? kind.presets(component) : std::vector<ComponentPreset>{};
}

/// `none` is one of the words: it is the default, and effective configurations write it.
Codec<std::string>
MakePresetCodec(const ComponentKind& kind, const std::string& component)
{
    std::vector<std::string> words{NO_PRESET};
    for (const ComponentPreset& preset : PresetsOf(kind, component))
    {
        words.push_back(preset.name);
    }
    return MakeWordCodec(words);
}

void
ReadPreset(const ConfigNode& mapping, const ComponentKind& kind, ComponentChoice& choice)
{
    const ConfigNode* given = kind.presets ? mapping.Find("preset") : nullptr;
    if (given == nullptr)
    {
        return;
    }
    choice.preset = MakePresetCodec(kind, choice.name).read(*given);
    for (const ComponentPreset& preset : PresetsOf(kind, choice.name))
    {
        if (preset.name == choice.preset)
        {
            // The caller reads the section afterwards. Keys that are given override the preset, and
            // keys that the preset has need not be given.
            choice.parameters = preset.parameters;
        }
    }
}

/// The value of a parameter, whose name is a path of keys such as `link.bandwidth`.
/// Null where the parameter is not written: its value may be a default, or come from a preset.
const ConfigNode*
FindParameter(const ConfigNode& mapping, const std::string& parameter)
{
    const ConfigNode* node = &mapping;
    std::istringstream path(parameter);
    for (std::string key; node != nullptr && std::getline(path, key, '.');)
    {
        node = node->Find(key);
    }
    return node;
}

/// Every key that a mapping of some component of the kind may have.
std::vector<std::string>
KeysOf(const ComponentKind& kind)
{
    std::vector<std::string> keys{kind.nameKey};
    if (kind.presets)
    {
        keys.emplace_back("preset");
    }
    keys.insert(keys.end(), kind.keysBeside.begin(), kind.keysBeside.end());
    for (const ComponentInfo& component : kind.components)
    {
        for (const ParameterSpec& parameter : component.parameters)
        {
            keys.push_back(parameter.name.substr(0, parameter.name.find('.')));
        }
    }
    return keys;
}

/// The children of a mapping whose keys no component of the kind has.
std::vector<const ConfigNode*>
FindUnknownKeys(const ConfigNode& mapping, const ComponentKind& kind)
{
    std::vector<const ConfigNode*> unknown;
    if (mapping.kind != ConfigNode::Kind::Map)
    {
        return unknown;
    }
    const std::vector<std::string> keys = KeysOf(kind);
    for (const ConfigNode& child : mapping.children)
    {
        if (std::find(keys.begin(), keys.end(), child.key) == keys.end())
        {
            unknown.push_back(&child);
        }
    }
    return unknown;
}

/// Whether a key was meant for the one that names the component: it is spelt like it, or its value
/// is such a name, as in `topology: ring` of a dimension.
bool
IsMeantAsName(const ConfigNode& child, const ComponentKind& kind)
{
    const std::vector<std::string> names = NamesOf(kind);
    const bool isName = child.kind == ConfigNode::Kind::Scalar &&
                        std::find(names.begin(), names.end(), child.text) != names.end();
    return isName || !FindNearest(child.key, {kind.nameKey}).empty();
}

/// Unknown keys are told with what is missing, as one of them may have been meant.
[[noreturn]] void
FailWithoutName(const ConfigNode& mapping, const ComponentKind& kind)
{
    std::string unknown;
    for (const ConfigNode* child : FindUnknownKeys(mapping, kind))
    {
        unknown += (unknown.empty() ? "; unknown: " : ", ") + child->key;
    }
    mapping.Fail("key \"" + kind.nameKey + "\" is missing: " + JoinWithOr(NamesOf(kind)) + unknown);
}

/// Throws ConfigError where the parameter at fault is written, else at the mapping.
[[noreturn]] void
FailAtParameter(const ConfigNode& mapping, const ConfigError& error)
{
    const ConfigNode* parameter =
        error.Where().empty() ? nullptr : FindParameter(mapping, error.Where());
    if (parameter != nullptr)
    {
        parameter->Fail(error.Problem());
    }
    mapping.Fail(error.what());
}

/// A mapping of the component's keys. Its name is the one that was chosen.
Json
MakeMappingSchema(const ComponentKind& kind, const ComponentInfo& component)
{
    ComponentChoice choice(component.name);
    Json schema = MakeSectionSchema(DescribeComponent(kind, choice));
    schema["title"] = kind.noun + " " + component.name;
    schema["description"] = component.help;
    Json required = Json::array();
    if (!kind.nameKey.empty())
    {
        schema["properties"][kind.nameKey] = Json{{"const", component.name}};
        required.push_back(kind.nameKey);
    }
    if (!PresetsOf(kind, component.name).empty())
    {
        schema["required"] = required; // a preset may hold the others
    }
    return schema;
}

Json
MakeSchema(const ComponentKind& kind, ComponentForm form)
{
    Json choices = Json::array();
    if (form == ComponentForm::NameOrMapping)
    {
        choices.push_back(MakeWordCodec(NamesOf(kind)).schema.Get());
    }
    for (const ComponentInfo& component : kind.components)
    {
        choices.push_back(MakeMappingSchema(kind, component));
    }
    return Json{{"anyOf", choices}};
}

ComponentChoice
ReadMapping(const ConfigNode& node, const ComponentKind& kind)
{
    ComponentChoice choice;
    // The name comes first: which other keys the mapping may have depends on it.
    ReadComponentName(node, kind, choice);
    ReadSection(node, DescribeComponent(kind, choice));
    CompleteComponent(node, kind, choice);
    return choice;
}

ComponentChoice
ReadChoice(const ConfigNode& node, const ComponentKind& kind, ComponentForm form)
{
    if (form == ComponentForm::Mapping || node.kind == ConfigNode::Kind::Map)
    {
        return ReadMapping(node, kind);
    }
    ComponentChoice choice(MakeWordCodec(NamesOf(kind)).read(node));
    CompleteComponent(node, kind, choice);
    return choice;
}

Json
WriteChoice(const ComponentChoice& choice, const ComponentKind& kind, ComponentForm form)
{
    const bool isBare = FindComponent(kind, choice.name).parameters.empty();
    if (form == ComponentForm::NameOrMapping && isBare)
    {
        return choice.name;
    }
    // A section binds to an object that it may change, also where it is only written.
    ComponentChoice copy = choice;
    return WriteSection(DescribeComponent(kind, copy));
}

} // namespace

/// In two rounds: a key that was meant for the name is told before one that is merely misspelt.
void
RefuseMisnamedKeys(const ConfigNode& mapping, const ComponentKind& kind)
{
    const std::vector<const ConfigNode*> unknown = FindUnknownKeys(mapping, kind);
    for (const ConfigNode* child : unknown)
    {
        if (IsMeantAsName(*child, kind))
        {
            child->FailAtKey("unknown key (did you mean " + kind.nameKey + "?)");
        }
    }
    for (const ConfigNode* child : unknown)
    {
        if (const std::string nearest = FindNearest(child->key, KeysOf(kind)); !nearest.empty())
        {
            child->FailAtKey("unknown key (did you mean " + nearest + "?)");
        }
    }
}

/// The preset is read with the name, as its values must be there when the section is made.
void
ReadComponentName(const ConfigNode& mapping, const ComponentKind& kind, ComponentChoice& choice)
{
    if (kind.nameKey.empty())
    {
        choice.name = kind.components.front().name;
        return ReadPreset(mapping, kind, choice);
    }
    const ConfigNode* name =
        mapping.kind == ConfigNode::Kind::Map ? mapping.Find(kind.nameKey) : nullptr;
    if (name == nullptr)
    {
        RefuseMisnamedKeys(mapping, kind);
        FailWithoutName(mapping, kind);
    }
    choice.name = MakeWordCodec(NamesOf(kind)).read(*name);
    ReadPreset(mapping, kind, choice);
}

Section
DescribeComponent(const ComponentKind& kind, ComponentChoice& choice)
{
    Section section;
    if (!kind.nameKey.empty())
    {
        section.push_back(MakeRequiredField(kind.nameKey,
                                            choice.name,
                                            MakeWordCodec(NamesOf(kind)),
                                            "The name of the " + kind.noun + "."));
    }
    if (kind.presets)
    {
        section.push_back(MakeField("preset",
                                    choice.preset,
                                    MakePresetCodec(kind, choice.name),
                                    "Published figures, which hold where none are given."));
    }
    const ComponentInfo& component = FindComponent(kind, choice.name);
    for (Field& field : DescribeParameters(component.parameters, choice.parameters))
    {
        section.push_back(std::move(field));
    }
    return section;
}

void
CompleteComponent(const ConfigNode& mapping, const ComponentKind& kind, ComponentChoice& choice)
{
    try
    {
        choice.parameters =
            CompleteParameters(FindComponent(kind, choice.name).parameters, choice.parameters);
        // Last, since it needs all values: one that was given may not fit another that was left to
        // its default.
        kind.check(choice);
    }
    catch (const ConfigError& error)
    {
        FailAtParameter(mapping, error);
    }
}

Codec<ComponentChoice>
MakeComponentCodec(const ComponentKind& kind, ComponentForm form)
{
    Codec<ComponentChoice> codec;
    // Codecs and fields are copied a lot.
    const auto shared = std::make_shared<const ComponentKind>(kind);
    codec.schema = [shared, form] { return MakeSchema(*shared, form); };
    codec.read = [shared, form](const ConfigNode& node) { return ReadChoice(node, *shared, form); };
    codec.write = [shared, form](const ComponentChoice& choice)
    { return WriteChoice(choice, *shared, form); };
    return codec;
}

} // namespace nadi
