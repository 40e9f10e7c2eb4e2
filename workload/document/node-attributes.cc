// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/node-attributes.h"

#include "common/check.h"

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

constexpr int64_t NANOS_PER_MICRO = 1000;
// A simulation reads neither of these two, so they have no NodeAttribute.
constexpr const char* START_NANOS = "start_nanos";
constexpr const char* SCOPES_NAME = "scopes";

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::Node;

AttributeProto&
GetOrAdd(Node& node, NodeAttribute meaning)
{
    // An attribute that is there keeps the name under which it was written.
    if (AttributeProto* const attribute = FindAttribute(node, meaning))
    {
        return *attribute;
    }
    AttributeProto& attribute = *node.add_attr();
    attribute.set_name(std::string(ToText(meaning)));
    return attribute;
}

template <class Predicate>
void
RemoveWhere(Node& node, Predicate isMeant)
{
    auto& attributes = *node.mutable_attr();
    attributes.erase(std::remove_if(attributes.begin(), attributes.end(), isMeant),
                     attributes.end());
}

void
Remove(Node& node, std::string_view name)
{
    RemoveWhere(node, [name](const AttributeProto& attribute) { return attribute.name() == name; });
}

/// The attribute of older schemas that has the duration, of several the last; or null.
const AttributeProto*
FindOldDuration(const Node& node)
{
    const AttributeProto* last = nullptr;
    for (const AttributeProto& attribute : node.attr())
    {
        const bool isDuration =
            FindNodeAttribute(attribute.name()) == NodeAttribute::DurationMicros;
        last = isDuration ? &attribute : last;
    }
    return last;
}

/// The field, or where it has nothing, the attribute: the reader of a simulation does likewise.
uint64_t
FindDurationMicros(const Node& node)
{
    if (node.duration_micros() > 0)
    {
        return node.duration_micros();
    }
    const AttributeProto* const old = FindOldDuration(node);
    return old == nullptr ? 0 : ToUnsigned(ToAttributeValue(*old)).value_or(0);
}

uint64_t
RoundToMicros(int64_t nanos)
{
    // The sum may pass 63 bits.
    return (static_cast<uint64_t>(nanos) + NANOS_PER_MICRO / 2) / NANOS_PER_MICRO;
}

int64_t
ToNanos(uint64_t micros)
{
    // A damaged file may have any number. All that pass 63 bits become the largest time.
    constexpr uint64_t most = std::numeric_limits<int64_t>::max() / NANOS_PER_MICRO;
    return static_cast<int64_t>(std::min(micros, most)) * NANOS_PER_MICRO;
}

} // namespace

AttributeValue
ToAttributeValue(const AttributeProto& attribute)
{
    switch (attribute.value_case())
    {
    case AttributeProto::kDoubleVal:
        return attribute.double_val();
    case AttributeProto::kFloatVal:
        return double{attribute.float_val()};
    case AttributeProto::kInt32Val:
        return int64_t{attribute.int32_val()};
    case AttributeProto::kInt64Val:
        return int64_t{attribute.int64_val()};
    case AttributeProto::kUint32Val:
        return uint64_t{attribute.uint32_val()};
    case AttributeProto::kUint64Val:
        return uint64_t{attribute.uint64_val()};
    case AttributeProto::kSint32Val:
        return int64_t{attribute.sint32_val()};
    case AttributeProto::kSint64Val:
        return int64_t{attribute.sint64_val()};
    case AttributeProto::kFixed32Val:
        return uint64_t{attribute.fixed32_val()};
    case AttributeProto::kFixed64Val:
        return uint64_t{attribute.fixed64_val()};
    case AttributeProto::kSfixed32Val:
        return int64_t{attribute.sfixed32_val()};
    case AttributeProto::kSfixed64Val:
        return int64_t{attribute.sfixed64_val()};
    case AttributeProto::kBoolVal:
        return attribute.bool_val();
    case AttributeProto::kStringVal:
        return std::string_view(attribute.string_val());
    case AttributeProto::kBytesVal:
        return std::string_view(attribute.bytes_val());
    default:
        return {};
    }
}

const AttributeProto*
FindAttribute(const Node& node, NodeAttribute meaning)
{
    for (const AttributeProto& attribute : node.attr())
    {
        if (FindNodeAttribute(attribute.name()) == meaning)
        {
            return &attribute;
        }
    }
    return nullptr;
}

AttributeProto*
FindAttribute(Node& node, NodeAttribute meaning)
{
    for (AttributeProto& attribute : *node.mutable_attr())
    {
        if (FindNodeAttribute(attribute.name()) == meaning)
        {
            return &attribute;
        }
    }
    return nullptr;
}

AttributeValue
GetAttribute(const Node& node, NodeAttribute meaning)
{
    const AttributeProto* const attribute = FindAttribute(node, meaning);
    return attribute == nullptr ? AttributeValue{} : ToAttributeValue(*attribute);
}

NodeAttribute
FindSizeAttribute(const ChakraProtoMsg::Node& node)
{
    return FindAttribute(node, NodeAttribute::CommunicationSize) == nullptr
               ? NodeAttribute::TensorSize
               : NodeAttribute::CommunicationSize;
}

const AttributeProto*
FindNamed(const Node& node, std::string_view name)
{
    for (const AttributeProto& attribute : node.attr())
    {
        if (attribute.name() == name)
        {
            return &attribute;
        }
    }
    return nullptr;
}

SplitNumbers
GetSplits(const Node& node, SplitList list)
{
    const AttributeProto* const attribute = FindNamed(node, ToText(list));
    if (attribute == nullptr)
    {
        return {};
    }
    // This is a template, as the six types of integer lists have no common base.
    const auto take = [](const auto& values)
    {
        SplitNumbers splits;
        for (const auto value : values)
        {
            splits.numbers.push_back(static_cast<int64_t>(value));
        }
        return splits;
    };
    switch (attribute->value_case())
    {
    case AttributeProto::kInt32List:
        return take(attribute->int32_list().values());
    case AttributeProto::kInt64List:
        return take(attribute->int64_list().values());
    case AttributeProto::kUint32List:
        return take(attribute->uint32_list().values());
    case AttributeProto::kUint64List:
        return take(attribute->uint64_list().values());
    case AttributeProto::kSint32List:
        return take(attribute->sint32_list().values());
    case AttributeProto::kSint64List:
        return take(attribute->sint64_list().values());
    default:
        // Some writers put the list into a text: "[1, 2]".
        return ParseSplitNumbers(ToText(ToAttributeValue(*attribute)));
    }
}

void
SetSplits(Node& node, SplitList list, const std::vector<int64_t>& numbers)
{
    // The list is written anew, as the attribute that is there may be a list of another type.
    Remove(node, ToText(list));
    if (!numbers.empty())
    {
        AttributeProto& attribute = *node.add_attr();
        attribute.set_name(std::string(ToText(list)));
        attribute.mutable_int64_list()->mutable_values()->Add(numbers.begin(), numbers.end());
    }
}

void
SetNumber(Node& node, NodeAttribute meaning, int64_t value)
{
    AttributeProto& attribute = GetOrAdd(node, meaning);
    switch (meaning)
    {
    case NodeAttribute::Priority:
    case NodeAttribute::Source:
    case NodeAttribute::Destination:
    case NodeAttribute::Root:
    case NodeAttribute::Tag:
        NADI_CHECK(value == static_cast<int32_t>(value));
        attribute.set_int32_val(static_cast<int32_t>(value));
        return;
    case NodeAttribute::TensorSize:
        NADI_CHECK(value >= 0);
        attribute.set_uint64_val(static_cast<uint64_t>(value));
        return;
    case NodeAttribute::TensorLocation:
        NADI_CHECK(value == static_cast<uint32_t>(value));
        attribute.set_uint32_val(static_cast<uint32_t>(value));
        return;
    default:
        NADI_CHECK(meaning != NodeAttribute::IsCpu && meaning != NodeAttribute::Group);
        attribute.set_int64_val(value);
    }
}

void
SetBool(Node& node, NodeAttribute meaning, bool value)
{
    NADI_CHECK(meaning == NodeAttribute::IsCpu);
    GetOrAdd(node, meaning).set_bool_val(value);
}

void
SetText(Node& node, NodeAttribute meaning, const std::string& value)
{
    NADI_CHECK(meaning == NodeAttribute::Group || meaning == NodeAttribute::Kind);
    GetOrAdd(node, meaning).set_string_val(value);
}

void
RemoveAttribute(Node& node, NodeAttribute meaning)
{
    RemoveWhere(node,
                [meaning](const AttributeProto& attribute)
                { return FindNodeAttribute(attribute.name()) == meaning; });
}

int64_t
GetDurationNanos(const Node& node)
{
    const auto nanos = ToInteger(GetAttribute(node, NodeAttribute::DurationNanos));
    // The attribute goes first, as the field has whole microseconds only.
    return std::max<int64_t>(nanos.value_or(ToNanos(FindDurationMicros(node))), 0);
}

void
SetDurationNanos(Node& node, int64_t nanos)
{
    NADI_CHECK(nanos >= 0);
    node.set_duration_micros(RoundToMicros(nanos));
    // Old attributes would go before the field, or before one that says 0.
    Remove(node, ToText(NodeAttribute::DurationNanos));
    RemoveAttribute(node, NodeAttribute::DurationMicros);
    // The field alone can tell whole microseconds.
    if (nanos % NANOS_PER_MICRO != 0)
    {
        SetNumber(node, NodeAttribute::DurationNanos, nanos);
    }
}

int64_t
GetStartNanos(const Node& node)
{
    const AttributeProto* const nanos = FindNamed(node, START_NANOS);
    const auto value = nanos == nullptr ? std::nullopt : ToInteger(ToAttributeValue(*nanos));
    return value.value_or(ToNanos(node.start_time_micros()));
}

void
SetStartNanos(Node& node, int64_t nanos)
{
    node.set_start_time_micros(RoundToMicros(std::max<int64_t>(nanos, 0)));
    Remove(node, START_NANOS);
    if (nanos < 0 || nanos % NANOS_PER_MICRO != 0)
    {
        AttributeProto& attribute = *node.add_attr();
        attribute.set_name(START_NANOS);
        attribute.set_int64_val(nanos);
    }
}

std::vector<std::string>
GetScopes(const Node& node)
{
    const AttributeProto* const attribute = FindNamed(node, SCOPES_NAME);
    if (attribute == nullptr)
    {
        return {};
    }
    const auto& values = attribute->string_list().values();
    return {values.begin(), values.end()};
}

void
AddScopes(Node& node, const std::vector<std::string>& scopes)
{
    AttributeProto& attribute = *node.add_attr();
    attribute.set_name(SCOPES_NAME);
    for (const std::string& scope : scopes)
    {
        attribute.mutable_string_list()->add_values(scope);
    }
}

} // namespace nadi
