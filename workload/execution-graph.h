// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "common/units.h"
#include "network/message-kind.h"
#include "system/collective-type.h"
#include "system/exchange-splits.h"
#include "system/kernels/kernel-launch.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nadi
{

/// What a node of a trace does. NodeRoute says which resource that takes.
enum class NodeType : uint8_t
{
    Invalid, ///< completes at once, as metadata does
    Metadata,
    MemoryLoad,
    MemoryStore,
    Compute,
    Send,
    Receive,
    Collective,
    Delay, ///< passes its duration on no resource, idle; of generators, not of traces
    /// Completes at once; the listener of the node's episode is told, with `tag` as the number.
    /// Of episodes, not of traces.
    Milestone,
};

inline bool
IsMemory(NodeType type)
{
    return type == NodeType::MemoryLoad || type == NodeType::MemoryStore;
}

/// One node of an execution trace, in 64 bytes. Sizes are as in the trace: bytes, or elements of
/// the configured element-size.
struct ExecutionNode
{
    /// `peer` of a collective that names no root.
    static constexpr uint32_t NO_ROOT = UINT32_MAX;

    uint64_t id = 0;         ///< as numbered in the trace
    int64_t durationPs = 0;  ///< recorded duration
    uint64_t size = 0;       ///< comm_size, or tensor_size of compute and memory nodes
    uint64_t operations = 0; ///< num_ops
    uint64_t tag = 0;        ///< comm_tag
    uint32_t name = 0;       ///< index of an interned string
    int32_t priority = 0;    ///< comm_priority
    uint32_t group = 0;      ///< index into GroupNames(); 0 = all ranks. Of what calls a group
    /// comm_dst of a send, comm_src of a receive, root of a collective. Of compute the number of
    /// its kernels (ExecutionGraph::KernelsOf), from 1; 0: it names none. The builder sets that.
    uint32_t peer = 0;
    uint32_t stream = 0; ///< 0 = none named; else the CUDA stream + 1, or the host's thread
    NodeType type = NodeType::Invalid;
    CollectiveType collective = CollectiveType::AllReduce;
    bool isCpu : 1 = false;    ///< timed by its duration on the CPU, whatever its type
    bool isRemote : 1 = false; ///< memory node: it accesses a remote memory
    /// Memory node: its trace leaves open whether it is remote, so that whoever reads it decides.
    bool isLocationOpen : 1 = false;
    /// Remote memory node: all ranks of `group` make the access together, where it goes through the
    /// network.
    bool isOfGroup : 1 = false;
    /// All-to-all: its parts differ (ExecutionGraph::SplitsOf). The builder sets it.
    bool hasSplits : 1 = false;
    /// Send: says that its kind is the pipeline's, so that its tag gives it no other
    /// (Workload::kindsOfTags).
    bool saysPipeline : 1 = false;
    MessageKind kind = MessageKind::Pipeline; ///< of a send: whose queue pair it takes

    bool operator==(const ExecutionNode&) const = default;
};

static_assert(sizeof(ExecutionNode) == 64);

/// The dependency graph of one trace file: flat arrays, immutable. Ranks that share a file share
/// the graph.
///
/// It is what all readers and generators make, and all that the engine knows of a trace. How far a
/// rank has come is not here but in RankProgress, so that ranks can share a graph.
///
/// Nodes are addressed by their index, which is their order in the file. Dependencies on nodes that
/// are not in the file are left out and counted (Notes). At most 100 bytes a node with a dependency
/// each, names apart.
class ExecutionGraph
{
  public:
    uint32_t NodeCount() const
    {
        return static_cast<uint32_t>(m_nodes.size());
    }

    const ExecutionNode& Node(uint32_t index) const
    {
        return m_nodes[index];
    }

    /// By index.
    std::span<const ExecutionNode> Nodes() const
    {
        return m_nodes;
    }

    std::string_view Name(uint32_t index) const
    {
        return m_strings[m_nodes[index].name];
    }

    /// What the all-to-all of a node sends to each member of its group; null: equal parts.
    SharedSplits SplitsOf(uint32_t index) const;

    /// How long the recorded collective of a node waited for its last member to call it, or the
    /// receive for its send, which itself waits for nobody; none: the recording does not say.
    std::optional<SimTime> WaitOf(uint32_t index) const;

    /// What a compute node runs, one after the other; empty: it does not say.
    const std::vector<KernelLaunch>& KernelsOf(const ExecutionNode& node) const;

    /// Nodes that depend on `index`, each once.
    std::span<const uint32_t> Children(uint32_t index) const
    {
        return {m_children.data() + m_childOffsets[index],
                m_children.data() + m_childOffsets[index + 1]};
    }

    /// How many distinct nodes `index` depends on.
    uint32_t ParentCount(uint32_t index) const
    {
        return m_parentCounts[index];
    }

    /// Group names as the trace's nodes use them; entry 0 is "" (all ranks).
    const std::vector<std::string>& GroupNames() const
    {
        return m_groupNames;
    }

    /// The file, for messages.
    const std::string& Source() const
    {
        return m_source;
    }

    /// Node indices in a static topological order: Kahn, smallest (priority, node id) first
    /// (docs/semantics.md 2). The graph is acyclic: the reader refuses cycles.
    std::vector<uint32_t> TopologicalOrder() const;

    /// Likewise, the smallest of the keys, which are by index, first, and among equal ones, or
    /// where there are no keys, the first of the file.
    std::vector<uint32_t> TopologicalOrderBy(std::span<const int64_t> keys) const;

    /// The graph with its nodes in another order, each once: `order` is of indices here. Ids, names
    /// and dependencies stay.
    ExecutionGraph InOrder(std::span<const uint32_t> order) const;

    /// Bytes held, names and splits apart: nodes and graphs may share these.
    size_t MemoryBytes() const;

  private:
    friend class ExecutionGraphBuilder;

    std::string m_source;
    std::vector<ExecutionNode> m_nodes;
    std::vector<uint32_t> m_childOffsets; // NodeCount() + 1
    std::vector<uint32_t> m_children;
    std::vector<uint32_t> m_parentCounts;
    std::vector<std::pair<uint32_t, SharedSplits>> m_splits; // of nodes that have some, by node
    std::vector<std::pair<uint32_t, SimTime>> m_waits;       // likewise
    std::vector<std::vector<KernelLaunch>> m_kernels;        // by number; the first is empty
    std::vector<std::string> m_strings;
    std::vector<std::string> m_groupNames;
};

} // namespace nadi
