// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"
#include "network/event-loop/agenda.h"

#include <ns3/event-id.h>
#include <ns3/event-impl.h>
#include <ns3/fabric-event.h>
#include <ns3/ptr.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

namespace nadi
{

/// The network below the loop, whose events the loop does not see: it finishes what came in at an
/// instant before anything of that instant goes up, and says whether it waits for the background.
class EndOfArrivalsListener
{
  public:
    virtual ~EndOfArrivalsListener() = default;

    /// Every arrival of the present instant has come. What is scheduled here for this instant
    /// stands in its first round, sorted with all that was scheduled before. Called before the
    /// rounds of every instant that has any, perhaps more than once.
    virtual void OnEndOfArrivals() = 0;

    /// All rounds of the present instant have run: what is sent at it was sent. Called whenever
    /// that may be so, and before the first event; mostly once an instant.
    virtual void OnEndOfInstant()
    {
    }

    /// Whether something here cannot go on before a background entry that is pending has happened,
    /// as messages without a way wait for the next change of routes. While that is so, the run is
    /// not over.
    virtual bool AwaitsBackground() const
    {
        return false;
    }
};

/// The EventLoop on ns-3's simulator, which it sets up (picoseconds, FabricSimulatorImpl) and
/// destroys.
///
/// The agenda needs an event for each instant, or none. A *wake-up* is a reused ns-3 event that is
/// scheduled before its instant begins. It only asks for the *round-up*, which the simulator calls
/// at the end of the instant, so after all arrivals in the fabric. The round-up then runs
/// everything that is due, round by round. What is first scheduled for an instant while that lasts
/// (a delivery) needs the round-up only, which is no event.
///
/// Example: a message arrives in the fabric at 700, by an event of the fabric, and a computation
/// ends at 700, for which a wake-up was scheduled long before. Whichever event comes first, the
/// round-up of 700 runs after both. It takes in the delivery, sorts it with the end of the
/// computation (deliveries first), and calls the handlers. So the order of events at 700 decides
/// nothing.
///
/// Background has a wake-up of its own, of which at most one is pending; every other pending one
/// has progress at its instant. So when the turn of a background entry comes with no progress on
/// the agenda, none before it at this instant, nothing in ns-3's event list and nobody who awaits
/// the background, the run is over: the agenda is forgotten, and the clock stands at that entry,
/// which did not happen.
///
/// Requires: one at a time in a process; whatever uses ns-3 objects of its simulation is gone
/// before it. Anything thrown by a handler, or by an event of the fabric, ends Run() and comes out
/// of it.
class Ns3EventLoop : public EventLoop
{
  public:
    /// `scrambleSeed`: see PacketOptions.
    explicit Ns3EventLoop(std::optional<uint64_t> scrambleSeed = std::nullopt);
    ~Ns3EventLoop() override;
    Ns3EventLoop(const Ns3EventLoop&) = delete;
    Ns3EventLoop& operator=(const Ns3EventLoop&) = delete;

    /// Requires: set once, before Run(); outlives the run.
    void SetEndOfArrivalsListener(EndOfArrivalsListener& listener);

    SimTime Now() const override;
    void
    ScheduleAt(SimTime at, const EventOrder& order, EventHandler& handler, uint64_t token) override;
    bool Run() override;
    /// May also be called from a signal handler of the thread that runs the loop.
    void Stop() override;
    uint64_t EventCount() const override;

    /// The round of its instant in which the present handler runs.
    uint64_t Round() const
    {
        return m_round;
    }

  private:
    friend class PrivateAgenda;

    enum class State : uint8_t
    {
        Idle,     ///< outside of Run()
        Running,  ///< inside of Run(), not in the agenda
        InRounds, ///< a handler is running
        Private,  ///< in the time of a PrivateAgenda, not in its agenda
    };

    void OnStart();
    void EndInstant(SimTime now);
    void OnWakeUp();
    void OnBackgroundWakeUp();
    void OnRoundUp();
    void RunRounds(SimTime now);
    bool IsOver() const;
    void WakeForNext(SimTime now);
    void RequestProgress(SimTime at, SimTime now);
    void RequestRoundUp();
    void RequestWakeUp(SimTime at, SimTime now);
    void RequestBackgroundWakeUp(SimTime at, SimTime now);

    Agenda m_agenda;
    std::vector<SimTime> m_wakeUps; // pending, strictly decreasing: each was the earliest when made
    std::optional<SimTime> m_backgroundWakeUp; // pending
    bool m_hasRoundUp = false;                 // asked for at the end of the instant, or running
    State m_state = State::Idle;
    // Of the instant whose rounds run: handlers ask for it several times each. Or the private time.
    SimTime m_roundsAt;
    uint64_t m_round = 0;                // the one that is running
    std::optional<SimTime> m_progressAt; // when an entry that is not background ran last
    std::atomic<bool> m_stopped = false; // from Stop() until Run() has returned
    std::exception_ptr m_failure;
    EndOfArrivalsListener* m_arrivals = nullptr;
    ns3::Ptr<ns3::EventImpl> m_wakeUpEvent;
    ns3::FabricMethodEvent<&Ns3EventLoop::OnRoundUp> m_roundUp{*this};
    ns3::EventId m_backgroundEvent;
};

} // namespace nadi
