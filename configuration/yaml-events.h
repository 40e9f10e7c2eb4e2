// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <yaml.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace nadi
{

/// Text that is no YAML.
class YamlError : public std::runtime_error
{
  public:
    YamlError(uint32_t line, const std::string& problem)
        : std::runtime_error(problem)
        , m_line(line)
    {
    }

    /// From 1.
    uint32_t Line() const
    {
        return m_line;
    }

  private:
    uint32_t m_line;
};

/// The events of a YAML text, one at a time: starts and ends of lists and mappings, single values,
/// aliases. Requires: the text outlives this.
class YamlEvents
{
  public:
    explicit YamlEvents(std::string_view text);
    ~YamlEvents();

    YamlEvents(const YamlEvents&) = delete;
    YamlEvents& operator=(const YamlEvents&) = delete;

    /// The next event, valid until the next call. Throws YamlError.
    const yaml_event_t& Next();

  private:
    [[noreturn]] void ThrowProblem() const;
    std::string_view LineAt(size_t number) const;

    std::string_view m_text;
    yaml_parser_t m_parser;
    yaml_event_t m_event;
};

/// The line in which an event begins, from 1.
inline uint32_t
YamlLineOf(const yaml_event_t& event)
{
    return static_cast<uint32_t>(event.start_mark.line + 1);
}

/// A name or text of libyaml's, "" for none.
inline std::string
YamlTextOf(const yaml_char_t* text)
{
    return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

} // namespace nadi
