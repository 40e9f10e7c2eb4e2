// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/key-path.h"

#include "common/error.h"

#include <charconv>
#include <utility>

namespace nadi
{

namespace
{

/// Cuts a path at dots and brackets.
/// A path is a name, and then any number of `.name` and `[index]`. A name holds any letters but
/// dots and opening brackets.
class PathParser
{
  public:
    PathParser(const std::string& path, const std::string& where)
        : m_path(path)
        , m_where(where)
    {
    }

    std::vector<KeyStep> Parse()
    {
        ReadName();
        while (m_at < m_path.size())
        {
            const char mark = m_path[m_at++];
            if (mark == '.')
            {
                ReadName();
            }
            else
            {
                ReadIndex();
            }
        }
        return std::move(m_steps);
    }

  private:
    [[noreturn]] void Fail() const
    {
        throw ConfigError(m_where,
                          "\"" + m_path +
                              "\" is not a path of keys; write it like "
                              "network.dimensions[0].bandwidth");
    }

    void ReadName()
    {
        const size_t end = std::min(m_path.find_first_of(".[", m_at), m_path.size());
        if (end == m_at)
        {
            Fail();
        }
        m_steps.push_back({m_path.substr(m_at, end - m_at), 0, false});
        m_at = end;
    }

    void ReadIndex()
    {
        KeyStep step{"", 0, true};
        const char* const last = m_path.data() + m_path.size();
        const auto [end, error] = std::from_chars(m_path.data() + m_at, last, step.index);
        // Where the number ends the path there is no letter to look at.
        if (error != std::errc{} || end == last || *end != ']')
        {
            Fail();
        }
        m_at = static_cast<size_t>(end - m_path.data()) + 1;
        // Parse takes any letter but a dot for an opening bracket: without this check "a[0]b1]"
        // would pass as "a[0][1]".
        if (m_at < m_path.size() && m_path[m_at] != '.' && m_path[m_at] != '[')
        {
            Fail();
        }
        m_steps.push_back(std::move(step));
    }

    const std::string& m_path;
    const std::string& m_where;
    size_t m_at = 0;
    std::vector<KeyStep> m_steps;
};

/// The path of the first `count` steps, as written.
std::string
Begin(const std::vector<KeyStep>& steps, size_t count)
{
    std::string text;
    for (size_t i = 0; i < count; ++i)
    {
        const KeyStep& step = steps[i];
        text +=
            step.isIndex ? "[" + std::to_string(step.index) + "]" : (i == 0 ? "" : ".") + step.name;
    }
    return text;
}

/// Throws ConfigError without a place, as EnterMap does: SetAtPath adds the place.
ConfigNode&
EnterList(ConfigNode& node, const KeyStep& step, const std::string& above)
{
    if (node.kind == ConfigNode::Kind::Null)
    {
        throw ConfigError("",
                          above + ": is not written, so it has no items; write it in the file, or "
                                  "set it whole");
    }
    if (node.kind != ConfigNode::Kind::List)
    {
        throw ConfigError("",
                          above + ": is not a list; remove [" + std::to_string(step.index) + "]");
    }
    if (step.index >= node.children.size())
    {
        throw ConfigError("",
                          above + ": has " + std::to_string(node.children.size()) +
                              " items, numbered from 0; [" + std::to_string(step.index) +
                              "] is not one of them");
    }
    return node.children[step.index];
}

/// Why the value has no key of this name, and what to write.
std::string
DescribeNoMap(const ConfigNode& node, const std::string& name, const std::string& above)
{
    if (node.kind != ConfigNode::Kind::List)
    {
        return ": is a single value, it has no key " + name;
    }
    const bool isNumber = name.find_first_not_of("0123456789") == std::string::npos;
    return isNumber ? ": is a list; write its item as " + above + "[" + name + "]"
                    : ": is a list; say which item, as in " + above + "[0]." + name;
}

/// The value under the key, which is made where there is none. It has the place of `value`: for
/// `--set network.packet.payload=1KB` an error about `packet` then says --set, and no line of a
/// file that has no such key.
ConfigNode&
EnterMap(ConfigNode& node, const KeyStep& step, const ConfigNode& value, const std::string& above)
{
    // `packet:` with nothing behind it counts as an empty mapping, and so does a value that was
    // added on the way.
    if (node.kind == ConfigNode::Kind::Null)
    {
        node.kind = ConfigNode::Kind::Map;
    }
    if (node.kind != ConfigNode::Kind::Map)
    {
        throw ConfigError("", above + DescribeNoMap(node, step.name, above));
    }
    if (ConfigNode* found = node.Find(step.name))
    {
        return *found;
    }
    ConfigNode added;
    added.source = value.source;
    added.line = value.line;
    added.keyLine = value.keyLine;
    added.key = step.name;
    node.children.push_back(std::move(added));
    return node.children.back();
}

} // namespace

std::vector<KeyStep>
ParseKeyPath(const std::string& path, const std::string& where)
{
    return PathParser(path, where).Parse();
}

void
SetAtPath(ConfigNode& root, const std::string& path, ConfigNode value)
{
    const std::vector<KeyStep> steps = ParseKeyPath(path, value.Where());
    ConfigNode* at = &root;
    try
    {
        for (size_t i = 0; i < steps.size(); ++i)
        {
            const std::string above = Begin(steps, i);
            at = steps[i].isIndex ? &EnterList(*at, steps[i], above)
                                  : &EnterMap(*at, steps[i], value, above);
        }
    }
    catch (const ConfigError& error)
    {
        // EnterList and EnterMap tell what is wrong, but not where: the place is that of the value.
        throw ConfigError(value.Where(), error.Problem());
    }
    // The value still has the key under which it was written, such as "dimensions[0].size".
    value.key = at->key;
    *at = std::move(value);
}

} // namespace nadi
