// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-quantities.h"

#include "common/unit-parser.h"
#include "importers/import-values.h"

#include <utility>

namespace nadi
{

namespace
{

constexpr int64_t MEGABIT = 1'000'000;
constexpr int64_t GIGABIT = 1000 * MEGABIT;

/// A number, and what stands behind it.
std::pair<std::string, std::string>
SplitUnit(const std::string& text)
{
    const size_t end = text.find_first_not_of("0123456789.");
    return {text.substr(0, end), end == std::string::npos ? "" : text.substr(end)};
}

/// "Gbps" as "Gb/s", "kb/s" as "Kb/s".
std::string
RateUnit(std::string unit)
{
    if (unit.size() > 2 && unit.ends_with("ps"))
    {
        unit.replace(unit.size() - 2, 2, "/s");
    }
    if (unit.starts_with('k'))
    {
        unit.front() = 'K';
    }
    return unit.empty() ? "b/s" : unit;
}

} // namespace

Bandwidth
ReadNs3Rate(const ConfigNode& node)
{
    const std::string& text = node.Scalar("a rate such as 400Gbps");
    const auto [number, unit] = SplitUnit(text);
    try
    {
        // Nadi's parser takes no number without a unit, so RateUnit adds the one that ns-3 means.
        return ParseBandwidth(number + " " + RateUnit(unit));
    }
    catch (const UnitError&)
    {
        node.Fail("\"" + text + "\" is not a rate; write one above 0 such as 400Gbps");
    }
}

std::string
ToNetworkText(Bandwidth rate)
{
    const int64_t bits = rate.BitsPerSecond();
    if (bits % GIGABIT == 0)
    {
        return std::to_string(bits / GIGABIT) + " Gb/s";
    }
    return bits % MEGABIT == 0 ? std::to_string(bits / MEGABIT) + " Mb/s" : ToText(rate);
}

SimTime
ReadNs3Time(const ConfigNode& node)
{
    const std::string& text = node.Scalar("a time such as 500ns");
    const auto [number, unit] = SplitUnit(text);
    try
    {
        return ParseTime(number + " " + (unit.empty() ? "s" : unit));
    }
    catch (const UnitError&)
    {
        node.Fail("\"" + text + "\" is not a time; write one such as 500ns or 0.0005ms");
    }
}

SimTime
ReadMicroseconds(const ConfigNode& node)
{
    const std::string& text = node.Scalar("a number of microseconds");
    try
    {
        // By the parser, which works in integers: a fraction stays exact to a picosecond.
        return ParseTime(text + " us");
    }
    catch (const UnitError&)
    {
        node.Fail("\"" + text + "\" is not valid; write a number of microseconds");
    }
}

double
ReadProbability(const ConfigNode& node)
{
    const double value = ReadNumber(node);
    if (value > 1)
    {
        node.Fail("\"" + node.text + "\" is not valid; write a number from 0 to 1");
    }
    return value;
}

} // namespace nadi
