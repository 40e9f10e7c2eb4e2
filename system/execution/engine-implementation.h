// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "system/collective-engine.h"
#include "system/execution/collective-run.h"
#include "system/execution/collective-slots.h"
#include "system/execution/collective-traffic.h"
#include "system/execution/layout-table.h"
#include "system/execution/phase-executor.h"
#include "system/execution/plan-cache.h"
#include "system/execution/program-cache.h"
#include "system/execution/rendezvous.h"
#include "system/execution/running-collective.h"
#include "system/execution/traffic-outlines.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace nadi
{

/// Joins the parts: rendezvous -> slots -> a run on all members -> completions.
class CollectiveEngine::Implementation
    : private RunOwner
    , private TrafficOwner
    , private EventHandler
{
  public:
    explicit Implementation(const Context& context);

    void SetObserver(CollectiveObserver& observer)
    {
        m_observer = &observer;
    }

    void SetPhaseObserver(CollectivePhaseObserver& observer)
    {
        m_shared.observer = &observer;
        m_sendsEveryMessage = true; // its messages are looked at one by one
    }

    void Start(const CollectiveCall& call);
    void OnMessageDelivered(const Delivery& delivery);
    std::vector<PendingCollective> FindPending() const;
    SystemEffects Effects() const;

    const CollectiveProgress& Progress() const
    {
        return m_progress;
    }

    InNetworkUsage InNetwork() const
    {
        InNetworkUsage usage = m_inNetwork;
        usage.bytes = m_executor.BytesSentBySwitches();
        return usage;
    }

    const PhaseExecutor& Executor() const
    {
        return m_executor;
    }

  private:
    /// The token of the event that grants slots; others are those of members that end, plus one.
    static constexpr uint64_t GRANT = 0;

    /// A member whose phases have ended, while its collective goes on by the protocol.
    struct Ending
    {
        CollectiveId id;
        uint32_t member = 0;
    };

    void OnEvent(uint64_t token) override;
    void OnMemberCompleted(CollectiveRun& run, uint32_t member) override;
    void OnMemberEnded(CollectiveId id, uint32_t member) override;
    void OnMessageSkipped(const Delivery& delivery) override;
    void OnReleased(CollectiveId id) override;
    bool OfferToNetwork(RunningCollective& running);
    void Grant();
    bool HaveChunksInFlightActed() const;
    void ReportMeetings();
    void ReportWaitForSlots(CollectiveId id);
    void ScheduleGrant();
    void Begin(const CollectiveSlots::Granted& granted);
    std::vector<PlaceUse> FindPlaces(const Meeting& meeting);
    ProgramKey MakeProgramKey(const Meeting& meeting);
    std::optional<NodeId> FindNamedNode(const Meeting& meeting) const;
    void ChooseProgram(RunningCollective& running);
    SimTime FindDuration(const RunningCollective& running, RankId rank, SimTime ran) const;
    void EndMember(RunningCollective& running, uint32_t member);
    void CompleteMember(RunningCollective& running, uint32_t member);
    void End(RunningCollective& running);
    void Forget(RunningCollective& running);
    const CommunicatorLayout& LayoutFor(const Meeting& meeting);

    Context m_context;
    LayoutTable m_layouts;
    Rendezvous m_rendezvous;
    CollectiveSlots m_slots;
    ProgramCache m_programs;
    CollectiveProgram m_replay; // no phases: of collectives that take their recorded time
    PlanCache m_plans;
    PhaseExecutor m_executor;
    TrafficOutlines m_outlines;
    std::optional<SwitchProtocol> m_switchProtocol;
    uint32_t m_leastInFlight = 0; // CollectiveRun::Shared
    CollectiveRun::Shared m_shared;
    std::map<CollectiveId, RunningCollective> m_running;
    SlotPool<Ending> m_endings;
    std::vector<CollectiveId> m_met; // complete since the last grant, and not reported
    CollectiveProgress m_progress;
    InNetworkUsage m_inNetwork;
    CollectiveObserver* m_observer = nullptr;
    bool m_isGrantScheduled = false;
    bool m_sendsEveryMessage = false;
};

} // namespace nadi
