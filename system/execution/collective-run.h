// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/message.h"
#include "system/collective-phase-observer.h"
#include "system/communicator.h"
#include "system/execution/admission-gates.h"
#include "system/execution/helper-phases.h"
#include "system/execution/phase-executor.h"
#include "system/execution/plan-cache.h"
#include "system/execution/rendezvous.h"
#include "system/execution/run-plans.h"
#include "system/execution/switch-protocol.h"
#include "system/execution/uneven-sizes.h"
#include "system/in-network/tree-table.h"
#include "system/library/collective-program.h"
#include "system/message-programs/program-table.h"
#include "system/phase-sizes.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nadi
{

class CollectiveRun;

/// Who runs collectives.
class RunOwner
{
  public:
    virtual ~RunOwner() = default;
    /// All phases of the collective have ended on `member`, and all that it has sent is delivered.
    /// Called from the event loop, as the last act of an event: the run may be destroyed in it.
    virtual void OnMemberCompleted(CollectiveRun& run, uint32_t member) = 0;
};

/// One collective in progress on all its members.
///
/// Every member begins phases as AdmissionGates allow: those whose turn it is at once; others, that
/// go early, by an event of the same instant. Several phases may end at one instant, and one of
/// them may make the phase ready whose turn it is. If early phases were chosen as soon as the first
/// of these ends is heard of, the choice would depend on which is heard of first. A phase in which
/// a member takes no part ends as it begins.
///
/// Holds: memory = AdmissionGates + the phases in progress.
class CollectiveRun
    : private PhaseOwner
    , private OutboxOwner
    , private EventHandler
{
  public:
    /// What all runs of an engine share; outlives them.
    struct Shared
    {
        EventLoop& loop;
        PhaseExecutor& executor;
        PlanCache& plans;
        RunOwner& owner;
        TreeTable* trees = nullptr;                     ///< null: no switch helps
        const SwitchProtocol* switchProtocol = nullptr; ///< of switches that help
        ProgramTable* programs = nullptr;               ///< null: no algorithm has stored programs
        uint32_t chunksInFlight = 1;
        uint32_t& leastInFlight; ///< with which all would have begun as it did; runs raise it
        uint32_t elementBytes = 1;
        CollectivePhaseObserver* observer = nullptr;
    };

    /// What is run; layout and program outlive the run.
    struct Parts
    {
        CollectiveId id;
        const CommunicatorLayout& layout;
        const CollectiveProgram& program;
        uint32_t root = 0; ///< a member's index
        /// Each member's sizes, where they differ; the layout then has one dimension.
        std::optional<std::vector<MemberSizes>> unevenSizes;
    };

    /// An unfinished phase of one member.
    struct ActivePhase
    {
        PhaseReference at;
        PhaseTicket ticket = 0;
        PlanCache::Entry* plan = nullptr;
        uint64_t elements = 0; ///< of the member's chunk in the phase
        SimTime start{};
    };

    CollectiveRun(const Shared& shared, const Parts& parts);

    ~CollectiveRun() override;

    CollectiveRun(const CollectiveRun&) = delete;
    CollectiveRun& operator=(const CollectiveRun&) = delete;

    /// Begins what can begin on every member. Returns the members that are done with everything at
    /// once, for whom the owner is not called.
    std::vector<uint32_t> Start();

    /// The stored program that its plans follow; null: they follow none.
    const StoredProgram* Stored();

    bool IsComplete(uint32_t member) const;

    /// Whether the member waits for nothing but the delivery of what it has sent.
    bool AwaitsDeliveries(uint32_t member) const;

    /// Tells of all phases of all members, as they would be run, until `visit` returns false.
    /// Requires: no switch helps.
    void VisitTasks(const std::function<bool(const PhaseTask&)>& visit);

    /// In order of (chunk, phase).
    std::vector<ActivePhase> ActivePhases(uint32_t member) const;

    /// The payload that all members will have sent when all are done, as EstimateTraffic has it.
    double PlannedBytes() const;

    /// The payload that the members have sent so far. When all are done, all of it is delivered,
    /// since each message has a receive that a member waits for.
    double SentBytes() const
    {
        return m_sentBytes;
    }

    /// The sizes of members that differ; null: they do not.
    const UnevenSizes* Uneven() const
    {
        return m_uneven ? &*m_uneven : nullptr;
    }

    /// The phases of switches; none: no switch helps.
    const std::optional<HelperPhases>& Helpers() const
    {
        return m_helpers;
    }

    const TreeTable* Trees() const
    {
        return m_shared.trees;
    }

    /// All streams that its messages take.
    std::vector<StreamId> FindStreams() const;

    CollectiveId Id() const
    {
        return m_parts.id;
    }

    StreamId Stream() const
    {
        return MakeCollectiveStream(m_parts.id.communicator, m_parts.id.call);
    }

    const CommunicatorLayout& Layout() const
    {
        return m_parts.layout;
    }

    const CollectiveProgram& Program() const
    {
        return m_parts.program;
    }

  private:
    using Find = std::optional<PhaseReference> (AdmissionGates::*)(uint32_t member,
                                                                   uint32_t dimension) const;

    bool VisitTask(uint32_t member,
                   PhaseReference at,
                   const std::function<bool(const PhaseTask&)>& visit);
    void OnPhaseCompleted(uint32_t member, PhaseTicket ticket) override;
    void OnAllDelivered(uint32_t member) override;
    void OnEvent(uint64_t member) override;
    bool HaveEnded(uint32_t member) const;
    bool Completes(uint32_t member) const;
    void Report(uint32_t member, const ActivePhase& ended) const;
    void Advance(uint32_t member);
    bool BeginAll(uint32_t member, Find find);
    bool HasEarly(uint32_t member) const;
    void Begin(uint32_t member, PhaseReference at);
    bool StartPhase(uint32_t member, PhaseReference at);
    PhaseTask MakeTask(uint32_t member, PhaseReference at, const PlanCache::Entry& plan);
    uint32_t LineBaseOf(uint32_t member, uint32_t dimension) const;

    const Shared& m_shared;
    Parts m_parts;
    RunPlans m_plans;
    PhaseSizes m_sizes;
    std::optional<UnevenSizes> m_uneven;
    double m_sentBytes = 0;
    AdmissionGates m_gates;
    std::vector<bool> m_isEarlyScheduled;            // by member: an event begins what goes early
    std::vector<std::vector<ActivePhase>> m_actives; // by member
    std::vector<uint32_t> m_outboxes;                // by member
    std::optional<HelperPhases> m_helpers;
};

} // namespace nadi
