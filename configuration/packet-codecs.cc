// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/packet-codecs.h"

#include "common/unit-parser.h"

#include <charconv>
#include <cmath>

namespace nadi
{

namespace
{

using FramesPerAcknowledgement = std::optional<uint32_t>;

/// None: auto.
FramesPerAcknowledgement
ReadAcknowledge(const ConfigNode& node)
{
    const std::string expected = "auto, message, frame or a number such as \"4 frames\"";
    const std::string& text = node.Scalar(expected);
    if (text == "auto")
    {
        return std::nullopt;
    }
    if (text == "message")
    {
        return ACKNOWLEDGE_MESSAGES;
    }
    if (text == "frame")
    {
        return 1;
    }
    // The number may have at most nine digits, so that it fits 32 bits.
    const size_t digits = text.find_first_not_of("0123456789");
    const std::string unit = digits == std::string::npos ? "" : text.substr(digits);
    const bool isCount = digits != 0 && digits < 10 && (unit == " frames" || unit == " frame");
    const uint64_t count = isCount ? std::stoull(text) : 0;
    if (count == 0 || count > std::numeric_limits<uint32_t>::max())
    {
        node.Fail("\"" + text + "\" is not valid; write " + expected);
    }
    return static_cast<uint32_t>(count);
}

/// A size of 0 is refused: with such a window nothing could ever be sent.
WindowChoice
ReadWindow(const ConfigNode& node)
{
    const std::string& text = node.Scalar("none, bdp or a size such as 64 KiB");
    if (text == "none")
    {
        return {};
    }
    if (text == "bdp")
    {
        return {WindowChoice::Kind::BandwidthDelayProduct, Bytes{}};
    }
    // Only a text with a leading digit is read as a size. For any other the error names the words
    // too.
    if (!text.empty() && text[0] >= '0' && text[0] <= '9')
    {
        return {WindowChoice::Kind::Fixed, MakePositiveSizeCodec().read(node)};
    }
    node.Fail("\"" + text + "\" is not valid; write none, bdp or a size such as 64 KiB");
}

Json
WriteWindow(const WindowChoice& window)
{
    switch (window.kind)
    {
    case WindowChoice::Kind::BandwidthDelayProduct:
        return "bdp";
    case WindowChoice::Kind::Fixed:
        return ToText(window.size);
    case WindowChoice::Kind::None:
        break;
    }
    return "none";
}

/// The whole of `text` as a finite number.
std::optional<double>
FindNumber(std::string_view text)
{
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value);
    const bool isNumber = error == std::errc{} && end == last && std::isfinite(value);
    return isNumber ? std::optional(value) : std::nullopt;
}

/// "1/8" and "0.125" give the same number, and both are written back as 0.125.
double
ReadFraction(const ConfigNode& node)
{
    const std::string expected = "a number above 0, such as 1/8 or 0.125";
    const std::string& text = node.Scalar(expected);
    const size_t slash = text.find('/');
    const std::optional<double> above = FindNumber(text.substr(0, slash));
    const std::optional<double> below =
        slash == std::string::npos ? 1 : FindNumber(text.substr(slash + 1));
    const bool isFraction = above && below && *above > 0 && *below > 0;
    // The quotient of two finite numbers above 0 may be infinite, or so small that it is 0 or has
    // lost digits.
    if (!isFraction || !std::isnormal(*above / *below))
    {
        node.Fail("\"" + text + "\" is not valid; write " + expected);
    }
    return *above / *below;
}

double
ReadProbability(const ConfigNode& node)
{
    const std::string& text = node.Scalar("a number from 0 to 1");
    const std::optional<double> value = FindNumber(text);
    // FindNumber gives no NaN, which would pass both comparisons.
    if (!value || *value < 0 || *value > 1)
    {
        node.Fail("\"" + text + "\" is not valid; write a number from 0 to 1");
    }
    return *value;
}

} // namespace

Schema
MakeEitherSchema(const Schema& one, const Schema& other)
{
    return [one, other] { return Json{{"anyOf", Json::array({one.Get(), other.Get()})}}; };
}

bool
ReadSwitch(const ConfigNode& node, const std::string& expected)
{
    const std::string& text = node.Scalar(expected);
    const std::optional<bool> value = FindSwitch(text);
    if (!value)
    {
        node.Fail("\"" + text + "\" is not valid; write " + expected);
    }
    return *value;
}

Codec<FramesPerAcknowledgement>
MakeAcknowledgeCodec()
{
    Codec<FramesPerAcknowledgement> codec;
    codec.schema = [] {
        return Json{{"type", "string"},
                    {"pattern", "^(auto|message|frame|0*[1-9][0-9]* frames?)$"}};
    };
    codec.read = &ReadAcknowledge;
    codec.write = [](const FramesPerAcknowledgement& frames) -> Json
    {
        if (!frames || *frames == ACKNOWLEDGE_MESSAGES)
        {
            return frames ? "message" : "auto";
        }
        return *frames == 1 ? "frame" : std::to_string(*frames) + " frames";
    };
    return codec;
}

Codec<WindowChoice>
MakeWindowCodec()
{
    const auto makeSchema = []
    {
        return Json{
            {"anyOf",
             Json::array({Json{{"enum", {"none", "bdp"}}}, MakePositiveSizeCodec().schema.Get()})}};
    };
    return {&ReadWindow, &WriteWindow, makeSchema};
}

Codec<double>
MakeFractionCodec()
{
    Codec<double> codec;
    codec.schema = []
    {
        const Json fraction{{"type", "string"}, {"pattern", "^[0-9.]+/[0-9.]+$"}};
        return Json{{"anyOf", Json::array({MakeFactorCodec().schema.Get(), fraction})}};
    };
    codec.read = &ReadFraction;
    codec.write = [](const double& value) { return Json(value); };
    return codec;
}

Codec<double>
MakeProbabilityCodec()
{
    Codec<double> codec;
    codec.schema = [] { return Json{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}; };
    codec.read = &ReadProbability;
    codec.write = [](const double& value) { return Json(value); };
    return codec;
}

} // namespace nadi
