// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/inspection/node-values.h"

#include "workload/document/node-attributes.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

namespace
{

using ChakraProtoMsg::AttributeProto;
using ChakraProtoMsg::GlobalMetadata;
using ChakraProtoMsg::IOInfo;
using ChakraProtoMsg::Node;
using Attributes = google::protobuf::RepeatedPtrField<AttributeProto>;
using SortedAttributes = std::vector<const AttributeProto*>;

/// By name; those of one name in their order.
SortedAttributes
SortAttributes(const Attributes& attributes)
{
    SortedAttributes sorted;
    for (const AttributeProto& attribute : attributes)
    {
        sorted.push_back(&attribute);
    }
    std::stable_sort(sorted.begin(),
                     sorted.end(),
                     [](const AttributeProto* left, const AttributeProto* right)
                     { return left->name() < right->name(); });
    return sorted;
}

/// "int64_val", and "" where there is no value.
std::string
TypeOf(const AttributeProto& attribute)
{
    const auto* const field =
        AttributeProto::descriptor()->FindFieldByNumber(attribute.value_case());
    return field == nullptr ? "" : field->name();
}

std::string
ValueOf(const AttributeProto& attribute)
{
    const AttributeValue value = ToAttributeValue(attribute);
    if (IsPresent(value))
    {
        return ToText(value);
    }
    // A list, which has no text of its own. It is printed without its name, which the change has.
    AttributeProto nameless = attribute;
    nameless.clear_name();
    return nameless.ShortDebugString();
}

ChangedValue
DescribeChange(const AttributeProto& first, const AttributeProto& second)
{
    ChangedValue change{first.name(), ValueOf(first), ValueOf(second)};
    if (TypeOf(first) != TypeOf(second))
    {
        // Both texts may be the same: "5" of an int64_val and of a string_val.
        *change.from += fmt::format(" ({})", TypeOf(first));
        *change.to += fmt::format(" ({})", TypeOf(second));
    }
    else if (change.from == change.to)
    {
        // The comment differs, or digits that the text does not show.
        change.from = first.ShortDebugString();
        change.to = second.ShortDebugString();
    }
    return change;
}

/// Compares the bytes, so that comments and types of values count too, and a NaN equals itself.
bool
AreEqual(const AttributeProto& first, const AttributeProto& second)
{
    return first.SerializeAsString() == second.SerializeAsString();
}

void
CompareAttributes(const Attributes& first,
                  const Attributes& second,
                  std::vector<ChangedValue>& changes)
{
    const SortedAttributes before = SortAttributes(first);
    const SortedAttributes after = SortAttributes(second);
    auto left = before.begin();
    auto right = after.begin();
    // A merge of two sorted lists. Of several attributes of one name, the first ones are compared,
    // then the second ones.
    while (left != before.end() || right != after.end())
    {
        if (right == after.end() || (left != before.end() && (*left)->name() < (*right)->name()))
        {
            changes.push_back({(*left)->name(), ValueOf(**left), std::nullopt});
            ++left;
        }
        else if (left == before.end() || (*right)->name() < (*left)->name())
        {
            changes.push_back({(*right)->name(), std::nullopt, ValueOf(**right)});
            ++right;
        }
        else
        {
            if (!AreEqual(**left, **right))
            {
                changes.push_back(DescribeChange(**left, **right));
            }
            ++left;
            ++right;
        }
    }
}

template <class Value>
void
CompareField(const char* name,
             const Value& first,
             const Value& second,
             std::vector<ChangedValue>& changes)
{
    if (first != second)
    {
        changes.push_back({name, fmt::format("{}", first), fmt::format("{}", second)});
    }
}

void
CompareTensors(const std::string& name,
               const IOInfo& first,
               const IOInfo& second,
               std::vector<ChangedValue>& changes)
{
    CompareField((name + ".values").c_str(), first.values(), second.values(), changes);
    CompareField((name + ".shapes").c_str(), first.shapes(), second.shapes(), changes);
    CompareField((name + ".types").c_str(), first.types(), second.types(), changes);
}

std::string
TypeName(const Node& node)
{
    // The schema's enum is open: a number that it does not know stays in the node, and has no name.
    const std::string& name = ChakraProtoMsg::NodeType_Name(node.type());
    return name.empty() ? std::to_string(node.type()) : name;
}

} // namespace

std::vector<ChangedValue>
CompareNodeValues(const Node& first, const Node& second)
{
    std::vector<ChangedValue> changes;
    if (first.type() != second.type())
    {
        changes.push_back({"type", TypeName(first), TypeName(second)});
    }
    CompareField(
        "start_time_micros", first.start_time_micros(), second.start_time_micros(), changes);
    CompareField("duration_micros", first.duration_micros(), second.duration_micros(), changes);
    CompareTensors("inputs", first.inputs(), second.inputs(), changes);
    CompareTensors("outputs", first.outputs(), second.outputs(), changes);
    CompareAttributes(first.attr(), second.attr(), changes);
    return changes;
}

std::vector<ChangedValue>
CompareMetadata(const GlobalMetadata& first, const GlobalMetadata& second)
{
    std::vector<ChangedValue> changes;
    CompareField("version", first.version(), second.version(), changes);
    CompareAttributes(first.attr(), second.attr(), changes);
    return changes;
}

} // namespace nadi
