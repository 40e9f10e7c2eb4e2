// SPDX-License-Identifier: GPL-2.0-only
// Schema 0.0.1: what later became attributes are fields of the node.
#include "workload/trace/binary-trace.h"
#include "workload/trace/proto2-fields.h"
#include "workload/trace/wire-reader.h"

namespace nadi
{

namespace
{

constexpr uint32_t INVOLVED_FIELD = 14; // a truth value for each dimension

// Other fields mean nothing to a simulation. All of these are varints.
NodeAttribute
AttributeOfField(uint32_t number)
{
    switch (number)
    {
    case 5:
        return NodeAttribute::TensorLocation;
    case 6:
        return NodeAttribute::TensorSize;
    case 7:
        return NodeAttribute::DurationMicros;
    case 12:
        return NodeAttribute::Operations;
    case 13:
        return NodeAttribute::CollectiveType;
    case 15:
        return NodeAttribute::Group;
    case 16:
        return NodeAttribute::Source;
    case 17:
        return NodeAttribute::Destination;
    case 18:
        return NodeAttribute::CommunicationSize;
    case 19:
        return NodeAttribute::Tag;
    case 20:
        return NodeAttribute::Priority;
    default:
        return NodeAttribute::None;
    }
}

} // namespace

void
DecodeNodeV001(std::string_view frame, NodeRecord& record)
{
    WireReader reader(frame);
    WireField field;
    while (reader.Next(field))
    {
        if (field.number == INVOLVED_FIELD)
        {
            record.leavesDimensionsOut |= HasFalse(field);
        }
        else if (!TakeProto2Field(field, record) && field.type == WireType::Varint)
        {
            record.Set(AttributeOfField(field.number), static_cast<int64_t>(field.value));
        }
    }
}

} // namespace nadi
