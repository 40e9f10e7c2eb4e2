// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/config-document.h"

#include "common/error.h"
#include "configuration/key-path.h"
#include "configuration/section-files.h"
#include "configuration/yaml-reader.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ios>
#include <sstream>
#include <utility>

namespace nadi
{

namespace
{

constexpr std::array SECTIONS{"workload", "system", "network"};
constexpr uint32_t MAX_INCLUDES = 16;

/// Whether a setting says which file a section is read from: `network` or `network.file`.
bool
NamesInclude(const std::string& path)
{
    for (const std::string section : SECTIONS)
    {
        if (path == section || path == section + ".file")
        {
            return true;
        }
    }
    return false;
}

void
MakeMap(ConfigNode& node)
{
    node.kind = ConfigNode::Kind::Map;
    node.text.clear();
}

/// A section that is a mere path becomes `{file: path}`.
void
SpellOutInclude(ConfigNode& section)
{
    if (section.kind != ConfigNode::Kind::Scalar)
    {
        return;
    }
    ConfigNode file = section;
    file.key = "file";
    file.keyLine = section.line;
    MakeMap(section);
    section.children.push_back(std::move(file));
}

/// Mappings are merged key by key at every depth. Anything else is replaced, lists too: nothing
/// tells which item of one list stands for which of another.
void
MergeOver(ConfigNode& base, ConfigNode over)
{
    if (base.kind != ConfigNode::Kind::Map || over.kind != ConfigNode::Kind::Map)
    {
        base = std::move(over);
        return;
    }
    for (ConfigNode& child : over.children)
    {
        if (ConfigNode* found = base.Find(child.key))
        {
            MergeOver(*found, std::move(child));
        }
        else
        {
            base.children.push_back(std::move(child));
        }
    }
}

/// What stands beside `file` in a section overrides what the file says. `packet: {payload: 1 KB}`
/// changes one key of the file's `packet` and keeps its others, since mappings are merged;
/// `dimensions[0].size: 16` as a key changes one item of a list, which by merging could only be
/// replaced as a whole.
void
Override(ConfigNode& base, ConfigNode value)
{
    const bool isPath = value.key.find_first_of(".[") != std::string::npos;
    if (isPath)
    {
        const std::string path = value.key;
        SetAtPath(base, path, std::move(value));
        return;
    }
    ConfigNode over;
    over.kind = ConfigNode::Kind::Map;
    over.children.push_back(std::move(value));
    if (base.kind == ConfigNode::Kind::Null)
    {
        MakeMap(base);
    }
    MergeOver(base, std::move(over));
}

/// "path=value" in two.
std::pair<std::string, std::string>
SplitSetting(const std::string& setting)
{
    const size_t sign = setting.find('=');
    if (sign == std::string::npos)
    {
        throw ConfigError("--set", "\"" + setting + "\" has no \"=\"; write key.path=value");
    }
    return {setting.substr(0, sign), setting.substr(sign + 1)};
}

[[noreturn]] void
FailToRead(const std::filesystem::path& file, const std::string& where, const std::string& reason)
{
    throw ConfigError(where, "cannot read \"" + file.string() + "\": " + reason);
}

} // namespace

std::filesystem::path
ResolvePath(const ConfigNode& node, const std::string& path)
{
    return (node.source->directory / path).lexically_normal();
}

std::ifstream
OpenFile(const std::filesystem::path& file, const std::string& where)
{
    std::string reason = "it is a directory";
    std::error_code error; // of a name that is too long, among others; opening it says the same
    if (!std::filesystem::is_directory(file, error))
    {
        // A stream does not say why it could not be opened, but errno does.
        errno = 0;
        std::ifstream stream(file);
        if (stream)
        {
            return stream;
        }
        reason = std::strerror(errno);
    }
    FailToRead(file, where, reason);
}

ConfigDocument::ConfigDocument(const std::filesystem::path& file,
                               const std::vector<std::string>& settings)
{
    m_root = ReadFile(file, "");
    if (m_root.kind == ConfigNode::Kind::Null)
    {
        MakeMap(m_root);
    }
    // Settings go last, so that they override everything. Those that say which file a section is
    // read from go first, as that file is read in between.
    ApplySettings(settings, true);
    for (const char* name : SECTIONS)
    {
        if (ConfigNode* section = m_root.Find(name))
        {
            ExpandSection(*section, 0);
        }
    }
    ApplySettings(settings, false);
    m_root.Seal();
}

ConfigNode
ConfigDocument::ReadFile(const std::filesystem::path& file, const std::string& where)
{
    std::ifstream stream = OpenFile(file, where);
    m_sources.push_back({file.string(), file.parent_path(), true});
    try
    {
        return ReadYaml(stream, m_sources.back());
    }
    // Of a file that could be opened, such as one on a disk that is damaged.
    catch (const std::ios_base::failure& error)
    {
        FailToRead(file, where, error.code().message());
    }
}

ConfigNode
ConfigDocument::ReadSetting(const std::string& value)
{
    m_sources.push_back({"--set", "", false});
    // As it would stand in a file: after a key.
    std::istringstream stream("value: " + value + "\n");
    ConfigNode read = ReadYaml(stream, m_sources.back());
    if (read.children.size() > 1)
    {
        throw ConfigError("--set",
                          "\"" + read.children[1].key +
                              "\" stands on a line of its own; write a setting for each key");
    }
    return std::move(read.children.front());
}

/// With `ofIncludes` only those settings that say which file a section is read from, else all
/// others. Both keep the order of the command line: of two settings of one key the later one holds.
void
ConfigDocument::ApplySettings(const std::vector<std::string>& settings, bool ofIncludes)
{
    for (const std::string& setting : settings)
    {
        const auto [path, value] = SplitSetting(setting);
        if (NamesInclude(path) != ofIncludes)
        {
            continue;
        }
        // A setting may name `network.file` where `network` is a mere path, which then becomes a
        // mapping.
        if (const size_t dot = path.find('.'); ofIncludes && dot != std::string::npos)
        {
            if (ConfigNode* section = m_root.Find(path.substr(0, dot)))
            {
                SpellOutInclude(*section);
            }
        }
        SetAtPath(m_root, path, ReadSetting(value));
    }
}

void
ConfigDocument::ExpandSection(ConfigNode& section, uint32_t depth)
{
    SpellOutInclude(section);
    const ConfigNode* file = section.Find("file");
    if (file == nullptr)
    {
        return;
    }
    const std::string& name = file->Scalar("the path of a YAML file");
    // A chain of so many files is taken for a circle: nobody nests files so deeply.
    if (depth >= MAX_INCLUDES)
    {
        throw ConfigError(file->Where(), "\"" + name + "\" includes itself; remove \"file\"");
    }
    RequireSectionFile(section.key, *file);
    // Every included value keeps its source, so errors name the file in which the value stands.
    ConfigNode included = ReadFile(ResolvePath(*file, name), file->Where());
    included.key = section.key;
    included.keyLine = section.keyLine;
    // What the included file includes itself is taken in before the keys of `section`, so that the
    // file nearest to the root has the last word.
    ExpandSection(included, depth + 1);
    // After that, since a file may be a mere path to another one.
    if (included.kind != ConfigNode::Kind::Map && included.kind != ConfigNode::Kind::Null)
    {
        included.Fail("is no mapping of keys, as a section must be");
    }
    for (ConfigNode& child : section.children)
    {
        if (child.key != "file")
        {
            Override(included, std::move(child));
        }
    }
    section = std::move(included);
}

} // namespace nadi
