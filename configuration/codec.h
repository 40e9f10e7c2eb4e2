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

/// Words for whole numbers.
using NamedNumbers = std::vector<std::pair<std::string, int>>;

/// One of the named numbers.
Codec<int> MakeNamedNumberCodec(const NamedNumbers& numbers);

/// One of the named values, which are those of an enumeration or of bool.
template <class T>
Codec<T>
MakeChoiceCodec(const std::vector<std::pair<std::string_view, T>>& choices)
{
    NamedNumbers numbers;
    for (const auto& [word, value] : choices)
    {
        numbers.emplace_back(word, static_cast<int>(value));
    }
    const Codec<int> number = MakeNamedNumberCodec(numbers);
    Codec<T> codec;
    codec.schema = number.schema;
    codec.read = [read = number.read](const ConfigNode& node)
    { return static_cast<T>(read(node)); };
    codec.write = [write = number.write](const T& value) { return write(static_cast<int>(value)); };
    return codec;
}

/// The schema of a value or a word for none of it.
Schema MakeOptionalSchema(const std::string& word, const Schema& value);

/// Throws `error`, which a value at `node` has; where `word` would have been right too, it says so.
[[noreturn]] void
FailUnlessWord(const ConfigNode& node, const ConfigError& error, const std::string& word);

/// A value or the word for none of it ("none", "all", "auto").
template <class T>
Codec<std::optional<T>>
MakeOptionalCodec(const std::string& word, const Codec<T>& codec)
{
    Codec<std::optional<T>> result;
    result.schema = MakeOptionalSchema(word, codec.schema);
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
            FailUnlessWord(node, error, word);
        }
    };
    result.write = [word, write = codec.write](const std::optional<T>& value)
    { return value ? write(*value) : Json(word); };
    return result;
}

/// The schema of a list whose items have `item`.
Schema MakeListSchema(const Schema& item);

/// Throws ConfigError unless `node` is a list; `expected` says what would be right.
void RequireList(const ConfigNode& node, const std::string& expected);

/// A list of values.
template <class T>
Codec<std::vector<T>>
MakeListCodec(const Codec<T>& codec, const std::string& expected)
{
    Codec<std::vector<T>> result;
    result.schema = MakeListSchema(codec.schema);
    result.read = [read = codec.read, expected](const ConfigNode& node)
    {
        RequireList(node, expected);
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
