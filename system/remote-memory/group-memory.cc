// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/group-memory.h"

#include <utility>

namespace nadi
{

GroupMemory::GroupMemory(const Context& context)
    : m_context(context)
    , m_meetings(context.communicators)
    , m_trees(context.topology, context.options, context.trees, context.communicators.size())
    , m_hardware(context.servers)
    , m_executor(context.loop,
                 context.network,
                 context.topology.NpuCount(),
                 context.trees != nullptr ? context.trees->Reducers() : nullptr)
    , m_shared{.executor = m_executor,
               .trees = m_trees,
               .owner = *this,
               .hardware = m_hardware,
               .switches = nullptr,
               .memories = context.topology.MemoryCount(),
               .slice = context.options.slice}
{
    if (context.trees != nullptr)
    {
        m_switches.emplace(context.trees->Options());
        m_shared.switches = &*m_switches;
    }
}

void
GroupMemory::Start(const MemoryAccess& access)
{
    if (m_meetings.Arrive(access))
    {
        Begin(*access.group);
    }
}

void
GroupMemory::Begin(GroupCall call)
{
    AccessMeetings::Accesses accesses = m_meetings.Take(call);
    const bool isLoad = accesses.begin()->second.direction == MemoryDirection::Load;
    (isLoad ? m_begun.loads : m_begun.stores) += 1;
    const Communicator& communicator = m_context.communicators[call.communicator.value];
    // A run that cannot be made throws before it is among those that are asked what they wait for.
    auto made = std::make_unique<GroupRun>(m_shared, communicator, call, std::move(accesses));
    m_running.emplace(call, std::move(made)).first->second->Start();
}

/// The listener comes last: it may start other accesses.
void
GroupMemory::OnMembersDone(GroupRun& run, const std::vector<uint32_t>& members)
{
    // These are copied first: the run may be destroyed below, before the listener is told.
    std::vector<std::pair<RankId, uint64_t>> done;
    for (const uint32_t member : members)
    {
        done.emplace_back(run.AccessOf(member).rank, run.AccessOf(member).token);
    }
    if (run.HasEnded())
    {
        // Each call has streams of its own, and the network keeps the queue pairs of a stream until
        // it is closed.
        for (const StreamId stream : run.FindStreams())
        {
            m_context.network.CloseStream(stream);
        }
        m_running.erase(GroupCall(run.Call()));
    }
    for (const auto& [rank, token] : done)
    {
        m_context.listener.OnOperationCompleted(rank, token);
    }
}

std::vector<PendingMemoryAccess>
GroupMemory::FindPending() const
{
    std::vector<PendingMemoryAccess> pending;
    AddWaiting(pending);
    AddRunning(pending);
    return pending;
}

void
GroupMemory::AddWaiting(std::vector<PendingMemoryAccess>& pending) const
{
    for (const auto& [call, accesses] : m_meetings.Open())
    {
        for (const auto& [rank, access] : accesses)
        {
            pending.push_back(
                {.access = access,
                 .memory = {},
                 .group = PendingMemoryAccess::Group{m_meetings.FindMissing(call), {}}});
        }
    }
}

void
GroupMemory::AddRunning(std::vector<PendingMemoryAccess>& pending) const
{
    const std::vector<PhaseExecutor::Wait> waits = m_executor.FindWaits();
    for (const auto& [call, run] : m_running)
    {
        for (uint32_t member = 0; member < run->MemberCount(); ++member)
        {
            if (run->IsDone(member))
            {
                continue;
            }
            PendingMemoryAccess::Group group;
            // A member may wait for a switch or a memory, so vertices are named, and not ranks.
            for (const VertexId awaited : run->FindAwaited(member, waits))
            {
                group.waitsFor.push_back(m_context.topology.Vertex(awaited).name);
            }
            pending.push_back(
                {.access = run->AccessOf(member), .memory = {}, .group = std::move(group)});
        }
    }
}

} // namespace nadi
