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

std::string
ToLower(std::string_view word)
{
    std::string lower(word);
    const auto toLower = [](unsigned char letter) { return std::tolower(letter); };
    std::transform(lower.begin(), lower.end(), lower.begin(), toLower);
    return lower;
}

/// A unit as a user wrote it, in our spelling.
struct Spelling
{
    std::string unit;
    /// Whether it tells bits from bytes: the word is written out, or its capitals are used with
    /// care. Of "gb/s" nobody knows; "Gib/s" and "gbit/s" are bits.
    bool tellsBits = false;
};

bool
IsMixed(std::string_view word)
{
    const auto isLower = [](unsigned char letter) { return std::islower(letter) != 0; };
    const auto isUpper = [](unsigned char letter) { return std::isupper(letter) != 0; };
    return std::any_of(word.begin(), word.end(), isLower) &&
           std::any_of(word.begin(), word.end(), isUpper);
}

/// The first place of `from`, in any case, becomes `to`. \return Whether there is one.
bool
ReplaceFirst(std::string& text, std::string_view from, std::string_view to)
{
    const size_t place = ToLower(text).find(from);
    if (place == std::string::npos)
    {
        return false;
    }
    text.replace(place, from.size(), to);
    return true;
}

void
ReplaceEnd(std::string& text, std::string_view from, std::string_view to)
{
    if (ToLower(text).ends_with(from))
    {
        text.replace(text.size() - from.size(), from.size(), to);
    }
}

/// "Gbps" is "Gb/s", "Gbit/s" too, "\u00b5s" is "us", "TFLOPS" is "TFLOP/s".
Spelling
Normalize(std::string_view word)
{
    std::string unit(word);
    ReplaceFirst(unit, "\u00b5", "u"); // the micro sign
    ReplaceFirst(unit, "\u03bc", "u"); // the Greek letter, which looks the same
    const bool isWrittenOut = ReplaceFirst(unit, "bytes", "B") || ReplaceFirst(unit, "byte", "B") ||
                              ReplaceFirst(unit, "bits", "b") || ReplaceFirst(unit, "bit", "b");
    ReplaceEnd(unit, "sec", "s");
    if (ToLower(unit).ends_with("flops"))
    {
        ReplaceEnd(unit, "s", "/s");
    }
    if (unit.size() > 2) // "ps" alone is the picosecond
    {
        ReplaceEnd(unit, "ps", "/s");
    }
    return {unit, isWrittenOut || IsMixed(word)};
}

/// Whether both are of bits, both of bytes, or both of neither.
bool
AreOfSameBits(std::string_view a, std::string_view b)
{
    const auto findLetter = [](std::string_view unit)
    {
        const size_t place = unit.find_first_of("bB");
        return place == std::string_view::npos ? ' ' : unit[place];
    };
    return findLetter(a) == findLetter(b);
}

/// Whether they have the same prefix, as far as one can see: it changes numbers by a thousand.
bool
AreOfSamePrefix(std::string_view a, std::string_view b)
{
    const bool areBinary = a.find('i') == std::string_view::npos;
    return ToLower(a.substr(0, 1)) == ToLower(b.substr(0, 1)) &&
           areBinary == (b.find('i') == std::string_view::npos);
}

/// The units that are `spelling` without regard to case. That may be two ("gb/s" is Gb/s or GB/s);
/// then both are advised.
std::vector<std::string>
FindInAnyCase(const Spelling& spelling, const std::vector<std::string>& names)
{
    std::vector<std::string> found;
    const auto isMeant = [&spelling](const std::string& name)
    {
        return ToLower(name) == ToLower(spelling.unit) &&
               (!spelling.tellsBits || AreOfSameBits(name, spelling.unit));
    };
    std::copy_if(names.begin(), names.end(), std::back_inserter(found), isMeant);
    return found;
}

/// The unit that differs from `word` in one letter, if that only mends a slip: a unit of another
/// prefix, or bits for bytes, would turn the run into another one that nobody asked for.
std::vector<std::string>
FindSlip(std::string_view word, std::vector<std::string> names)
{
    const auto isOther = [word](const std::string& name)
    { return !AreOfSamePrefix(word, name) || !AreOfSameBits(word, name); };
    names.erase(std::remove_if(names.begin(), names.end(), isOther), names.end());
    const std::string nearest = FindWithin(1, word, names);
    return nearest.empty() ? std::vector<std::string>{} : std::vector<std::string>{nearest};
}

/// The units that `word`, which is `spelling` in our way, probably means. May be empty. The order
/// goes from certain to likely.
std::vector<std::string>
FindMeantUnits(std::string_view word, const Spelling& spelling, const Quantity& quantity)
{
    const std::vector<std::string> names = NamesOf(quantity);
    // What was left away follows: of "400 Gbit" it is "/s", of "64 Ki" it is "B".
    for (const char* rest : {"", "/s", "B"})
    {
        const std::string whole = spelling.unit + rest;
        if (FindUnit(quantity, whole) != nullptr)
        {
            return {whole};
        }
        const std::vector<std::string> found = FindInAnyCase({whole, spelling.tellsBits}, names);
        if (!found.empty())
        {
            return found;
        }
    }
    return FindSlip(word, names);
}

/// The unit that a user who gave a size for a bandwidth, or the other way round, may have meant;
/// may be null.
const Unit*
FindCounterpart(std::string_view unit, const Quantity& quantity)
{
    if (const Unit* rate = FindUnit(quantity, std::string(unit) + "/s"))
    {
        return rate;
    }
    return unit.ends_with("/s") ? FindUnit(quantity, unit.substr(0, unit.size() - 2)) : nullptr;
}

/// `text` is of another quantity: "62 MB" where a bandwidth is wanted.
[[noreturn]] void
ThrowOtherQuantity(const QuantityText& text, const Quantity& quantity, std::string_view noun)
{
    const std::string problem =
        std::string("is ").append(noun).append(", not ").append(quantity.noun);
    const Unit* meant = FindCounterpart(text.unit, quantity);
    if (meant == nullptr)
    {
        ThrowUnfit(text, quantity, problem, text.number);
    }
    std::string advice = "; write " + QuoteWithUnit(text.number, meant->name);
    // Link rates are mostly told in bits, so bits may be what was meant.
    std::string inBits(meant->name);
    std::replace(inBits.begin(), inBits.end(), 'B', 'b');
    if (inBits != meant->name && FindUnit(quantity, inBits) != nullptr)
    {
        advice += " or " + QuoteWithUnit(text.number, inBits);
    }
    throw UnitError(Quote(text.whole) + " " + problem + advice);
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
            ThrowOtherQuantity(text, quantity, other.noun);
        }
    }
    const std::string problem = "unknown unit " + Quote(text.unit) + " in " + Quote(text.whole);
    const Spelling spelling = Normalize(text.unit);
    std::vector<std::string> meant = FindMeantUnits(text.unit, spelling, quantity);
    if (meant.empty())
    {
        const std::string known = "; known: " + JoinWithOr(NamesOf(quantity));
        const bool areBits = spelling.tellsBits && AreOfSameBits(spelling.unit, "b");
        const bool hasBytesOnly = FindUnit(quantity, "B") != nullptr;
        throw UnitError(problem + known + (areBits && hasBytesOnly ? "; 8 bits are 1 B" : ""));
    }
    for (std::string& unit : meant)
    {
        unit = QuoteWithUnit(text.number, unit);
    }
    throw UnitError(problem + "; write " + JoinWithOr(meant));
}

} // namespace nadi::detail
