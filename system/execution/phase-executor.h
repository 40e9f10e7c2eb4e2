// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "common/units.h"
#include "network/event-loop.h"
#include "network/network-backend.h"
#include "system/collective-plan.h"
#include "system/communicator.h"
#include "system/execution/arrival-table.h"
#include "system/execution/joined-lanes.h"
#include "system/execution/message-sender.h"
#include "system/execution/outboxes.h"
#include "system/execution/plan-cache.h"
#include "system/execution/uneven-sizes.h"
#include "system/in-network/switch-reducers.h"
#include "system/in-network/tree-group.h"
#include "system/library/protocol.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// Names a phase in progress on one rank, while it is in progress.
using PhaseTicket = uint32_t;

/// Who started a phase.
class PhaseOwner
{
  public:
    virtual ~PhaseOwner() = default;
    /// The phase has ended on `member`; called from the event loop, as the last act of an event.
    virtual void OnPhaseCompleted(uint32_t member, PhaseTicket ticket) = 0;
};

/// One phase on one member of its plan, which is a rank or a switch that helps.
struct PhaseTask
{
    PhaseOwner* owner = nullptr;
    uint32_t member = 0;              ///< in the communicator; handed back to the owner
    uint32_t outbox = Outboxes::NONE; ///< counts its messages until they are delivered
    StreamId stream;
    uint32_t chunk = 0;
    uint32_t phase = 0;
    const CollectivePlan* plan = nullptr;
    uint32_t self = 0; ///< the member of the plan that runs it: a rank's index in the group
    /// Index i of the group is member lineBase + i * lineStride of the communicator.
    const CommunicatorLayout* layout = nullptr;
    uint32_t lineBase = 0;
    uint32_t lineStride = 1;
    uint32_t elementBytes = 1;
    uint32_t lanesAtOnce = 1;            ///< of a stage
    const Protocol* protocol = nullptr;  ///< of its messages
    const UnevenSizes* uneven = nullptr; ///< where ranks bring different sizes
    double* sentBytes = nullptr;         ///< counts the payload that the phase sends
    const TreeGroup* trees = nullptr;    ///< of the switches that help in the plan

    /// Whether the step waits for a message.
    bool Receives(const PlanStep& step) const
    {
        return step.receive && !IsLeftOut(*step.receive);
    }

    bool IsHelper(uint32_t index) const
    {
        return trees != nullptr && trees->IsHelper(index);
    }

    /// Where a member of the plan sends and receives.
    VertexId EndpointOf(uint32_t index) const
    {
        return IsHelper(index) ? trees->HelperVertex(index)
                               : VertexOf(layout->RankOf(lineBase + index * lineStride));
    }

    /// Of the messages between this member and another.
    StreamId StreamWith(uint32_t peer) const
    {
        return trees == nullptr ? stream : trees->StreamBetween(stream, self, peer);
    }

    /// Tells what this member and another send each other from other phases of the chunk: the
    /// number of the phase. Of lines of a dimension that share switches, two switches send each
    /// other the slices of each, so there the line is part of it. With itself: of the member's
    /// timers.
    uint32_t PhaseWith(uint32_t peer) const;

    Bytes SizeOf(const Transfer& transfer) const;

    /// Whether nobody sends the message (UnevenSizes).
    bool IsLeftOut(const Transfer& transfer) const
    {
        return uneven != nullptr && uneven->IsLeftOut(chunk, transfer);
    }
};

/// Executes plans on their members: the per-message path of collectives.
///
/// As CollectivePlan says: stages one after the other; of a stage's lanes at most `lanesAtOnce` at
/// a time, in order of their index, but all where the plan has waits; a step posts its send and
/// waits for its receive. The protocol says when a posted message leaves, when one that has arrived
/// may be used, and how long local work takes.
///
/// A phase of a rank ends when its last stage is through, and all is delivered that the rank sent
/// before it received anything in the phase. A step that only sends is done once its message is
/// handed over; so without this rule a rank that only sends would end all its phases as they begin.
/// What a rank sends later is paced by what it receives.
///
/// A message is named by {chunk << 32 | PhaseWith, stage << 56 | channel << 32 | tag} (MessageKey),
/// so at most 256 stages of 2^24 channels. The two ends of a message may be at different stages: a
/// message that comes before its step waits in the arrival table.
///
/// References into the pools stay valid while lanes run, because Send makes no up-call and so
/// starts no other phase.
///
/// Holds: memory is proportional to phases in progress + lanes under way (with waits: all of a
/// stage) + early messages + MessageSender.
class PhaseExecutor : private EventHandler
{
  public:
    /// A lane that waits for a message from `source`, or for its own to be delivered there.
    struct Wait
    {
        PhaseTicket ticket = 0;
        VertexId source;

        auto operator<=>(const Wait&) const = default;
    };

    /// `reducers` are those of switches that help; null: they take no time.
    PhaseExecutor(EventLoop& loop,
                  NetworkBackend& network,
                  uint32_t ranks,
                  SwitchReducers* reducers = nullptr);

    /// Starts a phase; none: it ended at once, and nobody is called back.
    std::optional<PhaseTicket> Start(const PhaseTask& task);

    void OnMessageDelivered(const Delivery& delivery);

    /// OnMessageDelivered will be called with it soon; makes that faster.
    void ExpectDelivery(const Message& message) const;

    /// Who waits for whom now, by (ticket, source).
    std::vector<Wait> FindWaits() const;

    /// Those that tasks name.
    Outboxes& MessagesUnderWay()
    {
        return m_outboxes;
    }

    SimTime Now() const
    {
        return m_loop.Now();
    }

    /// A message of a collective was delivered that nobody sent.
    void OnMessageSkipped(const Message& message)
    {
        CountSent(message);
    }

    /// Payload that `rank` has sent so far.
    Bytes BytesSent(RankId rank) const
    {
        return m_bytesSent[rank.value];
    }

    /// Payload that switches have sent so far.
    Bytes BytesSentBySwitches() const
    {
        return m_bytesSentBySwitches;
    }

    /// The most messages that a rank could have sent side by side in one stage, of plans that leave
    /// it to the task how many lanes run at a time.
    uint32_t MostSends() const
    {
        return m_mostSends;
    }

    /// Whether a rank reduced something.
    bool HasReduced() const
    {
        return m_hasReduced;
    }

    size_t LivePhases() const
    {
        return m_phases.Live();
    }

    size_t LiveLanes() const
    {
        return m_lanes.Live();
    }

    /// Messages that wait for their step, and steps that wait for their message.
    size_t LiveArrivals() const
    {
        return m_arrivals.Size();
    }

    /// Messages that were posted, and that the network does not have yet.
    size_t HeldMessages() const
    {
        return m_sender.Waiting();
    }

  private:
    static constexpr VertexId NOBODY{UINT32_MAX};

    /// How a call that runs something comes back: the thing waits for an event, or it has ended and
    /// its place is free again.
    enum class Progress : uint8_t
    {
        Waiting,
        Ended,
    };

    /// A message that is here, as its step sees it.
    struct Arrival
    {
        SimTime delivered;
        SimTime now; ///< that or later
        Bytes size;
    };

    /// A phase under way on one rank.
    struct alignas(64) PhaseRecord
    {
        PhaseTask task;
        uint32_t stage : 8 = 0;
        uint32_t hasReceived : 1 = 0; ///< a message, or waits for one
        uint32_t underWay : 23 = 0;   ///< messages that it waits to be delivered
        uint32_t laneCount = 0;       ///< of the stage
        uint32_t nextLane = 0;        ///< to be opened
        uint32_t openLanes = 0;
        std::unique_ptr<JoinedLanes> joined{}; ///< where the plan has waits
    };

    /// A lane under way of such a phase. Lanes that were not opened yet, or have ended, take no
    /// memory.
    struct alignas(32) LaneRecord
    {
        uint32_t phase = 0; ///< in m_phases
        uint32_t lane = 0;  ///< index in the plan's stage
        uint32_t step = 0;  ///< next to begin
        uint32_t stepCount = 0;
        /// Of the message it waits for; or the peer that it waits to be served; or NOBODY.
        VertexId source = NOBODY;
        uint32_t channel = 0; ///< of that message
        PlanStep::Action action = PlanStep::Action::Copy;
        bool isOpen = false;
    };

    static_assert(sizeof(PhaseRecord) == 128, "a phase is two cache lines");
    static_assert(sizeof(LaneRecord) == 32, "a lane is half a cache line");

    void OnEvent(uint64_t lane) override;
    void Continue(uint32_t lane);
    void ContinuePhase(uint32_t phase);
    void OnSendDelivered(uint32_t phase);
    void EnterStage(PhaseRecord& record, uint32_t stage);
    Progress RunPhase(uint32_t phase);
    void FreePhase(uint32_t phase);
    Progress RunLane(uint32_t lane);
    Progress RunStep(uint32_t lane, const PlanStep& step);
    void OpenLane(uint32_t phase);
    void RunWoken(PhaseRecord& record);
    void CountSideBySide(const PhaseRecord& record);
    void CloseLane(uint32_t lane);
    void TakeArrival(const Delivery& delivery);
    void Send(uint32_t lane, const PlanStep& step);
    void CountSent(const Message& message);
    Progress Exchange(uint32_t lane, const PlanStep& step);
    Progress WorkLocally(uint32_t lane, const LocalWork& work);
    void NoteReduction(const LaneRecord& record, Bytes size);
    Progress UseWhenReady(uint32_t lane, const Arrival& arrival);
    SimTime FindUse(const LaneRecord& record, const LibraryMessage& message, SimTime delivered);
    Progress WaitUntil(SimTime at, uint32_t lane);

    EventLoop& m_loop;
    MessageSender m_sender;
    SlotPool<PhaseRecord> m_phases;
    SlotPool<LaneRecord> m_lanes;
    ArrivalTable m_arrivals;
    Outboxes m_outboxes;
    SwitchReducers* m_reducers;
    std::vector<Bytes> m_bytesSent; // by rank
    Bytes m_bytesSentBySwitches;
    uint32_t m_mostSends = 0;
    bool m_hasReduced = false;
};

} // namespace nadi
