// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/node-attributes.h"
#include "workload/tools/exports/graph-exports.h"

#include <fmt/format.h>

#include <iterator>
#include <unordered_set>

namespace nadi
{

namespace
{

std::string
EscapeXml(const std::string& text)
{
    std::string escaped;
    for (const char letter : text)
    {
        switch (letter)
        {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        default:
            // XML 1.0 has no other control characters, not even escaped.
            escaped += static_cast<unsigned char>(letter) < ' ' && letter != '\n' && letter != '\t'
                           ? ' '
                           : letter;
        }
    }
    return escaped;
}

void
AppendNode(const ChakraProtoMsg::Node& node, std::string& text)
{
    fmt::format_to(std::back_inserter(text),
                   "<node id=\"{}\"><data key=\"name\">{}</data><data key=\"type\">{}</data>"
                   "<data key=\"duration_ns\">{}</data></node>\n",
                   node.id(),
                   EscapeXml(node.name()),
                   ChakraProtoMsg::NodeType_Name(node.type()),
                   GetDurationNanos(node));
}

/// Writes the edges whose ends are both there, and counts the others.
class EdgeWriter
{
  public:
    EdgeWriter(const TraceDocument& document, std::string& text)
        : m_text(text)
    {
        for (const ChakraProtoMsg::Node& node : document.nodes)
        {
            m_ids.insert(node.id());
        }
    }

    void Append(const ChakraProtoMsg::Node& node,
                const google::protobuf::RepeatedField<uint64_t>& parents,
                const char* kind)
    {
        for (const uint64_t parent : parents)
        {
            if (!m_ids.contains(parent))
            {
                ++m_dangling;
                continue;
            }
            fmt::format_to(std::back_inserter(m_text),
                           "<edge source=\"{}\" target=\"{}\"><data key=\"kind\">{}</data>"
                           "</edge>\n",
                           parent,
                           node.id(),
                           kind);
        }
    }

    uint64_t Dangling() const
    {
        return m_dangling;
    }

  private:
    std::string& m_text;
    std::unordered_set<uint64_t> m_ids;
    uint64_t m_dangling = 0;
};

} // namespace

ExportedText
FormatGraphMl(const TraceDocument& document)
{
    ExportedText result;
    std::string& text = result.text;
    text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
           "<key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
           "<key id=\"type\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>\n"
           "<key id=\"duration_ns\" for=\"node\" attr.name=\"duration_ns\" attr.type=\"long\"/>\n"
           "<key id=\"kind\" for=\"edge\" attr.name=\"kind\" attr.type=\"string\"/>\n"
           "<graph edgedefault=\"directed\">\n";
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        AppendNode(node, text);
    }
    // Both kinds are shown as the file has them, also where a run ignores one of them. FormatDot
    // shows only those that a run obeys.
    EdgeWriter edges(document, text);
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        edges.Append(node, node.data_deps(), "data");
        edges.Append(node, node.ctrl_deps(), "control");
    }
    text += "</graph>\n</graphml>\n";
    if (edges.Dangling() > 0)
    {
        result.notes.push_back(fmt::format(
            "{} dependencies on nodes that are not in the trace are left out", edges.Dangling()));
    }
    return result;
}

} // namespace nadi
