// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <cstddef>
#include <string_view>

namespace nadi
{

/// Cuts text that holds JSON objects one after the other, with at most space between them.
class ObjectSplitter
{
  public:
    explicit ObjectSplitter(std::string_view text)
        : m_text(text)
    {
    }

    /// The next object's text, to the end of the text when it is not closed; false at the end.
    bool Next(std::string_view& object)
    {
        m_at = m_text.find_first_not_of(" \t\r\n", m_at);
        if (m_at == std::string_view::npos)
        {
            return false;
        }
        m_start = m_at;
        m_depth = 0;
        m_isInString = false;
        do
        {
            Step();
        }
        while (m_at < m_text.size() && m_depth > 0);
        object = m_text.substr(m_start, m_at - m_start);
        return true;
    }

    /// Where the last object begins.
    size_t Start() const
    {
        return m_start;
    }

  private:
    void Step()
    {
        const char letter = m_text[m_at++];
        if (m_isInString)
        {
            m_at += letter == '\\' && m_at < m_text.size() ? 1 : 0;
            m_isInString = letter != '"';
            return;
        }
        m_isInString = letter == '"';
        m_depth += letter == '{' || letter == '[' ? 1 : 0;
        m_depth -= letter == '}' || letter == ']' ? 1 : 0;
    }

    std::string_view m_text;
    size_t m_at = 0;
    size_t m_start = 0;
    int m_depth = 0;
    bool m_isInString = false;
};

} // namespace nadi
