// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/proto2-nodes.h"

#include "workload/document/renewed-node.h"
#include "workload/trace/wire-reader.h"
#include "workload/trace/wire-text.h"

#include <array>
#include <vector>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;

// The field of an attribute's first kind of value, in all three layouts.
constexpr uint32_t FIRST_VALUE = 4;

/// What the values of an attribute are. The three layouts number them differently.
enum class ValueKind : uint8_t
{
    Bool,
    Float,
    Integer,
    Text,
    Bools,
    Floats,
    Integers,
    Texts,
};

/// The field of a value tells its kind within a layout: 0.0.2, early 0.0.3, and late 0.0.3, which
/// has unsigned numbers too. Early and late ones differ in the wire type, wherever they clash.
ValueKind
KindOf(const WireField& field, TraceSchema schema)
{
    using enum ValueKind;
    static constexpr std::array V002{Float, Integer, Text, Floats, Integers, Texts};
    // Fields past these six go by the rules of 0.0.3, which tell kinds by the wire type.
    const uint32_t place = field.number - FIRST_VALUE;
    if (schema == TraceSchema::V002 && place < V002.size())
    {
        return V002[place];
    }
    // Fields of 0.0.3: 4 bool, 5 float, 6 integer, 7 text, 8 to 11 lists of these. Late files have
    // an unsigned number in 6, so that the integer has 7 and text 8, and lists are 9 to 13, the
    // unsigned ones 11. Integers with and without a sign are read alike.
    switch (field.type)
    {
    case WireType::Varint:
        return place == 0 ? Bool : place < 4 ? Integer : place < 6 ? Bools : Integers;
    case WireType::Fixed32:
    case WireType::Fixed64:
        return place < 3 ? Float : Floats;
    case WireType::Bytes:
        break;
    }
    return place < 5 ? Text : Texts;
}

double
RealOf(const WireField& field)
{
    return field.type == WireType::Fixed64 ? field.AsDouble() : double{field.AsFloat()};
}

void
AddValue(const WireField& field, ValueKind kind, AttributeProto& attribute)
{
    switch (kind)
    {
    case ValueKind::Bool:
        return attribute.set_bool_val(field.value != 0);
    case ValueKind::Float:
        return attribute.set_float_val(static_cast<float>(RealOf(field)));
    case ValueKind::Integer:
        return attribute.set_int64_val(static_cast<int64_t>(field.value));
    case ValueKind::Text:
        return attribute.set_string_val(MakeUtf8(field.bytes));
    case ValueKind::Bools:
        return attribute.mutable_bool_list()->add_values(field.value != 0);
    case ValueKind::Floats:
        return attribute.mutable_float_list()->add_values(static_cast<float>(RealOf(field)));
    case ValueKind::Integers:
        return attribute.mutable_int64_list()->add_values(static_cast<int64_t>(field.value));
    case ValueKind::Texts:
        *attribute.mutable_string_list()->add_values() = MakeUtf8(field.bytes);
        return;
    }
}

void
DecodeAttributeInto(std::string_view message, TraceSchema schema, AttributeProto& attribute)
{
    constexpr uint32_t DOCUMENTATION = 3;
    WireReader reader(message);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(1, WireType::Bytes))
        {
            attribute.set_name(MakeUtf8(field.bytes));
        }
        else if (field.Is(DOCUMENTATION, WireType::Bytes))
        {
            attribute.set_doc_string(MakeUtf8(field.bytes));
        }
        else if (field.number >= FIRST_VALUE)
        {
            AddValue(field, KindOf(field, schema), attribute);
        }
    }
}

/// Appends an item to a list that is a text: `["a", "b"]`.
///
/// Schema 1.0.0 has one text where the older ones have a repeated field.
void
AppendItem(std::string_view item, std::string& list)
{
    list = list.empty() ? "[" : list.substr(0, list.size() - 1) + ", ";
    list += '"';
    list += item;
    list += "\"]";
}

/// 5 to 7 are values, shapes and types of the inputs, 8 to 10 those of the outputs.
///
/// Requires: the field is one of these.
void
AddTensor(const WireField& field, ChakraProtoMsg::Node& node)
{
    constexpr uint32_t FIRST_INPUT = 5;
    constexpr uint32_t FIRST_OUTPUT = 8;
    const bool isInput = field.number < FIRST_OUTPUT;
    ChakraProtoMsg::IOInfo& tensors = isInput ? *node.mutable_inputs() : *node.mutable_outputs();
    const std::array<std::string*, 3> lists{
        tensors.mutable_values(), tensors.mutable_shapes(), tensors.mutable_types()};
    AppendItem(MakeUtf8(field.bytes),
               *lists[field.number - (isInput ? FIRST_INPUT : FIRST_OUTPUT)]);
}

void
AddField(const WireField& field, TraceSchema schema, ChakraProtoMsg::Node& node)
{
    constexpr uint32_t ATTRIBUTE = 11;
    if (field.Is(1, WireType::Varint))
    {
        node.set_id(field.value);
    }
    else if (field.Is(2, WireType::Bytes))
    {
        node.set_name(MakeUtf8(field.bytes));
    }
    else if (field.type == WireType::Bytes && field.number > 4 && field.number < ATTRIBUTE)
    {
        AddTensor(field, node);
    }
    else if (field.Is(ATTRIBUTE, WireType::Bytes))
    {
        DecodeAttributeInto(field.bytes, schema, *node.add_attr());
    }
}

} // namespace

ChakraProtoMsg::Node
DecodeProto2Node(std::string_view frame, TraceSchema schema)
{
    ChakraProtoMsg::Node node;
    // The type is kept until the end: fields may come in any order, and RenewNode needs all of
    // them.
    std::vector<uint64_t> parents;
    uint64_t type = 0;
    WireReader reader(frame);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(3, WireType::Varint))
        {
            type = field.value;
        }
        else if (field.number == 4)
        {
            // The list may be packed or not, and may come in several parts.
            AppendVarints(field, parents);
        }
        else
        {
            AddField(field, schema, node);
        }
    }
    node.mutable_data_deps()->Add(parents.begin(), parents.end());
    RenewNode(node, type, schema);
    return node;
}

ChakraProtoMsg::GlobalMetadata
DecodeProto2Metadata(std::string_view frame, TraceSchema schema)
{
    ChakraProtoMsg::GlobalMetadata metadata;
    WireReader reader(frame);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(1, WireType::Bytes))
        {
            AttributeProto& attribute = *metadata.add_attr();
            DecodeAttributeInto(field.bytes, schema, attribute);
            // Without a name it could not be told from the name of a node, once it is written.
            if (attribute.name().empty())
            {
                throw WireError(field.bytes.data(), "an attribute without a name");
            }
        }
    }
    return metadata;
}

} // namespace nadi
