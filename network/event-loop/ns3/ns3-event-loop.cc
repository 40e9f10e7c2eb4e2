// SPDX-License-Identifier: GPL-2.0-only
#include "network/event-loop/ns3/ns3-event-loop.h"

#include "common/check.h"

#include <ns3/fabric-helper.h>
#include <ns3/make-event.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <utility>

namespace nadi
{

namespace
{

ns3::Time
ToDelay(SimTime delay)
{
    return ns3::TimeStep(static_cast<uint64_t>(delay.Ps()));
}

/// One event object may be pending many times, as it does not know its instant. So it is made once,
/// for all wake-ups.
void
ScheduleAgain(const ns3::Ptr<ns3::EventImpl>& event, SimTime delay)
{
    event->Ref(); // the simulator drops one reference when the event has run
    ns3::Simulator::ScheduleWithContext(
        ns3::Simulator::NO_CONTEXT, ToDelay(delay), ns3::PeekPointer(event));
}

} // namespace

Ns3EventLoop::Ns3EventLoop(std::optional<uint64_t> scrambleSeed)
    : m_wakeUpEvent(ns3::MakeEvent(&Ns3EventLoop::OnWakeUp, this), false)
{
    if (ns3::Time::GetResolution() != ns3::Time::PS)
    {
        ns3::Time::SetResolution(ns3::Time::PS);
    }
    // The simulator's 0 means "off"; as a seed it stands for any other fixed number.
    const uint64_t seed = scrambleSeed.value_or(0);
    ns3::FabricHelper::UseFabricSimulator(scrambleSeed && seed == 0 ? ~uint64_t{0} : seed);
}

Ns3EventLoop::~Ns3EventLoop()
{
    // All pending wake-ups share this one event, so none of them does anything from now on.
    m_wakeUpEvent->Cancel();
    ns3::Simulator::Destroy();
}

void
Ns3EventLoop::SetEndOfArrivalsListener(EndOfArrivalsListener& listener)
{
    m_arrivals = &listener;
}

SimTime
Ns3EventLoop::Now() const
{
    // In private time, and in the rounds of that, the memo has turned this clock back
    // (PrivateAgenda), and ns-3 knows nothing of it. In other rounds both clocks are equal.
    const bool isKept = m_state == State::InRounds || m_state == State::Private;
    return isKept ? m_roundsAt : SimTime::FromPs(ns3::Simulator::Now().GetTimeStep());
}

void
Ns3EventLoop::ScheduleAt(SimTime at, const EventOrder& order, EventHandler& handler, uint64_t token)
{
    const SimTime now = Now();
    NADI_CHECK(at >= now);
    // What a handler schedules for its own instant goes into a further round, so it cannot come
    // before a handler that is sorted behind it now.
    const uint64_t round = m_state == State::InRounds && at == now ? m_round + 1 : 0;
    const Agenda::Entry entry{at, round, order, &handler, token};
    m_agenda.Add(entry);
    if (m_state == State::Running) // else whoever begins to run looks for what is next
    {
        if (entry.IsBackground())
        {
            RequestBackgroundWakeUp(at, now);
            return;
        }
        RequestProgress(at, now);
    }
}

bool
Ns3EventLoop::Run()
{
    m_state = State::Running;
    ns3::Simulator::ScheduleWithContext(
        ns3::Simulator::NO_CONTEXT, ns3::TimeStep(0), &Ns3EventLoop::OnStart, this);
    try
    {
        ns3::Simulator::Run();
    }
    catch (...) // out of an event of the fabric, which has told that the clock ends
    {
        m_failure = std::current_exception();
    }
    m_state = State::Idle;
    const bool wasStopped = m_stopped.exchange(false);
    if (m_failure)
    {
        std::rethrow_exception(std::exchange(m_failure, nullptr));
    }
    return !wasStopped;
}

void
Ns3EventLoop::Stop()
{
    m_stopped = true; // first: whoever sees ns-3 stopped must see the reason
    ns3::Simulator::Stop();
}

uint64_t
Ns3EventLoop::EventCount() const
{
    return ns3::Simulator::GetEventCount();
}

void
Ns3EventLoop::OnStart()
{
    if (m_stopped)
    {
        ns3::Simulator::Stop(); // again: ns-3 forgets a stop that comes before its Run()
        return;
    }
    const SimTime now = Now();
    EndInstant(now); // of what was sent before the run
    m_state = State::Running;
    WakeForNext(now);
}

/// What is scheduled meanwhile is looked for by WakeForNext.
void
Ns3EventLoop::EndInstant(SimTime now)
{
    m_roundsAt = now;
    m_state = State::InRounds;
    if (m_arrivals != nullptr)
    {
        m_arrivals->OnEndOfInstant();
    }
}

void
Ns3EventLoop::OnWakeUp()
{
    NADI_CHECK(m_wakeUps.back() == Now());
    m_wakeUps.pop_back();
    RequestRoundUp();
}

void
Ns3EventLoop::OnBackgroundWakeUp()
{
    m_backgroundWakeUp.reset();
    RequestRoundUp();
}

/// What is left to do at an instant when ns-3 has no more events at it: arrivals, then rounds of
/// the agenda, then what waits for the end of the instant.
void
Ns3EventLoop::OnRoundUp()
{
    const SimTime now = Now();
    try
    {
        // The network comes first: its deliveries of this instant join the entries that wait, and
        // are sorted with them. The state is still Running, so what the network schedules for this
        // instant stands in round 0.
        if (m_arrivals != nullptr)
        {
            m_arrivals->OnEndOfArrivals();
        }
        m_roundsAt = now;
        m_state = State::InRounds;
        RunRounds(now);
        EndInstant(now);
    }
    catch (...)
    {
        // ns-3 is not written for exceptions: Run() throws it again once ns-3 has returned.
        m_failure = std::current_exception();
        Stop();
    }
    m_state = State::Running;
    m_hasRoundUp = false; // only now: deliveries of the listener are in this one
    if (!m_stopped)
    {
        WakeForNext(now);
    }
}

void
Ns3EventLoop::RunRounds(SimTime now)
{
    // NextAt also counts what handlers have added to this instant, so further rounds need no loop
    // of their own.
    while (!m_stopped && !m_agenda.IsEmpty() && m_agenda.NextAt() == now)
    {
        // Asked before each entry, as a background entry must not happen when it is the last thing
        // left.
        if (IsOver())
        {
            m_agenda.Clear();
            return;
        }
        const Agenda::Entry entry = m_agenda.TakeNext();
        if (!entry.IsBackground())
        {
            m_progressAt = now;
        }
        m_round = entry.round;
        entry.handler->OnEvent(entry.token);
    }
}

/// Whether only background is left, and nobody waits for that. Requires: the agenda is not empty.
bool
Ns3EventLoop::IsOver() const
{
    // Background still happens at an instant at which something else has run: a sample of the
    // instant in which the job ends belongs to the job. If background alone is left, for a later
    // instant, the run is over.
    if (m_agenda.HasProgress() || m_agenda.NextAt() == m_progressAt)
    {
        return false;
    }
    const bool isFinished = ns3::Simulator::IsFinished(); // with nothing pending, or stopped
    const bool isAwaited = m_arrivals != nullptr && m_arrivals->AwaitsBackground();
    return isFinished && !m_stopped && !isAwaited;
}

/// Asks for a call at the next entry of the agenda. If the run is over, drops what is left.
void
Ns3EventLoop::WakeForNext(SimTime now)
{
    if (m_agenda.IsEmpty())
    {
        return;
    }
    if (IsOver())
    {
        m_agenda.Clear();
        return;
    }
    if (m_agenda.IsNextBackground())
    {
        RequestBackgroundWakeUp(m_agenda.NextAt(), now);
        return;
    }
    RequestProgress(m_agenda.NextAt(), now);
}

/// Asks to be called for entries of `at` that are not background.
void
Ns3EventLoop::RequestProgress(SimTime at, SimTime now)
{
    if (at == now)
    {
        RequestRoundUp();
        return;
    }
    RequestWakeUp(at, now);
}

void
Ns3EventLoop::RequestRoundUp()
{
    if (!m_hasRoundUp)
    {
        m_hasRoundUp = true;
        m_roundUp.ScheduleAtEndOfInstant();
    }
}

void
Ns3EventLoop::RequestWakeUp(SimTime at, SimTime now)
{
    // A later instant than the earliest pending one needs no event yet: when that has come,
    // WakeForNext asks for what is next.
    if (m_wakeUps.empty() || at < m_wakeUps.back())
    {
        m_wakeUps.push_back(at);
        ScheduleAgain(m_wakeUpEvent, at - now);
    }
}

/// Background has one event of its own, for its earliest entry. While this event is pending ns-3 is
/// not finished. So IsOver finds the end of the run only when the event has come.
void
Ns3EventLoop::RequestBackgroundWakeUp(SimTime at, SimTime now)
{
    if (m_backgroundWakeUp && *m_backgroundWakeUp <= at)
    {
        return;
    }
    // Moved by removing the old event: an event that stayed would count as something left to
    // happen.
    if (m_backgroundWakeUp)
    {
        ns3::Simulator::Remove(m_backgroundEvent);
    }
    m_backgroundWakeUp = at;
    m_backgroundEvent =
        ns3::Simulator::Schedule(ToDelay(at - now), &Ns3EventLoop::OnBackgroundWakeUp, this);
}

} // namespace nadi
