// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/ns3/private-agenda.h"

#include <exception>
#include <utility>

namespace nadi
{

PrivateAgenda::PrivateAgenda(Ns3EventLoop& loop, SimTime begin)
    : m_loop(loop)
    , m_usual(std::exchange(loop.m_agenda, Agenda()))
    , m_state(std::exchange(loop.m_state, Ns3EventLoop::State::Private))
    , m_roundsAt(std::exchange(loop.m_roundsAt, begin))
    , m_round(loop.m_round)
{
}

PrivateAgenda::~PrivateAgenda()
{
    std::swap(m_loop.m_agenda, m_usual);
    m_loop.m_state = m_state;
    m_loop.m_roundsAt = m_roundsAt;
    m_loop.m_round = m_round;
    // After an exception nothing goes on, and what is pending here may be of the past.
    while (std::uncaught_exceptions() == 0 && !m_usual.IsEmpty())
    {
        m_loop.m_agenda.Add(m_usual.TakeNext());
    }
}

SimTime
PrivateAgenda::NextAt() const
{
    return m_loop.m_agenda.IsEmpty() ? SimTime::Max() : m_loop.m_agenda.NextAt();
}

void
PrivateAgenda::StandAt(SimTime at)
{
    m_loop.m_roundsAt = at;
}

void
PrivateAgenda::RunRounds()
{
    // As Ns3EventLoop::RunRounds, but without its test for the end of the run, which only the loop
    // can decide. So no entry is held back here, background included.
    m_loop.m_state = Ns3EventLoop::State::InRounds;
    while (NextAt() == m_loop.m_roundsAt)
    {
        const Agenda::Entry entry = m_loop.m_agenda.TakeNext();
        m_loop.m_round = entry.round;
        entry.handler->OnEvent(entry.token);
    }
    m_loop.m_state = Ns3EventLoop::State::Private;
}

} // namespace nadi
