// SPDX-License-Identifier: GPL-2.0-only
#include "workload/tools/editing/call-order.h"

#include "workload/execution-graph-builder.h"
#include "workload/node-index.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

/// What calls have in common that must keep their order: type of message, peer and tag, or group.
using CallKey = std::tuple<NodeType, uint32_t, uint64_t>;

/// Ids of calls in their order.
using CallOrders = std::map<CallKey, std::vector<uint64_t>>;

bool
IsCall(const ExecutionNode& node)
{
    return node.type == NodeType::Send || node.type == NodeType::Receive ||
           node.type == NodeType::Collective || node.isOfGroup;
}

CallKey
CallKeyOf(const ExecutionNode& node)
{
    if (node.isOfGroup)
    {
        // Loads and stores are calls of one kind.
        return {NodeType::MemoryLoad, node.group, 0};
    }
    return node.type == NodeType::Collective ? CallKey{node.type, node.group, 0}
                                             : CallKey{node.type, node.peer, node.tag};
}

CallOrders
FindCallOrders(const ExecutionGraph& graph, const std::vector<bool>& keep)
{
    CallOrders orders;
    for (const uint32_t index : graph.TopologicalOrder())
    {
        if (keep[index] && IsCall(graph.Node(index)))
        {
            orders[CallKeyOf(graph.Node(index))].push_back(graph.Node(index).id);
        }
    }
    return orders;
}

std::span<const uint64_t>
IdSpan(const google::protobuf::RepeatedField<uint64_t>& ids)
{
    return {ids.data(), static_cast<size_t>(ids.size())};
}

/// The graph of the trace after, with the nodes as they were before: what they call has new names
/// by now.
ExecutionGraph
RebuildGraph(const TraceDocument& document, const ExecutionGraph& before)
{
    const NodeIndex index(before.Nodes());
    ExecutionGraphBuilder builder(before.Source());
    for (const ChakraProtoMsg::Node& node : document.nodes)
    {
        // RemoveNodes makes no new ids, so each node was there before.
        ExecutionNode known = before.Node(index.Find(node.id()));
        // A removed call may stay as a joint, which calls nothing.
        known.type = node.type() == ChakraProtoMsg::METADATA_NODE ? NodeType::Metadata : known.type;
        builder.AddNode(known, "", IdSpan(node.data_deps()));
        builder.AddDependencies(DependencyKind::Control, IdSpan(node.ctrl_deps()));
    }
    return builder.Build();
}

uint64_t
ChainCalls(TraceDocument& document, const CallOrders& orders)
{
    // The new dependencies close no circle, as they follow a topological order of the trace before,
    // and so do all dependencies of the trace after. Each call has one key, and so one predecessor.
    std::map<uint64_t, uint64_t> previous; // of a call, by ids
    for (const auto& [key, ids] : orders)
    {
        for (size_t call = 1; call < ids.size(); ++call)
        {
            previous.emplace(ids[call], ids[call - 1]);
        }
    }
    uint64_t added = 0;
    for (ChakraProtoMsg::Node& node : document.nodes)
    {
        const auto call = previous.find(node.id());
        if (call != previous.end() &&
            std::ranges::find(node.data_deps(), call->second) == node.data_deps().end())
        {
            node.add_data_deps(call->second);
            ++added;
        }
    }
    return added;
}

} // namespace

/// Both orders are compared, and calls are chained only where they differ: a chain adds
/// dependencies that the job did not have, so that calls that could run at the same time run one
/// after the other.
uint64_t
KeepCallOrder(TraceDocument& document, const ExecutionGraph& graph, const std::vector<bool>& keep)
{
    const CallOrders before = FindCallOrders(graph, keep);
    const ExecutionGraph after = RebuildGraph(document, graph);
    const bool isKept = before == FindCallOrders(after, std::vector<bool>(after.NodeCount(), true));
    return isKept ? 0 : ChainCalls(document, before);
}

} // namespace nadi
