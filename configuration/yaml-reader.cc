// SPDX-License-Identifier: GPL-2.0-only
#include "configuration/yaml-reader.h"

#include "common/error.h"
#include "configuration/whole-text.h"
#include "configuration/yaml-events.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace nadi
{

namespace
{

/// Far beyond what any configuration needs. They keep a file that is wrong, or made to do harm,
/// from taking all memory: nine lists, the first of ten values and each other one of ten aliases of
/// the one before, would be a billion values; a device such as /dev/zero has no end. Of the links
/// of a topology file, ten million values take some 150 MB.
constexpr size_t MAX_DEPTH = 64;
constexpr size_t MAX_VALUES = 10'000'000;
constexpr size_t MAX_REPEATED = 1'000'000;
constexpr size_t MAX_BYTES = size_t{512} << 20;

/// So few keys are compared one by one. With more, each comparison with all keys would make the
/// reading of a mapping of n keys take n^2 steps, so they are looked up in a table.
constexpr size_t FEW_KEYS = 16;

/// The value itself and all below it.
size_t
CountValues(const ConfigNode& node)
{
    size_t count = 1;
    for (const ConfigNode& child : node.children)
    {
        count += CountValues(child);
    }
    return count;
}

/// Whether an unquoted value is YAML's word for none.
/// With a tag, as in `!!str null`, the word is a text.
bool
IsNull(const yaml_event_t& event)
{
    constexpr std::array<std::string_view, 5> words{"", "~", "null", "Null", "NULL"};
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    return scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nullptr && text.size() <= 4 &&
           std::find(words.begin(), words.end(), text) != words.end();
}

/// Builds the tree from the parser's events. Aliases become copies of what they name.
///
/// The lists and mappings that are open form a stack. A value goes into the top one when the value
/// is complete. In a mapping, keys and their values come by turns.
///
/// The events of `a: [1, 2]` are: the start of a mapping, `a`, the start of a list, 1, 2, and two
/// ends. The first start opens a frame, `a` becomes its key, and the second start opens another
/// frame, which takes 1 and 2. Its end closes it, and the list goes into the mapping under the key
/// that waits there.
class TreeBuilder
{
  public:
    explicit TreeBuilder(const SourceText& source)
        : m_source(source)
    {
    }

    void Take(const yaml_event_t& event);

    ConfigNode TakeRoot()
    {
        return std::move(m_root);
    }

    [[noreturn]] void Fail(const yaml_event_t& event, const std::string& problem) const
    {
        MakeNode(event, ConfigNode::Kind::Null).Fail(problem);
    }

  private:
    struct Key
    {
        std::string text;
        uint32_t line;
    };

    struct Frame
    {
        ConfigNode node;
        std::string anchor;
        std::optional<Key> key; ///< read, its value not yet
        /// Of the keys so far, where there are more than a few.
        std::unordered_map<std::string, uint32_t> lines = {};
    };

    ConfigNode MakeNode(const yaml_event_t& event, ConfigNode::Kind kind) const;
    void TakeScalar(const yaml_event_t& event);
    void TakeAlias(const yaml_event_t& event);
    [[noreturn]] void FailAtAlias(const yaml_event_t& event) const;
    void Open(const yaml_event_t& event, ConfigNode::Kind kind, const yaml_char_t* anchor);
    void Close();
    bool IsKeyExpected() const;
    void Add(ConfigNode node, const std::string& anchor);
    void KeepAnchor(const ConfigNode& node, const std::string& anchor);
    void AddKey(ConfigNode node);
    void AddChild(ConfigNode node);
    void CountValue(const yaml_event_t& event, size_t count);
    std::optional<uint32_t> FindKey(const std::string& text);

    const SourceText& m_source;
    ConfigNode m_root;
    std::vector<Frame> m_frames;
    std::map<std::string, ConfigNode> m_anchors;
    size_t m_values = 0;
    size_t m_repeated = 0; // by aliases
    size_t m_anchored = 0; // in m_anchors
};

void
TreeBuilder::Take(const yaml_event_t& event)
{
    switch (event.type)
    {
    case YAML_SCALAR_EVENT:
        return TakeScalar(event);
    case YAML_ALIAS_EVENT:
        return TakeAlias(event);
    case YAML_SEQUENCE_START_EVENT:
        return Open(event, ConfigNode::Kind::List, event.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return Open(event, ConfigNode::Kind::Map, event.data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return Close();
    default: // of the document
        return;
    }
}

ConfigNode
TreeBuilder::MakeNode(const yaml_event_t& event, ConfigNode::Kind kind) const
{
    ConfigNode node;
    node.kind = kind;
    node.source = &m_source;
    node.line = YamlLineOf(event);
    // AddChild replaces this where the value has a key.
    node.keyLine = node.line;
    return node;
}

void
TreeBuilder::TakeScalar(const yaml_event_t& event)
{
    CountValue(event, 1);
    const bool isNull = IsNull(event);
    ConfigNode node = MakeNode(event, isNull ? ConfigNode::Kind::Null : ConfigNode::Kind::Scalar);
    if (!isNull)
    {
        node.text.assign(reinterpret_cast<const char*>(event.data.scalar.value),
                         event.data.scalar.length);
    }
    Add(std::move(node), YamlTextOf(event.data.scalar.anchor));
}

void
TreeBuilder::FailAtAlias(const yaml_event_t& event) const
{
    const std::string anchor = YamlTextOf(event.data.alias.anchor);
    const bool isInside = std::any_of(m_frames.begin(),
                                      m_frames.end(),
                                      [&](const Frame& frame) { return frame.anchor == anchor; });
    Fail(event,
         isInside ? "an alias stands inside its own anchor; write the values out"
                  : "the alias *" + anchor + " has no anchor; write &" + anchor +
                        " before what it stands for");
}

void
TreeBuilder::TakeAlias(const yaml_event_t& event)
{
    const auto found = m_anchors.find(YamlTextOf(event.data.alias.anchor));
    if (found == m_anchors.end())
    {
        FailAtAlias(event);
    }
    // Counted before it is copied: a copy that is too large must never be made.
    const size_t count = CountValues(found->second);
    m_repeated += count;
    if (m_repeated > MAX_REPEATED)
    {
        Fail(event, "aliases repeat more than a million values; write out what is meant");
    }
    CountValue(event, count);
    // The copy keeps the lines of the anchored value: a wrong value has to be put right there.
    Add(found->second, "");
}

void
TreeBuilder::Open(const yaml_event_t& event, ConfigNode::Kind kind, const yaml_char_t* anchor)
{
    if (m_frames.size() >= MAX_DEPTH)
    {
        Fail(event, "nested deeper than 64 levels");
    }
    if (IsKeyExpected())
    {
        Fail(event, "a list or mapping cannot be a key; quote the key");
    }
    CountValue(event, 1);
    m_frames.push_back({MakeNode(event, kind), YamlTextOf(anchor), std::nullopt});
}

void
TreeBuilder::Close()
{
    Frame frame = std::move(m_frames.back());
    m_frames.pop_back();
    // A list of a million mappings would hold half as much again in spare places.
    frame.node.children.shrink_to_fit();
    Add(std::move(frame.node), frame.anchor);
}

bool
TreeBuilder::IsKeyExpected() const
{
    return !m_frames.empty() && m_frames.back().node.kind == ConfigNode::Kind::Map &&
           !m_frames.back().key.has_value();
}

/// An anchor within another one is kept twice, so what anchors hold is counted, too.
///
/// A copy is kept, as the value itself goes into the tree. An anchor that is given again replaces
/// the earlier one for the aliases that follow, as YAML wants it.
void
TreeBuilder::KeepAnchor(const ConfigNode& node, const std::string& anchor)
{
    m_anchored += CountValues(node);
    if (m_anchored > MAX_VALUES)
    {
        node.Fail("anchors within anchors hold more than ten million values; remove some");
    }
    m_anchors[anchor] = node;
}

void
TreeBuilder::Add(ConfigNode node, const std::string& anchor)
{
    // An anchor is known only when its value is complete. So no alias inside the value finds it,
    // and there are no circles.
    if (!anchor.empty())
    {
        KeepAnchor(node, anchor);
    }
    if (m_frames.empty())
    {
        m_root = std::move(node);
    }
    else if (IsKeyExpected())
    {
        AddKey(std::move(node));
    }
    else
    {
        AddChild(std::move(node));
    }
}

void
TreeBuilder::AddKey(ConfigNode node)
{
    if (const std::optional<uint32_t> line = FindKey(node.text))
    {
        node.Fail("key \"" + node.text + "\" is given twice, first in line " +
                  std::to_string(*line) + "; remove one");
    }
    m_frames.back().key = Key{std::move(node.text), node.line};
}

/// The line of a key that the open mapping has.
std::optional<uint32_t>
TreeBuilder::FindKey(const std::string& text)
{
    Frame& frame = m_frames.back();
    const std::vector<ConfigNode>& children = frame.node.children;
    if (children.size() < FEW_KEYS)
    {
        const ConfigNode* const found = frame.node.Find(text);
        return found == nullptr ? std::nullopt : std::optional(found->keyLine);
    }
    // All keys differ, so the size of the table is the number of children that it has taken in.
    for (size_t index = frame.lines.size(); index < children.size(); ++index)
    {
        frame.lines.emplace(children[index].key, children[index].keyLine);
    }
    const auto found = frame.lines.find(text);
    return found == frame.lines.end() ? std::nullopt : std::optional(found->second);
}

void
TreeBuilder::AddChild(ConfigNode node)
{
    Frame& frame = m_frames.back();
    if (frame.key)
    {
        node.key = std::move(frame.key->text);
        node.keyLine = frame.key->line;
        frame.key.reset();
    }
    frame.node.children.push_back(std::move(node));
}

void
TreeBuilder::CountValue(const yaml_event_t& event, size_t count)
{
    m_values += count;
    if (m_values > MAX_VALUES)
    {
        Fail(event, "more than ten million values; split the file");
    }
}

/// The one document of a text; null where there is none.
/// A second document is refused: nothing says which of the two would be meant.
ConfigNode
BuildTree(YamlEvents& events, const SourceText& source)
{
    TreeBuilder builder(source);
    bool hasDocument = false;
    for (;;)
    {
        const yaml_event_t& event = events.Next();
        if (event.type == YAML_STREAM_END_EVENT)
        {
            break;
        }
        if (event.type == YAML_DOCUMENT_START_EVENT && std::exchange(hasDocument, true))
        {
            builder.Fail(event, "a second YAML document begins; keep one to a file");
        }
        builder.Take(event);
    }
    if (hasDocument)
    {
        return builder.TakeRoot();
    }
    // Errors about a text without a document, such as an empty file, need a place too.
    ConfigNode none;
    none.source = &source;
    none.line = 1;
    return none;
}

} // namespace

ConfigNode
ReadYaml(std::istream& stream, const SourceText& source)
{
    // Read as a whole, since YamlEvents counts lines in the text to find that of a byte that is no
    // text.
    const std::optional<std::string> text = ReadWholeText(stream, MAX_BYTES);
    if (!text)
    {
        throw ConfigError(source.name, "more than 512 MiB; name a YAML file, or split it");
    }
    try
    {
        YamlEvents events(*text);
        return BuildTree(events, source);
    }
    catch (const YamlError& error)
    {
        ConfigNode place;
        place.source = &source;
        place.line = error.Line();
        throw ConfigError(place.Where(), std::string("not valid YAML: ") + error.what());
    }
}

} // namespace nadi
