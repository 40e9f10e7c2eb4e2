// SPDX-License-Identifier: GPL-2.0-only
#ifndef FABRIC_PORT_TRAINS_H
#define FABRIC_PORT_TRAINS_H

#include "fabric-arbiter.h"
#include "fabric-expected-trains.h"
#include "fabric-promise-thrift.h"
#include "fabric-promises.h"
#include "fabric-train.h"

#include "ns3/fabric-frame.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class FabricOutput;
class FabricLinkTimes;
class FabricPort;

/// \ingroup fabric
/// What a port does with trains (docs/trains.md; FabricTrain has an example): those that it
/// expects, those that start here, and what it promises to the next port.
///
/// Where the peer's node need not see each frame arrive, frames are committed without an event, and
/// the peer's output port is told when they come (a promise). That port takes them in when it
/// settles, each at its time. A touch that may change what was promised takes the promise back for
/// all frames that have not started. This is always in time, because the arrivals of these frames
/// lie ahead, and no port has taken them in yet.
///
/// FabricOutput says what happens to frames one by one. Here the same happens to many of them in
/// one step, or at the same times without events. No result may depend on which of the two ways was
/// taken: a test compares the digests.
///
/// Owner: the port.
class FabricPortTrains
{
  public:
    static constexpr int64_t NEVER = FabricArbiter::NEVER;

    FabricPortTrains(FabricPort& link, FabricOutput& output);

    /// Finds out whether trains start here. Requires: the fabric and the output are prepared.
    void Prepare();

    /// No trains start here from now on. Requires: no promise is in force.
    void Forbid()
    {
        m_mayFormTrains = false;
        m_formsTrains = false;
    }

    /// No trains start here until Resume().
    void Suspend(int64_t now)
    {
        BreakPromises(now);
        m_formsTrains = false;
    }

    void Resume()
    {
        m_formsTrains = m_mayFormTrains;
    }

    /// Whether trains may be formed if the queue is surely short.
    bool MayFormTrains() const
    {
        return m_mayFormTrains;
    }

    /// Whether frames may start here without an event for each.
    bool FormsTrains() const
    {
        return m_formsTrains;
    }

    /// Whether frames of trains will arrive at this output.
    bool IsExpecting() const
    {
        return !m_expected.IsEmpty();
    }

    // --- trains that come ---

    const FabricExpectedTrains& GetExpected() const
    {
        return m_expected;
    }

    /// What was expected, and has not arrived, will come by events of its own. Requires: settled.
    std::vector<FabricTrain> TakeExpected()
    {
        return m_expected.TakeAll();
    }

    /// Frames of this train will arrive at this output, and no further call announces them.
    void Expect(const FabricTrain& train, int64_t now);

    /// Takes an announcement back: of the frames of `flow` expected by way of `ingress`, those from
    /// number `end` on will come by events of their own, if at all.
    void Cut(uint32_t ingress, uint32_t flow, uint64_t end, int64_t now);

    /// Takes in, and starts, what was expected up to `now`.
    void TakeInExpected(int64_t now);

    // --- trains that start ---

    /// Starts as many frames of a local queue pair as may start before `now` in one step.
    /// Requires: FormsTrains(); nothing else waits. \return Whether there were any.
    bool StartLocalTrain(const FabricQueuePair& sender, int64_t now);

    /// A frame starts. \return Whether nobody needs an event for it: its arrival is unseen, or the
    /// peer's port was promised it.
    bool KeepPromise(const FabricFrame& frame)
    {
        if (!m_formsTrains || !frame.isTrainable || frame.endsUnseen)
        {
            return m_formsTrains && frame.isTrainable;
        }
        const bool isPromised = m_promises.Keep(frame.flow, frame.sequence, 1);
        m_thrift.CountKept(isPromised);
        return isPromised;
    }

    /// Which local frames must be seen may have changed.
    void ForgetSeenSlot()
    {
        m_seenSlot = {};
    }

    /// The next arrival that the peer's node must see, or a time before it; NEVER: there is none.
    int64_t PredictSeenArrival();

    /// Tells the next port of the frames that follow `head`, which has just arrived there.
    void Promise(const FabricFrame& head, int64_t now);

    /// Takes back what was promised of frames that have not started.
    void BreakPromises(int64_t now);

    /// How many steps the walks over queue pairs took so far.
    uint64_t CountSteps() const;

  private:
    /// A turn of the local queue pairs, as FabricRoundRobin::GetServed counts them.
    struct Slot
    {
        uint64_t number = 0;
        uint32_t bytes = 0; ///< of the frame that starts in it; 0: not known
    };

    bool PassTrain(int64_t now);
    uint64_t CountForetold(const FabricFrame& frame, uint64_t most);
    void KeepPromises(const FabricFrame& first, uint64_t count);
    int64_t PredictTransit();
    int64_t PredictExpected();
    int64_t PredictLocal(const FabricRoundRobin& local);
    int64_t PredictPaced(const FabricQueuePair& queuePair);
    FabricPace FindPace(const FabricQueuePair& queuePair) const;
    Slot FindSeenSlot(const FabricRoundRobin& local);
    uint64_t CountUnseen(const FabricQueuePair& queuePair);
    std::optional<FabricTrain> ForetellLocal(const FabricFrame& head);
    std::optional<FabricTrain> ForetellPaced(const FabricFrame& head,
                                             const FabricRoundRobin& local);
    std::optional<FabricTrain> ForetellTransit(const FabricFrame& head);
    bool IsOnlyLocal(const FabricRoundRobin& local) const;
    bool IsOnlyTransit() const;
    bool IsOnlyFlow(const FabricFrame& head) const;
    void TakeInFlight(FabricTrain& train);

    FabricPort& m_link;
    const FabricLinkTimes& m_times; ///< of m_link
    FabricOutput& m_output;
    bool m_mayFormTrains = false; ///< if the queue is surely short
    bool m_formsTrains = false;
    FabricExpectedTrains m_expected; ///< what will arrive at this output unasked
    FabricPromises m_promises;       ///< about what will start here
    FabricPromiseThrift m_thrift;    ///< whether to make more of them
    Slot m_seenSlot;                 ///< the first of local frames that must be seen
    uint64_t m_steps = 0;
};

} // namespace ns3

#endif /* FABRIC_PORT_TRAINS_H */
