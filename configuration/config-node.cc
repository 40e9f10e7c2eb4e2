// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-node.h"

#include "common/error.h"

#include <algorithm>

namespace nadi
{

namespace
{

std::string
PlaceText(const SourceText& source, uint32_t line)
{
    return source.hasLines ? source.name + ":" + std::to_string(line) : source.name;
}

std::string
KindText(ConfigNode::Kind kind)
{
    switch (kind)
    {
    case ConfigNode::Kind::Null:
        return "has no value";
    case ConfigNode::Kind::List:
        return "is a list";
    case ConfigNode::Kind::Map:
        return "is a mapping";
    case ConfigNode::Kind::Scalar:
        break;
    }
    return "is a single value";
}

/// `trace: {rank}` is a mapping to YAML, with a key `rank` that has no value.
std::string
QuotesText(const ConfigNode& node)
{
    const bool isPlace = node.kind == ConfigNode::Kind::Map && node.children.size() == 1 &&
                         node.children.front().key == "rank" &&
                         node.children.front().kind == ConfigNode::Kind::Null;
    return isPlace ? ", and quote it where it has braces: \"{rank}\"" : "";
}

std::string
Prefixed(const std::string& path, const std::string& problem)
{
    return path.empty() ? problem : path + ": " + problem;
}

} // namespace

/// Linear in the keys, of which a section has few. The check for repeated keys meets mappings of
/// any size, so it has a table of its own (TreeBuilder::FindKey).
const ConfigNode*
ConfigNode::Find(std::string_view name) const
{
    const auto found = std::find_if(children.begin(),
                                    children.end(),
                                    [&](const ConfigNode& child) { return child.key == name; });
    return kind == Kind::Map && found != children.end() ? &*found : nullptr;
}

ConfigNode*
ConfigNode::Find(std::string_view name)
{
    return const_cast<ConfigNode*>(static_cast<const ConfigNode*>(this)->Find(name));
}

std::string
ConfigNode::Where() const
{
    return PlaceText(*source, line);
}

/// Before Seal no value has a parent. So errors about YAML itself and about includes have a file
/// and a line, but no path.
std::string
ConfigNode::Path() const
{
    if (parent == nullptr)
    {
        return "";
    }
    const std::string above = parent->Path();
    if (parent->kind == Kind::List)
    {
        return above + "[" + std::to_string(index) + "]";
    }
    return above.empty() ? key : above + "." + key;
}

void
ConfigNode::Fail(const std::string& problem) const
{
    throw ConfigError(Where(), Prefixed(Path(), problem));
}

void
ConfigNode::FailAtKey(const std::string& problem) const
{
    throw ConfigError(PlaceText(*source, keyLine), Prefixed(Path(), problem));
}

const std::string&
ConfigNode::Scalar(const std::string& expected) const
{
    if (kind != Kind::Scalar)
    {
        Fail(KindText(kind) + "; write " + expected + QuotesText(*this));
    }
    return text;
}

/// Parents are pointers into vectors, which move their items while they grow. So parents are set in
/// one pass over the finished tree. The children of a copy that is made later still point to the
/// original as their parent.
void
ConfigNode::Seal()
{
    uint32_t next = 0;
    for (ConfigNode& child : children)
    {
        child.index = next++;
        child.parent = this;
        child.Seal();
    }
}

} // namespace nadi
