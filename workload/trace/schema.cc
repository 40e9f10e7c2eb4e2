// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/schema.h"

#include "common/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>

namespace nadi
{

namespace
{

using enum NodeType;

// 0.0.1 and 0.0.2 have no metadata nodes, so all types behind them have lower numbers there.
constexpr std::array NODE_TYPES_V002{
    Invalid, MemoryLoad, MemoryStore, Compute, Send, Receive, Collective};
constexpr std::array NODE_TYPES_V004{
    Invalid, Metadata, MemoryLoad, MemoryStore, Compute, Send, Receive, Collective};

// By their numbers in schema 0.0.4.
constexpr std::array<std::string_view, 8> NODE_TYPE_NAMES{"INVALID_NODE",
                                                          "METADATA_NODE",
                                                          "MEM_LOAD_NODE",
                                                          "MEM_STORE_NODE",
                                                          "COMP_NODE",
                                                          "COMM_SEND_NODE",
                                                          "COMM_RECV_NODE",
                                                          "COMM_COLL_NODE"};

using Collectives = std::span<const CollectiveType>;

// 0.0.1 counts from 1; 0 means none there.
constexpr std::array COLLECTIVES_V001{CollectiveType::AllReduce,
                                      CollectiveType::AllToAll,
                                      CollectiveType::AllGather,
                                      CollectiveType::ReduceScatter};
// The others count from 0.
constexpr std::array COLLECTIVES_V003{CollectiveType::AllReduce,
                                      CollectiveType::AllToAll,
                                      CollectiveType::AllGather,
                                      CollectiveType::ReduceScatter,
                                      CollectiveType::Broadcast};
constexpr std::array COLLECTIVES_V004{CollectiveType::AllReduce,
                                      CollectiveType::Reduce,
                                      CollectiveType::AllGather,
                                      CollectiveType::Gather,
                                      CollectiveType::Scatter,
                                      CollectiveType::Broadcast,
                                      CollectiveType::AllToAll,
                                      CollectiveType::ReduceScatter,
                                      CollectiveType::ReduceScatter, // REDUCE_SCATTER_BLOCK
                                      CollectiveType::Barrier};

Collectives
CollectivesOf(TraceSchema schema)
{
    switch (schema)
    {
    case TraceSchema::V001:
        return COLLECTIVES_V001;
    case TraceSchema::V002:
    case TraceSchema::V003:
        return COLLECTIVES_V003;
    case TraceSchema::V004:
        break;
    }
    return COLLECTIVES_V004;
}

std::string
WithCase(std::string_view text, int (*convert)(int))
{
    std::string result(text);
    std::ranges::transform(
        result,
        result.begin(),
        [convert](char letter)
        { return static_cast<char>(convert(static_cast<unsigned char>(letter))); });
    return result;
}

/// As schemas call it: "ALL_REDUCE".
std::string
SchemaName(CollectiveType type)
{
    std::string name = WithCase(ToText(type), std::toupper);
    std::ranges::replace(name, '-', '_');
    return name;
}

/// The number of the first collective.
uint64_t
FirstNumber(TraceSchema schema)
{
    return schema == TraceSchema::V001 ? 1 : 0;
}

} // namespace

std::string_view
ToText(TraceSchema schema)
{
    static constexpr std::array<std::string_view, 4> NAMES{"0.0.1", "0.0.2", "0.0.3", "0.0.4"};
    return NAMES[static_cast<size_t>(schema)];
}

std::optional<NodeType>
FindNodeType(TraceSchema schema, uint64_t number)
{
    const bool isOld = schema == TraceSchema::V001 || schema == TraceSchema::V002;
    const std::span<const NodeType> types =
        isOld ? std::span<const NodeType>(NODE_TYPES_V002) : NODE_TYPES_V004;
    return number < types.size() ? std::optional(types[number]) : std::nullopt;
}

std::optional<uint64_t>
FindNodeTypeNumber(std::string_view name)
{
    std::string wanted = WithCase(name, std::toupper);
    // The JSON of symbolic_tensor_graph calls it so.
    if (wanted == "COLL_COMM_NODE")
    {
        wanted = "COMM_COLL_NODE";
    }
    const auto found = std::ranges::find(NODE_TYPE_NAMES, wanted);
    return found != NODE_TYPE_NAMES.end()
               ? std::optional(static_cast<uint64_t>(found - NODE_TYPE_NAMES.begin()))
               : std::nullopt;
}

const std::vector<std::string>&
NodeTypeNames()
{
    static const std::vector<std::string> names(NODE_TYPE_NAMES.begin(), NODE_TYPE_NAMES.end());
    return names;
}

std::optional<CollectiveType>
FindCollectiveType(TraceSchema schema, const AttributeValue& value)
{
    const std::optional<uint64_t> number = ToUnsigned(value);
    // A name as in the schema, such as ALL_REDUCE. Nadi's own are in lower case, with hyphens.
    if (!number)
    {
        std::string name = WithCase(ToText(value), std::tolower);
        std::ranges::replace(name, '_', '-');
        if (name == "reduce-scatter-block")
        {
            return CollectiveType::ReduceScatter;
        }
        return nadi::FindCollectiveType(name);
    }
    const Collectives types = CollectivesOf(schema);
    // A 0 of schema 0.0.1 wraps to a large index, which is no collective.
    const uint64_t index = *number - FirstNumber(schema);
    return index < types.size() ? std::optional(types[index]) : std::nullopt;
}

std::string
SuggestCollectiveType(TraceSchema schema, const AttributeValue& value)
{
    const Collectives types = CollectivesOf(schema);
    if (ToUnsigned(value))
    {
        const uint64_t first = FirstNumber(schema);
        return fmt::format("; write {} ({}) to {} ({})",
                           first,
                           SchemaName(types.front()),
                           first + types.size() - 1,
                           SchemaName(types.back()));
    }
    std::vector<std::string> names;
    for (const CollectiveType type : AllCollectiveTypes()) // by name, any schema may have them
    {
        names.push_back(SchemaName(type));
    }
    return SuggestFrom(ToText(value), names);
}

} // namespace nadi
