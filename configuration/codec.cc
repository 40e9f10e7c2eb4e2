// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/codec.h"

#include "common/text.h"
#include "common/unit-parser.h"
#include "common/unit-table.h"
#include "common/utf8-text.h"
#include "configuration/config-document.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nadi
{

namespace
{

// YAML's types of scalars play no part here. A value is a text (ConfigNode), and the codec of its
// key decides what that text means, so "8" in quotes is the number 8 as well. A codec throws by the
// node that it reads (ConfigNode::Fail). So the message has the file, the line and the path of the
// key, and ends with what would be right.

/// Whether a quantity may be 0.
enum class Zero
{
    Allowed,
    Refused,
};

/// A regular expression for what the parser of the quantity reads, but for values that are too
/// large, and for sizes that do not come to whole bytes.
std::string
MakePattern(const detail::Quantity& quantity, Zero zero)
{
    std::string units;
    for (const detail::Unit& unit : quantity.units)
    {
        units += (units.empty() ? "" : "|") + std::string(unit.name);
    }
    // A look-ahead refuses a number that has only zeros and points before the unit.
    const std::string notZero = zero == Zero::Refused ? "(?![0.]*[^0-9.])" : "";
    return "^ *" + notZero + "[0-9]+(\\.[0-9]+)? *(" + units + ") *$";
}

/// What a kind of quantity looks like.
/// Requires: the quantity is one of those in unit-table.h, which live as long as the program.
struct QuantityLook
{
    const detail::Quantity& quantity;
    const char* example;
    Zero zero;
};

/// As strict as the parser, but for what MakePattern leaves out (tests/scripts/test_schema.py
/// compares the two). The reference of keys shows the units in `$comment`.
Json
MakeQuantitySchema(const QuantityLook& look)
{
    const auto& [quantity, example, zero] = look;
    return {{"title", std::string(quantity.noun)},
            {"type", "string"},
            {"pattern", MakePattern(quantity, zero)},
            {"$comment",
             std::string(quantity.units.front().name) + " to " +
                 std::string(quantity.units.back().name)},
            {"examples", {example}}};
}

template <class T>
Codec<T>
MakeQuantityCodec(T (*parse)(std::string_view), const QuantityLook& look)
{
    Codec<T> codec;
    const std::string example = look.example;
    codec.schema = [look] { return MakeQuantitySchema(look); };
    codec.read =
        [parse, expected = "a value with its unit, such as " + example](const ConfigNode& node)
    {
        const std::string& text = node.Scalar(expected);
        try
        {
            return parse(text);
        }
        catch (const UnitError& error)
        {
            node.Fail(error.what());
        }
    };
    codec.write = [](const T& value) { return Json(ToText(value)); };
    return codec;
}

} // namespace

Codec<Bytes>
MakeSizeCodec()
{
    return MakeQuantityCodec<Bytes>(&ParseBytes,
                                    QuantityLook{detail::SIZE, "4 MiB", Zero::Allowed});
}

/// Rates need no such variant: their parsers refuse 0 themselves.
Codec<Bytes>
MakePositiveSizeCodec()
{
    Codec<Bytes> codec = MakeSizeCodec();
    codec.schema = codec.schema.With("pattern", MakePattern(detail::SIZE, Zero::Refused));
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const Bytes size = read(node);
        if (size == Bytes(0))
        {
            node.Fail("must not be 0; write a size such as 4 KiB");
        }
        return size;
    };
    return codec;
}

Codec<Bandwidth>
MakeRateCodec()
{
    return MakeQuantityCodec<Bandwidth>(&ParseBandwidth,
                                        QuantityLook{detail::BANDWIDTH, "62 GB/s", Zero::Refused});
}

Codec<SimTime>
MakeTimeCodec()
{
    return MakeQuantityCodec<SimTime>(&ParseTime,
                                      QuantityLook{detail::TIME, "500 ns", Zero::Allowed});
}

Codec<SimTime>
MakePositiveTimeCodec()
{
    Codec<SimTime> codec = MakeTimeCodec();
    codec.schema = codec.schema.With("pattern", MakePattern(detail::TIME, Zero::Refused));
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        const SimTime time = read(node);
        if (time == SimTime{})
        {
            node.Fail("must not be 0; write a time such as 10 us");
        }
        return time;
    };
    return codec;
}

Codec<FlopRate>
MakeFlopRateCodec()
{
    return MakeQuantityCodec<FlopRate>(
        &ParseFlopRate, QuantityLook{detail::FLOP_RATE, "312 TFLOP/s", Zero::Refused});
}

Codec<uint64_t>
MakeNumberCodec(uint64_t least, uint64_t most)
{
    Codec<uint64_t> codec;
    codec.schema = [least, most] {
        return Json{{"type", "integer"}, {"minimum", least}, {"maximum", most}};
    };
    const std::string expected = fmt::format("a whole number from {} to {}", least, most);
    codec.read = [least, most, expected](const ConfigNode& node)
    {
        const std::string& text = node.Scalar(expected);
        // from_chars takes digits alone: neither a sign nor 1e6 nor 1_000 is a whole number here.
        uint64_t value = 0;
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        if (error != std::errc{} || end != last || value < least || value > most)
        {
            node.Fail(fmt::format("\"{}\" is not valid; write {}", text, expected));
        }
        return value;
    };
    codec.write = [](const uint64_t& value) { return Json(value); };
    return codec;
}

Codec<uint32_t>
MakeCountCodec(uint32_t least, uint32_t most)
{
    const Codec<uint64_t> wide = MakeNumberCodec(least, most);
    Codec<uint32_t> codec;
    codec.schema = wide.schema;
    // The bound `most` has 32 bits, so the cast loses nothing.
    codec.read = [wide](const ConfigNode& node) { return static_cast<uint32_t>(wide.read(node)); };
    codec.write = [](const uint32_t& value) { return Json(value); };
    return codec;
}

Codec<double>
MakeFactorCodec()
{
    Codec<double> codec;
    codec.schema = [] { return Json{{"type", "number"}, {"exclusiveMinimum", 0}}; };
    codec.read = [](const ConfigNode& node)
    {
        const std::string& text = node.Scalar("a number such as 1.2");
        double value = 0;
        const char* const last = text.data() + text.size();
        const auto [end, error] = std::from_chars(text.data(), last, value);
        if (error != std::errc{} || end != last || !std::isfinite(value) || value <= 0)
        {
            node.Fail("\"" + text + "\" is not valid; write a number above 0, such as 1.2");
        }
        return value;
    };
    codec.write = [](const double& value) { return Json(value); };
    return codec;
}

Codec<bool>
MakeSwitchCodec()
{
    Codec<bool> codec;
    // Editors read YAML 1.2: an unquoted true or false is a boolean, and the other words are texts.
    codec.schema = [] { return Json{{"enum", {"on", "off", "yes", "no", true, false}}}; };
    codec.read = [](const ConfigNode& node)
    {
        const std::optional<bool> value = FindSwitch(node.Scalar("on or off"));
        if (!value)
        {
            FailUnknownWord(node, {"on", "off"});
        }
        return *value;
    };
    codec.write = [](const bool& value) { return Json(value ? "on" : "off"); };
    return codec;
}

Codec<std::string>
MakeTextCodec(const std::string& expected)
{
    Codec<std::string> codec;
    codec.schema = [] { return Json{{"type", "string"}, {"minLength", 1}}; };
    codec.read = [expected](const ConfigNode& node)
    {
        const std::string& text = node.Scalar(expected);
        if (text.empty())
        {
            node.Fail("is empty; write " + expected);
        }
        return text;
    };
    codec.write = [](const std::string& value) { return Json(value); };
    return codec;
}

Codec<std::string>
MakePathCodec()
{
    Codec<std::string> codec = MakeTextCodec("a path");
    codec.schema = codec.schema.With("title", "a path").With("examples", {"traces/layers.txt"});
    codec.read = [read = codec.read](const ConfigNode& node)
    {
        // The path is made absolute, so that an effective configuration, which stands in another
        // directory, means the same file.
        const std::filesystem::path path = ResolvePath(node, read(node));
        const std::string text = std::filesystem::absolute(path).lexically_normal().string();
        // What YAML says is UTF-8, the directory that it stands in need not be. An effective
        // configuration with such a path could not be read again.
        if (!IsUtf8(text))
        {
            node.Fail("is in a directory whose name is not in UTF-8; rename the directory");
        }
        return text;
    };
    return codec;
}

Codec<std::string>
MakeWordCodec(const std::vector<std::string>& words)
{
    Codec<std::string> codec = MakeTextCodec(JoinWithOr(words));
    codec.schema = [words] { return Json{{"enum", words}}; };
    codec.read = [words, expected = JoinWithOr(words)](const ConfigNode& node)
    {
        const std::string& text = node.Scalar(expected);
        if (std::find(words.begin(), words.end(), text) == words.end())
        {
            FailUnknownWord(node, words);
        }
        return text;
    };
    return codec;
}

Codec<int>
MakeNamedNumberCodec(const NamedNumbers& numbers)
{
    std::vector<std::string> words;
    for (const auto& [word, number] : numbers)
    {
        words.push_back(word);
    }
    const Codec<std::string> word = MakeWordCodec(words);
    Codec<int> codec;
    codec.schema = word.schema;
    codec.read = [numbers, read = word.read](const ConfigNode& node)
    {
        const std::string text = read(node);
        // `read` has refused every other word, so the search ends at one of the numbers.
        return std::find_if(numbers.begin(),
                            numbers.end(),
                            [&](const auto& one) { return one.first == text; })
            ->second;
    };
    codec.write = [numbers](int value)
    {
        // Requires: the value has a word. Where a choice has none for some value, the field must
        // write itself (MakeStateField).
        return Json(std::find_if(numbers.begin(),
                                 numbers.end(),
                                 [&](const auto& one) { return one.second == value; })
                        ->first);
    };
    return codec;
}

Schema
MakeOptionalSchema(const std::string& word, const Schema& value)
{
    return [word, value] {
        return Json{{"anyOf", Json::array({Json{{"const", word}}, value.Get()})}};
    };
}

void
FailUnlessWord(const ConfigNode& node, const ConfigError& error, const std::string& word)
{
    if (node.kind != ConfigNode::Kind::Scalar)
    {
        throw error; // said of something inside
    }
    throw ConfigError(error.Where(), error.Problem() + ", or " + word);
}

Schema
MakeListSchema(const Schema& item)
{
    return [item] { return Json{{"type", "array"}, {"items", item.Get()}}; };
}

void
RequireList(const ConfigNode& node, const std::string& expected)
{
    if (node.kind != ConfigNode::Kind::List)
    {
        node.Fail("is not a list; write " + expected);
    }
}

void
FailUnknownWord(const ConfigNode& node, const std::vector<std::string>& words)
{
    node.Fail("\"" + node.text + "\" is not valid; write " + JoinWithOr(words));
}

} // namespace nadi
