// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/memory-trees.h"

#include "network/message.h"
#include "network/shape.h"

namespace nadi
{

namespace
{

/// All NPUs in one list: where a group lies in a stack matters to its trees, and not to the numbers
/// of its members.
std::vector<Dimension>
MakeList(const Topology& topology)
{
    return {{.shape = ComponentChoice(ROUTES),
             .size = topology.NpuCount(),
             .bandwidth = {},
             .latency = {}}};
}

} // namespace

MemoryTrees::MemoryTrees(const Topology& topology,
                         const MemoryOptions& options,
                         const TreeTable* trees,
                         size_t communicators)
    : m_topology(topology)
    , m_options(options)
    , m_computes(trees != nullptr ? trees->Computing() : std::vector<bool>(topology.VertexCount()))
    , m_layouts(MakeList(topology), {}, communicators)
{
}

const CommunicatorLayout&
MemoryTrees::LayoutOf(const Communicator& communicator)
{
    return m_layouts.Find(communicator, LayoutKind::Flat);
}

const TreeGroup&
MemoryTrees::Find(const Communicator& communicator, uint32_t memory)
{
    std::unique_ptr<TreeGroup>& group = m_groups[{communicator.id, memory}];
    if (!group)
    {
        group = Make(communicator, memory);
    }
    return *group;
}

std::unique_ptr<TreeGroup>
MemoryTrees::Make(const Communicator& communicator, uint32_t memory)
{
    const VertexId vertex{m_topology.FirstMemory().value + memory};
    const CommunicatorLayout& layout = LayoutOf(communicator);
    std::vector<VertexId> members;
    for (uint32_t member = 0; member < layout.Size(); ++member)
    {
        members.push_back(VertexOf(layout.RankOf(member)));
    }
    AggregationTree tree = m_options.multicasts ? FindMemoryTree(m_topology,
                                                                 {.memory = vertex,
                                                                  .members = members,
                                                                  .computes = m_computes,
                                                                  .order = m_options.treeOrder})
                                                : MakeMemoryStar(vertex, layout.Size());
    // With more than MOST_TREE_STREAMS memories, several share a stream. Their messages differ in
    // the phase, which is the number of the memory.
    return std::make_unique<TreeGroup>(std::move(tree), memory % MOST_TREE_STREAMS);
}

} // namespace nadi
