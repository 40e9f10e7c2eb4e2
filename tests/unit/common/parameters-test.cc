// SPDX-License-Identifier: GPL-2.0-only
#include "common/parameters.h"
#include "tests/support/config-error-text.h"
#include "tests/support/unit-error-text.h"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

using namespace nadi;

namespace
{

const std::vector<ParameterSpec> SPECS{
    {"slice", ParameterKind::Size, "128 KiB", "bytes of one slice"},
    {"rate", ParameterKind::Rate, "40 Gb/s", "the rate"},
    {"timeout", ParameterKind::Duration, "5 us", "the time"},
    {"peak", ParameterKind::ComputeRate, "312 TFLOP/s", "the peak"},
    {"lanes", ParameterKind::Count, "8", "how many"},
    {"gain", ParameterKind::Number, "0.5", "how much"},
    {"mode", ParameterKind::Word, "fast", "which"},
};

std::string
ErrorOfGiven(const std::map<std::string, std::string>& given)
{
    return ConfigErrorText([&given] { Parameters::Parse(SPECS, given); });
}

} // namespace

TEST_CASE("Parameters: what is not given has its default", "[unit][common]")
{
    const Parameters values = Parameters::Parse(SPECS, {});
    CHECK(values.Get<Bytes>("slice") == Bytes(128 * 1024));
    CHECK(values.Get<Bandwidth>("rate") == Bandwidth::FromBitsPerSecond(40'000'000'000));
    CHECK(values.Get<SimTime>("timeout") == SimTime::FromUs(5));
    CHECK(values.Get<FlopRate>("peak") == FlopRate::FromFlopsPerSecond(312'000'000'000'000));
    CHECK(values.Get<int64_t>("lanes") == 8);
    CHECK(values.Get<double>("gain") == 0.5);
    CHECK(values.Get<std::string>("mode") == "fast");
}

TEST_CASE("Parameters: what is given replaces the default", "[unit][common]")
{
    const Parameters values =
        Parameters::Parse(SPECS, {{"slice", "64 KiB"}, {"lanes", "0"}, {"gain", "1e-3"}});
    CHECK(values.Get<Bytes>("slice") == Bytes(64 * 1024));
    CHECK(values.Get<int64_t>("lanes") == 0);
    CHECK(values.Get<double>("gain") == 1e-3);
    CHECK(values.Get<std::string>("mode") == "fast");
}

TEST_CASE("Parameters: an unknown name is an error with a suggestion", "[unit][common]")
{
    CHECK(ErrorOfGiven({{"slise", "1 B"}}) == "unknown parameter \"slise\" (did you mean slice?)");
    CHECK(
        ErrorOfGiven({{"buffer-size", "1 B"}}) ==
        "unknown parameter \"buffer-size\"; known: slice, rate, timeout, peak, lanes, gain, mode");
}

TEST_CASE("Parameters: lists are whole numbers between commas, words one of those declared",
          "[unit][common]")
{
    const std::vector<ParameterSpec> specs{
        {"widths", ParameterKind::Counts, "8", "of layers"},
        {"type", ParameterKind::Word, "fp32", "of numbers", {"bf16", "fp32"}},
        {"file", ParameterKind::Path, "/a b", "to read"}};
    const Parameters defaults = Parameters::Parse(specs, {});
    CHECK(defaults.Get<std::vector<int64_t>>("widths") == std::vector<int64_t>{8});
    CHECK(defaults.Get<std::string>("file") == "/a b");
    const Parameters given = Parameters::Parse(specs, {{"widths", "8,0,512"}, {"type", "bf16"}});
    CHECK(given.Get<std::vector<int64_t>>("widths") == std::vector<int64_t>{8, 0, 512});
    CHECK(given.Get<std::string>("type") == "bf16");
    const auto errorOf = [&](const std::map<std::string, std::string>& values)
    { return ConfigErrorText([&] { Parameters::Parse(specs, values); }); };
    CHECK(errorOf({{"widths", "8,,9"}}) ==
          "widths: \"\" is not valid; write whole numbers, such as 8,4");
    CHECK(errorOf({{"type", "fp64"}}) == "type: \"fp64\" is not valid; write bf16 or fp32");
}

TEST_CASE("Parameters: an unfit value names its parameter", "[unit][common]")
{
    CHECK(ErrorOfGiven({{"slice", "128"}}) ==
          "slice: \"128\" has no unit; write \"128 B\" or \"128 KiB\"");
    const std::string notCount = "\" is not valid; write a whole number, such as 8";
    for (const char* text : {"", "-1", "1.5", "8 B", "x", "99999999999999999999"})
    {
        CHECK(ErrorOfGiven({{"lanes", text}}) == std::string("lanes: \"") + text + notCount);
    }
    const std::string notNumber = "\" is not valid; write a number without a unit, such as 0.5";
    for (const char* text : {"", "-1", "0.5 s", "inf", "nan", "1e999"})
    {
        CHECK(ErrorOfGiven({{"gain", text}}) == std::string("gain: \"") + text + notNumber);
    }
}

TEST_CASE("Parameters: a number has a range, and words may stand in its place", "[unit][common]")
{
    const ParameterSpec gain{.name = "gain",
                             .kind = ParameterKind::Number,
                             .defaultText = "0.5",
                             .help = "how much",
                             .words = {"auto"},
                             .range = {.least = 0, .isLeastAllowed = false, .most = 1}};
    CHECK(ToText(ParseParameter(gain, "auto")) == "auto");
    CHECK(ToText(ParseParameter(gain, "1")) == "1");
    CHECK(ToText(ParseParameter(gain, "0.0625")) == "0.0625");
    for (const std::string text : {"0", "1.5", "none"})
    {
        CHECK(UnitErrorText([&] { ParseParameter(gain, text); }) ==
              '"' + text +
                  "\" is not valid; write a number without a unit above 0 up to 1, such as 0.5");
    }
}

TEST_CASE("Parameters: the text of a value reads as the same value", "[unit][common]")
{
    const std::vector<std::pair<ParameterKind, std::string>> texts{
        {ParameterKind::Size, "128 KiB"},
        {ParameterKind::Rate, "5 GB/s"},
        {ParameterKind::Duration, "5 us"},
        {ParameterKind::ComputeRate, "312 TFLOP/s"},
        {ParameterKind::Count, "8"},
        {ParameterKind::Number, "0.00390625"},
        {ParameterKind::Word, "fast"},
        {ParameterKind::Counts, "8,4,2"}};
    for (const auto& [kind, text] : texts)
    {
        const ParameterSpec spec{"x", kind, "", ""};
        CHECK(ToText(ParseParameter(spec, text)) == text);
        CHECK(ParseParameter(spec, ToText(ParseParameter(spec, text))) ==
              ParseParameter(spec, text));
    }
}
