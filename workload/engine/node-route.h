// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph.h"

#include <cstdint>

namespace nadi
{

/// Where a node goes once it is ready, and what its completion frees.
enum class NodeRoute : uint8_t
{
    Untimed,       ///< completes at once
    Cpu,           ///< the CPU: one node at a time of each thread
    ComputeEngine, ///< the rank's compute engine: one node at a time
    Stream,        ///< compute on a named stream: its turn there is all it needs
    Memory,
    Delay, ///< passes its duration on no resource
    Send,
    Receive,
    Collective,
};

/// A node that says it is a CPU operation runs on the CPU, whatever its type.
constexpr NodeRoute
FindRoute(const ExecutionNode& node)
{
    if (node.isCpu)
    {
        return NodeRoute::Cpu;
    }
    switch (node.type)
    {
    case NodeType::Compute:
        return node.stream == 0 ? NodeRoute::ComputeEngine : NodeRoute::Stream;
    case NodeType::MemoryLoad:
    case NodeType::MemoryStore:
        return NodeRoute::Memory;
    case NodeType::Send:
        return NodeRoute::Send;
    case NodeType::Receive:
        return NodeRoute::Receive;
    case NodeType::Collective:
        return NodeRoute::Collective;
    case NodeType::Delay:
        return NodeRoute::Delay;
    case NodeType::Invalid:
    case NodeType::Metadata:
    case NodeType::Milestone:
        break;
    }
    return NodeRoute::Untimed;
}

/// Whether the node is a call of its group, which members number and match: a collective, or an
/// access to remote memory that they make together.
constexpr bool
CallsGroup(const ExecutionNode& node)
{
    const NodeRoute route = FindRoute(node);
    return route == NodeRoute::Collective || (route == NodeRoute::Memory && node.isOfGroup);
}

/// Whether the node takes its turn on the CUDA stream that it names. Sends and receives never do:
/// a rank that sends and receives at once would wait for itself.
constexpr bool
HoldsStream(const ExecutionNode& node)
{
    const NodeRoute route = FindRoute(node);
    return node.stream != 0 && (route == NodeRoute::Stream || route == NodeRoute::Memory ||
                                route == NodeRoute::Collective);
}

/// Whether the node computes on the accelerator.
constexpr bool
IsKernel(NodeRoute route)
{
    return route == NodeRoute::ComputeEngine || route == NodeRoute::Stream;
}

} // namespace nadi
