// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-record.h"

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

std::string_view
ReadString(const json& node, const char* member)
{
    const auto found = node.find(member);
    if (found == node.end() || !found->is_string())
    {
        return {};
    }
    return found->get_ref<const std::string&>();
}

/// A node type as number or name; a name that no schema has becomes an unknown number.
uint64_t
ReadNodeType(const json& type)
{
    constexpr uint64_t UNKNOWN = ~uint64_t{0};
    if (type.is_string())
    {
        return FindNodeTypeNumber(type.get_ref<const std::string&>()).value_or(UNKNOWN);
    }
    return ReadWhole(type, "type");
}

/// Takes every member whose name is a known attribute's.
void
ReadMembersAsAttributes(const json& node, NodeRecord& record)
{
    for (const auto& [name, value] : node.items())
    {
        record.Set(FindNodeAttribute(name), ToAttributeValue(value));
    }
}

/// {"name": "comm_size", "int64Val": "5"}: the value is the member that is neither name nor
/// documentation.
void
ReadAttribute(const json& attribute, NodeRecord& record)
{
    for (const auto& [member, value] : attribute.items())
    {
        if (member != "name" && member != "docString")
        {
            record.Set(FindNodeAttribute(ReadString(attribute, "name")), ToAttributeValue(value));
        }
    }
}

} // namespace

AttributeValue
ToAttributeValue(const json& value)
{
    switch (value.type())
    {
    case json::value_t::boolean:
        return uint64_t{value.get<bool>() ? 1U : 0U};
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
ReadIds(const json& node, const char* member)
{
    std::vector<uint64_t> ids;
    const auto list = node.find(member);
    if (list == node.end())
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
    record.id = ReadWhole(Require(node, "Id"), "Id");
    record.name = ReadString(node, "Name");
    record.type = ReadNodeType(Require(node, "NodeType"));
    record.dataDependencies = ReadIds(node, "data_deps");
    record.controlDependencies = ReadIds(node, "ctrlDeps");
    ReadMembersAsAttributes(node, record);
}

void
DecodeJsonizerNode(const json& node, NodeRecord& record)
{
    record.id = node.contains("id") ? ReadWhole(node["id"], "id") : 0;
    record.name = ReadString(node, "name");
    record.type = node.contains("type") ? ReadNodeType(node["type"]) : 0;
    record.dataDependencies = ReadIds(node, "dataDeps");
    record.controlDependencies = ReadIds(node, "ctrlDeps");
    if (const auto duration = node.find("durationMicros"); duration != node.end())
    {
        record.Set(NodeAttribute::DurationMicros, ToAttributeValue(*duration));
    }
    if (const auto inputs = node.find("inputs"); inputs != node.end() && inputs->is_object())
    {
        record.inputValues = ReadString(*inputs, "values");
    }
    const auto attributes = node.find("attr");
    if (attributes == node.end())
    {
        return;
    }
    for (const json& attribute : *attributes)
    {
        ReadAttribute(attribute, record);
    }
}

void
DecodeGeneratorNode(const json& node, NodeRecord& record)
{
    record.id = ReadWhole(Require(node, "id"), "id");
    record.name = ReadString(node, "name");
    record.type = ReadNodeType(Require(node, "node_type"));
    record.dataDependencies = ReadIds(node, "data_deps");
    record.controlDependencies = ReadIds(node, "ctrl_deps");
    ReadMembersAsAttributes(node, record);
}

} // namespace nadi
