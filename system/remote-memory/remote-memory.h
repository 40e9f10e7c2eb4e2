// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/event-loop.h"
#include "network/memory-options.h"
#include "network/network-backend.h"
#include "network/topology.h"
#include "system/communicator.h"
#include "system/in-network/tree-table.h"
#include "system/memory-model.h"
#include "system/operation.h"
#include "system/point-to-point.h"
#include "system/remote-memory/group-memory.h"
#include "system/remote-memory/memory-access.h"
#include "system/remote-memory/memory-servers.h"
#include "system/remote-memory/slice-places.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// Accesses to the memories of the network, slice by slice.
///
/// A load sends a request, a message without payload, for each slice to the memory of the slice,
/// and is done when the last slice has arrived. A store sends the slices, and is done when the last
/// one is written. A rank sends all that belongs to an access at once: the network and the memories
/// hold it back where they must.
///
/// Requests and slices of stores are served in the order of their arrival (MemoryServers). What a
/// group accesses together is passed on to GroupMemory.
///
/// This is work of the hardware. So neither the endpoint delay nor what a communication library
/// costs applies.
class RemoteMemory : private EventHandler
{
  public:
    struct Context
    {
        EventLoop& loop;
        NetworkBackend& network;
        const Topology& topology; ///< with the memories of the groups
        const std::vector<MemoryGroup>& groups;
        const MemoryOptions& options;
        OperationListener& listener;
        const std::vector<Communicator>& communicators; ///< by id
        TreeTable* trees = nullptr;                     ///< null: no switch computes
    };

    explicit RemoteMemory(const Context& context);

    /// Told of every message of an access.
    void SetObserver(PointToPointObserver& observer)
    {
        m_observer = &observer;
    }

    /// Calls back OnOperationCompleted. Throws JobError for an access of too many slices, and as
    /// GroupMemory does.
    void Start(const MemoryAccess& access);

    /// A message of IsMemoryStream was delivered.
    void OnMessageDelivered(const Delivery& delivery);

    /// By (rank, node).
    std::vector<PendingMemoryAccess> FindPending() const;

    MemoryTotals Totals() const;

    /// What it stored, and what it passed on for its groups: payload.
    Bytes BytesSent(RankId rank) const
    {
        return m_bytesSent[rank.value] + m_groups.BytesSent(rank);
    }

    /// Payload that switches sent for groups.
    Bytes BytesSentBySwitches() const
    {
        return m_groups.BytesSentBySwitches();
    }

  private:
    struct Running
    {
        MemoryAccess access;
        uint32_t slices = 0;
        uint32_t missing = 0; // 0: the slot is free
    };

    void OnEvent(uint64_t token) override;
    uint32_t CountSlices(const MemoryAccess& access) const;
    Bytes SizeOf(const Running& running, uint32_t slice) const;
    void SendFromRank(uint32_t index, uint32_t slice);
    void SendFromMemory(uint32_t index, uint32_t slice);
    void Serve(VertexId memory, uint32_t index, uint32_t slice);
    void EndSlice(uint32_t index);

    Context m_context;
    SlicePlaces m_places;
    MemoryServers m_servers;
    GroupMemory m_groups;
    SlotPool<Running> m_running;
    std::vector<Bytes> m_bytesSent; // by rank
    MemoryTotals m_totals;
    PointToPointObserver* m_observer = nullptr;
};

} // namespace nadi
