// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/msccl-file/xml-element.h"

#include "common/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace nadi
{

XmlText::XmlText(const std::string& text, std::string source)
    : m_source(std::move(source))
    , m_lineStarts{0}
{
    for (size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
    {
        m_lineStarts.push_back(at + 1);
    }
    const pugi::xml_parse_result result =
        m_document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!result)
    {
        throw ConfigError(fmt::format("{}:{}", m_source, LineOf(result.offset)),
                          fmt::format("is no XML ({}); write an algorithm of MSCCL, "
                                      "<algo ...> with <gpu> elements",
                                      result.description()));
    }
}

uint32_t
XmlText::LineOf(ptrdiff_t offset) const
{
    // pugixml gives -1 for a node whose place it does not know, which then counts as the first
    // line.
    const auto at = static_cast<size_t>(std::max<ptrdiff_t>(offset, 0));
    const auto after = std::upper_bound(m_lineStarts.begin(), m_lineStarts.end(), at);
    return static_cast<uint32_t>(after - m_lineStarts.begin());
}

void
XmlElement::Fail(const std::string& problem) const
{
    throw ConfigError(fmt::format("{}:{}", m_text.Source(), Line()),
                      fmt::format("<{}>: {}", m_node.name(), problem));
}

bool
XmlElement::Has(const char* name) const
{
    return !m_node.attribute(name).empty();
}

void
XmlElement::CheckAttributes(const std::vector<std::string>& known) const
{
    // The parser keeps both of two attributes with one name and finds the first, so that the second
    // would be ignored in silence.
    std::set<std::string> seen;
    for (const pugi::xml_attribute attribute : m_node.attributes())
    {
        const std::string name = attribute.name();
        if (std::find(known.begin(), known.end(), name) == known.end())
        {
            Fail(fmt::format("no attribute is called {}{}", name, SuggestFrom(name, known)));
        }
        if (!seen.insert(name).second)
        {
            Fail(fmt::format("{} is given twice; keep one of them", name));
        }
    }
}

std::string
XmlElement::Text(const char* name) const
{
    if (!Has(name))
    {
        Fail(fmt::format("lacks {}; write {}=\"...\"", name, name));
    }
    return m_node.attribute(name).value();
}

uint64_t
XmlElement::Number(const char* name, uint64_t most) const
{
    const std::string text = Text(name);
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    // std::from_chars takes no sign, no blanks and no digits beyond 64 bits, so all of these are
    // refused.
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end || number > most)
    {
        Fail(fmt::format(
            "{}=\"{}\" is not possible; write a whole number up to {}", name, text, most));
    }
    return number;
}

std::optional<uint32_t>
XmlElement::Index(const char* name, uint32_t most) const
{
    if (!Has(name) || Text(name) == "-1")
    {
        return std::nullopt;
    }
    return static_cast<uint32_t>(Number(name, most));
}

std::vector<XmlElement>
XmlElement::Children(const std::vector<std::string>& known) const
{
    std::vector<XmlElement> children;
    for (const pugi::xml_node child : m_node.children())
    {
        // With parse_default, comments and white space between elements make no nodes, so a node
        // that is no element is text.
        if (child.type() != pugi::node_element)
        {
            Fail(fmt::format("has text inside; write {} elements only", JoinWithOr(known)));
        }
        children.emplace_back(child, m_text);
        const std::string name = child.name();
        if (std::find(known.begin(), known.end(), name) == known.end())
        {
            children.back().Fail("does not belong into <" + Name() + ">" +
                                 SuggestFrom(name, known));
        }
    }
    return children;
}

} // namespace nadi
