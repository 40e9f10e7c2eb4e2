// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/error.h"
#include "common/switch-word.h"
#include "common/units.h"
#include "configuration/config-node.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nadi
{

/// A value as it stands in an effective configuration or a schema; keeps the order of keys.
using Json = nlohmann::ordered_json;

/// The JSON Schema of a value. It is made when it is asked for, since few runs of the program ask.
class Schema
{
  public:
    Schema() = default;

    /// `make` returns the schema; what it refers to must live as long as this.
    template <class Make>

    requires std::is_invocable_r_v<Json, Make> Schema(Make make)
        : m_make(std::move(make))
    {
    }

    Json Get() const
    {
        return m_make ? m_make() : Json::object();
    }

    /// The schema with `value` for a keyword.
    Schema With(const std::string& keyword, Json value) const
    {
        return [schema = *this, keyword, value = std::move(value)]
        {
            Json json = schema.Get();
            json[keyword] = value;
            return json;
        };
    }

  private:
    std::function<Json()> m_make;
};

/// How values of type T stand in a configuration: one description for reading them, writing them
/// back, and telling editors about them.
///
/// Holds: read(write(value)) == value.
template <class T>
struct Codec
{
    std::function<T(const ConfigNode&)> read; ///< Throws ConfigError at the value.
    std::function<Json(const T&)> write;
    Schema schema;
};

Codec<Bytes> MakeSizeCodec();
Codec<Bytes> MakePositiveSizeCodec();
Codec<Bandwidth> MakeRateCodec();
Codec<SimTime> MakeTimeCodec();
Codec<SimTime> MakePositiveTimeCodec();
Codec<FlopRate> MakeFlopRateCodec();

/// A whole number from `least` to `most`.
Codec<uint64_t> MakeNumberCodec(uint64_t least, uint64_t most);
Codec<uint32_t> MakeCountCodec(uint32_t least,
                               uint32_t most = std::numeric_limits<uint32_t>::max());

/// A positive real number without unit.
Codec<double> MakeFactorCodec();

/// on/true/yes or off/false/no.
Codec<bool> MakeSwitchCodec();

/// Any text that is not empty; `expected` says what would be right.
Codec<std::string> MakeTextCodec(const std::string& expected);

/// A path, relative to the file that names it; made absolute.
Codec<std::string> MakePathCodec();

/// One of `words`.
Codec<std::string> MakeWordCodec(const std::vector<std::string>& words);

/// "x" is not valid; write a, b or c.
[[noreturn]] void FailUnknownWord(const ConfigNode& node, const std::vector<std::string>& words);

/// One of the named values.
template <class T>
Codec<T>
MakeChoiceCodec(std::vector<std::pair<std::string, T>> choices)
{
    std::vector<std::string> words;
    for (const auto& [word, value] : choices)
    {
        words.push_back(word);
    }
    const Codec<std::string> word = MakeWordCodec(words);
    Codec<T> codec;
    codec.schema = word.schema;
    codec.read = [choices, read = word.read](const ConfigNode& node)
    {
        const std::string text = read(node);
        size_t at = 0;
        while (choices[at].first != text)
        {
            ++at;
        }
        return choices[at].second;
    };
    codec.write = [choices](const T& value)
    {
        size_t at = 0;
        while (choices[at].second != value)
        {
            ++at;
        }
        return Json(choices[at].first);
    };
    return codec;
}

/// A value or the word for none of it ("none", "all", "auto").
template <class T>
Codec<std::optional<T>>
MakeOptionalCodec(const std::string& word, Codec<T> codec)
{
    Codec<std::optional<T>> result;
    result.schema = [word, schema = codec.schema] {
        return Json{{"anyOf", Json::array({Json{{"const", word}}, schema.Get()})}};
    };
    result.read = [word, read = codec.read](const ConfigNode& node) -> std::optional<T>
    {
        if (node.kind == ConfigNode::Kind::Scalar && node.text == word)
        {
            return std::nullopt;
        }
        try
        {
            return read(node);
        }
        catch (const ConfigError& error)
        {
            if (node.kind != ConfigNode::Kind::Scalar)
            {
                throw; // said of something inside
            }
            throw ConfigError(error.Where(), error.Problem() + ", or " + word);
        }
    };
    result.write = [word, write = codec.write](const std::optional<T>& value)
    { return value ? write(*value) : Json(word); };
    return result;
}

/// A list of values.
template <class T>
Codec<std::vector<T>>
MakeListCodec(Codec<T> codec, const std::string& expected)
{
    Codec<std::vector<T>> result;
    result.schema = [schema = codec.schema] {
        return Json{{"type", "array"}, {"items", schema.Get()}};
    };
    result.read = [read = codec.read, expected](const ConfigNode& node)
    {
        if (node.kind != ConfigNode::Kind::List)
        {
            node.Fail("is not a list; write " + expected);
        }
        std::vector<T> values;
        values.reserve(node.children.size());
        for (const ConfigNode& item : node.children)
        {
            values.push_back(read(item));
        }
        return values;
    };
    result.write = [write = codec.write](const std::vector<T>& values)
    {
        Json list = Json::array();
        for (const T& value : values)
        {
            list.push_back(write(value));
        }
        return list;
    };
    return result;
}

} // namespace nadi
