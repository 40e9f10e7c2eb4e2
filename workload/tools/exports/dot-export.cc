// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/node-route.h"
#include "workload/tools/exports/graph-exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

constexpr size_t MOST_BOXES = 500;
constexpr uint32_t NO_BOX = ~uint32_t{0};
constexpr double PS_PER_US = 1e6;

/// What nodes of one box share: where they run, and their type.
using BoxKey = std::tuple<NodeRoute, uint32_t, NodeType>;

BoxKey
KeyOf(const ExecutionNode& node)
{
    return {FindRoute(node), HoldsStream(node) ? node.stream : 0, node.type};
}

std::string_view
NameOf(NodeRoute route)
{
    static constexpr std::array<std::string_view, 9> NAMES{
        "metadata", "CPU", "compute", "stream", "memory", "delay", "send", "receive", "collective"};
    return NAMES[static_cast<size_t>(route)];
}

std::string_view
ColourOf(NodeRoute route)
{
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

/// Nodes that are drawn as one.
struct DotBox
{
    BoxKey key;
    uint32_t first = 0;
    uint32_t last = 0;
    uint32_t count = 0;
    int64_t durationPs = 0;
    uint32_t level = 0; ///< above those of all boxes on which it depends
};

/// Puts the nodes of a graph into boxes. Holds: a box depends on boxes of lower levels only, so
/// there are no cycles among boxes.
class BoxPacker
{
  public:
    /// `order`: the nodes, parents before children; it outlives this.
    BoxPacker(const ExecutionGraph& graph, const std::vector<uint32_t>& order)
        : m_graph(graph)
        , m_order(order)
        , m_boxOf(graph.NodeCount(), NO_BOX)
        , m_highest(graph.NodeCount())
    {
    }

    /// Puts at most `most` nodes into a box.
    void Pack(uint32_t most)
    {
        for (const uint32_t node : m_order)
        {
            const auto open = m_open.find(KeyOf(m_graph.Node(node)));
            if (open != m_open.end() && m_boxes[open->second].count < most &&
                CanJoin(node, open->second))
            {
                Join(node, open->second);
            }
            else
            {
                AddBox(node);
            }
        }
    }

    const std::vector<DotBox>& Boxes() const
    {
        return m_boxes;
    }

    uint32_t BoxOf(uint32_t node) const
    {
        return m_boxOf[node];
    }

  private:
    /// The boxes of the highest level on which a node depends: one, or several.
    struct Highest
    {
        uint32_t levels = 0; ///< one more than the level; 0: depends on nothing
        uint32_t box = NO_BOX;
        bool isOnly = true;
    };

    bool CanJoin(uint32_t node, uint32_t box) const
    {
        const Highest& highest = m_highest[node];
        const uint32_t level = m_boxes[box].level;
        return highest.levels <= level ||
               (highest.levels == level + 1 && highest.isOnly && highest.box == box);
    }

    void AddBox(uint32_t node)
    {
        const auto box = static_cast<uint32_t>(m_boxes.size());
        const BoxKey key = KeyOf(m_graph.Node(node));
        m_boxes.push_back({.key = key, .first = node, .level = m_highest[node].levels});
        m_open[key] = box;
        Join(node, box);
    }

    void Join(uint32_t node, uint32_t index)
    {
        DotBox& box = m_boxes[index];
        m_boxOf[node] = index;
        box.last = node;
        ++box.count;
        box.durationPs += m_graph.Node(node).durationPs;
        for (const uint32_t child : m_graph.Children(node))
        {
            Highest& highest = m_highest[child];
            if (box.level + 1 > highest.levels)
            {
                highest = {.levels = box.level + 1, .box = index, .isOnly = true};
            }
            else if (box.level + 1 == highest.levels && highest.box != index)
            {
                highest.isOnly = false;
            }
        }
    }

    const ExecutionGraph& m_graph;
    const std::vector<uint32_t>& m_order;
    std::vector<uint32_t> m_boxOf;
    std::vector<Highest> m_highest;
    std::vector<DotBox> m_boxes;
    std::map<BoxKey, uint32_t> m_open; // the last box of its kind
};

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
                   NameOf(route),
                   stream == 0 ? "" : fmt::format(" {}", stream - 1),
                   static_cast<double>(box.durationPs) / PS_PER_US,
                   ColourOf(route));
}

/// From box to box, each once, between boxes that are drawn.
std::vector<std::pair<uint32_t, uint32_t>>
FindEdges(const ExecutionGraph& graph, const BoxPacker& packer)
{
    std::vector<std::pair<uint32_t, uint32_t>> edges;
    for (uint32_t node = 0; node < graph.NodeCount(); ++node)
    {
        const uint32_t from = packer.BoxOf(node);
        for (const uint32_t child : graph.Children(node))
        {
            const uint32_t to = packer.BoxOf(child);
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

/// The boxes of a graph: as small ones as fit the drawing, or those that are left when only the
/// dependencies limit them.
BoxPacker
PackBoxes(const ExecutionGraph& graph, const std::vector<uint32_t>& order)
{
    const uint32_t count = graph.NodeCount();
    for (uint32_t most = count / static_cast<uint32_t>(MOST_BOXES) + 1;; most *= 2)
    {
        // One node a box is no collapse, so the nodes of a small trace are all drawn.
        const bool isSmall = count <= MOST_BOXES;
        BoxPacker packer(graph, order);
        packer.Pack(isSmall ? 1 : std::min(most, count));
        if (isSmall || most >= count || packer.Boxes().size() <= MOST_BOXES)
        {
            return packer;
        }
    }
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
    const std::vector<uint32_t> order = graph.TopologicalOrder();
    const BoxPacker packer = PackBoxes(graph, order);
    const std::vector<DotBox>& boxes = packer.Boxes();
    ExportedText result{.text = "digraph trace {\n"
                                "  node [shape=box, style=filled, fontname=\"sans-serif\"];\n",
                        .notes = DescribeBoxes(graph, boxes)};
    for (const std::string& note : result.notes)
    {
        fmt::format_to(std::back_inserter(result.text), "  // {}\n", note);
    }
    if (!result.notes.empty())
    {
        fmt::format_to(
            std::back_inserter(result.text), "  label=\"{}\";\n", EscapeLabel(result.notes.back()));
    }
    for (size_t index = 0; index < std::min(boxes.size(), MOST_BOXES); ++index)
    {
        AppendBox(graph, boxes[index], index, result.text);
    }
    for (const auto& [from, to] : FindEdges(graph, packer))
    {
        fmt::format_to(std::back_inserter(result.text), "  b{} -> b{};\n", from, to);
    }
    result.text += "}\n";
    return result;
}

} // namespace nadi
