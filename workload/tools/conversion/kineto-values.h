// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Values of events of a Kineto trace, which PyTorch writes as JSON or as the text of it. A pointer
/// is null where there is no such member.

namespace nadi::kineto
{

/// The member of an object, or null.
const nlohmann::json* FindMember(const nlohmann::json& object, const char* member);

/// A whole number; absent for anything else, -1 among it, which stands for unknown.
std::optional<uint64_t> ToCount(const nlohmann::json* value);
std::optional<uint32_t> ToSmallCount(const nlohmann::json* value);

/// The text of a string; empty for anything else.
std::string TextOf(const nlohmann::json* value);

/// A list of numbers; empty for anything else, such as a list that was cut off: "[0, 1, ..., 31]".
template <class Number>
std::vector<Number>
ToList(const nlohmann::json* value)
{
    if (value == nullptr)
    {
        return {};
    }
    using nlohmann::json;
    const json list = value->is_string()
                          ? json::parse(value->get_ref<const std::string&>(), nullptr, false)
                          : *value;
    std::vector<Number> numbers;
    if (!list.is_array())
    {
        return {};
    }
    for (const json& number : list)
    {
        if (!number.is_number_unsigned() ||
            number.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<Number>::max()))
        {
            return {};
        }
        numbers.push_back(number.get<Number>());
    }
    return numbers;
}

} // namespace nadi::kineto
