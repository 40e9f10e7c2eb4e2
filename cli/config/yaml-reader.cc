// SPDX-License-Identifier: GPL-2.0-only
#include "cli/config/yaml-reader.h"

#include "common/error.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MAX_DEPTH = 64;
constexpr size_t MAX_VALUES = 10'000'000;

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

/// Builds the tree from the parser's events. Aliases become copies of what they name.
class TreeBuilder : public YAML::EventHandler
{
  public:
    explicit TreeBuilder(const SourceText& source)
        : m_source(source)
    {
    }

    ConfigNode TakeRoot()
    {
        return std::move(m_root);
    }

    void OnDocumentStart(const YAML::Mark&) override
    {
    }

    void OnDocumentEnd() override
    {
    }

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        Add(MakeNode(mark, ConfigNode::Kind::Null), anchor);
    }

    void OnScalar(const YAML::Mark& mark,
                  const std::string&,
                  YAML::anchor_t anchor,
                  const std::string& value) override
    {
        ConfigNode node = MakeNode(mark, ConfigNode::Kind::Scalar);
        node.text = value;
        Add(std::move(node), anchor);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto found = m_anchors.find(anchor);
        if (found == m_anchors.end())
        {
            Fail(mark, "an alias stands inside its own anchor; write the values out");
        }
        m_values += CountValues(found->second);
        CheckValues(mark);
        Add(found->second, 0);
    }

    void OnSequenceStart(const YAML::Mark& mark,
                         const std::string&,
                         YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        Open(mark, ConfigNode::Kind::List, anchor);
    }

    void OnSequenceEnd() override
    {
        Close();
    }

    void OnMapStart(const YAML::Mark& mark,
                    const std::string&,
                    YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        Open(mark, ConfigNode::Kind::Map, anchor);
    }

    void OnMapEnd() override
    {
        Close();
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
        YAML::anchor_t anchor = 0;
        std::optional<Key> key;                ///< read, its value not yet
        std::map<std::string, uint32_t> lines; ///< of the keys seen
    };

    [[noreturn]] void Fail(const YAML::Mark& mark, const std::string& problem) const
    {
        ConfigNode place;
        place.source = &m_source;
        place.line = static_cast<uint32_t>(mark.line + 1);
        place.Fail(problem);
    }

    void CheckValues(const YAML::Mark& mark) const
    {
        if (m_values > MAX_VALUES)
        {
            Fail(mark, "more than ten million values; split the file");
        }
    }

    ConfigNode MakeNode(const YAML::Mark& mark, ConfigNode::Kind kind)
    {
        ++m_values;
        CheckValues(mark);
        ConfigNode node;
        node.kind = kind;
        node.source = &m_source;
        node.line = static_cast<uint32_t>(mark.line + 1);
        node.keyLine = node.line;
        return node;
    }

    void Open(const YAML::Mark& mark, ConfigNode::Kind kind, YAML::anchor_t anchor)
    {
        if (m_frames.size() >= MAX_DEPTH)
        {
            Fail(mark, "nested deeper than 64 levels");
        }
        if (IsKeyExpected())
        {
            Fail(mark, "a list or mapping cannot be a key; quote the key");
        }
        m_frames.push_back({MakeNode(mark, kind), anchor, std::nullopt, {}});
    }

    void Close()
    {
        Frame frame = std::move(m_frames.back());
        m_frames.pop_back();
        Add(std::move(frame.node), frame.anchor);
    }

    bool IsKeyExpected() const
    {
        return !m_frames.empty() && m_frames.back().node.kind == ConfigNode::Kind::Map &&
               !m_frames.back().key.has_value();
    }

    void Add(ConfigNode node, YAML::anchor_t anchor)
    {
        if (anchor != 0)
        {
            m_anchors[anchor] = node;
        }
        if (m_frames.empty())
        {
            m_root = std::move(node);
        }
        else if (IsKeyExpected())
        {
            AddKey(node);
        }
        else
        {
            AddChild(std::move(node));
        }
    }

    void AddKey(const ConfigNode& node)
    {
        Frame& frame = m_frames.back();
        const auto [seen, isNew] = frame.lines.emplace(node.text, node.line);
        if (!isNew)
        {
            node.Fail("key \"" + node.text + "\" is given twice, first in line " +
                      std::to_string(seen->second) + "; remove one");
        }
        frame.key = Key{node.text, node.line};
    }

    void AddChild(ConfigNode node)
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

    const SourceText& m_source;
    ConfigNode m_root;
    std::vector<Frame> m_frames;
    std::map<YAML::anchor_t, ConfigNode> m_anchors;
    size_t m_values = 0;
};

} // namespace

ConfigNode
ReadYaml(std::istream& text, const SourceText& source)
{
    TreeBuilder builder(source);
    ConfigNode root;
    root.source = &source;
    root.line = 1;
    try
    {
        YAML::Parser parser(text);
        if (!parser.HandleNextDocument(builder))
        {
            return root;
        }
        root = builder.TakeRoot();
        TreeBuilder second(source);
        if (parser.HandleNextDocument(second))
        {
            second.TakeRoot().Fail("a second YAML document begins; keep one to a file");
        }
    }
    catch (const YAML::Exception& error)
    {
        root.line = static_cast<uint32_t>(error.mark.line + 1);
        throw ConfigError(root.Where(), "not valid YAML: " + error.msg);
    }
    return root;
}

} // namespace nadi
