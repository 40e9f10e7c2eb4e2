// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/conversion/kineto-values.h"

#include <charconv>

namespace nadi::kineto
{

using nlohmann::json;

const json*
FindMember(const json& object, const char* member)
{
    const auto found = object.find(member);
    return found == object.end() ? nullptr : &*found;
}

std::optional<uint64_t>
ToCount(const json* value)
{
    if (value != nullptr && value->is_number_unsigned())
    {
        return value->get<uint64_t>();
    }
    if (value == nullptr || !value->is_string())
    {
        return std::nullopt;
    }
    const auto& text = value->get_ref<const std::string&>();
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    // A text with something behind the number is no number.
    const bool isNumber = error == std::errc() && end == text.data() + text.size();
    return isNumber && !text.empty() ? std::optional(number) : std::nullopt;
}

std::optional<uint32_t>
ToSmallCount(const json* value)
{
    const std::optional<uint64_t> count = ToCount(value);
    return count && *count <= UINT32_MAX ? std::optional(static_cast<uint32_t>(*count))
                                         : std::nullopt;
}

std::string
TextOf(const json* value)
{
    return value != nullptr && value->is_string() ? value->get<std::string>() : "";
}

} // namespace nadi::kineto
