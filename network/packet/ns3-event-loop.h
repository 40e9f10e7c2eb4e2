// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop.h"

#include <ns3/event-impl.h>
#include <ns3/ptr.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

namespace nadi
{

/// The EventLoop on ns-3's simulator, which it sets up (picoseconds, FabricScheduler) and destroys.
///
/// Two reused ns-3 events carry the agenda. A *wake-up* is scheduled before its instant begins and
/// only asks for the *round-up*, an event of zero delay: ns-3 runs that after all events scheduled
/// before the instant, so after all arrivals in the fabric. The round-up then runs everything
/// that is due, round by round. What is first scheduled for an instant while that lasts (a
/// delivery) needs the round-up only.
///
/// Requires: one at a time in a process; whatever uses ns-3 objects of its simulation is gone
/// before it. Anything thrown by a handler ends Run() and comes out of it.
class Ns3EventLoop : public EventLoop
{
  public:
    /// `scrambleSeed`: see PacketOptions.
    explicit Ns3EventLoop(std::optional<uint64_t> scrambleSeed = std::nullopt);
    ~Ns3EventLoop() override;
    Ns3EventLoop(const Ns3EventLoop&) = delete;
    Ns3EventLoop& operator=(const Ns3EventLoop&) = delete;

    SimTime Now() const override;
    void
    ScheduleAt(SimTime at, const EventOrder& order, EventHandler& handler, uint64_t token) override;
    void Run() override;
    void Stop() override;
    uint64_t EventCount() const override;

  private:
    struct Entry
    {
        SimTime at;
        uint64_t round = 0; ///< within the instant
        EventOrder order;
        EventHandler* handler = nullptr;
        uint64_t token = 0;
    };

    enum class State : uint8_t
    {
        Idle,     ///< outside of Run()
        Running,  ///< inside of Run(), not in the agenda
        InRounds, ///< a handler is running
    };

    static bool IsLater(const Entry& a, const Entry& b);
    void RequestRoundUp();
    void RequestWakeUp(SimTime at);
    void OnWakeUp();
    void OnRoundUp();
    void RunRounds(SimTime now);
    void WakeForNext();

    std::vector<Entry> m_agenda;    // a heap, the next entry in front
    std::vector<SimTime> m_wakeUps; // pending, strictly decreasing: each was the earliest when made
    bool m_roundUpPending = false;
    State m_state = State::Idle;
    uint64_t m_round = 0; // the one that is running
    bool m_stopped = false;
    std::exception_ptr m_failure;
    ns3::Ptr<ns3::EventImpl> m_wakeUpEvent;
    ns3::Ptr<ns3::EventImpl> m_roundUpEvent;
};

} // namespace nadi
