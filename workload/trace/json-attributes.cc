// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-attributes.h"

#include "workload/trace/json-members.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace nadi
{

namespace
{

using nlohmann::json;

/// What the value of an attribute may be: its member is one of these with an ending.
constexpr std::array<std::string_view, 15> VALUE_KINDS{"double",
                                                       "float",
                                                       "int32",
                                                       "int64",
                                                       "uint32",
                                                       "uint64",
                                                       "sint32",
                                                       "sint64",
                                                       "fixed32",
                                                       "fixed64",
                                                       "sfixed32",
                                                       "sfixed64",
                                                       "bool",
                                                       "string",
                                                       "bytes"};

/// As protobuf prints members and as the schema has them: "int64Val", "int64_val", "boolList".
constexpr std::array<std::string_view, 4> VALUE_ENDINGS{"Val", "_val", "List", "_list"};

bool
IsValueMember(std::string_view member)
{
    return std::any_of(VALUE_ENDINGS.begin(),
                       VALUE_ENDINGS.end(),
                       [&](std::string_view ending)
                       {
                           if (!member.ends_with(ending))
                           {
                               return false;
                           }
                           const auto kind = member.substr(0, member.size() - ending.size());
                           return std::find(VALUE_KINDS.begin(), VALUE_KINDS.end(), kind) !=
                                  VALUE_KINDS.end();
                       });
}

/// Takes a value of any type: the reader of an attribute checks the type that it needs.
JsonAttribute
ReadAttribute(const json& object)
{
    if (!object.is_object() || !object.contains("name"))
    {
        throw JsonNodeError("an attribute has no name; write {\"name\": \"comm_size\", "
                            "\"int64Val\": \"1024\"}");
    }
    JsonAttribute attribute{.name = ReadString(object, "name")};
    for (const auto& [member, value] : object.items())
    {
        if (IsValueMember(member))
        {
            if (attribute.value != nullptr)
            {
                throw JsonNodeError(fmt::format(
                    "attribute \"{}\" has more than one value; write one", attribute.name));
            }
            attribute.value = &value;
        }
        else if (member != "name" && member != "docString" && member != "doc_string")
        {
            throw JsonNodeError(fmt::format("\"{}\" is no member of an attribute; write name and "
                                            "a value such as int64Val",
                                            member));
        }
    }
    return attribute;
}

} // namespace

std::vector<JsonAttribute>
ReadJsonAttributes(const json& object)
{
    const auto list = object.find("attr");
    if (list == object.end())
    {
        return {};
    }
    if (!list->is_array())
    {
        throw JsonNodeError("\"attr\" is no list of attributes");
    }
    std::vector<JsonAttribute> attributes;
    for (const json& attribute : *list)
    {
        attributes.push_back(ReadAttribute(attribute));
    }
    return attributes;
}

} // namespace nadi
