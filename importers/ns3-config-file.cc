// SPDX-License-Identifier: GPL-2.0-only
#include "importers/ns3-config-file.h"

#include "common/error.h"
#include "configuration/config-document.h"
#include "importers/text-lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

namespace nadi
{

namespace
{

constexpr const char* OPTION = "--network";

/// Keys that a configuration of lines has, and nothing else does.
constexpr std::array<const char*, 4> SIGNS{
    "TOPOLOGY_FILE", "CC_MODE", "PACKET_PAYLOAD_SIZE", "ENABLE_QCN"};
/// Sections of the JSON form.
constexpr std::array<const char*, 3> SECTIONS{"files", "congestion_control", "ecn"};

/// Where the JSON form has other words than the lines.
const std::map<std::string, std::string> RENAMED{{"PAYLOAD_SIZE", "PACKET_PAYLOAD_SIZE"},
                                                 {"STOP_TIME", "SIMULATOR_STOP_TIME"},
                                                 {"START", "QLEN_MON_START"},
                                                 {"END", "QLEN_MON_END"}};

/// Whether the first letter that is no space is a brace. The form of lines begins with a key or a
/// comment.
bool
IsJson(const std::filesystem::path& file)
{
    std::ifstream stream = OpenFile(file, OPTION);
    char first = 0;
    return bool(stream >> first) && first == '{';
}

/// A scalar, a list of scalars, or nothing.
ConfigNode
MakeLineNode(const TextLine& line, const SourceText& source)
{
    ConfigNode node = MakeWordNode(line.words.front(), line.number, source);
    node.key = node.text;
    node.text.clear();
    node.kind = line.words.size() > 2 ? ConfigNode::Kind::List : ConfigNode::Kind::Null;
    if (line.words.size() == 2)
    {
        node.kind = ConfigNode::Kind::Scalar;
        node.text = line.words[1];
        return node;
    }
    for (size_t i = 1; i < line.words.size(); ++i)
    {
        node.children.push_back(MakeWordNode(line.words[i], line.number, source));
    }
    return node;
}

std::string
ToLineKey(const std::string& jsonKey)
{
    std::string key = jsonKey;
    std::transform(key.begin(),
                   key.end(),
                   key.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto renamed = RENAMED.find(key);
    return renamed == RENAMED.end() ? key : renamed->second;
}

/// A map becomes the list that the lines have: its length, then keys and values.
ConfigNode
MakeJsonNode(const ConfigNode& value)
{
    ConfigNode node = value;
    node.key = ToLineKey(value.key);
    if (value.kind != ConfigNode::Kind::Map)
    {
        return node;
    }
    node.kind = ConfigNode::Kind::List;
    node.children = {
        MakeWordNode(std::to_string(value.children.size()), value.line, *value.source)};
    for (const ConfigNode& entry : value.children)
    {
        node.children.push_back(MakeWordNode(entry.key, entry.line, *entry.source));
        node.children.push_back(entry);
    }
    return node;
}

/// LINK_DOWN_TIME, LINK_DOWN_A and LINK_DOWN_B are the three values of one line LINK_DOWN, which
/// takes the place of the time. Without the time nothing is joined, and the user is told that the
/// other two keys are not known.
void
JoinLinkDown(ConfigNode& root)
{
    ConfigNode* time = root.Find("LINK_DOWN_TIME");
    if (time == nullptr)
    {
        return;
    }
    ConfigNode joined = *time;
    joined.key = "LINK_DOWN";
    joined.kind = ConfigNode::Kind::List;
    for (const char* key : {"LINK_DOWN_TIME", "LINK_DOWN_A", "LINK_DOWN_B"})
    {
        if (const ConfigNode* part = root.Find(key))
        {
            joined.children.push_back(*part);
        }
    }
    *time = joined;
    std::erase_if(root.children,
                  [](const ConfigNode& node)
                  { return node.key == "LINK_DOWN_A" || node.key == "LINK_DOWN_B"; });
}

ImportFile
ReadJsonForm(const std::filesystem::path& file)
{
    ImportFile read = ReadImportFile(file, OPTION);
    // The sections of the JSON form only group keys. Their keys are moved up into the root, where
    // those of the lines are.
    ConfigNode root = read.root;
    root.children.clear();
    for (const ConfigNode& section : read.root.children)
    {
        if (section.kind != ConfigNode::Kind::Map)
        {
            root.children.push_back(MakeJsonNode(section));
            continue;
        }
        for (const ConfigNode& value : section.children)
        {
            root.children.push_back(MakeJsonNode(value));
        }
    }
    JoinLinkDown(root);
    read.root = root;
    return read;
}

ImportFile
ReadLinesForm(const std::filesystem::path& file)
{
    TextLines lines = ReadTextLines(file, OPTION);
    ImportFile read;
    read.root.kind = ConfigNode::Kind::Map;
    read.root.source = lines.source.get();
    read.root.line = 1;
    for (const TextLine& line : lines.lines)
    {
        read.root.children.push_back(MakeLineNode(line, *lines.source));
    }
    read.source = std::move(lines.source);
    return read;
}

/// The reader of YAML refuses a key that stands twice in one map. It does not see lines, nor that
/// two sections of the JSON form have the same key.
void
CheckKeys(const ConfigNode& root)
{
    for (const ConfigNode& node : root.children)
    {
        // Find gives the first node of a key, so a second one is not the node that it finds.
        if (root.Find(node.key) != &node)
        {
            node.FailAtKey("is given twice; write it once");
        }
    }
}

} // namespace

bool
IsNs3ConfigFile(const std::filesystem::path& file)
{
    if (IsJson(file))
    {
        const ImportFile read = ReadImportFile(file, OPTION);
        // The network files of the analytical backends may be JSON too. They have none of these
        // sections.
        return std::any_of(SECTIONS.begin(),
                           SECTIONS.end(),
                           [&](const char* key) { return read.root.Find(key) != nullptr; });
    }
    const TextLines lines = ReadTextLines(file, OPTION);
    return std::any_of(
        lines.lines.begin(),
        lines.lines.end(),
        [](const TextLine& line)
        { return std::find(SIGNS.begin(), SIGNS.end(), line.words.front()) != SIGNS.end(); });
}

// The JSON form is turned into that of lines, so that the mapping knows a single form: sections are
// dissolved, keys are put in capitals and renamed, maps become lists, and the three keys of a
// failing link become one.
ImportFile
ReadNs3ConfigFile(const std::filesystem::path& file)
{
    ImportFile read = IsJson(file) ? ReadJsonForm(file) : ReadLinesForm(file);
    // Both readers build a new tree, whose values have no parents before this.
    read.root.Seal();
    CheckKeys(read.root);
    return read;
}

} // namespace nadi
