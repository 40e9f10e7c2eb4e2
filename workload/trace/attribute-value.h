// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace nadi
{

/// The value of a trace attribute, of whatever scalar type it was written; std::monostate when it
/// is absent or a list. Text points into the file's buffer.
using AttributeValue =
    std::variant<std::monostate, uint64_t, int64_t, double, bool, std::string_view>;

inline bool
IsPresent(const AttributeValue& value)
{
    return !std::holds_alternative<std::monostate>(value);
}

/// A whole number: integers that fit, reals without a fraction, text of decimal digits. A truth
/// value is none.
std::optional<int64_t> ToInteger(const AttributeValue& value);
std::optional<uint64_t> ToUnsigned(const AttributeValue& value);

/// A truth value: "true" and "false", else any number that is not 0.
std::optional<bool> ToBool(const AttributeValue& value);

/// The text itself, or the number in decimal; "" when absent.
std::string ToText(const AttributeValue& value);

} // namespace nadi
