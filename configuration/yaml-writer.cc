// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/yaml-writer.h"

#include <yaml-cpp/emitter.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace nadi
{

namespace
{

constexpr size_t INDENT = 2;

bool
IsPlain(const Json& value)
{
    return !value.is_structured();
}

/// Whether a mapping or list stands on one line: a short one of plain values, two levels down or
/// deeper.
bool
IsInline(const Json& value, uint32_t depth)
{
    constexpr size_t longest = 120;
    const bool isShort = std::all_of(value.begin(), value.end(), &IsPlain);
    // An empty list or mapping always does: as a block it would have no line at all.
    return value.empty() || (depth > 1 && isShort && value.dump().size() <= longest);
}

/// Letters and digits, such as "400 Gb/s" and "npu0-rail0.leaf", which need no quotes anywhere.
///
/// Only a shortcut: about all else yaml-cpp is asked. That goes for texts of up to four letters
/// too, since YAML's words for none are that short.
bool
IsHarmless(const std::string& text)
{
    const auto isAlphanumeric = [](char letter)
    {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9');
    };
    constexpr size_t longestNull = 4;
    return text.size() > longestNull && isAlphanumeric(text.front()) &&
           isAlphanumeric(text.back()) &&
           std::all_of(text.begin(),
                       text.end(),
                       [&](char letter)
                       {
                           return isAlphanumeric(letter) ||
                                  std::string_view(" ./-_").find(letter) != std::string_view::npos;
                       });
}

/// How a text stands between others: quoted where YAML would take it for something else.
///
/// Remembers what yaml-cpp answered: it weighs each letter by regular expressions, and lists of a
/// million items say the same few texts again and again.
class ScalarTexts
{
  public:
    enum class Place
    {
        Block, ///< on a line of its own
        Flow,  ///< in braces or brackets
    };

    const std::string& Find(const std::string& text, Place place)
    {
        if (IsHarmless(text))
        {
            return text;
        }
        constexpr size_t most = 100'000;
        auto& known = place == Place::Flow ? m_flow : m_block;
        const auto found = known.find(text);
        if (found != known.end())
        {
            return found->second;
        }
        if (known.size() >= most)
        {
            // All texts are forgotten at once: the few that repeat are soon known again.
            known.clear();
        }
        return known.emplace(text, Ask(text, place)).first->second;
    }

  private:
    static std::string Ask(const std::string& text, Place place)
    {
        YAML::Emitter emitter;
        if (place == Place::Block)
        {
            emitter << text;
            return emitter.c_str();
        }
        // In braces and brackets, texts with commas or brackets need quotes too. So yaml-cpp is
        // asked for a list of this one text, and the brackets of the list are taken off.
        emitter << YAML::Flow << YAML::BeginSeq << text << YAML::EndSeq;
        const std::string list = emitter.c_str();
        return list.substr(1, list.size() - 2);
    }

    std::unordered_map<std::string, std::string> m_block;
    std::unordered_map<std::string, std::string> m_flow;
};

/// Writes block mappings and lists, with one-line ones in them.
class YamlText
{
  public:
    std::string Take()
    {
        return std::move(m_text);
    }

    /// A value behind a key or a dash, or the whole document.
    void WriteValue(const Json& value, uint32_t depth, size_t indent)
    {
        if (IsPlain(value) || IsInline(value, depth))
        {
            m_text += depth == 0 ? "" : " ";
            WriteOnLine(value, ScalarTexts::Place::Block);
            m_text += '\n';
            return;
        }
        m_text += depth == 0 ? "" : "\n";
        WriteBlock(value, depth, indent);
    }

  private:
    void WriteOnLine(const Json& value, ScalarTexts::Place place)
    {
        if (value.is_number_integer())
        {
            m_text += value.dump();
        }
        else if (IsPlain(value))
        {
            const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
            m_text += m_scalars.Find(text, place);
        }
        else
        {
            WriteFlow(value);
        }
    }

    void WriteFlow(const Json& value)
    {
        m_text += value.is_array() ? '[' : '{';
        std::string_view separator;
        for (const auto& [key, item] : value.items())
        {
            m_text += separator;
            if (value.is_object())
            {
                m_text += m_scalars.Find(key, ScalarTexts::Place::Flow);
                m_text += ": ";
            }
            WriteOnLine(item, ScalarTexts::Place::Flow);
            separator = ", ";
        }
        m_text += value.is_array() ? ']' : '}';
    }

    void WriteBlock(const Json& value, uint32_t depth, size_t indent)
    {
        bool isFirst = true;
        for (const auto& [key, item] : value.items())
        {
            // The dash and its space stand in place of the first key's indentation.
            m_text.append(isFirst && m_isBehindDash ? 0 : indent, ' ');
            m_isBehindDash = false;
            isFirst = false;
            value.is_array() ? WriteItem(item, depth, indent)
                             : WriteEntry(key, item, depth, indent);
        }
    }

    void WriteEntry(const std::string& key, const Json& item, uint32_t depth, size_t indent)
    {
        m_text += m_scalars.Find(key, ScalarTexts::Place::Block);
        m_text += ':';
        WriteValue(item, depth + 1, indent + INDENT);
    }

    /// The first key of a mapping stands behind the dash.
    void WriteItem(const Json& item, uint32_t depth, size_t indent)
    {
        m_text += '-';
        if (item.is_array() || IsPlain(item) || IsInline(item, depth + 1))
        {
            return WriteValue(item, depth + 1, indent + INDENT);
        }
        m_text += ' ';
        m_isBehindDash = true;
        WriteBlock(item, depth + 1, indent + INDENT);
    }

    std::string m_text;
    ScalarTexts m_scalars;
    bool m_isBehindDash = false;
};

} // namespace

std::string
WriteYaml(const Json& value)
{
    YamlText text;
    text.WriteValue(value, 0, 0);
    return text.Take();
}

} // namespace nadi
