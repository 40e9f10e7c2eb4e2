// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/node-route.h"
#include "workload/tools/exports/graph-exports.h"
#include "workload/tools/exports/node-boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MOST_BOXES = NodeBoxes::MOST_DRAWN;
constexpr double PS_PER_US = 1e6;

std::string_view
RouteNameOf(NodeRoute route)
{
    // In the order of NodeRoute.
    static constexpr std::array<std::string_view, 9> NAMES{
        "metadata", "CPU", "compute", "stream", "memory", "delay", "send", "receive", "collective"};
    return NAMES[static_cast<size_t>(route)];
}

std::string_view
RouteColourOf(NodeRoute route)
{
    // In the order of NodeRoute.
    static constexpr std::array<std::string_view, 9> COLOURS{"gray90",
                                                             "lightyellow",
                                                             "lightblue",
                                                             "lightblue",
                                                             "wheat",
                                                             "gray90",
                                                             "lightpink",
                                                             "lightpink",
                                                             "lightsalmon"};
    return COLOURS[static_cast<size_t>(route)];
}

/// Quotes and backslashes mean something in a label.
std::string
EscapeLabel(std::string_view text)
{
    std::string escaped;
    for (const char letter : text)
    {
        if (letter == '"' || letter == '\\')
        {
            escaped += '\\';
        }
        escaped += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
    return escaped;
}

void
AppendBox(const ExecutionGraph& graph, const DotBox& box, size_t index, std::string& text)
{
    const auto [route, stream, type] = box.key;
    std::string label = EscapeLabel(graph.Name(box.first));
    if (box.count > 1)
    {
        label = fmt::format(
            "{} nodes\\n{}\\n... {}", box.count, label, EscapeLabel(graph.Name(box.last)));
    }
    fmt::format_to(std::back_inserter(text),
                   "  b{} [label=\"{}\\n{}{}, {} us\", fillcolor={}];\n",
                   index,
                   label,
                   RouteNameOf(route),
                   // ExecutionNode::stream is one more than the number of the stream.
                   stream == 0 ? "" : fmt::format(" {}", stream - 1),
                   static_cast<double>(box.durationPs) / PS_PER_US,
                   RouteColourOf(route));
}

/// From box to box, each once, between boxes that are drawn.
std::vector<std::pair<uint32_t, uint32_t>>
FindBoxEdges(const ExecutionGraph& graph, const NodeBoxes& packed)
{
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const uint32_t from = packed.boxOf[node];
        for (const uint32_t child : graph.Children(node))
        {
            const uint32_t to = packed.boxOf[child];
            // Only the first MOST_BOXES boxes are drawn.
            if (from != to && from < MOST_BOXES && to < MOST_BOXES)
            {
                edges.emplace_back(from, to);
            }
        }
    }
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

std::vector<std::string>
DescribeBoxes(const ExecutionGraph& graph, const std::vector<DotBox>& boxes)
{
    std::vector<std::string> notes;
    if (boxes.size() < graph.NodeCount())
    {
        notes.push_back(fmt::format("{} nodes are drawn as {} boxes: a box holds nodes of one type "
                                    "that follow each other on one resource",
                                    graph.NodeCount(),
                                    boxes.size()));
    }
    if (boxes.size() > MOST_BOXES)
    {
        const uint64_t hidden =
            std::accumulate(boxes.begin() + MOST_BOXES,
                            boxes.end(),
                            uint64_t{0},
                            [](uint64_t sum, const DotBox& box) { return sum + box.count; });
        notes.push_back(fmt::format("the first {} boxes are drawn; {} boxes with {} nodes are left "
                                    "out",
                                    MOST_BOXES,
                                    boxes.size() - MOST_BOXES,
                                    hidden));
    }
    return notes;
}

} // namespace

ExportedText
FormatDot(const ExecutionGraph& graph)
{
    const NodeBoxes packed = PackNodes(graph);
    const std::vector<DotBox>& boxes = packed.boxes;
    ExportedText result{.text = "digraph trace {\n"
                                "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n",
                        .notes = DescribeBoxes(graph, boxes)};
    for (const std::string& note : result.notes)
    {
        fmt::format_to(std::back_inserter(result.text), "  // {}\n", note);
    }
    // The note stands in the picture too, so that a part is not taken for the whole graph.
    if (!result.notes.empty())
    {
        fmt::format_to(
            std::back_inserter(result.text), "  label=\"{}\";\n", EscapeLabel(result.notes.back()));
    }
    for (size_t index = 0; index < std::min(boxes.size(), MOST_BOXES); ++index)
    {
        AppendBox(graph, boxes[index], index, result.text);
    }
    for (const auto& [from, to] : FindBoxEdges(graph, packed))
    {
        fmt::format_to(std::back_inserter(result.text), "  b{} -> b{};\n", from, to);
    }
    result.text += "}\n";
    return result;
}

} // namespace nadi
