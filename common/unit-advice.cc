// SPDX-License-Identifier: GPL-2.0-only
#include "common/unit-advice.h"

#include "common/text.h"
#include "common/unit-parser.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace nadi::detail
{

namespace
{

std::string
QuoteWithUnit(std::string_view number, std::string_view unit)
{
    return Quote(std::string(number).append(" ").append(unit));
}

/// `write "62 GB/s" or "62 Gb/s"`.
std::string
MakeAdvice(std::string_view number, const Quantity& quantity)
{
    return "write " + QuoteWithUnit(number, quantity.usual[0]) + " or " +
           QuoteWithUnit(number, quantity.usual[1]);
}

std::vector<std::string>
NamesOf(const Quantity& quantity)
{
    std::vector<std::string> names;
    for (const Unit& unit : quantity.units)
    {
        names.emplace_back(unit.name);
    }
    return names;
}

/// `unit` as people also write it, turned into our way: "Gbps" is "Gb/s", "TFLOPS" is "TFLOP/s".
std::string
Normalize(std::string_view unit)
{
    size_t dropped = 0;
    // "ps" alone is the picosecond, and not bits per second.
    if (unit.size() > 2 && unit.ends_with("ps"))
    {
        dropped = 2;
    }
    else if (unit.ends_with("FLOPS") || unit.ends_with("FLOPs"))
    {
        dropped = 1;
    }
    else
    {
        return std::string(unit);
    }
    return std::string(unit.substr(0, unit.size() - dropped)) + "/s";
}

bool
IsEqualIgnoringCase(std::string_view a, std::string_view b)
{
    const auto isSame = [](unsigned char x, unsigned char y)
    { return std::tolower(x) == std::tolower(y); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), isSame);
}

/// The units that `word` probably means: its normal form, else those that differ from it in case
/// only, else the nearest one. May be empty.
/// The order goes from certain to likely: "Gbps" can only be Gb/s, while the nearest by letters may
/// be another unit than the one that was meant.
std::vector<std::string>
FindMeantUnits(std::string_view word, const Quantity& quantity)
{
    const std::string normal = Normalize(word);
    if (FindUnit(quantity, normal) != nullptr)
    {
        return {normal};
    }
    const std::vector<std::string> names = NamesOf(quantity);
    // Without regard to case a word may be two units ("gb/s" is Gb/s or GB/s). Then both are
    // advised.
    std::vector<std::string> meant;
    const auto isMeant = [&normal](const std::string& name)
    { return IsEqualIgnoringCase(name, normal); };
    std::copy_if(names.begin(), names.end(), std::back_inserter(meant), isMeant);
    if (meant.empty())
    {
        meant.push_back(FindNearest(word, names));
    }
    return meant.front().empty() ? std::vector<std::string>{} : meant;
}

} // namespace

std::string
Quote(std::string_view text)
{
    return std::string(1, '"').append(text).append(1, '"');
}

const Unit*
FindUnit(const Quantity& quantity, std::string_view name)
{
    const auto hasName = [name](const Unit& unit) { return unit.name == name; };
    const auto found = std::find_if(quantity.units.begin(), quantity.units.end(), hasName);
    return found == quantity.units.end() ? nullptr : &*found;
}

void
ThrowUnfit(const QuantityText& text,
           const Quantity& quantity,
           std::string_view problem,
           std::string_view number)
{
    throw UnitError(Quote(text.whole).append(" ").append(problem) + "; " +
                    MakeAdvice(number, quantity));
}

void
ThrowUnknownUnit(const QuantityText& text, const Quantity& quantity)
{
    // Other quantities are tried before any spelling is corrected: where a bandwidth is wanted,
    // "4 GB" is a size and no misspelt GB/s. `quantity` itself is in the list, but never fits: the
    // caller has tried its units.
    for (const Quantity& other : {SIZE, BANDWIDTH, TIME, FLOP_RATE})
    {
        if (FindUnit(other, text.unit) != nullptr)
        {
            const std::string problem =
                std::string("is ").append(other.noun).append(", not ").append(quantity.noun);
            ThrowUnfit(text, quantity, problem, text.number);
        }
    }
    const std::string problem = "unknown unit " + Quote(text.unit) + " in " + Quote(text.whole);
    std::vector<std::string> meant = FindMeantUnits(text.unit, quantity);
    if (meant.empty())
    {
        throw UnitError(problem + "; known: " + JoinWithOr(NamesOf(quantity)));
    }
    for (std::string& unit : meant)
    {
        unit = QuoteWithUnit(text.number, unit);
    }
    throw UnitError(problem + "; write " + JoinWithOr(meant));
}

} // namespace nadi::detail
