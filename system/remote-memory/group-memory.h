// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/memory-options.h"
#include "network/network-backend.h"
#include "network/topology.h"
#include "system/communicator.h"
#include "system/execution/phase-executor.h"
#include "system/execution/switch-protocol.h"
#include "system/in-network/tree-table.h"
#include "system/memory-model.h"
#include "system/operation.h"
#include "system/remote-memory/access-meetings.h"
#include "system/remote-memory/group-run.h"
#include "system/remote-memory/memory-protocol.h"
#include "system/remote-memory/memory-servers.h"
#include "system/remote-memory/memory-trees.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// Loads and stores that groups make together: each stripe of the tensor leaves its memory once and
/// is multicast, or is reduced on its way and written once.
///
/// An access begins when its last member has made it (AccessMeetings), runs as plans over the trees
/// of the memories (GroupRun), and ends on each member by itself. As with other accesses this is
/// work of the hardware.
class GroupMemory : private GroupRunOwner
{
  public:
    struct Context
    {
        EventLoop& loop;
        NetworkBackend& network;
        const Topology& topology;
        const MemoryOptions& options;
        MemoryServers& servers;
        const std::vector<Communicator>& communicators; ///< by id
        TreeTable* trees = nullptr;                     ///< null: no switch computes
        OperationListener& listener;
    };

    /// All references of the context outlive it.
    explicit GroupMemory(const Context& context);

    /// Calls back OnOperationCompleted. Throws JobError for an access that does not match those of
    /// other members, and for one of too many slices.
    void Start(const MemoryAccess& access);

    /// A message of IsGroupMemoryStream was delivered.
    void OnMessageDelivered(const Delivery& delivery)
    {
        m_executor.OnMessageDelivered(delivery);
    }

    /// By (rank, node).
    std::vector<PendingMemoryAccess> FindPending() const;

    /// What it stored, and what it passed on to other members: payload.
    Bytes BytesSent(RankId rank) const
    {
        return m_executor.BytesSent(rank);
    }

    /// Payload that memories sent.
    Bytes BytesSentByMemories() const
    {
        return Bytes(static_cast<int64_t>(m_shared.sentByMemories));
    }

    /// Payload that switches sent.
    Bytes BytesSentBySwitches() const
    {
        return Bytes(static_cast<int64_t>(m_shared.sentBySwitches));
    }

    /// Accesses that began, of all members together.
    const MemoryTotals& Begun() const
    {
        return m_begun;
    }

  private:
    void OnMembersDone(GroupRun& run, const std::vector<uint32_t>& members) override;
    void Begin(GroupCall call);
    void AddWaiting(std::vector<PendingMemoryAccess>& pending) const;
    void AddRunning(std::vector<PendingMemoryAccess>& pending) const;

    Context m_context;
    AccessMeetings m_meetings;
    MemoryTrees m_trees;
    MemoryProtocol m_hardware;
    std::optional<SwitchProtocol> m_switches;
    PhaseExecutor m_executor;
    GroupRun::Shared m_shared;
    std::map<GroupCall, std::unique_ptr<GroupRun>> m_running;
    MemoryTotals m_begun;
};

} // namespace nadi
