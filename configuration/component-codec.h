// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/registry.h"
#include "configuration/field.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

/// \file
/// How everything that is chosen by name stands in a configuration: algorithms, policies, shapes,
/// generators, models, congestion controls. It is a name, or a mapping of the name and parameters:
///
///     congestion-control: dcqcn
///     congestion-control: {name: dcqcn, gain: 0.0625}
///     topology: {generator: leaf-spine, npus: 64, ...}

namespace nadi
{

/// Values for some of a component's parameters that go by a name.
struct ComponentPreset
{
    std::string name;
    std::map<std::string, std::string> parameters;
};

/// One kind of components.
struct ComponentKind
{
    std::string noun; ///< what one of them is: "congestion control"
    /// The key of a mapping that names the component; empty: there is one only, without a name.
    std::string nameKey;
    std::vector<ComponentInfo> components;

    /// Makes the component, to see whether its parameters fit each other. Throws ConfigError, with
    /// the name of the parameter at fault as its place.
    std::function<void(const ComponentChoice&)> check;

    /// The presets of a component, which the key `preset` names; none: the kind has no such key.
    std::function<std::vector<ComponentPreset>(const std::string& component)> presets = nullptr;

    /// Further keys of a mapping that names a component, such as the size of a dimension.
    std::vector<std::string> keysBeside = {};
};

/// The kind whose components are those of a registry.
template <class Base>
ComponentKind
MakeRegisteredKind(const std::string& noun, const std::string& nameKey)
{
    const auto& registry = Registry<Base>::Instance();
    return {.noun = noun,
            .nameKey = nameKey,
            .components = registry.Describe(),
            .check = [&registry](const ComponentChoice& choice) { registry.Make(choice); }};
}

/// Whether a component can be written by its name alone.
enum class ComponentForm
{
    NameOrMapping,
    Mapping,
};

/// Reads a choice with all its parameters: those that are given, those of the preset, defaults.
/// Throws ConfigError at what is wrong, also where parameters do not fit each other. Writes every
/// parameter.
Codec<ComponentChoice> MakeComponentCodec(const ComponentKind& kind, ComponentForm form);

/// Throws ConfigError at a key of a mapping without a name where it was probably meant for the
/// name, or is a misspelling of another key. Does nothing where no key is suspect.
void RefuseMisnamedKeys(const ConfigNode& mapping, const ComponentKind& kind);

/// The same as the codec for a mapping that has keys of its own besides, such as a dimension with
/// its shape. In this order: the name is read, then the section, then the choice is completed.
void
ReadComponentName(const ConfigNode& mapping, const ComponentKind& kind, ComponentChoice& choice);

/// The keys of the component that `choice` names: its name, `preset` where the kind has presets,
/// and its parameters. Requires: `choice` stays where it is.
Section DescribeComponent(const ComponentKind& kind, ComponentChoice& choice);

/// Fills in defaults, and checks that the parameters fit each other.
void
CompleteComponent(const ConfigNode& mapping, const ComponentKind& kind, ComponentChoice& choice);

} // namespace nadi
