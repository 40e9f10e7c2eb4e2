// SPDX-License-Identifier: GPL-2.0-only
// Schema 0.0.4, which is 1.0.0, and the metadata frames of all schemas.
#include "workload/trace/binary-trace.h"
#include "workload/trace/wire-reader.h"

namespace nadi
{

namespace
{

/// An attribute: odd fields from 3 on are scalars, even ones lists, of which those of whole numbers
/// that are no `fixed` ones count.
struct Attribute
{
    std::string_view name;
    AttributeValue value;
    WireField list; ///< number 0: it is none
};

constexpr uint32_t FIRST_INTEGER_LIST = 8; // int32, int64, uint32, uint64
constexpr uint32_t FIRST_ZIGZAG_LIST = 16; // sint32, sint64
constexpr uint32_t LAST_INTEGER_LIST = 18;
constexpr uint32_t BOOL_LIST = 28;

// The bytes of a varint do not say whether it has a sign; the number of the field does.
AttributeValue
ReadVarintValue(uint32_t number, uint64_t value)
{
    switch (number)
    {
    case 7: // int32
        // A negative int32 is written with 64 bits, of which the lower half is the number.
        return int64_t{static_cast<int32_t>(value)};
    case 9: // int64
        return static_cast<int64_t>(value);
    case 11: // uint32
        return uint64_t{static_cast<uint32_t>(value)};
    case 13: // uint64
        return value;
    case 15: // sint32
    case 17: // sint64
        return FromZigZag(value);
    case 27: // bool
        return value != 0;
    default:
        return {};
    }
}

/// Reals have one width each; a value of the other width counts as absent.
AttributeValue
ReadFixedValue(const WireField& field)
{
    switch (field.number)
    {
    case 3: // double
        return field.type == WireType::Fixed64 ? AttributeValue(field.AsDouble())
                                               : std::monostate{};
    case 5: // float
        return field.type == WireType::Fixed32 ? AttributeValue(double{field.AsFloat()})
                                               : std::monostate{};
    case 19: // fixed32
    case 21: // fixed64
        return field.value;
    case 23: // sfixed32
        return int64_t{static_cast<int32_t>(field.value)};
    case 25: // sfixed64
        return static_cast<int64_t>(field.value);
    default:
        return {};
    }
}

AttributeValue
ReadValue(const WireField& field)
{
    switch (field.type)
    {
    case WireType::Varint:
        return ReadVarintValue(field.number, field.value);
    case WireType::Fixed32:
    case WireType::Fixed64:
        return ReadFixedValue(field);
    case WireType::Bytes:
        break;
    }
    const bool isText = field.number == 29 || field.number == 31; // string, bytes
    return isText ? AttributeValue(field.bytes) : std::monostate{};
}

Attribute
DecodeAttribute(std::string_view message)
{
    Attribute attribute;
    WireReader reader(message);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(1, WireType::Bytes))
        {
            attribute.name = field.bytes;
        }
        // Of several values the last one counts, as in protobuf's own parsers of a `oneof`.
        else if (field.number > 2)
        {
            attribute.value = ReadValue(field);
            attribute.list = field.number % 2 == 0 ? field : WireField{};
        }
    }
    return attribute;
}

/// A message whose field 1 repeats whole numbers.
SplitNumbers
DecodeNumbers(const WireField& list)
{
    const bool isRead = list.type == WireType::Bytes && list.number >= FIRST_INTEGER_LIST &&
                        list.number <= LAST_INTEGER_LIST;
    if (!isRead)
    {
        return {.numbers = {}, .isList = false};
    }
    std::vector<uint64_t> varints;
    WireReader reader(list.bytes);
    WireField field;
    while (reader.Next(field))
    {
        if (field.number == 1)
        {
            AppendVarints(field, varints);
        }
    }
    SplitNumbers numbers;
    for (const uint64_t varint : varints)
    {
        numbers.numbers.push_back(list.number < FIRST_ZIGZAG_LIST ? static_cast<int64_t>(varint)
                                                                  : FromZigZag(varint));
    }
    return numbers;
}

/// A message whose field 1 repeats truth values: whether one is false.
bool
ListsFalse(const WireField& list)
{
    if (list.type != WireType::Bytes || list.number != BOOL_LIST)
    {
        return false;
    }
    bool hasFalse = false;
    WireReader reader(list.bytes);
    WireField field;
    while (reader.Next(field))
    {
        hasFalse |= field.number == 1 && HasFalse(field);
    }
    return hasFalse;
}

/// IOInfo: field 1 holds the values, as Python prints them.
std::string_view
DecodeInputValues(std::string_view message)
{
    WireReader reader(message);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(1, WireType::Bytes))
        {
            return field.bytes;
        }
    }
    return {};
}

void
DecodeBytesField(const WireField& field, NodeRecord& record)
{
    if (field.number == 2)
    {
        record.name = field.bytes;
    }
    else if (field.number == 8)
    {
        record.inputValues = DecodeInputValues(field.bytes);
    }
    else if (field.number == 10)
    {
        const Attribute attribute = DecodeAttribute(field.bytes);
        const std::optional<SplitList> splits = FindSplitList(attribute.name);
        if (splits && attribute.list.number != 0)
        {
            return record.SetSplits(*splits, DecodeNumbers(attribute.list));
        }
        if (attribute.name == INVOLVED_DIMENSIONS)
        {
            record.leavesDimensionsOut = ListsFalse(attribute.list);
        }
        // Splits that are written as text come here too: SetNamed parses them.
        record.SetNamed(attribute.name, attribute.value);
    }
}

/// The recorded start, field 6, is left out: a simulation finds its own times.
void
DecodeNumberField(const WireField& field, NodeRecord& record)
{
    if (field.number == 1)
    {
        record.id = field.value;
    }
    else if (field.number == 3)
    {
        record.type = field.value;
    }
}

/// Old metadata has attributes in field 1, where 0.0.4 has the version's text. Their values stand
/// in other fields, so only texts are taken, wherever they are.
void
ReadMetadataAttribute(std::string_view message, TraceMetadata& metadata)
{
    std::string_view name;
    std::string_view text;
    WireReader reader(message);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(1, WireType::Bytes))
        {
            name = field.bytes;
        }
        else if (field.number > 2 && field.type == WireType::Bytes)
        {
            text = field.bytes;
        }
    }
    if (name == "schema" && text.data() != nullptr)
    {
        metadata.schema = text;
    }
    if (name == "input_file")
    {
        metadata.SetInputFile(text);
    }
}

} // namespace

void
DecodeNodeV004(std::string_view frame, NodeRecord& record)
{
    WireReader reader(frame);
    WireField field;
    uint64_t durationMicros = 0;
    while (reader.Next(field))
    {
        // Dependencies may be packed or not, so the wire type does not matter.
        if (field.number == 4)
        {
            AppendVarints(field, record.controlDependencies);
        }
        else if (field.number == 5)
        {
            AppendVarints(field, record.dataDependencies);
        }
        else if (field.type == WireType::Bytes)
        {
            DecodeBytesField(field, record);
        }
        else if (field.Is(7, WireType::Varint))
        {
            durationMicros = field.value;
        }
        else if (field.type == WireType::Varint)
        {
            DecodeNumberField(field, record);
        }
    }
    // Behind the attributes: one of older schemas, such as `runtime`, counts only where the field
    // has nothing.
    if (durationMicros > 0)
    {
        record.Set(NodeAttribute::DurationMicros, durationMicros);
    }
}

TraceMetadata
DecodeMetadata(std::string_view frame)
{
    TraceMetadata metadata;
    WireReader reader(frame);
    WireField field;
    while (reader.Next(field))
    {
        // An attribute is a message whose first field is its name (0x0a: field 1, text); a version
        // does not begin so.
        const bool isAttribute = field.number == 2 || field.bytes.starts_with('\x0a');
        if (field.type == WireType::Bytes && isAttribute)
        {
            ReadMetadataAttribute(field.bytes, metadata);
        }
    }
    return metadata;
}

} // namespace nadi
