// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-type.h"
#include "workload/execution-graph.h"
#include "workload/trace/attribute-value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// The generations of the Chakra schema, told apart by the bytes, since version strings lie.
/// 0.0.3 changed the layout of attributes once more; both layouts are read alike.
enum class TraceSchema : uint8_t
{
    V001,
    V002,
    V003,
    V004, ///< and 1.0.0, which is the same
};

/// "0.0.4"
std::string_view ToText(TraceSchema schema);

/// What a number of the schema's NodeType means; nothing for numbers it does not have.
std::optional<NodeType> FindNodeType(TraceSchema schema, uint64_t number);

/// The number in schema 0.0.4 of a name: "COMP_NODE" or "comp_node"; nothing for unknown names.
std::optional<uint64_t> FindNodeTypeNumber(std::string_view name);

/// Every such name.
const std::vector<std::string>& NodeTypeNames();

/// What a comm_type means, a number of the schema or a name ("ALL_REDUCE"); nothing for others.
std::optional<CollectiveType> FindCollectiveType(TraceSchema schema, const AttributeValue& value);

/// What would be right in place of a comm_type that means nothing: " (did you mean ALL_REDUCE?)",
/// or every name, or the range of the numbers.
std::string SuggestCollectiveType(TraceSchema schema, const AttributeValue& value);

} // namespace nadi
