// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/communication-attributes.h"

#include <algorithm>
#include <array>
#include <span>

namespace nadi
{

namespace
{

/// The group is the last one.
constexpr std::array COMMUNICATION{NodeAttribute::CollectiveType,
                                   NodeAttribute::CommunicationSize,
                                   NodeAttribute::Source,
                                   NodeAttribute::Destination,
                                   NodeAttribute::Tag,
                                   NodeAttribute::Group};

constexpr std::array SIZE_AND_GROUP{NodeAttribute::CommunicationSize, NodeAttribute::Group};

NodeAttribute
FindSaid(const NodeRecord& record, TraceSchema schema, std::span<const NodeAttribute> attributes)
{
    const auto found = std::ranges::find_if(
        attributes, [&](NodeAttribute attribute) { return Says(record, attribute, schema); });
    return found == attributes.end() ? NodeAttribute::None : *found;
}

} // namespace

bool
Says(const NodeRecord& record, NodeAttribute attribute, TraceSchema schema)
{
    const AttributeValue& value = record.Get(attribute);
    const bool isNothing = (attribute == NodeAttribute::Group && ToText(value).empty()) ||
                           (schema == TraceSchema::V001 && ToUnsigned(value) == 0);
    return record.Has(attribute) && !isNothing;
}

NodeAttribute
FindTransferAttribute(const NodeRecord& record, TraceSchema schema)
{
    return FindSaid(record, schema, std::span(COMMUNICATION).first(COMMUNICATION.size() - 1));
}

NodeAttribute
FindCommunicationAttribute(const NodeRecord& record, TraceSchema schema)
{
    return FindSaid(record, schema, COMMUNICATION);
}

NodeAttribute
FindSizeOrGroup(const NodeRecord& record, TraceSchema schema)
{
    return FindSaid(record, schema, SIZE_AND_GROUP);
}

} // namespace nadi
