// SPDX-License-Identifier: GPL-2.0-only
#include "common/unit-parser.h"

#include "common/unit-advice.h"
#include "common/unit-table.h"

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

using detail::FindUnit;
using detail::Quantity;
using detail::QuantityText;
using detail::ThrowUnfit;
using detail::Unit;
using detail::Wide;

/// 10^19 passes 63 bits; 10^19 times the largest factor, 10^15, stays within 127.
constexpr size_t MAX_WHOLE_DIGITS = 19;
/// A fraction of 18 digits times 10^15 stays within 127 bits, too.
constexpr size_t MAX_DECIMALS = 18;

enum class Rounding
{
    Nearest, ///< half up
    Exact,   ///< a fraction of the base unit is an error
};

bool
IsDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string_view
Trim(std::string_view text)
{
    constexpr std::string_view space = " \t\r\n";
    const size_t first = text.find_first_not_of(space);
    if (first == std::string_view::npos)
    {
        return {};
    }
    return text.substr(first, text.find_last_not_of(space) - first + 1);
}

/// Cuts `text` where its number ends. Throws UnitError unless there is a number and a unit.
QuantityText
SplitQuantity(std::string_view text, const Quantity& quantity)
{
    const std::string_view whole = Trim(text);
    const auto isPartOfNumber = [](char c) { return IsDigit(c) || c == '.'; };
    const auto end = std::find_if_not(whole.begin(), whole.end(), isPartOfNumber);
    const auto length = static_cast<size_t>(end - whole.begin());
    const QuantityText parts{whole, whole.substr(0, length), Trim(whole.substr(length))};
    if (whole.empty())
    {
        ThrowUnfit(parts, quantity, "is empty", "1");
    }
    // A minus sign is no part of a number here. Without this branch the message would be that there
    // is no number.
    if (whole.front() == '-')
    {
        ThrowUnfit(parts, quantity, "is negative", "1");
    }
    // ".5 GB", "5. GB" and "1.2.3 GB" are refused. An exponent ends the number: of "1e3 GB" the
    // unit is "e3 GB", which ThrowUnknownUnit refuses.
    if (length == 0 || parts.number.front() == '.' || parts.number.back() == '.' ||
        std::count(parts.number.begin(), parts.number.end(), '.') > 1 ||
        (!parts.unit.empty() && isPartOfNumber(parts.unit.front())))
    {
        ThrowUnfit(parts, quantity, "is not a number and a unit", "1");
    }
    if (parts.unit.empty())
    {
        ThrowUnfit(parts, quantity, "has no unit", parts.number);
    }
    return parts;
}

Wide
ReadDigits(std::string_view digits)
{
    Wide value = 0;
    for (const char digit : digits)
    {
        value = value * 10 + (digit - '0');
    }
    return value;
}

/// A decimal number without its needless zeros: the digits before and after the point.
struct Decimal
{
    std::string_view whole;
    std::string_view fraction;
};

Decimal
SplitDecimal(std::string_view number)
{
    const size_t point = std::min(number.find('.'), number.size());
    std::string_view whole = number.substr(0, point);
    std::string_view fraction = number.substr(std::min(point + 1, number.size()));
    // Zeros that mean nothing are dropped, as the bounds on digits and decimals would count them.
    whole.remove_prefix(std::min(whole.find_first_not_of('0'), whole.size()));
    fraction = fraction.substr(0, fraction.find_last_not_of('0') + 1);
    return {whole, fraction};
}

/// number x factor in integers. The whole part and the fraction are scaled apart, so neither passes
/// 128 bits, and the one rounding is that of the fraction. "1.5 ns" in picoseconds is 1 x 1000 + (5
/// x 1000 + 5) / 10 = 1500.
Wide
Scale(const QuantityText& text, const Quantity& quantity, int64_t factor, Rounding rounding)
{
    const Decimal decimal = SplitDecimal(text.number);
    // Where the number is what is wrong, the advice shows another one than the user's.
    if (decimal.whole.size() > MAX_WHOLE_DIGITS)
    {
        ThrowUnfit(text, quantity, "is too large", "1");
    }
    if (decimal.fraction.size() > MAX_DECIMALS)
    {
        ThrowUnfit(text, quantity, "has more than 18 decimals", "1.5");
    }
    Wide denominator = 1;
    for (size_t i = 0; i < decimal.fraction.size(); ++i)
    {
        denominator *= 10;
    }
    const Wide fraction = ReadDigits(decimal.fraction) * factor;
    if (rounding == Rounding::Exact && fraction % denominator != 0)
    {
        ThrowUnfit(text, quantity, "does not come to whole bytes", "1");
    }
    return ReadDigits(decimal.whole) * factor + (fraction + denominator / 2) / denominator;
}

/// The value in the quantity's own base: bytes, bits per second, picoseconds, FLOP per second.
int64_t
ParseQuantity(std::string_view text, const Quantity& quantity, Rounding rounding)
{
    const QuantityText parts = SplitQuantity(text, quantity);
    const Unit* unit = FindUnit(quantity, parts.unit);
    if (unit == nullptr)
    {
        detail::ThrowUnknownUnit(parts, quantity);
    }
    const Wide value = Scale(parts, quantity, unit->factor, rounding);
    // MAX_WHOLE_DIGITS keeps the value within 128 bits, so the comparison is exact.
    if (value > std::numeric_limits<int64_t>::max())
    {
        ThrowUnfit(parts, quantity, "is too large", "1");
    }
    return static_cast<int64_t>(value);
}

int64_t
ParseRate(std::string_view text, const Quantity& quantity)
{
    const int64_t value = ParseQuantity(text, quantity, Rounding::Nearest);
    if (value == 0)
    {
        const std::string_view trimmed = Trim(text);
        ThrowUnfit({trimmed, trimmed, {}}, quantity, "is zero, so nothing would ever end", "1");
    }
    return value;
}

} // namespace

Bytes
ParseBytes(std::string_view text)
{
    return Bytes(ParseQuantity(text, detail::SIZE, Rounding::Exact));
}

Bandwidth
ParseBandwidth(std::string_view text)
{
    return Bandwidth::FromBitsPerSecond(ParseRate(text, detail::BANDWIDTH));
}

SimTime
ParseTime(std::string_view text)
{
    return SimTime::FromPs(ParseQuantity(text, detail::TIME, Rounding::Nearest));
}

FlopRate
ParseFlopRate(std::string_view text)
{
    return FlopRate::FromFlopsPerSecond(ParseRate(text, detail::FLOP_RATE));
}

} // namespace nadi
