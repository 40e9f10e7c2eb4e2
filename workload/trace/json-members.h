// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/trace/node-record.h"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <stdexcept>
#include <string_view>

namespace nadi
{

/// A member of a node that is missing, of the wrong kind or unknown; its text names the member.
class JsonNodeError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/// Names that members of an object may have.
using MemberNames = std::initializer_list<std::string_view>;

/// Throws JsonNodeError for a member that is in neither list, with the nearest that is. Of a form
/// whose attributes are members of the node, attributes are `known` too (AttributeMembers).
enum class AttributeMembers
{
    No,
    Yes,
};
void CheckMembers(const nlohmann::json& object, MemberNames known, AttributeMembers attributes);

/// The text of a member, which stays in the object; empty where there is none. Throws JsonNodeError
/// for any other value.
std::string_view ReadString(const nlohmann::json& object, const char* member);

/// Sets an attribute to a JSON value. Throws JsonNodeError where the attribute means something and
/// the value is no number, text or truth value, or the record has one already, under this name or
/// another; and for a name that is nearly one that means something.
void SetJsonAttribute(std::string_view name, const nlohmann::json& value, NodeRecord& record);

} // namespace nadi
