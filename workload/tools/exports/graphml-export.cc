// SPDX-License-Identifier: GPL-2.0-only
#include "workload/document/node-attributes.h"
#include "workload/tools/exports/graph-exports.h"

#include <fmt/format.h>

#include <iterator>

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

void
AppendEdges(const ChakraProtoMsg::Node& node,
            const google::protobuf::RepeatedField<uint64_t>& parents,
            const char* kind,
            std::string& text)
{
    for (const uint64_t parent : parents)
    {
        fmt::format_to(std::back_inserter(text),
                       "<edge source=\"{}\" target=\"{}\"><data key=\"kind\">{}</data></edge>\n",
                       parent,
                       node.id(),
                       kind);
    }
}

} // namespace

std::string
FormatGraphMl(const TraceDocument& document)
{
    std::string text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
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
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        AppendEdges(node, node.data_deps(), "data", text);
        AppendEdges(node, node.ctrl_deps(), "control", text);
    }
    return text + "</graph>\n</graphml>\n";
}

} // namespace nadi
