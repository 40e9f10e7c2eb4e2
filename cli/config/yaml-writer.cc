// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/yaml-writer.h"

#include <yaml-cpp/emitter.h>

#include <algorithm>

namespace nadi
{

namespace
{

bool
IsPlain(const Json& value)
{
    return !value.is_structured();
}

/// Whether a mapping or list stands on one line: a short one of plain values, two levels down or
/// deeper.
bool
IsInline(const Json& value, uint32_t depth)
{
    constexpr size_t longest = 120;
    const bool isShort = std::all_of(value.begin(), value.end(), &IsPlain);
    return value.empty() || (depth > 1 && isShort && value.dump().size() <= longest);
}

std::string
PlainText(const Json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void
Emit(YAML::Emitter& emitter, const Json& value, uint32_t depth)
{
    if (IsPlain(value))
    {
        emitter << PlainText(value);
        return;
    }
    emitter << (IsInline(value, depth) ? YAML::Flow : YAML::Block);
    if (value.is_array())
    {
        emitter << YAML::BeginSeq;
        for (const Json& item : value)
        {
            Emit(emitter, item, depth + 1);
        }
        emitter << YAML::EndSeq;
        return;
    }
    emitter << YAML::BeginMap;
    for (const auto& [key, item] : value.items())
    {
        emitter << YAML::Key << key << YAML::Value;
        Emit(emitter, item, depth + 1);
    }
    emitter << YAML::EndMap;
}

} // namespace

std::string
WriteYaml(const Json& value)
{
    YAML::Emitter emitter;
    Emit(emitter, value, 0);
    return std::string(emitter.c_str()) + "\n";
}

} // namespace nadi
