// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/node-record.h"

#include <algorithm>

namespace nadi
{

namespace
{

/// Length, first and last two letters: enough to tell the known names apart, as the switch below
/// proves (equal cases do not compile).
constexpr uint32_t
KeyOf(std::string_view name)
{
    if (name.size() < 2)
    {
        return 0;
    }
    const auto letter = [name](size_t at)
    { return static_cast<uint32_t>(static_cast<unsigned char>(name[at])); };
    return static_cast<uint32_t>(name.size() << 24) | letter(0) << 16 |
           letter(name.size() - 2) << 8 | letter(name.size() - 1);
}

struct KnownName
{
    std::string_view text;
    NodeAttribute attribute = NodeAttribute::None;
};

/// The known name that has the key: there is one at most. An empty text where there is none.
KnownName
FindByKey(uint32_t key)
{
    using enum NodeAttribute;
    switch (key)
    {
    case KeyOf("is_cpu_op"):
        return {"is_cpu_op", IsCpu};
    case KeyOf("num_ops"):
        return {"num_ops", Operations};
    case KeyOf("tensor_size"):
        return {"tensor_size", TensorSize};
    case KeyOf("comm_type"):
        return {"comm_type", NodeAttribute::CollectiveType};
    case KeyOf("comm_size"):
        return {"comm_size", CommunicationSize};
    case KeyOf("comm_priority"):
        return {"comm_priority", Priority};
    case KeyOf("pg_name"):
        return {"pg_name", Group};
    case KeyOf("comm_group"):
        return {"comm_group", Group};
    case KeyOf("comm_src"):
        return {"comm_src", Source};
    case KeyOf("src"):
        return {"src", Source};
    case KeyOf("comm_dst"):
        return {"comm_dst", Destination};
    case KeyOf("dst"):
        return {"dst", Destination};
    case KeyOf("root"):
        return {"root", Root};
    case KeyOf("comm_root"):
        return {"comm_root", Root};
    case KeyOf("comm_tag"):
        return {"comm_tag", Tag};
    case KeyOf("runtime"):
        return {"runtime", DurationMicros};
    case KeyOf("simulated_run_time"):
        return {"simulated_run_time", DurationMicros};
    case KeyOf("duration_micros"):
        return {"duration_micros", DurationMicros};
    case KeyOf("duration_nanos"):
        return {"duration_nanos", DurationNanos};
    case KeyOf("stream"):
        return {"stream", Stream};
    case KeyOf("tensor_loc"):
        return {"tensor_loc", TensorLocation};
    case KeyOf("tid"):
        return {"tid", Thread};
    case KeyOf("mem_op"):
        return {"mem_op", MemoryOperation};
    case KeyOf("src_tier"):
        return {"src_tier", SourceTier};
    case KeyOf("dst_tier"):
        return {"dst_tier", DestinationTier};
    case KeyOf("bytes"):
        return {"bytes", BytesMoved};
    case KeyOf("comm_kind"):
        return {"comm_kind", Kind};
    case KeyOf("kernels"):
        return {"kernels", Kernels};
    case KeyOf("waited_nanos"):
        return {"waited_nanos", WaitNanos};
    default:
        return {};
    }
}

} // namespace

NodeAttribute
FindNodeAttribute(std::string_view name)
{
    // A trace has millions of attributes. So one switch finds the only candidate, and one
    // comparison tells whether it is the name.
    const KnownName known = FindByKey(KeyOf(name));
    return known.text == name ? known.attribute : NodeAttribute::None;
}

std::string_view
ToText(NodeAttribute attribute)
{
    // In the order of NodeAttribute.
    static constexpr std::array<std::string_view, 24> NAMES{
        "is_cpu_op",      "num_ops",  "tensor_size", "comm_type", "comm_size",    "comm_priority",
        "pg_name",        "comm_src", "comm_dst",    "root",      "comm_tag",     "duration_micros",
        "duration_nanos", "stream",   "tensor_loc",  "tid",       "mem_op",       "src_tier",
        "dst_tier",       "bytes",    "comm_kind",   "kernels",   "waited_nanos", "unknown"};
    return NAMES[static_cast<size_t>(attribute)];
}

/// The names of FindByKey once more, since a switch cannot be listed.
const std::vector<std::string>&
KnownAttributeNames()
{
    static const std::vector<std::string> names{"is_cpu_op",
                                                "num_ops",
                                                "tensor_size",
                                                "comm_type",
                                                "comm_size",
                                                "comm_priority",
                                                "pg_name",
                                                "comm_group",
                                                "comm_src",
                                                "src",
                                                "comm_dst",
                                                "dst",
                                                "root",
                                                "comm_root",
                                                "comm_tag",
                                                "runtime",
                                                "stream",
                                                "simulated_run_time",
                                                "duration_nanos",
                                                "tensor_loc",
                                                "duration_micros",
                                                "tid",
                                                "mem_op",
                                                "src_tier",
                                                "dst_tier",
                                                "bytes",
                                                "comm_kind",
                                                "kernels",
                                                "waited_nanos"};
    return names;
}

std::string_view
ToText(SplitList list)
{
    return list == SplitList::In ? "in_split_size" : "out_split_size";
}

std::optional<SplitList>
FindSplitList(std::string_view name)
{
    for (const SplitList list : {SplitList::In, SplitList::Out})
    {
        if (ToText(list) == name)
        {
            return list;
        }
    }
    return std::nullopt;
}

SplitNumbers
ParseSplitNumbers(std::string_view text)
{
    // Lists come as JSON, and as Python prints lists and tuples.
    constexpr std::string_view between = " ,[]()";
    SplitNumbers list;
    for (size_t at = text.find_first_not_of(between); at != std::string_view::npos;)
    {
        const size_t end = std::min(text.find_first_of(between, at), text.size());
        const std::optional<int64_t> number = ToInteger(AttributeValue(text.substr(at, end - at)));
        if (!number)
        {
            return {.numbers = {}, .isList = false};
        }
        list.numbers.push_back(*number);
        at = text.find_first_not_of(between, end);
    }
    return list;
}

void
NodeRecord::SetSplits(SplitList list, SplitNumbers numbers)
{
    SplitNumbers& kept = Splits(list);
    if (kept != SplitNumbers() && kept != numbers)
    {
        contradicted = ToText(list);
    }
    kept = std::move(numbers);
}

void
NodeRecord::SetNamed(std::string_view attributeName, const AttributeValue& value)
{
    if (const std::optional<SplitList> list = FindSplitList(attributeName))
    {
        return SetSplits(*list, ParseSplitNumbers(ToText(value)));
    }
    const NodeAttribute attribute = FindNodeAttribute(attributeName);
    if (attribute == NodeAttribute::None)
    {
        // Kept for TraceOddities, which looks for misspelt names.
        others.emplace_back(attributeName, value);
        return;
    }
    // As texts, since two names of one attribute may have values of different types.
    if (Has(attribute) && ToText(Get(attribute)) != ToText(value))
    {
        contradicted = attributeName;
    }
    Set(attribute, value);
}

void
NodeRecord::Clear()
{
    id = 0;
    name = {};
    type = 0;
    dataDependencies.clear();
    controlDependencies.clear();
    inputValues = {};
    leavesDimensionsOut = false;
    attributes.fill({});
    splits.fill({});
    contradicted = {};
    others.clear();
}

} // namespace nadi
