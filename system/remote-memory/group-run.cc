// SPDX-License-Identifier: GPL-2.0-only
#include "system/remote-memory/group-run.h"

#include "common/check.h"
#include "common/error.h"
#include "common/unit-parser.h"
#include "system/rank-text.h"

#include <fmt/format.h>

#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// What a memory reads or writes waits for its turn there, so that all its lanes are open.
constexpr uint32_t ALL_LANES = UINT32_MAX;

/// Slices come over each edge of a tree in the order of their lanes, and wait where their lane is
/// not open; so this bounds memory and delays nothing.
constexpr uint32_t LANES_OPEN = 64;

/// What the keys of messages have room for.
constexpr uint64_t MOST_GROUP_SLICES = uint64_t{1} << 24;

} // namespace

GroupRun::GroupRun(Shared& shared,
                   const Communicator& communicator,
                   GroupCall call,
                   AccessMeetings::Accesses accesses)
    : m_shared(shared)
    , m_call(call)
    , m_accesses(std::move(accesses))
    , m_layout(shared.trees.LayoutOf(communicator))
    , m_communicator(communicator)
{
    MakeStripes();
    m_stripesLeft.assign(MemberCount(), static_cast<uint32_t>(m_stripes.size()));
}

const MemoryAccess&
GroupRun::AccessOf(uint32_t member) const
{
    return m_accesses.at(m_layout.RankOf(member));
}

bool
GroupRun::IsLoad() const
{
    return m_accesses.begin()->second.direction == MemoryDirection::Load;
}

/// The memory is the last helper.
bool
GroupRun::IsMemory(const Active& part) const
{
    const TreeGroup& tree = *m_stripes[part.stripe].tree;
    return part.member + 1 == tree.RankCount() + tree.HelperCount();
}

void
GroupRun::Start()
{
    for (uint32_t stripe = 0; stripe < m_stripes.size(); ++stripe)
    {
        const TreeGroup& tree = *m_stripes[stripe].tree;
        // Each node of the tree runs its part of the plan: switches and the memory too.
        for (uint32_t member = 0; member < tree.RankCount() + tree.HelperCount(); ++member)
        {
            StartMember(stripe, member);
        }
    }
    NADI_CHECK(!m_active.empty());
}

void
GroupRun::MakeStripes()
{
    const MemoryAccess& access = m_accesses.begin()->second;
    const auto bytes = static_cast<uint64_t>(access.size.Count());
    for (uint32_t memory = 0; memory < m_shared.memories; ++memory)
    {
        const uint64_t part = PartOf({0, bytes}, memory, m_shared.memories).Length();
        // An empty tensor is one empty slice at the first memory, so that the access takes the time
        // of a message and ends like any other.
        if (part == 0 && (bytes > 0 || memory > 0))
        {
            continue;
        }
        const TreeGroup& tree = m_shared.trees.Find(m_communicator, memory);
        m_stripes.push_back(
            {.memory = memory,
             .tree = &tree,
             .plan = std::make_unique<MemoryTreePlan>(
                 tree.Trees().trees.front(),
                 MemoryTreePlan::Request{
                     .direction = access.direction, .elements = part, .slice = m_shared.slice})});
        CheckSlices(*m_stripes.back().plan);
    }
}

/// The memory has the most lanes: one for each slice and neighbour.
void
GroupRun::CheckSlices(const MemoryTreePlan& plan) const
{
    const MemoryAccess& access = m_accesses.begin()->second;
    if (uint64_t{plan.SliceCount()} * MemberCount() >= MOST_GROUP_SLICES)
    {
        throw JobError(fmt::format("{} moves {} in too many slices; write a larger "
                                   "system.memory.remote.slice than {}",
                                   ToCallerText(access.rank, access.node, access.name),
                                   ToText(access.size),
                                   ToText(m_shared.slice)));
    }
}

void
GroupRun::StartMember(uint32_t stripe, uint32_t member)
{
    if (const std::optional<PhaseTicket> ticket = m_shared.executor.Start(MakeTask(stripe, member)))
    {
        m_active.emplace(*ticket, Active{stripe, member});
    }
}

PhaseTask
GroupRun::MakeTask(uint32_t stripe, uint32_t member)
{
    const TreeGroup& tree = *m_stripes[stripe].tree;
    const bool isMemory = IsMemory({stripe, member});
    const bool isSwitch = tree.IsHelper(member) && !isMemory;
    double& sentByHelpers = isMemory ? m_shared.sentByMemories : m_shared.sentBySwitches;
    return {.owner = this,
            .member = member,
            .stream = MakeGroupMemoryStream(m_call.communicator, m_call.call),
            .phase = m_stripes[stripe].memory,
            .plan = m_stripes[stripe].plan.get(),
            .self = member,
            .layout = &m_layout,
            .lanesAtOnce = isMemory ? ALL_LANES : LANES_OPEN,
            .protocol = isSwitch ? m_shared.switches : &m_shared.hardware,
            .sentBytes = tree.IsHelper(member) ? &sentByHelpers : &m_shared.sentByRanks,
            .trees = &tree};
}

void
GroupRun::OnPhaseCompleted(uint32_t /*member*/, PhaseTicket ticket)
{
    const auto found = m_active.find(ticket);
    NADI_CHECK(found != m_active.end());
    // `part` is a copy, since the entry is erased before `part` is used.
    const Active part = found->second;
    m_active.erase(found);
    const std::vector<uint32_t> done = EndPart(part);
    // A switch or the memory may end its part when all members are done already, so the owner is
    // called for the end of the run too.
    if (!done.empty() || HasEnded())
    {
        m_shared.owner.OnMembersDone(*this, done);
    }
}

/// The members that are done with it.
std::vector<uint32_t>
GroupRun::EndPart(const Active& part)
{
    // A load ends on each member by itself. A stripe of a store ends on all members when the memory
    // has written it, whatever the other nodes have left to do.
    const bool counts = IsLoad() ? part.member < MemberCount() : IsMemory(part);
    const uint32_t first = IsLoad() ? part.member : 0;
    const uint32_t last = IsLoad() ? part.member + 1 : MemberCount();
    std::vector<uint32_t> done;
    for (uint32_t member = first; counts && member < last; ++member)
    {
        if (--m_stripesLeft[member] == 0)
        {
            done.push_back(member);
        }
    }
    return done;
}

std::vector<StreamId>
GroupRun::FindStreams() const
{
    const StreamId stream = MakeGroupMemoryStream(m_call.communicator, m_call.call);
    std::set<StreamId> streams;
    for (const Stripe& stripe : m_stripes)
    {
        // All messages of a tree have the stream of the tree, so any two members tell it. Several
        // trees may share a stream (MemoryTrees), so this is a set.
        streams.insert(stripe.tree->StreamBetween(stream, 0, 0));
    }
    return {streams.begin(), streams.end()};
}

std::vector<VertexId>
GroupRun::FindAwaited(uint32_t member, const std::vector<PhaseExecutor::Wait>& waits) const
{
    std::set<VertexId> awaited;
    for (const auto& [ticket, part] : m_active)
    {
        const TreeGroup& tree = *m_stripes[part.stripe].tree;
        // In a store every member waits for the memories that have not written their stripes,
        // whatever holds up the data on the way there.
        if (!IsLoad() && IsMemory(part))
        {
            awaited.insert(tree.HelperVertex(part.member));
        }
        for (const PhaseExecutor::Wait& wait : waits)
        {
            if (IsLoad() && part.member == member && wait.ticket == ticket)
            {
                awaited.insert(wait.source);
            }
        }
    }
    return {awaited.begin(), awaited.end()};
}

} // namespace nadi
