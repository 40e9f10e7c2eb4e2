// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-record.h"

#include "common/text.h"
#include "workload/trace/json-attributes.h"
#include "workload/trace/schema.h"

#include <fmt/format.h>

namespace nadi
{

namespace
{

using nlohmann::json;

// Three decoders read three ways of writing a node. They differ in the names of its members, and in
// whether attributes are members too or stand in a list. The names and values of attributes mean
// the same for all of them (json-members, node-record).

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

const json*
FindMember(const json& object, const char* name)
{
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

/// The member under one of its two names, as protobuf prints it and as the schema has it.
const json*
FindEither(const json& object, const char* name, const char* other)
{
    const json* const first = FindMember(object, name);
    const json* const second = FindMember(object, other);
    if (first != nullptr && second != nullptr)
    {
        throw JsonNodeError(
            fmt::format("\"{}\" and \"{}\" are the same member; write one of them", name, other));
    }
    return first != nullptr ? first : second;
}

/// The ids in a list, empty where there is none; errors name it `member`.
std::vector<uint64_t>
ReadIds(const json* list, const char* member)
{
    std::vector<uint64_t> ids;
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
        // CheckMembers has refused unknown members, so those that are left out here are known and
        // mean nothing, or were read by the caller.
        if (FindNodeAttribute(name) != NodeAttribute::None || FindSplitList(name) ||
            name == INVOLVED_DIMENSIONS)
        {
            SetJsonAttribute(name, value, record);
        }
    }
}

/// Takes the attributes of a node that has them in a list.
void
ReadListedAttributes(const json& node, NodeRecord& record)
{
    for (const JsonAttribute& attribute : ReadJsonAttributes(node))
    {
        // An attribute without a value counts as absent.
        if (attribute.value != nullptr)
        {
            SetJsonAttribute(attribute.name, *attribute.value, record);
        }
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

// Takes a text too: protobuf prints numbers of 64 bits so.
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

TraceMetadata
DecodeJsonMetadata(const json& object)
{
    TraceMetadata metadata;
    for (const JsonAttribute& attribute : ReadJsonAttributes(object))
    {
        if (attribute.name == "input_file")
        {
            // Without a text, the attribute still says that the trace was converted (hasInputFile).
            const bool isText = attribute.value != nullptr && attribute.value->is_string();
            metadata.SetInputFile(
                isText ? std::string_view(attribute.value->get_ref<const std::string&>()) : "");
        }
        if (attribute.name != "schema")
        {
            continue;
        }
        if (attribute.value == nullptr || !attribute.value->is_string())
        {
            throw JsonNodeError("attribute \"schema\" of the metadata is no text; write it as "
                                "stringVal");
        }
        if (!metadata.schema.empty())
        {
            throw JsonNodeError("\"schema\" is there twice; write it once");
        }
        metadata.schema = attribute.value->get_ref<const std::string&>();
    }
    return metadata;
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
    record.dataDependencies = ReadIds(FindMember(node, "data_deps"), "data_deps");
    record.controlDependencies = ReadIds(FindEither(node, "ctrlDeps", "ctrl_deps"), "ctrlDeps");
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
    // Protobuf leaves out members that have their default value, so a missing id or type is 0.
    record.id = node.contains("id") ? ReadWhole(node["id"], "id") : 0;
    record.name = ReadString(node, "name");
    record.type = node.contains("type") ? ReadNodeType(node["type"], "type") : 0;
    record.dataDependencies = ReadIds(FindEither(node, "dataDeps", "data_deps"), "dataDeps");
    record.controlDependencies = ReadIds(FindEither(node, "ctrlDeps", "ctrl_deps"), "ctrlDeps");
    record.inputValues = ReadInputValues(node);
    ReadListedAttributes(node, record);
    const json* const duration = FindEither(node, "durationMicros", "duration_micros");
    if (duration != nullptr)
    {
        const uint64_t micros = ReadWhole(*duration, "durationMicros");
        // An attribute of older schemas may say it too, and counts where the member has nothing, as
        // in a binary trace.
        if (micros > 0 || !record.Has(NodeAttribute::DurationMicros))
        {
            record.Set(NodeAttribute::DurationMicros, micros);
        }
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
    record.dataDependencies = ReadIds(FindMember(node, "data_deps"), "data_deps");
    record.controlDependencies = ReadIds(FindMember(node, "ctrl_deps"), "ctrl_deps");
    ReadMembersAsAttributes(node, record);
}

} // namespace nadi
