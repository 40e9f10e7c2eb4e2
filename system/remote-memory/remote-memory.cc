// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/remote-memory.h"

#include "common/check.h"
#include "common/error.h"
#include "common/unit-parser.h"
#include "system/execution/timer-kind.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

namespace nadi
{

namespace
{

bool
IsLoad(const MemoryAccess& access)
{
    return access.direction == MemoryAccess::Direction::Load;
}

StreamId
StreamOf(const MemoryAccess& access)
{
    return IsLoad(access) ? MEMORY_LOAD_STREAM : MEMORY_STORE_STREAM;
}

MessageKey
KeyOf(const MemoryAccess& access, uint32_t slice)
{
    return {.major = access.node.value, .minor = slice};
}

} // namespace

RemoteMemory::RemoteMemory(const Context& context)
    : m_context(context)
    , m_places(context.topology, context.options.place)
    , m_servers(context.topology, context.groups)
    , m_groups({context.loop,
                context.network,
                context.topology,
                context.options,
                m_servers,
                context.communicators,
                context.trees,
                context.listener})
    , m_bytesSent(context.topology.NpuCount())
{
}

void
RemoteMemory::Start(const MemoryAccess& access)
{
    if (access.group)
    {
        return m_groups.Start(access);
    }
    const uint32_t slices = CountSlices(access);
    const uint32_t index = m_running.Make({access, slices, slices});
    (IsLoad(access) ? m_totals.loads : m_totals.stores) += 1;
    if (!IsLoad(access))
    {
        m_bytesSent[access.rank.value] += access.size;
    }
    for (uint32_t slice = 0; slice < slices; ++slice)
    {
        SendFromRank(index, slice);
    }
}

/// An empty access has one empty slice.
uint32_t
RemoteMemory::CountSlices(const MemoryAccess& access) const
{
    const int64_t slice = m_context.options.slice.Count();
    const int64_t slices = std::max<int64_t>(1, (access.size.Count() - 1) / slice + 1);
    // The number of a slice is the lower half of the token of an event (Serve).
    constexpr uint32_t most = std::numeric_limits<uint32_t>::max();
    if (slices > most)
    {
        throw JobError(fmt::format("{} moves {} in more than {} slices; write a larger "
                                   "system.memory.remote.slice than {}",
                                   ToCallerText(access.rank, access.node, access.name),
                                   ToText(access.size),
                                   most,
                                   ToText(m_context.options.slice)));
    }
    return static_cast<uint32_t>(slices);
}

/// The last slice may be smaller.
Bytes
RemoteMemory::SizeOf(const Running& running, uint32_t slice) const
{
    const Bytes before = m_context.options.slice * int64_t{slice};
    return std::min(m_context.options.slice, running.access.size - before);
}

/// A request, or the data of a store.
void
RemoteMemory::SendFromRank(uint32_t index, uint32_t slice)
{
    const Running& running = m_running[index];
    const MemoryAccess& access = running.access;
    m_context.network.Send({.source = VertexOf(access.rank),
                            .destination = m_places.MemoryOf(access.rank, slice),
                            .size = IsLoad(access) ? Bytes(0) : SizeOf(running, slice),
                            .stream = StreamOf(access),
                            .key = KeyOf(access, slice),
                            .token = index});
}

void
RemoteMemory::SendFromMemory(uint32_t index, uint32_t slice)
{
    const Running& running = m_running[index];
    const MemoryAccess& access = running.access;
    const Bytes size = SizeOf(running, slice);
    m_totals.bytes += size;
    m_context.network.Send({.source = m_places.MemoryOf(access.rank, slice),
                            .destination = VertexOf(access.rank),
                            .size = size,
                            .stream = StreamOf(access),
                            .key = KeyOf(access, slice),
                            .token = index});
}

void
RemoteMemory::OnMessageDelivered(const Delivery& delivery)
{
    const Message& message = delivery.message;
    if (m_observer != nullptr)
    {
        m_observer->OnMessageCompleted(delivery);
    }
    if (IsGroupMemoryStream(message.stream))
    {
        return m_groups.OnMessageDelivered(delivery);
    }
    const auto index = static_cast<uint32_t>(message.token);
    NADI_CHECK(m_running[index].missing > 0);
    // What comes to a memory is a request or the data of a store. Anything else is the answer to a
    // load.
    if (m_context.topology.IsMemory(message.destination))
    {
        return Serve(message.destination, index, static_cast<uint32_t>(message.key.minor));
    }
    EndSlice(index);
}

/// Deliveries of one instant come in the order of their identities, so ranks that arrive together
/// are served in the order of their numbers.
void
RemoteMemory::Serve(VertexId memory, uint32_t index, uint32_t slice)
{
    const Running& running = m_running[index];
    const SimTime served = m_servers.Serve(memory, m_context.loop.Now(), SizeOf(running, slice));
    // The order of events at an instant follows from rank, memory, node and slice, and not from
    // `index`, which depends on earlier accesses.
    const EventOrder order{EventOrder::Kind::Timer,
                           {running.access.rank.value,
                            TimerWord(SystemTimer::MemoryServed, memory.value),
                            running.access.node.value,
                            slice}};
    m_context.loop.ScheduleAt(served, order, *this, uint64_t{index} << 32 | slice);
}

/// A memory has read or written a slice.
void
RemoteMemory::OnEvent(uint64_t token)
{
    const auto index = static_cast<uint32_t>(token >> 32);
    if (IsLoad(m_running[index].access))
    {
        return SendFromMemory(index, static_cast<uint32_t>(token));
    }
    EndSlice(index);
}

/// The listener comes last: it may start other accesses.
void
RemoteMemory::EndSlice(uint32_t index)
{
    if (--m_running[index].missing > 0)
    {
        return;
    }
    const MemoryAccess access = m_running.Take(index).access;
    m_context.listener.OnOperationCompleted(access.rank, access.token);
}

MemoryTotals
RemoteMemory::Totals() const
{
    MemoryTotals totals = m_totals;
    totals.loads += m_groups.Begun().loads;
    totals.stores += m_groups.Begun().stores;
    totals.bytes += m_groups.BytesSentByMemories();
    return totals;
}

std::vector<PendingMemoryAccess>
RemoteMemory::FindPending() const
{
    std::vector<PendingMemoryAccess> pending = m_groups.FindPending();
    for (const Running& running : m_running.Slots())
    {
        if (running.missing > 0)
        {
            const VertexId memory = m_places.MemoryOf(running.access.rank, 0);
            pending.push_back(
                {running.access,
                 running.slices,
                 running.missing,
                 m_places.IsOneMemory() ? m_context.topology.Vertex(memory).name : std::string()});
        }
    }
    // Slots are used again, so their order is not that of the accesses, and those of groups come
    // before them.
    std::sort(pending.begin(),
              pending.end(),
              [](const PendingMemoryAccess& a, const PendingMemoryAccess& b) {
                  return std::tie(a.access.rank, a.access.node) <
                         std::tie(b.access.rank, b.access.node);
              });
    return pending;
}

} // namespace nadi
