// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/node-record.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace nadi
{

/// A member of a node that is missing or of the wrong kind; its text names the member.
class JsonNodeError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// A JSON value as an attribute; text stays in the JSON value. Absent for null, lists, objects.
AttributeValue ToAttributeValue(const nlohmann::json& value);

/// A whole number, as a number or as decimal text. Throws JsonNodeError naming `member`.
uint64_t ReadWhole(const nlohmann::json& value, const char* member);

/// The ids in a list, empty where `node` has no such member. Throws JsonNodeError.
std::vector<uint64_t> ReadIds(const nlohmann::json& node, const char* member);

/// A node in one of the forms of JSON traces; `record` is empty before, and its texts stay in
/// `node`. Throw JsonNodeError.
void DecodeFeederNode(const nlohmann::json& node, NodeRecord& record);
void DecodeJsonizerNode(const nlohmann::json& node, NodeRecord& record);
void DecodeGeneratorNode(const nlohmann::json& node, NodeRecord& record);

} // namespace nadi
