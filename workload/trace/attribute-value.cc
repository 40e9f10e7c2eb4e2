// SPDX-License-Identifier: GPL-2.0-only
#include "workload/trace/attribute-value.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <type_traits>
#include <utility>

namespace nadi
{

namespace
{

/// Text in decimal; a fraction of zeros ("4.0") is allowed.
template <class Number>
std::optional<Number>
ParseWhole(std::string_view text)
{
    const size_t point = text.find('.');
    if (point != std::string_view::npos && point > 0 &&
        text.find_first_not_of('0', point + 1) == std::string_view::npos)
    {
        text = text.substr(0, point);
    }
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool isWhole = error == std::errc() && end == text.data() + text.size();
    return isWhole ? std::optional(number) : std::nullopt;
}

/// A real as Number, when it is one exactly.
template <class Number>
std::optional<Number>
FromReal(double real)
{
    // 2^63 and 2^64 are doubles, the largest integers below them are not; so the bound itself is
    // excluded.
    const double bound = std::ldexp(1.0, std::is_signed_v<Number> ? 63 : 64);
    const double least = std::is_signed_v<Number> ? -bound : 0.0;
    if (!(real >= least && real < bound) || std::trunc(real) != real)
    {
        return std::nullopt;
    }
    return static_cast<Number>(real);
}

template <class Number>
std::optional<Number>
ToWhole(const AttributeValue& value)
{
    return std::visit(
        [](const auto& held) -> std::optional<Number>
        {
            using Held = std::decay_t<decltype(held)>;
            // A truth value where a number is wanted is a mistake of the writer, and not 0 or 1.
            if constexpr (std::is_same_v<Held, std::monostate> || std::is_same_v<Held, bool>)
            {
                return std::nullopt;
            }
            else if constexpr (std::is_same_v<Held, std::string_view>)
            {
                return ParseWhole<Number>(held);
            }
            else if constexpr (std::is_same_v<Held, double>)
            {
                return FromReal<Number>(held);
            }
            else
            {
                return std::in_range<Number>(held) ? std::optional(static_cast<Number>(held))
                                                   : std::nullopt;
            }
        },
        value);
}

} // namespace

std::optional<int64_t>
ToInteger(const AttributeValue& value)
{
    return ToWhole<int64_t>(value);
}

std::optional<uint64_t>
ToUnsigned(const AttributeValue& value)
{
    return ToWhole<uint64_t>(value);
}

std::optional<bool>
ToBool(const AttributeValue& value)
{
    // A truth value prints as one of these words too.
    const std::string text = ToText(value);
    if (text == "true" || text == "True")
    {
        return true;
    }
    if (text == "false" || text == "False")
    {
        return false;
    }
    const std::optional<int64_t> number = ToInteger(value);
    return number ? std::optional(*number != 0) : std::nullopt;
}

std::string
ToText(const AttributeValue& value)
{
    return std::visit(
        [](const auto& held) -> std::string
        {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
            {
                return "";
            }
            else
            {
                return fmt::format("{}", held);
            }
        },
        value);
}

} // namespace nadi
