// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/json-members.h"

#include "common/text.h"
#include "workload/trace/json-record.h"
#include "workload/trace/misspelt-names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace nadi
{

namespace
{

/// Further members that writers of traces give a node. Most mean nothing to a simulation. The few
/// that do, `tid` and the splits, are read as attributes.
constexpr std::array<std::string_view, 31> UNUSED_MEMBERS{"inputs",
                                                          "outputs",
                                                          "y_tensor_size",
                                                          "op_type",
                                                          "op_schema",
                                                          "rf_id",
                                                          "fw_parent",
                                                          "fw_tid",
                                                          "seq_id",
                                                          "scope",
                                                          "tid",
                                                          "ts",
                                                          "involved_dim",
                                                          "collective_name",
                                                          "dtype",
                                                          "in_msg_nelems",
                                                          "out_msg_nelems",
                                                          "in_split_size",
                                                          "out_split_size",
                                                          "pg_desc",
                                                          "pg_size",
                                                          "kernel_backend",
                                                          "kernel_file",
                                                          "global_rank_start",
                                                          "global_rank_stride",
                                                          "cat",
                                                          "ph",
                                                          "dur",
                                                          "exclusive_dur",
                                                          "inclusive_dur",
                                                          "sync_dep"};

template <class Names>
bool
IsAmong(const Names& names, std::string_view name)
{
    return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void
ThrowUnknownMember(const std::string& name, MemberNames known, AttributeMembers attributes)
{
    std::vector<std::string> names(known.begin(), known.end());
    if (attributes == AttributeMembers::Yes)
    {
        const auto& more = KnownAttributeNames();
        names.insert(names.end(), more.begin(), more.end());
    }
    throw JsonNodeError(
        fmt::format("\"{}\" is no member of a node{}", name, SuggestFrom(name, names)));
}

bool
IsScalar(const nlohmann::json& value)
{
    return value.is_number() || value.is_string() || value.is_boolean();
}

} // namespace

void
CheckMembers(const nlohmann::json& object, MemberNames known, AttributeMembers attributes)
{
    for (const auto& [name, value] : object.items())
    {
        const bool isAttribute =
            attributes == AttributeMembers::Yes &&
            (FindNodeAttribute(name) != NodeAttribute::None || IsAmong(UNUSED_MEMBERS, name));
        if (!isAttribute && !IsAmong(known, name))
        {
            ThrowUnknownMember(name, known, attributes);
        }
    }
}

std::string_view
ReadString(const nlohmann::json& object, const char* member)
{
    const auto found = object.find(member);
    if (found == object.end())
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

namespace
{

/// A list, {"values": [...]} as protobuf prints one, or text; numbers may be text.
SplitNumbers
ReadJsonSplits(const nlohmann::json& value)
{
    const nlohmann::json* list = &value;
    if (value.is_object())
    {
        if (value.empty()) // protobuf prints an empty list so
        {
            return {};
        }
        list = value.contains("values") ? &value["values"] : list;
    }
    if (list->is_string())
    {
        return ParseSplitNumbers(list->get_ref<const std::string&>());
    }
    SplitNumbers splits{.numbers = {}, .isList = list->is_array()};
    for (size_t at = 0; splits.isList && at < list->size(); ++at)
    {
        const std::optional<int64_t> number = ToInteger(ToAttributeValue((*list)[at]));
        splits.isList = number.has_value();
        splits.numbers.push_back(number.value_or(0));
    }
    return splits;
}

/// A list, or {"values": [...]} as protobuf prints one: whether an entry is false or 0.
bool
ListsJsonFalse(const nlohmann::json& value)
{
    const bool isWrapped = value.is_object() && value.contains("values");
    const nlohmann::json& list = isWrapped ? value["values"] : value;
    return list.is_array() && std::any_of(list.begin(),
                                          list.end(),
                                          [](const nlohmann::json& entry)
                                          { return ToBool(ToAttributeValue(entry)) == false; });
}

} // namespace

void
SetJsonAttribute(std::string_view name, const nlohmann::json& value, NodeRecord& record)
{
    if (const std::optional<SplitList> list = FindSplitList(name))
    {
        SplitNumbers& splits = record.Splits(*list);
        if (!splits.numbers.empty() || !splits.isList)
        {
            throw JsonNodeError(
                fmt::format("\"{}\" gives {} a second value; write one", name, ToText(*list)));
        }
        splits = ReadJsonSplits(value);
        return;
    }
    if (name == INVOLVED_DIMENSIONS)
    {
        record.leavesDimensionsOut = ListsJsonFalse(value);
        return;
    }
    const NodeAttribute attribute = FindNodeAttribute(name);
    if (attribute == NodeAttribute::None)
    {
        const std::string meant = MisspeltNames().FindMeant(name);
        if (!meant.empty())
        {
            throw JsonNodeError(
                fmt::format("attribute \"{}\" means nothing (did you mean {}?)", name, meant));
        }
        // No error: traces have many attributes that mean nothing here.
        return;
    }
    if (!IsScalar(value))
    {
        throw JsonNodeError(
            fmt::format("{} is {}; write a number or text", name, value.dump().substr(0, 40)));
    }
    if (record.Has(attribute))
    {
        throw JsonNodeError(
            fmt::format("\"{}\" gives {} a second value; write one", name, ToText(attribute)));
    }
    record.Set(attribute, ToAttributeValue(value));
}

} // namespace nadi
