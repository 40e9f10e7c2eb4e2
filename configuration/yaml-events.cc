// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/yaml-events.h"

#include "common/check.h"
#include "configuration/yaml-advice.h"

#include <algorithm>

namespace nadi
{

/// The event is empty at first, as Next and the destructor delete the event before.
///
/// The parser is libyaml's, although yaml-cpp is there for writing (yaml-writer.cc): yaml-cpp
/// matches each letter against regular expressions, and takes about six times as long for lists of
/// a million flows or links.
YamlEvents::YamlEvents(std::string_view text)
    : m_text(text)
    , m_event{}
{
    NADI_CHECK(yaml_parser_initialize(&m_parser) == 1);
    yaml_parser_set_input_string(
        &m_parser, reinterpret_cast<const unsigned char*>(text.data()), text.size());
}

YamlEvents::~YamlEvents()
{
    yaml_event_delete(&m_event);
    yaml_parser_delete(&m_parser);
}

const yaml_event_t&
YamlEvents::Next()
{
    yaml_event_delete(&m_event);
    if (yaml_parser_parse(&m_parser, &m_event) == 0)
    {
        ThrowProblem();
    }
    return m_event;
}

/// Counted from 0; empty behind the last one.
std::string_view
YamlEvents::LineAt(size_t number) const
{
    size_t begin = 0;
    for (size_t line = 0; line < number && begin < m_text.size(); ++line)
    {
        begin = std::min(m_text.find('\n', begin), m_text.size() - 1) + 1;
    }
    return m_text.substr(begin, m_text.find('\n', begin) - begin);
}

/// libyaml gives two places: where it noticed the problem, and where the list or mapping began that
/// it was reading (the context). A bracket that is never closed is noticed only at the end of the
/// text, so the message also has the line in which the context begins.
void
YamlEvents::ThrowProblem() const
{
    if (m_parser.error == YAML_MEMORY_ERROR)
    {
        throw std::bad_alloc();
    }
    if (m_parser.error == YAML_READER_ERROR) // of bytes that are no text: only their place is known
    {
        const size_t at = std::min(m_parser.problem_offset, m_text.size());
        const auto lines = std::count(m_text.begin(), m_text.begin() + static_cast<long>(at), '\n');
        throw YamlError(static_cast<uint32_t>(lines + 1), m_parser.problem);
    }
    const size_t begin = m_parser.context_mark.line;
    const size_t end = m_parser.problem_mark.line;
    if (const std::string advice = AdviseOnYaml(LineAt(end), m_parser.problem); !advice.empty())
    {
        throw YamlError(static_cast<uint32_t>(end + 1), advice);
    }
    std::string problem = m_parser.problem;
    if (m_parser.context != nullptr)
    {
        problem += std::string(" ") + m_parser.context;
    }
    if (m_parser.context != nullptr && begin < end) // what is not closed is noticed far behind
    {
        problem += " from line " + std::to_string(begin + 1) + " on";
    }
    throw YamlError(static_cast<uint32_t>(end + 1), problem);
}

} // namespace nadi
