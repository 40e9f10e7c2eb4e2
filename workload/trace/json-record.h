// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/dependency-choice.h"
#include "workload/trace/json-members.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace nadi
{

/// A JSON value as an attribute; text stays in the JSON value. Absent for null, lists, objects.
AttributeValue ToAttributeValue(const nlohmann::json& value);

/// A whole number, as a number or as decimal text. Throws JsonNodeError naming `member`.
uint64_t ReadWhole(const nlohmann::json& value, const char* member);

/// The metadata as protobuf prints it. Throws JsonNodeError.
TraceMetadata DecodeJsonMetadata(const nlohmann::json& object);

/// A node in one of the forms of JSON traces; `record` is empty before, and its texts stay in
/// `node`. Throw JsonNodeError, also for members that no node has.
void DecodeFeederNode(const nlohmann::json& node, NodeRecord& record);
void DecodeJsonizerNode(const nlohmann::json& node, NodeRecord& record);
void DecodeGeneratorNode(const nlohmann::json& node, NodeRecord& record);

} // namespace nadi
