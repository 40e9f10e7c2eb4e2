// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/exports/node-boxes.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nadi
{

namespace
{

constexpr uint32_t NO_BOX = ~uint32_t{0};

BoxKey
BoxKeyOf(const ExecutionNode& node)
{
    return {FindRoute(node), HoldsStream(node) ? node.stream : 0, node.type};
}

/// Puts the nodes of a graph into boxes. Holds: a box depends on boxes of lower levels only, so
/// there are no cycles among boxes.
///
/// Nodes are taken once, in a topological order. A node joins the last box of its kind where that
/// keeps the levels, else it begins a box one level above all that it depends on. Time: linear in
/// nodes and dependencies, with a logarithm in the kinds.
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
            const auto open = m_open.find(BoxKeyOf(m_graph.Node(node)));
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

    /// Gives the boxes away.
    NodeBoxes Take()
    {
        return {.boxes = std::move(m_boxes), .boxOf = std::move(m_boxOf)};
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
        // All boxes on which the node depends must be of lower levels than this box, apart from
        // this box itself. Else this box would come to depend on another one of its own level or
        // above, and there could be a cycle.
        const Highest& highest = m_highest[node];
        const uint32_t level = m_boxes[box].level;
        return highest.levels <= level ||
               (highest.levels == level + 1 && highest.isOnly && highest.box == box);
    }

    void AddBox(uint32_t node)
    {
        const auto box = static_cast<uint32_t>(m_boxes.size());
        const BoxKey key = BoxKeyOf(m_graph.Node(node));
        m_boxes.push_back({.key = key, .first = node, .level = m_highest[node].levels});
        // Only the last box of a kind takes nodes, so that no search is needed.
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
            // Of what a child depends on, CanJoin needs the highest level alone, and whether a
            // single box has it.
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

} // namespace

NodeBoxes
PackNodes(const ExecutionGraph& graph)
{
    const std::vector<uint32_t> order = graph.TopologicalOrder();
    const uint32_t count = graph.NodeCount();
    // One node a box is no collapse, so the nodes of a small trace are all drawn. Larger traces
    // begin with the size that would do if all boxes were full. Dependencies keep many boxes from
    // being full, so the size is doubled until few enough boxes are left.
    uint32_t most = count <= NodeBoxes::MOST_DRAWN
                        ? 1
                        : count / static_cast<uint32_t>(NodeBoxes::MOST_DRAWN) + 1;
    while (true)
    {
        BoxPacker packer(graph, order);
        packer.Pack(most);
        NodeBoxes packed = packer.Take();
        if (packed.boxes.size() <= NodeBoxes::MOST_DRAWN || most >= count)
        {
            return packed;
        }
        most = std::min(2 * most, count);
    }
}

} // namespace nadi
