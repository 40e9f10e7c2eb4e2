// SPDX-License-Identifier: GPL-2.0-only
#include "importers/import-draft.h"

#include "common/text.h"

#include <sstream>

namespace nadi
{

namespace
{

/// Of JSON, without its quotes.
std::string
DescribeJson(const Json& value)
{
    if (value.is_string())
    {
        return value.get<std::string>();
    }
    if (!value.is_array())
    {
        return value.dump();
    }
    std::string text;
    for (const Json& item : value)
    {
        text += (text.empty() ? "" : ", ") + DescribeJson(item);
    }
    return "[" + text + "]";
}

} // namespace

void
ImportDraft::Map(const ConfigNode& source, const std::string& path, const Json& value)
{
    Set(path, value);
    Note(source, path + ": " + DescribeJson(value));
}

void
ImportDraft::Set(const std::string& path, const Json& value)
{
    Json* place = &m_configuration;
    std::istringstream keys(path);
    // Missing mappings on the path are made. Requires: no value on the path is a word, which cannot
    // get keys.
    for (std::string key; std::getline(keys, key, '.');)
    {
        place = &(*place)[key];
    }
    *place = value;
}

void
ImportDraft::NoteOption(const std::string& option,
                        const std::string& value,
                        const std::string& outcome)
{
    m_lines.push_back(option + ": " + value + " -> " + outcome);
}

void
ImportDraft::Note(const ConfigNode& source, const std::string& outcome)
{
    m_lines.push_back(source.Where() + ": " + source.key + ": " + DescribeValue(source) + " -> " +
                      outcome);
}

void
ImportDraft::DropUnknown(const ConfigNode& source, const std::vector<std::string>& known)
{
    const std::string nearest = FindNearest(source.key, known);
    Note(source,
         "unknown key, left out" +
             (nearest.empty() ? std::string() : " (did you mean " + nearest + "?)"));
}

std::string
DescribeValue(const ConfigNode& node)
{
    if (node.kind == ConfigNode::Kind::Scalar)
    {
        return node.text;
    }
    if (node.kind != ConfigNode::Kind::List)
    {
        return node.kind == ConfigNode::Kind::Map ? "{...}" : "";
    }
    std::string text;
    for (const ConfigNode& child : node.children)
    {
        text += (text.empty() ? "" : ", ") + DescribeValue(child);
    }
    return "[" + text + "]";
}

} // namespace nadi
