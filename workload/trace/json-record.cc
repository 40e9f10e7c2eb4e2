// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-record.h"

#include "common/text.h"
#include "workload/trace/schema.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

using nlohmann::json;

const json&
Require(const json& node, const char* member)
{
    const auto found = node.find(member);
    if (found == node.end())
    {
        throw JsonNodeError(fmt::format("\"{}\" is missing", member));
    }
    return *found;
}

/// The member under one of its two names, as protobuf prints it and as the schema has it.
const json*
FindEither(const json& object, const char* name, const char* other)
{
    const auto found = object.find(name);
    if (found != object.end())
    {
        return &*found;
    }
    const auto second = object.find(other);
    return second == object.end() ? nullptr : &*second;
}

std::string_view
ReadString(const json& node, const char* member)
{
    const auto found = node.find(member);
    if (found == node.end())
    {
        return {};
    }
    if (!found->is_string())
    {
        throw JsonNodeError(
            fmt::format("\"{}\" is {}, not text", member, found->dump().substr(0, 40)));
    }
    return found->get_ref<const std::string&>();
}

/// A node type as number of schema 0.0.4 or as name.
uint64_t
ReadNodeType(const json& type, const char* member)
{
    if (!type.is_string())
    {
        return ReadWhole(type, member);
    }
    const std::string& name = type.get_ref<const std::string&>();
    const std::optional<uint64_t> number = FindNodeTypeNumber(name);
    if (!number)
    {
        throw JsonNodeError(fmt::format(
            "\"{}\" is no type of a node; write {}", name, JoinWithOr(NodeTypeNames())));
    }
    return *number;
}

/// Takes every member whose name is a known attribute's.
void
ReadMembersAsAttributes(const json& node, NodeRecord& record)
{
    for (const auto& [name, value] : node.items())
    {
        if (FindNodeAttribute(name) != NodeAttribute::None)
        {
            SetJsonAttribute(name, value, record);
        }
    }
}

/// Whether a member of an attribute holds its value: "int64Val", "int64_val", "boolList".
bool
IsValueMember(std::string_view member)
{
    return member.ends_with("Val") || member.ends_with("_val") || member.ends_with("List") ||
           member.ends_with("_list");
}

/// {"name": "comm_size", "int64Val": "5"}.
void
ReadAttribute(const json& attribute, NodeRecord& record)
{
    if (!attribute.is_object() || !attribute.contains("name"))
    {
        throw JsonNodeError("an attribute has no name; write {\"name\": \"comm_size\", "
                            "\"int64Val\": \"1024\"}");
    }
    const std::string_view name = ReadString(attribute, "name");
    for (const auto& [member, value] : attribute.items())
    {
        if (IsValueMember(member))
        {
            SetJsonAttribute(name, value, record);
        }
        else if (member != "name" && member != "docString" && member != "doc_string")
        {
            throw JsonNodeError(fmt::format("\"{}\" is no member of an attribute; write name and "
                                            "a value such as int64Val",
                                            member));
        }
    }
}

void
ReadAttributes(const json& attributes, NodeRecord& record)
{
    if (!attributes.is_array())
    {
        throw JsonNodeError("\"attr\" is no list of attributes");
    }
    for (const json& attribute : attributes)
    {
        ReadAttribute(attribute, record);
    }
}

/// The values of {"values": "[...]"}.
std::string_view
ReadInputValues(const json& node)
{
    const auto inputs = node.find("inputs");
    if (inputs == node.end())
    {
        return {};
    }
    if (!inputs->is_object())
    {
        throw JsonNodeError("\"inputs\" is no object");
    }
    return ReadString(*inputs, "values");
}

} // namespace

AttributeValue
ToAttributeValue(const json& value)
{
    switch (value.type())
    {
    case json::value_t::boolean:
        return value.get<bool>();
    case json::value_t::number_unsigned:
        return value.get<uint64_t>();
    case json::value_t::number_integer:
        return value.get<int64_t>();
    case json::value_t::number_float:
        return value.get<double>();
    case json::value_t::string:
        return std::string_view(value.get_ref<const std::string&>());
    default:
        return {};
    }
}

uint64_t
ReadWhole(const json& value, const char* member)
{
    const std::optional<uint64_t> number = ToUnsigned(ToAttributeValue(value));
    if (!number)
    {
        throw JsonNodeError(
            fmt::format("\"{}\" is {}, not a whole number", member, value.dump().substr(0, 40)));
    }
    return *number;
}

std::vector<uint64_t>
ReadIds(const json& node, const char* member, const char* other)
{
    std::vector<uint64_t> ids;
    const json* const list = FindEither(node, member, other);
    if (list == nullptr)
    {
        return ids;
    }
    if (!list->is_array())
    {
        throw JsonNodeError(fmt::format("\"{}\" is no list of node ids", member));
    }
    for (const json& id : *list)
    {
        ids.push_back(ReadWhole(id, member));
    }
    return ids;
}

void
DecodeFeederNode(const json& node, NodeRecord& record)
{
    CheckMembers(node,
                 {"Id", "Name", "NodeType", "data_deps", "ctrlDeps", "ctrl_deps"},
                 AttributeMembers::Yes);
    record.id = ReadWhole(Require(node, "Id"), "Id");
    record.name = ReadString(node, "Name");
    record.type = ReadNodeType(Require(node, "NodeType"), "NodeType");
    record.dataDependencies = ReadIds(node, "data_deps", "dataDeps");
    record.controlDependencies = ReadIds(node, "ctrlDeps", "ctrl_deps");
    ReadMembersAsAttributes(node, record);
}

void
DecodeJsonizerNode(const json& node, NodeRecord& record)
{
    CheckMembers(node,
                 {"id",
                  "name",
                  "type",
                  "dataDeps",
                  "ctrlDeps",
                  "startTimeMicros",
                  "durationMicros",
                  "inputs",
                  "outputs",
                  "attr",
                  "data_deps",
                  "ctrl_deps",
                  "start_time_micros",
                  "duration_micros",
                  "storage",
                  "dataOp"},
                 AttributeMembers::No);
    record.id = node.contains("id") ? ReadWhole(node["id"], "id") : 0;
    record.name = ReadString(node, "name");
    record.type = node.contains("type") ? ReadNodeType(node["type"], "type") : 0;
    record.dataDependencies = ReadIds(node, "dataDeps", "data_deps");
    record.controlDependencies = ReadIds(node, "ctrlDeps", "ctrl_deps");
    if (const json* duration = FindEither(node, "durationMicros", "duration_micros"))
    {
        record.Set(NodeAttribute::DurationMicros, ReadWhole(*duration, "durationMicros"));
    }
    record.inputValues = ReadInputValues(node);
    if (const auto attributes = node.find("attr"); attributes != node.end())
    {
        ReadAttributes(*attributes, record);
    }
}

void
DecodeGeneratorNode(const json& node, NodeRecord& record)
{
    CheckMembers(
        node, {"id", "name", "node_type", "data_deps", "ctrl_deps"}, AttributeMembers::Yes);
    record.id = ReadWhole(Require(node, "id"), "id");
    record.name = ReadString(node, "name");
    record.type = ReadNodeType(Require(node, "node_type"), "node_type");
    record.dataDependencies = ReadIds(node, "data_deps", "dataDeps");
    record.controlDependencies = ReadIds(node, "ctrl_deps", "ctrlDeps");
    ReadMembersAsAttributes(node, record);
}

} // namespace nadi
