// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/message.h"
#include "system/communicator.h"
#include "system/execution/phase-executor.h"
#include "system/in-network/tree-group.h"
#include "system/library/protocol.h"
#include "system/remote-memory/access-meetings.h"
#include "system/remote-memory/memory-access.h"
#include "system/remote-memory/memory-tree-plan.h"
#include "system/remote-memory/memory-trees.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace nadi
{

class GroupRun;

/// Who runs accesses of groups.
class GroupRunOwner
{
  public:
    virtual ~GroupRunOwner() = default;
    /// The members of these indexes are done. Called from the event loop, as the last act of an
    /// event: the run may be destroyed in it.
    virtual void OnMembersDone(GroupRun& run, const std::vector<uint32_t>& members) = 0;
};

/// One load or store of a group in progress. The tensor lies in stripes over the memories: memory i
/// of m holds part i of m (docs/semantics.md 3). Each stripe has a plan of its own over the tree of
/// its memory; a memory without a part has none, but an empty tensor is moved as one empty slice.
///
/// A load is done on a member that has all stripes; a store is done on all members when the
/// memories have written all.
class GroupRun : private PhaseOwner
{
  public:
    /// What all runs share; outlives them.
    struct Shared
    {
        PhaseExecutor& executor;
        MemoryTrees& trees;
        GroupRunOwner& owner;
        const Protocol& hardware; ///< of NPUs and memories
        const Protocol* switches; ///< of switches that compute; null: none does
        uint32_t memories = 0;
        Bytes slice;
        double sentByRanks = 0; ///< payload
        double sentBySwitches = 0;
        double sentByMemories = 0;
    };

    /// `communicator` outlives it. Throws JobError for a tensor of too many slices.
    GroupRun(Shared& shared,
             const Communicator& communicator,
             GroupCall call,
             AccessMeetings::Accesses accesses);

    GroupRun(const GroupRun&) = delete;
    GroupRun& operator=(const GroupRun&) = delete;

    /// Nobody is told from inside this call.
    void Start();

    bool HasEnded() const
    {
        return m_active.empty();
    }

    GroupCall Call() const
    {
        return m_call;
    }

    /// Of the member with this index.
    const MemoryAccess& AccessOf(uint32_t member) const;

    /// All streams that its messages take.
    std::vector<StreamId> FindStreams() const;

    uint32_t MemberCount() const
    {
        return m_layout.Size();
    }

    bool IsDone(uint32_t member) const
    {
        return m_stripesLeft[member] == 0;
    }

    /// Whom a member that is not done waits for, in ascending order: those that send to it, or the
    /// memories that have not written all. `waits` are those of the executor.
    std::vector<VertexId> FindAwaited(uint32_t member,
                                      const std::vector<PhaseExecutor::Wait>& waits) const;

  private:
    struct Stripe
    {
        uint32_t memory = 0;
        const TreeGroup* tree = nullptr;
        std::unique_ptr<MemoryTreePlan> plan;
    };

    /// A member of the plan of a stripe that has not ended its part.
    struct Active
    {
        uint32_t stripe = 0;
        uint32_t member = 0;
    };

    void OnPhaseCompleted(uint32_t member, PhaseTicket ticket) override;
    bool IsLoad() const;
    bool IsMemory(const Active& part) const;
    void MakeStripes();
    void CheckSlices(const MemoryTreePlan& plan) const;
    void StartMember(uint32_t stripe, uint32_t member);
    PhaseTask MakeTask(uint32_t stripe, uint32_t member);
    std::vector<uint32_t> EndPart(const Active& part);

    Shared& m_shared;
    GroupCall m_call;
    AccessMeetings::Accesses m_accesses;
    const CommunicatorLayout& m_layout;
    const Communicator& m_communicator;
    std::vector<Stripe> m_stripes;
    std::vector<uint32_t> m_stripesLeft; // by member of the group
    std::map<PhaseTicket, Active> m_active;
};

} // namespace nadi
