// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/event-loop/agenda.h"
#include "network/event-loop/ns3/ns3-event-loop.h"

namespace nadi
{

/// A clock and an agenda that stand in for those of an event loop, so that something of the past
/// can happen now: whatever asks the loop for the time, or schedules something, gets the time of
/// that past.
///
/// Holds: in the end what is pending goes to the loop's own agenda, at the same times.
/// Requires: one at a time, and nothing but what belongs to that past runs while it lives.
class PrivateAgenda
{
  public:
    /// The clock stands at `begin`, which is not ahead of the loop's.
    PrivateAgenda(Ns3EventLoop& loop, SimTime begin);
    ~PrivateAgenda();
    PrivateAgenda(const PrivateAgenda&) = delete;
    PrivateAgenda& operator=(const PrivateAgenda&) = delete;

    /// The instant of the next entry; SimTime::Max(): there is none.
    SimTime NextAt() const;

    /// Moves the clock. Requires: not back, and not past NextAt().
    void StandAt(SimTime at);

    /// Runs the rounds of the present instant.
    void RunRounds();

  private:
    Ns3EventLoop& m_loop;
    Agenda m_usual;
    Ns3EventLoop::State m_state;
    SimTime m_roundsAt;
    uint64_t m_round;
};

} // namespace nadi
