// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/renewed-node.h"

#include "workload/document/node-attributes.h"
#include "workload/schema-numbers.h"
#include "workload/trace/wire-text.h"

#include <limits>
#include <utility>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::Node;

/// Writes a value in the widest type of its kind; RenewNode narrows those of known meaning.
struct ValueWriter
{
    AttributeProto& attribute;

    void operator()(std::monostate) const
    {
    }

    void operator()(uint64_t value) const
    {
        attribute.set_uint64_val(value);
    }

    void operator()(int64_t value) const
    {
        attribute.set_int64_val(value);
    }

    void operator()(double value) const
    {
        attribute.set_double_val(value);
    }

    void operator()(bool value) const
    {
        attribute.set_bool_val(value);
    }

    void operator()(std::string_view value) const
    {
        attribute.set_string_val(MakeUtf8(value));
    }
};

void
AddAttribute(Node& node, std::string_view name, const AttributeValue& value)
{
    AttributeProto& attribute = *node.add_attr();
    attribute.set_name(MakeUtf8(name));
    std::visit(ValueWriter{attribute}, value);
}

/// What is no list stays what no reader takes for one.
void
AddSplits(Node& node, SplitList list, const SplitNumbers& splits)
{
    if (!splits.isList)
    {
        // So that a reader of the document refuses the node, as a reader of the file does.
        return AddAttribute(node, ToText(list), std::string_view("no list"));
    }
    SetSplits(node, list, splits.numbers);
}

/// Whether readers expect the attribute as an int32.
bool
IsSmall(NodeAttribute meaning)
{
    using enum NodeAttribute;
    return meaning == Priority || meaning == Source || meaning == Destination || meaning == Root ||
           meaning == Tag;
}

/// Whether the number is one that the attribute's type can hold.
bool
Fits(NodeAttribute meaning, int64_t value)
{
    if (IsSmall(meaning))
    {
        return value == static_cast<int32_t>(value);
    }
    return meaning == NodeAttribute::TensorLocation
               ? value >= 0 && value <= std::numeric_limits<uint32_t>::max()
               : value >= 0;
}

void
RenewNumber(Node& node, NodeAttribute meaning, const AttributeProto& old)
{
    const std::optional<int64_t> value = ToInteger(ToAttributeValue(old));
    // Any other value stays as it was written, as SetNumber would end the program on it.
    if (value && Fits(meaning, *value))
    {
        return SetNumber(node, meaning, *value);
    }
    *node.add_attr() = old;
}

void
RenewCollectiveType(Node& node, const AttributeProto& old, TraceSchema schema)
{
    // Schemas number the collectives differently.
    const auto type = FindCollectiveType(schema, ToAttributeValue(old));
    if (type)
    {
        return SetNumber(node, NodeAttribute::CollectiveType, ToSchema(*type));
    }
    // 0.0.1 writes 0 where there is no collective, which 1.0.0 says by leaving the attribute out.
    if (schema != TraceSchema::V001)
    {
        *node.add_attr() = old;
    }
}

void
RenewDuration(Node& node, const AttributeProto& old)
{
    const std::optional<uint64_t> micros = ToUnsigned(ToAttributeValue(old));
    // A value with a fraction or a sign does not fit the field, and stays an attribute.
    if (micros)
    {
        return node.set_duration_micros(*micros);
    }
    *node.add_attr() = old;
}

void
RenewAttribute(Node& node, const AttributeProto& old, TraceSchema schema)
{
    const NodeAttribute meaning = FindNodeAttribute(old.name());
    switch (meaning)
    {
    case NodeAttribute::None:
        *node.add_attr() = old;
        return;
    case NodeAttribute::IsCpu:
        return SetBool(node, meaning, ToBool(ToAttributeValue(old)).value_or(false));
    case NodeAttribute::Group:
    case NodeAttribute::Kind:
        return SetText(node, meaning, ToText(ToAttributeValue(old)));
    case NodeAttribute::CollectiveType:
        return RenewCollectiveType(node, old, schema);
    case NodeAttribute::DurationMicros:
        return RenewDuration(node, old);
    default:
        return RenewNumber(node, meaning, old);
    }
}

} // namespace

void
RenewNode(Node& node, uint64_t type, TraceSchema schema)
{
    const std::optional<NodeType> known = FindNodeType(schema, type);
    // A number that the schema lacks is kept; proto3 can hold unknown numbers of an enum.
    node.set_type(known ? ToSchema(*known) : static_cast<ChakraProtoMsg::NodeType>(type));
    google::protobuf::RepeatedPtrField<AttributeProto> old;
    // Built anew, so that two names of one meaning become one attribute, which has the last value.
    old.Swap(node.mutable_attr());
    for (const AttributeProto& attribute : old)
    {
        RenewAttribute(node, attribute, schema);
    }
}

Node
MakeNode(const NodeRecord& record, TraceSchema schema)
{
    Node node;
    node.set_id(record.id);
    node.set_name(MakeUtf8(record.name));
    node.mutable_data_deps()->Add(record.dataDependencies.begin(), record.dataDependencies.end());
    node.mutable_ctrl_deps()->Add(record.controlDependencies.begin(),
                                  record.controlDependencies.end());
    if (!record.inputValues.empty())
    {
        node.mutable_inputs()->set_values(MakeUtf8(record.inputValues));
    }
    for (size_t index = 0; index < record.attributes.size(); ++index)
    {
        if (IsPresent(record.attributes[index]))
        {
            AddAttribute(node, ToText(static_cast<NodeAttribute>(index)), record.attributes[index]);
        }
    }
    for (const SplitList list : {SplitList::In, SplitList::Out})
    {
        AddSplits(node, list, record.Splits(list));
    }
    for (const auto& [name, value] : record.others)
    {
        AddAttribute(node, name, value);
    }
    RenewNode(node, record.type, schema);
    return node;
}

} // namespace nadi
