// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "proto/chakra.pb.h"
#include "workload/trace/node-record.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nadi
{

/// The value of an attribute, absent for lists. Text points into the message.
AttributeValue ToAttributeValue(const ChakraProtoMsg::AttributeProto& attribute);

/// The first attribute of a node that has the meaning, under any of the names that writers use (see
/// FindNodeAttribute), or null. Duration in microseconds is a field of the node, not an attribute.
const ChakraProtoMsg::AttributeProto* FindAttribute(const ChakraProtoMsg::Node& node,
                                                    NodeAttribute meaning);
ChakraProtoMsg::AttributeProto* FindAttribute(ChakraProtoMsg::Node& node, NodeAttribute meaning);

/// Its value; absent where the node has no such attribute.
AttributeValue GetAttribute(const ChakraProtoMsg::Node& node, NodeAttribute meaning);

/// Which attribute says how much a collective moves: `comm_size`, or `tensor_size` where the node
/// has none, as readers take it.
NodeAttribute FindSizeAttribute(const ChakraProtoMsg::Node& node);

/// The attribute of exactly this name, or null.
const ChakraProtoMsg::AttributeProto* FindNamed(const ChakraProtoMsg::Node& node,
                                                std::string_view name);

/// What `in_split_size` or `out_split_size` of a node lists; empty where it has none.
SplitNumbers GetSplits(const ChakraProtoMsg::Node& node, SplitList list);

/// Writes such a list in place of one that is there; an empty one takes it away.
void SetSplits(ChakraProtoMsg::Node& node, SplitList list, const std::vector<int64_t>& numbers);

/// The scopes of the host in which a kernel was launched, the outermost first: the list of texts
/// `scopes`. Empty where the node has none.
std::vector<std::string> GetScopes(const ChakraProtoMsg::Node& node);

/// Writes them. Requires: the node has none.
void AddScopes(ChakraProtoMsg::Node& node, const std::vector<std::string>& scopes);

/// Writes an attribute in the type in which readers of the schema expect it (`is_cpu_op` bool,
/// `comm_size` int64, `comm_src` int32, `pg_name` string, ...), in place of one that is there.
///
/// Requires: the number fits that type, and the attribute is of that kind.
void SetNumber(ChakraProtoMsg::Node& node, NodeAttribute meaning, int64_t value);
void SetBool(ChakraProtoMsg::Node& node, NodeAttribute meaning, bool value);
void SetText(ChakraProtoMsg::Node& node, NodeAttribute meaning, const std::string& value);

/// Takes away every attribute of the meaning, under any of its names.
void RemoveAttribute(ChakraProtoMsg::Node& node, NodeAttribute meaning);

/// How long the node was recorded to take, in nanoseconds: `duration_nanos` goes before the field
/// duration_micros, and this, where it is above 0, before the attributes of older schemas, such as
/// `runtime`. A negative one counts as 0, and those that pass 63 bits as the largest number.
int64_t GetDurationNanos(const ChakraProtoMsg::Node& node);

/// Sets duration_micros, rounded half up, and `duration_nanos` where it is not whole microseconds.
/// A recorded wait (`waited_nanos`), which is a part of the duration, stays as it is: who changes
/// the duration says what becomes of it. Requires: nanos >= 0.
void SetDurationNanos(ChakraProtoMsg::Node& node, int64_t nanos);

/// Likewise the start: field start_time_micros and attribute `start_nanos`. The field cannot
/// hold a start before the clock's zero: it is 0 then, and the attribute has the start.
int64_t GetStartNanos(const ChakraProtoMsg::Node& node);
void SetStartNanos(ChakraProtoMsg::Node& node, int64_t nanos);

} // namespace nadi
