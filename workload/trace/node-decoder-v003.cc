// SPDX-License-Identifier: GPL-2.0-only
// Schemas 0.0.2 and 0.0.3.
#include "workload/trace/binary-trace.h"
#include "workload/trace/proto2-fields.h"
#include "workload/trace/wire-reader.h"

namespace nadi
{

namespace
{

AttributeValue
ValueOf(const WireField& field)
{
    switch (field.type)
    {
    case WireType::Varint:
        return static_cast<int64_t>(field.value);
    case WireType::Fixed32:
        return static_cast<double>(field.AsFloat());
    case WireType::Fixed64:
        return field.AsDouble();
    case WireType::Bytes:
        break;
    }
    return field.bytes;
}

/// The layouts of attributes in 0.0.2, in early and in late 0.0.3 put the value of a type in
/// different fields from 4 on, but never two types of one wire type that are read differently: so
/// the first value is the value, whatever its field.
void
DecodeAttribute(std::string_view attribute, NodeRecord& record)
{
    constexpr uint32_t FIRST_VALUE = 4;
    std::string_view name;
    WireReader reader(attribute);
    WireField field;
    while (reader.Next(field))
    {
        if (field.Is(1, WireType::Bytes))
        {
            name = field.bytes;
        }
        else if (field.number >= FIRST_VALUE && name == INVOLVED_DIMENSIONS)
        {
            record.leavesDimensionsOut |= HasFalse(field); // a list: all its fields are values
        }
        else if (field.number >= FIRST_VALUE)
        {
            // Relies on the name standing before the value, as its field has the lower number.
            record.SetNamed(name, ValueOf(field));
            return;
        }
    }
}

} // namespace

void
DecodeNodeV003(std::string_view frame, NodeRecord& record)
{
    WireReader reader(frame);
    WireField field;
    while (reader.Next(field))
    {
        if (!TakeProto2Field(field, record) && field.Is(11, WireType::Bytes))
        {
            DecodeAttribute(field.bytes, record);
        }
    }
}

} // namespace nadi
