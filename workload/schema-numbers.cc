// SPDX-License-Identifier: GPL-2.0-only
#include "workload/schema-numbers.h"

#include "common/check.h"

namespace nadi
{

ChakraProtoMsg::NodeType
ToSchema(NodeType type)
{
    switch (type)
    {
    case NodeType::Invalid:
        return ChakraProtoMsg::INVALID_NODE;
    case NodeType::Metadata:
        return ChakraProtoMsg::METADATA_NODE;
    case NodeType::MemoryLoad:
        return ChakraProtoMsg::MEM_LOAD_NODE;
    case NodeType::MemoryStore:
        return ChakraProtoMsg::MEM_STORE_NODE;
    case NodeType::Compute:
        return ChakraProtoMsg::COMP_NODE;
    case NodeType::Send:
        return ChakraProtoMsg::COMM_SEND_NODE;
    case NodeType::Receive:
        return ChakraProtoMsg::COMM_RECV_NODE;
    case NodeType::Collective:
        return ChakraProtoMsg::COMM_COLL_NODE;
    case NodeType::Delay:
    case NodeType::Milestone:
        // Only graphs in memory have these types. A trace has an operator of the host in place of a
        // Delay (FormatTrace), and no trace has Milestones.
        break;
    }
    NADI_CHECK(!"the schema has this type of node");
    return ChakraProtoMsg::INVALID_NODE;
}

ChakraProtoMsg::CollectiveCommType
ToSchema(CollectiveType type)
{
    switch (type)
    {
    case CollectiveType::AllReduce:
        return ChakraProtoMsg::ALL_REDUCE;
    case CollectiveType::AllGather:
        return ChakraProtoMsg::ALL_GATHER;
    case CollectiveType::ReduceScatter:
        return ChakraProtoMsg::REDUCE_SCATTER;
    case CollectiveType::AllToAll:
        return ChakraProtoMsg::ALL_TO_ALL;
    case CollectiveType::Broadcast:
        return ChakraProtoMsg::BROADCAST;
    case CollectiveType::Reduce:
        return ChakraProtoMsg::REDUCE;
    case CollectiveType::Gather:
        return ChakraProtoMsg::GATHER;
    case CollectiveType::Scatter:
        return ChakraProtoMsg::SCATTER;
    case CollectiveType::Barrier:
        return ChakraProtoMsg::BARRIER;
    }
    NADI_CHECK(!"the schema has this type of collective");
    return ChakraProtoMsg::ALL_REDUCE;
}

} // namespace nadi
