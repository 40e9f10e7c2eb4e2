// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/execution-graph-builder.h"
#include "workload/models/kernel-work.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// The graph of one rank, or of ranks that share it, written in the order in which the program
/// issues: ids count from 0.
class GeneratedGraph
{
  public:
    using Id = uint64_t;
    using Ids = std::vector<uint64_t>;

    explicit GeneratedGraph(const std::string& source)
        : m_builder(source)
    {
    }

    /// The index of a group for AddCollective; "" is all ranks. New groups count up from 1.
    uint32_t AddGroup(const std::string& name)
    {
        return m_builder.AddGroup(name);
    }

    Id AddCompute(const std::string& name, Work work, const Ids& after);
    Id AddTimedCompute(const std::string& name, SimTime duration, const Ids& after);

    /// Time that passes on no resource.
    Id AddDelay(const std::string& name, SimTime delay, const Ids& after);

    /// Tells the listener of the graph's episode that `after` is done.
    Id AddMilestone(uint64_t number, const Ids& after);

    /// A plain optimizer: 2 operations for each parameter, which is read and written, and its
    /// gradient read.
    Id AddUpdate(uint64_t parameters, uint64_t elementBytes, const Ids& after);

    struct Call
    {
        CollectiveType type = CollectiveType::AllReduce;
        uint64_t bytes = 0; ///< of an all-gather, the shard
        uint32_t group = 0;
        SharedSplits splits{}; ///< of an all-to-all: bytes for each member; null: equal parts
    };

    Id AddCollective(const std::string& name, const Call& call, const Ids& after);

    /// An access to remote memory that all ranks of a group make together.
    struct Access
    {
        NodeType type = NodeType::MemoryLoad; ///< or MemoryStore
        uint64_t bytes = 0;
        uint32_t group = 0;
    };

    Id AddAccess(const std::string& name, const Access& access, const Ids& after);

    /// The same by the rank alone; `access.group` counts for nothing.
    Id AddOwnAccess(const std::string& name, const Access& access, const Ids& after);

    struct Message
    {
        uint32_t peer = 0; ///< index into Workload::rankOfPeer
        uint64_t tag = 0;
        uint64_t bytes = 0;
        MessageKind kind = MessageKind::Pipeline; ///< of a send; a receive's counts for nothing
    };

    Id AddSend(const std::string& name, const Message& message, const Ids& after);
    Id AddReceive(const std::string& name, const Message& message, const Ids& after);

    /// Gives the graph away.
    ExecutionGraph Build()
    {
        return m_builder.Build();
    }

  private:
    Id Add(ExecutionNode node, const std::string& name, const Ids& after);

    ExecutionGraphBuilder m_builder;
    Id m_nextId = 0;
};

} // namespace nadi
