// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "configuration/codec.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi
{

/// One key of a section, bound to the option that it fills: declared once, with its name, unit and
/// help; reading, the effective configuration and `nadi schema` all follow from it. The default is
/// what the option holds before it is read.
struct Field
{
    std::string name;
    std::string help; ///< one sentence
    bool isRequired = false;
    std::function<void(const ConfigNode&)> read;
    std::function<std::optional<Json>()> write; ///< nothing: the key is left out
    Schema schema;
};

/// The keys of a mapping, in the order in which they are read and written.
using Section = std::vector<Field>;

/// Fills the options that `section` is bound to. An absent value leaves its default.
///
/// Throws ConfigError: not a mapping, an unknown key (with a suggestion), a required key that is
/// missing, whatever a field's codec refuses. An empty value (`packet:`) is an empty mapping.
void ReadSection(const ConfigNode& node, const Section& section);

/// What the options hold now: every key, defaults included.
Json WriteSection(const Section& section);

/// The JSON Schema of the mapping; what the options hold now are the defaults.
Json MakeSectionSchema(const Section& section);

/// A key that is neither read nor written yet.
Field MakeBareField(std::string_view name, std::string_view help, const Schema& schema);

/// A key that fills `option` and is always written.
template <class T>
Field
MakeField(std::string_view name, T& option, const Codec<T>& codec, std::string_view help)
{
    Field field = MakeBareField(name, help, codec.schema);
    field.read = [&option, read = codec.read](const ConfigNode& node) { option = read(node); };
    field.write = [&option, write = codec.write]() -> std::optional<Json> { return write(option); };
    return field;
}

/// A key that must be there: it has no default.
template <class T>
Field
MakeRequiredField(std::string_view name, T& option, const Codec<T>& codec, std::string_view help)
{
    Field field = MakeField(name, option, codec, help);
    field.isRequired = true;
    return field;
}

/// A key that fills `option` when it is there; left out of the effective configuration otherwise.
template <class T>
Field
MakeOptionalField(std::string_view name,
                  std::optional<T>& option,
                  const Codec<T>& codec,
                  std::string_view help)
{
    Field field = MakeBareField(name, help, codec.schema);
    field.read = [&option, read = codec.read](const ConfigNode& node) { option = read(node); };
    field.write = [&option, write = codec.write]() -> std::optional<Json>
    { return option ? std::optional<Json>(write(*option)) : std::nullopt; };
    return field;
}

/// The key with a value that shows how one is written, for the reference of all keys and for
/// editors.
Field WithExample(Field field, Json example);

/// The key with what its option holds now as the default that editors and the reference of all keys
/// tell: for a key that the effective configuration leaves out where it has no effect.
Field WithDefault(Field field);

/// A key whose value is a mapping of its own.
Field MakeSectionField(std::string_view name, Section section, std::string_view help);

/// A value and the section that is bound to it.
template <class T>
struct BoundSection
{
    explicit BoundSection(Section (*describe)(T&))
        : section(describe(value))
    {
    }

    T value{};
    Section section;
};

/// The codec of a T that is a mapping, its keys given by `describe`. Requires: no T holds another.
///
/// The keys are described once, bound to a value through which all that are read and written
/// pass: lists may have a million of them.
template <class T>
Codec<T>
MakeMappingCodec(Section (*describe)(T&))
{
    const auto bound = std::make_shared<BoundSection<T>>(describe);
    Codec<T> codec;
    codec.schema = [bound]
    {
        bound->value = T{}; // what it holds are the defaults
        return MakeSectionSchema(bound->section);
    };
    codec.read = [bound](const ConfigNode& node)
    {
        bound->value = T{};
        ReadSection(node, bound->section);
        return bound->value;
    };
    codec.write = [bound](const T& value)
    {
        bound->value = value;
        return WriteSection(bound->section);
    };
    return codec;
}

} // namespace nadi
