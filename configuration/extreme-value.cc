// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/extreme-value.h"

#include "common/unit-parser.h"

namespace nadi
{

namespace
{

/// From which ratio to a usual value on a quantity counts as extreme.
constexpr double EXTREME_RATIO = 1000;

/// The value of `text` as `parse` reads it, or 0 where it is no such quantity.
double
ValueOf(auto parse, const std::string& text)
{
    try
    {
        return static_cast<double>(parse(text));
    }
    catch (const UnitError&)
    {
        return 0;
    }
}

double
BitsPerSecondOf(const std::string& text)
{
    return ValueOf([](const auto& written) { return ParseBandwidth(written).BitsPerSecond(); },
                   text);
}

/// By how much the quantity in `text` would lengthen a run, compared with a usual one: 1 s, 1 Gb/s,
/// 1 GFLOP/s, 1 TB. 0 for what is no quantity.
double
RatioToUsual(const std::string& text)
{
    constexpr double SECOND = 1e12; // ps
    constexpr double TERABYTE = 1e12;
    constexpr double GIGA = 1e9; // b/s and FLOP/s
    // A unit belongs to one kind of quantity, so that all but one of these are 0.
    const double time = ValueOf([](const auto& written) { return ParseTime(written).Ps(); }, text);
    const double size =
        ValueOf([](const auto& written) { return ParseBytes(written).Count(); }, text);
    const double bits = BitsPerSecondOf(text);
    const double flops =
        ValueOf([](const auto& written) { return ParseFlopRate(written).FlopsPerSecond(); }, text);
    const double rate = bits + flops;
    return rate > 0 ? GIGA / rate : time / SECOND + size / TERABYTE;
}

/// The most extreme value so far.
struct Extreme
{
    const ConfigNode* node = nullptr;
    double ratio = EXTREME_RATIO;
};

/// The highest rate so far.
struct HighestRate
{
    const ConfigNode* node = nullptr;
    double bitsPerSecond = 0;
};

void
SearchRate(const ConfigNode& node, HighestRate& highest)
{
    if (node.kind == ConfigNode::Kind::Scalar)
    {
        const double bits = BitsPerSecondOf(node.text);
        highest = bits > highest.bitsPerSecond ? HighestRate{.node = &node, .bitsPerSecond = bits}
                                               : highest;
    }
    for (const ConfigNode& child : node.children)
    {
        SearchRate(child, highest);
    }
}

/// Whether a value says when something begins or ends, or how results are written: the end of the
/// clock is no fault of such a value.
bool
IsOfNoAccount(const ConfigNode& node)
{
    return node.key == "at" || node.key == "until" || node.key == "output";
}

void
Search(const ConfigNode& node, Extreme& extreme)
{
    if (IsOfNoAccount(node))
    {
        return;
    }
    if (node.kind == ConfigNode::Kind::Scalar)
    {
        const double ratio = RatioToUsual(node.text);
        extreme = ratio >= extreme.ratio ? Extreme{.node = &node, .ratio = ratio} : extreme;
    }
    for (const ConfigNode& child : node.children)
    {
        Search(child, extreme);
    }
}

} // namespace

const ConfigNode*
FindExtremeValue(const ConfigDocument& document)
{
    Extreme extreme;
    Search(document.Root(), extreme);
    return extreme.node;
}

const ConfigNode*
FindHighestRate(const ConfigDocument& document)
{
    HighestRate highest;
    SearchRate(document.Root(), highest);
    return highest.node;
}

} // namespace nadi
