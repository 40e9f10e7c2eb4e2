// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/event-loop.h"
#include "network/memory-options.h"
#include "network/network-backend.h"
#include "network/topology.h"
#include "system/memory-model.h"
#include "system/operation.h"
#include "system/point-to-point.h"
#include "system/remote-memory/slice-places.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nadi
{

/// A rank loads from remote memory or stores to it. `token` comes back on completion.
struct MemoryAccess
{
    enum class Direction : uint8_t
    {
        Load,
        Store,
    };

    Direction direction = Direction::Load;
    RankId rank;
    Bytes size;
    uint64_t token = 0;
    NodeId node;      ///< differs from those of the rank's other accesses
    std::string name; ///< for messages
};

/// An access that has not completed; for the wait-for report.
struct PendingMemoryAccess
{
    MemoryAccess access;
    uint32_t slices = 0;
    uint32_t missing = 0; ///< of the slices: not loaded, or not written
    std::string memory;   ///< the name of the memory; empty where there are several
};

/// What was moved between ranks and memories.
struct MemoryTotals
{
    uint64_t loads = 0;  ///< accesses that were started
    uint64_t stores = 0; ///< likewise
    Bytes bytes;         ///< that memories sent: payload
};

/// Accesses to the memories of the network, slice by slice.
///
/// A load sends a request, a message without payload, for each slice to the memory of the slice,
/// and is done when the last slice has arrived. A store sends the slices, and is done when the last
/// one is written. A rank sends all that belongs to an access at once: the network and the memories
/// hold it back where they must.
///
/// A memory serves requests and slices of stores one after the other, in the order of their
/// arrival. Each keeps it busy for size / bandwidth; `latency` after that, the slice is sent or is
/// written, while the memory serves the next. Whatever arrives is taken: the queue of a memory has
/// no bound. A memory that refused requests while its answers are paused could wait for a switch
/// that waits for it.
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
    };

    explicit RemoteMemory(const Context& context);

    /// Told of every message of an access.
    void SetObserver(PointToPointObserver& observer)
    {
        m_observer = &observer;
    }

    /// Calls back OnOperationCompleted. Throws JobError for an access of too many slices.
    void Start(const MemoryAccess& access);

    /// A message of IsMemoryStream was delivered.
    void OnMessageDelivered(const Delivery& delivery);

    /// By (rank, node).
    std::vector<PendingMemoryAccess> FindPending() const;

    const MemoryTotals& Totals() const
    {
        return m_totals;
    }

    /// What it stored: payload.
    Bytes BytesSent(RankId rank) const
    {
        return m_bytesSent[rank.value];
    }

  private:
    struct Running
    {
        MemoryAccess access;
        uint32_t slices = 0;
        uint32_t missing = 0; // 0: the slot is free
    };

    struct Server
    {
        const MemoryGroup* group;
        SimTime freeAt;
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
    std::vector<Server> m_servers; // by memory
    SlotPool<Running> m_running;
    std::vector<Bytes> m_bytesSent; // by rank
    MemoryTotals m_totals;
    PointToPointObserver* m_observer = nullptr;
};

} // namespace nadi
