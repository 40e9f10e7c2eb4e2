// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <nlohmann/json.hpp>

#include <string_view>
#include <vector>

namespace nadi
{

/// An attribute as protobuf prints it: {"name": "comm_size", "int64Val": "5"}. Points into the
/// object that it was read from.
struct JsonAttribute
{
    std::string_view name;
    const nlohmann::json* value = nullptr; ///< null where there is none
};

/// The list in member "attr" of a node or of the metadata; empty where there is none.
///
/// Throws JsonNodeError for an attribute without a name, with more than one value, or with a member
/// that the schema does not know.
std::vector<JsonAttribute> ReadJsonAttributes(const nlohmann::json& object);

} // namespace nadi
