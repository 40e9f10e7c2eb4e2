// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/text.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <pugixml.hpp>
#include <string>
#include <vector>

namespace nadi
{

/// An XML text, parsed, that knows its lines.
class XmlText
{
  public:
    /// `source` stands in messages. Throws ConfigError for what is no XML, with the line.
    XmlText(const std::string& text, std::string source);

    XmlText(const XmlText&) = delete;
    XmlText& operator=(const XmlText&) = delete;

    pugi::xml_node Root() const
    {
        return m_document.document_element();
    }

    /// The line of a byte of the text, from 1.
    uint32_t LineOf(ptrdiff_t offset) const;

    const std::string& Source() const
    {
        return m_source;
    }

  private:
    std::string m_source;
    std::vector<size_t> m_lineStarts; // ascending
    pugi::xml_document m_document;
};

/// An element of an XML text, and how to complain about it. What it reads throws ConfigError at the
/// element's line where the value is not as asked for. Requires: the text outlives it.
class XmlElement
{
  public:
    XmlElement(pugi::xml_node node, const XmlText& text)
        : m_node(node)
        , m_text(text)
    {
    }

    std::string Name() const
    {
        return m_node.name();
    }

    uint32_t Line() const
    {
        return m_text.LineOf(m_node.offset_debug());
    }

    [[noreturn]] void Fail(const std::string& problem) const;

    bool Has(const char* name) const;

    /// Refuses attributes of other names, and a name that is given twice.
    void CheckAttributes(const std::vector<std::string>& known) const;

    /// The value of an attribute. Throws where it is absent.
    std::string Text(const char* name) const;

    /// A whole number up to `most`.
    uint64_t Number(const char* name, uint64_t most) const;

    /// The same, or nothing for -1 and where the attribute is absent.
    std::optional<uint32_t> Index(const char* name, uint32_t most) const;

    template <class Value>
    Value OneOf(const char* name, const std::map<std::string, Value>& choices) const
    {
        const std::string text = Text(name);
        const auto found = choices.find(text);
        if (found == choices.end())
        {
            std::vector<std::string> known;
            for (const auto& [choice, value] : choices)
            {
                known.push_back(choice);
            }
            Fail(std::string(name) + "=\"" + text + "\" is not known" + SuggestFrom(text, known));
        }
        return found->second;
    }

    /// Its elements in the order of the text. Refuses those with other names than `known`, and text
    /// between them.
    std::vector<XmlElement> Children(const std::vector<std::string>& known) const;

  private:
    pugi::xml_node m_node;
    const XmlText& m_text;
};

} // namespace nadi
