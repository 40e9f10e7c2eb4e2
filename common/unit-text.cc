// SPDX-License-Identifier: GPL-2.0-only
#include "common/rate-texts.h"
#include "common/unit-parser.h"
#include "common/unit-table.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

using detail::Unit;
using detail::Wide;

/// value / 10^decimals, without the zeros that end its fraction.
std::string
WriteDecimal(int64_t value, size_t decimals)
{
    std::string digits = std::to_string(value);
    if (digits.size() <= decimals)
    {
        // 5 with three decimals is 0.005: there must be a digit before the point.
        digits.insert(0, decimals + 1 - digits.size(), '0');
    }
    if (decimals == 0)
    {
        return digits;
    }
    digits.insert(digits.size() - decimals, 1, '.');
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.')
    {
        digits.pop_back();
    }
    return digits;
}

/// `value` in units of `factor`, exactly, or nothing where that takes more than 18 decimals or a
/// number past 63 bits (a smaller unit says it shorter).
/// The factor of a unit is a product of powers of 2 and 10, so it divides the value times some
/// power of 10. The exponent is the number of decimals.
std::optional<std::string>
WriteExactly(int64_t value, int64_t factor)
{
    constexpr size_t maxDecimals = 18;
    Wide scaled = value;
    for (size_t decimals = 0; decimals <= maxDecimals; ++decimals, scaled *= 10)
    {
        const Wide quotient = scaled / factor;
        if (quotient > std::numeric_limits<int64_t>::max())
        {
            return std::nullopt;
        }
        if (scaled % factor == 0)
        {
            return WriteDecimal(static_cast<int64_t>(quotient), decimals);
        }
    }
    return std::nullopt;
}

/// The shortest of the exact texts; of equally short ones that in the largest unit whose number is
/// at least 1.
std::string
WriteShortest(int64_t value, std::span<const Unit> units)
{
    std::string best;
    int64_t bestFactor = 0;
    for (const Unit& unit : units)
    {
        const std::optional<std::string> number = WriteExactly(value, unit.factor);
        if (!number)
        {
            continue;
        }
        const std::string text = (*number + " ").append(unit.name);
        // "500 ns" and "0.5 us" are equally short, and the first has no fraction.
        const bool isReadable = value >= unit.factor && unit.factor > bestFactor;
        if (best.empty() || text.size() < best.size() || (text.size() == best.size() && isReadable))
        {
            best = text;
            bestFactor = unit.factor;
        }
    }
    return best;
}

/// All of the rates in that unit, or nothing where one of them has no exact text in it.
std::vector<std::string>
WriteInUnit(const std::vector<Bandwidth>& rates, const Unit& unit)
{
    std::vector<std::string> texts;
    for (const Bandwidth rate : rates)
    {
        const std::optional<std::string> number = WriteExactly(rate.BitsPerSecond(), unit.factor);
        if (!number)
        {
            return {};
        }
        texts.push_back((*number + " ").append(unit.name));
    }
    return texts;
}

/// The letters of all; a point counts twice, as whole numbers are read more easily.
size_t
LengthOf(const std::vector<std::string>& texts)
{
    size_t length = 0;
    for (const std::string& text : texts)
    {
        length += text.size() + (text.find('.') == std::string::npos ? 0 : 1);
    }
    return length;
}

/// Three significant digits (whole units from 100 on) in the first of `units`, ascending, in which
/// that is less than one of the next. Rounds half up.
std::string
WriteRounded(int64_t value, std::span<const Unit> units)
{
    for (size_t i = 0;; ++i)
    {
        const Unit& unit = units[i];
        const int64_t wholes = value / unit.factor;
        const size_t decimals = wholes >= 100 ? 0 : wholes >= 10 ? 1 : 2;
        const int64_t power = decimals == 0 ? 1 : decimals == 1 ? 10 : 100;
        // 128 bits, as a hundred times the largest value passes 63.
        const Wide rounded = (Wide{value} * power + unit.factor / 2) / unit.factor;
        // 999.6 KiB rounds to 1000 KiB, which is shown so; 1023.6 KiB would round to 1024 KiB and
        // is shown as 1 MiB.
        const bool isLast = i + 1 == units.size();
        if (isLast || rounded * unit.factor < Wide{units[i + 1].factor} * power)
        {
            const std::string number = WriteDecimal(static_cast<int64_t>(rounded), decimals);
            return (number + " ").append(unit.name);
        }
    }
}

constexpr std::array<Unit, 5> BINARY_SIZES{{{"B", 1},
                                            {"KiB", detail::KIBI},
                                            {"MiB", detail::MEBI},
                                            {"GiB", detail::GIBI},
                                            {"TiB", detail::TEBI}}};

constexpr std::array<Unit, 5> BIT_RATES{{{"b/s", 1},
                                         {"Kb/s", detail::KILO},
                                         {"Mb/s", detail::MEGA},
                                         {"Gb/s", detail::GIGA},
                                         {"Tb/s", detail::TERA}}};

} // namespace

std::string
ToText(Bytes size)
{
    return WriteShortest(size.Count(), detail::SIZE_UNITS);
}

std::string
ToText(Bandwidth rate)
{
    return WriteShortest(rate.BitsPerSecond(), detail::BANDWIDTH_UNITS);
}

std::vector<std::string>
ToTextsInOneUnit(const std::vector<Bandwidth>& rates)
{
    if (rates.size() == 1)
    {
        return {ToText(rates.front())};
    }
    std::vector<std::string> best;
    for (const Unit& unit : detail::BANDWIDTH_UNITS)
    {
        // Of equally short texts those of the first unit, as bytes come before bits.
        std::vector<std::string> texts = WriteInUnit(rates, unit);
        if (!texts.empty() && (best.empty() || LengthOf(texts) < LengthOf(best)))
        {
            best = std::move(texts);
        }
    }
    return best;
}

std::string
ToText(SimTime time)
{
    return WriteShortest(time.Ps(), detail::TIME_UNITS);
}

std::string
ToText(FlopRate rate)
{
    return WriteShortest(rate.FlopsPerSecond(), detail::FLOP_RATE_UNITS);
}

std::string
ToRoundedText(Bytes size)
{
    return WriteRounded(size.Count(), BINARY_SIZES);
}

std::string
ToRoundedText(Bandwidth rate)
{
    return WriteRounded(rate.BitsPerSecond(), BIT_RATES);
}

std::string
ToRoundedText(SimTime time)
{
    return WriteRounded(time.Ps(), detail::TIME_UNITS);
}

} // namespace nadi
