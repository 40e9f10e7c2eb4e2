// SPDX-License-Identifier: GPL-2.0-only
#include "workload/node-kind.h"

namespace nadi
{

std::string_view
KindOf(const ExecutionNode& node)
{
    switch (node.type)
    {
    case NodeType::Invalid:
        return "without a type";
    case NodeType::Metadata:
        return "metadata";
    case NodeType::MemoryLoad:
        return "memory load";
    case NodeType::MemoryStore:
        return "memory store";
    case NodeType::Compute:
        return "compute";
    case NodeType::Delay:
        return "delay";
    case NodeType::Milestone:
        return "milestone";
    case NodeType::Send:
        return "send";
    case NodeType::Receive:
        return "receive";
    case NodeType::Collective:
        break;
    }
    return ToText(node.collective);
}

} // namespace nadi
