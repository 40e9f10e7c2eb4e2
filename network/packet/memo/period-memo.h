// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/slot-pool.h"
#include "network/closed-traffic.h"
#include "network/event-loop.h"
#include "network/event-loop/ns3/ns3-event-loop.h"
#include "network/packet/fabric-builder.h"
#include "network/packet/memo/network-classes.h"
#include "network/packet/memo/part-simulator.h"
#include "network/packet/memo/period-histories.h"
#include "network/packet/memo/period-labels.h"
#include "network/packet/memo/period-map.h"
#include "network/packet/memo/period-recorder.h"
#include "network/packet/memo/period-trie.h"
#include "network/packet/memo/period.h"
#include "network/packet/memo/traffic-table.h"
#include "network/packet/memo/way-table.h"
#include "network/packet/open-pairs.h"

#include <ns3/fabric-event.h>
#include <ns3/fabric.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace nadi
{

/// Who delivers what the memo answers.
class MemoHost
{
  public:
    virtual ~MemoHost() = default;

    /// The message at this place is delivered now.
    virtual void Deliver(uint32_t place) = 0;
};

/// What the packet network answered once it answers again, without simulating it.
///
/// A *period* is what happens in a part of the network from rest to rest: messages enter it, and
/// are delivered and acknowledged. Messages belong to one period if their ways share a link (in
/// either direction, since acknowledgements go back) or memory. What happens in a period is a
/// function of what enters it and when (docs/memo.md), so it is recorded in a trie by what entered,
/// and a later or simultaneous period that is alike is *answered*: its deliveries are known.
///
/// A period is answered for as long as all that enters it was seen before. When something else
/// enters, it *catches up*: what entered so far is sent through its own ports in private time, its
/// deliveries are compared with those that were given, and it goes on *live*, recorded, until rest.
/// Periods that meet become one, whose inputs are those of both.
///
/// What is sent at an instant is collected, and enters at its end, since inputs of an instant are a
/// set. The answer is exact: no result differs from that of a run without the memo, but for the
/// number of events.
///
/// Requires: no frame is lost or overtaken (CanRemember), and nobody looks into the network while a
/// run lasts without BringUpToDate.
class PeriodMemo
    : private EventHandler
    , private RecordReader
    , private ns3::FabricActivityListener
{
  public:
    /// What it works on; all of it outlives the memo.
    struct Surroundings
    {
        const Topology& topology;
        const Routing& routing;
        const PacketOptions& options;
        const BuiltFabric& built;
        OpenPairs& pairs;
        Ns3EventLoop& loop;
        MemoHost& host;
    };

    /// Requires: the fabric is prepared.
    explicit PeriodMemo(const Surroundings& surroundings);
    ~PeriodMemo() override;
    PeriodMemo(const PeriodMemo&) = delete;
    PeriodMemo& operator=(const PeriodMemo&) = delete;

    /// It enters at the end of this instant. `place`: in the table of messages in flight.
    void Send(const Message& message, uint32_t place);

    /// NetworkBackend::Take.
    std::optional<uint32_t> Take(ClosedTraffic& traffic);

    /// NetworkBackend::EndPart.
    void EndPart(uint32_t traffic, uint32_t part);

    /// A message has arrived in the network. \return Whether it is to be delivered; else it was.
    bool OnArrived(uint64_t cookie);

    /// A message that was sent at `sent` is delivered now.
    void OnDelivered(uint32_t place, const Message& message, SimTime sent);

    void CloseStream(StreamId stream);

    /// Everything of this instant was sent.
    void OnEndOfInstant();

    /// The network is now what it would be without a memo.
    void BringUpToDate();

    /// Messages that were sent, and those of them that were answered without being simulated.
    uint64_t MessageCount() const
    {
        return m_messageCount;
    }

    uint64_t AnsweredCount() const
    {
        return m_answeredCount;
    }

    /// Those of them that were in closed traffic, and never made.
    uint64_t SkippedCount() const
    {
        return m_skippedCount;
    }

    /// Closed traffic whose period has not ended, or that has not.
    size_t TakenCount() const
    {
        return m_traffics.Count();
    }

    /// Whether nothing enters any more: it has learned much, and answered little. The network is
    /// what it would be without a memo, and messages are to be posted there. Traffic that was taken
    /// over goes on to end by EndPart.
    bool HasEnded() const
    {
        return m_hasEnded;
    }

    /// Periods that are answered catch up with one chance in `oneIn`, drawn by `seed`, whenever
    /// something enters or comes out. Only tests do that.
    void InterruptAtRandom(uint64_t seed, uint32_t oneIn)
    {
        m_interruptSeed = seed;
        m_interruptOneIn = oneIn;
    }

  private:
    static constexpr uint32_t NONE = PeriodTrie::NONE;

    /// Of longer periods no more is recorded: whatever has gone on for so long without a rest, as
    /// one large exchange among all ranks does, seldom comes again, and to keep it costs time and
    /// memory.
    static constexpr size_t MOST_INPUTS = size_t{1} << 16;

    /// A delivery that a period's node foretells.
    struct Due
    {
        uint32_t period;
        uint64_t generation;
        PeriodOutput output; ///< or, as its input, what else there is to do then: see WAKE
    };

    /// A period looks after itself: its rest has come, or no more is known.
    static constexpr uint32_t WAKE = std::numeric_limits<uint32_t>::max();

    /// Where a message that was posted stands.
    struct Posted
    {
        uint32_t period = 0;
        uint32_t input = 0; ///< in its period; NONE: that is not recorded
    };

    /// As an input: the message is one of the closed traffic whose number stands for the period.
    static constexpr uint32_t INSIDE = NONE - 1;

    void OnEvent(uint64_t due) override;
    void OnOutputKnown(uint32_t period, const PeriodOutput& output) override;
    void OnUnled(uint32_t period) override;
    void OnIdle(uint32_t period, uint64_t slowdowns) override;
    void OnDraw(const ns3::FabricPort& port) override;

    /// Requires: nothing catches up.
    static int64_t Now()
    {
        return ns3::FabricNow();
    }

    // --- which messages belong together ---
    void Group();
    uint32_t Join(Claim& claim);
    void CloseOver(const std::vector<uint32_t>& resources);

    // --- what enters (period-entering.cc) ---
    void EnterInputs(uint32_t index);
    bool AreAsNew(Period& period);
    bool CanDescribe(Period& period);
    void KeepFresh(uint32_t index);
    void Place(const PeriodInput& input, uint32_t index, uint32_t number);
    void PostFresh(uint32_t index);
    void Advance(uint32_t index);
    void AdvanceLive(uint32_t index);
    void EnterLive(uint32_t index);
    void PostAll(uint32_t index, const std::vector<PeriodInput>& entering);
    void Post(uint32_t index, const PeriodInput& input);
    void Interrupt(uint32_t index);

    // --- where it leads (period-following.cc) ---
    void FollowFrom(uint32_t index, uint32_t node);
    void StopRecording(uint32_t index);
    void CountMiss(const Period& period);

    // --- what meets (period-merge.cc) ---
    void Merge(uint32_t index);
    bool CanDescribeAll(const std::vector<uint32_t>& members);
    bool FollowUnion(uint32_t index, const std::vector<uint32_t>& members);
    bool LeadUnion(uint32_t index, const std::vector<uint32_t>& members);
    void TakeHistory(uint32_t index, Period&& united);
    void Absorb(uint32_t index, const std::vector<uint32_t>& members);

    // --- closed traffic (period-traffic.cc) ---
    uint32_t PeriodOf(const TakenTraffic& taken);
    void BeginTraffic(uint32_t index, uint32_t number);
    void PostInside(uint32_t number, const Message& message, uint32_t place);
    void RecordEnd(uint32_t number, uint32_t part);
    void GiveEnd(uint32_t index, const PeriodOutput& output);
    void FinishSimulated(uint32_t number);
    void ReleaseThrough();
    void DropThrough(uint32_t number);
    void SkipTraffic(const Period& period);
    void ForgetTraffic(const Period& period);

    // --- what is made up for (period-catch-up.cc) ---
    void CatchUp(uint32_t index, bool isRecorded);
    void Simulate(uint32_t index);
    void PostAgain(uint32_t index, uint32_t input);

    // --- what is due (period-dues.cc) ---
    void Schedule(uint32_t index, const PeriodOutput& output);
    void ScheduleWake(uint32_t index, int64_t after);
    void Await(uint32_t index);
    void CheckPending();
    bool IsOver(const Period& period, int64_t now) const;

    // --- what ends (period-closing.cc) ---
    void CloseAnswered(uint32_t index);
    void CountAnswered(uint32_t index);
    void CloseRested();
    void CloseLive(uint32_t index);
    void RecordRest(uint32_t index);

    // --- what is forgotten (period-forgetting.cc) ---
    bool IsFull() const;
    bool IsUseful() const;
    void Forget();
    void End();

    const Topology& m_topology;
    const BuiltFabric& m_built;
    Ns3EventLoop& m_loop;
    MemoHost& m_host;
    NetworkClasses m_classes;
    WayTable m_ways;
    PeriodTrie m_trie;
    uint64_t m_mostWords; ///< of ways and in the trie
    bool m_hasControl;    ///< a congestion control, whose state can outlive a period
    bool m_learns;        ///< by acknowledgements, so that no queue pair is as new after a message
    bool m_drawsFrames;   ///< random draws are functions of the numbers of frames

    PeriodMap m_periods;
    PeriodRecorder m_recorder;
    PartSimulator m_parts;
    TrafficTable m_traffics;
    PeriodHistories m_histories;
    std::vector<uint32_t> m_through; // simulated traffic that has ended at this instant
    std::vector<Posted> m_posted;    // by place
    std::vector<PeriodInput> m_sent; // at this instant
    std::vector<uint32_t> m_touched; // periods that something enters
    std::vector<uint32_t> m_pending; // periods that may know no more
    std::vector<uint32_t> m_rested;  // live periods that may be at rest
    SlotPool<Due> m_dues;
    std::vector<uint64_t> m_words; // of what enters now
    uint32_t m_catchingUp = NONE;  // the period that is
    bool m_isEnding = false;       // the present instant
    bool m_hasDrawn = false;       // while it does
    bool m_hasEnded = false;
    uint64_t m_stamps = 0; // of labels and generations
    uint64_t m_messageCount = 0;
    uint64_t m_answeredCount = 0;
    uint64_t m_skippedCount = 0;
    uint64_t m_messagesThen = 0; // of the counts: when it forgot last
    uint64_t m_answeredThen = 0;
    uint64_t m_interruptSeed = 0;
    uint32_t m_interruptOneIn = 0;
    uint64_t m_interruptions = 0;
};

} // namespace nadi
