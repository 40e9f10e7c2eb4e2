// SPDX-License-Identifier: GPL-2.0-only
#include "network/packet/ns3-event-loop.h"

#include "common/check.h"

#include <ns3/fabric-helper.h>
#include <ns3/make-event.h>
#include <ns3/nstime.h>
#include <ns3/simulator.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace nadi
{

namespace
{

void
ScheduleAgain(const ns3::Ptr<ns3::EventImpl>& event, SimTime delay)
{
    event->Ref(); // the simulator drops one reference when the event has run
    ns3::Simulator::ScheduleWithContext(ns3::Simulator::NO_CONTEXT,
                                        ns3::TimeStep(static_cast<uint64_t>(delay.Ps())),
                                        ns3::PeekPointer(event));
}

} // namespace

Ns3EventLoop::Ns3EventLoop(std::optional<uint64_t> scrambleSeed)
    : m_wakeUpEvent(ns3::MakeEvent(&Ns3EventLoop::OnWakeUp, this), false)
    , m_roundUpEvent(ns3::MakeEvent(&Ns3EventLoop::OnRoundUp, this), false)
{
    if (ns3::Time::GetResolution() != ns3::Time::PS)
    {
        ns3::Time::SetResolution(ns3::Time::PS);
    }
    // The scheduler's 0 means "off"; as a seed it stands for any other fixed number.
    const uint64_t seed = scrambleSeed.value_or(0);
    ns3::FabricHelper::UseFabricScheduler(scrambleSeed && seed == 0 ? ~uint64_t{0} : seed);
}

Ns3EventLoop::~Ns3EventLoop()
{
    m_wakeUpEvent->Cancel();
    m_roundUpEvent->Cancel();
    ns3::Simulator::Destroy();
}

SimTime
Ns3EventLoop::Now() const
{
    return SimTime::FromPs(ns3::Simulator::Now().GetTimeStep());
}

void
Ns3EventLoop::ScheduleAt(SimTime at, const EventOrder& order, EventHandler& handler, uint64_t token)
{
    const SimTime now = Now();
    NADI_CHECK(at >= now);
    const uint64_t round = m_state == State::InRounds && at == now ? m_round + 1 : 0;
    m_agenda.push_back({at, round, order, &handler, token});
    std::push_heap(m_agenda.begin(), m_agenda.end(), IsLater);
    if (m_state == State::InRounds)
    {
        return; // the rounds look for what is next when they end
    }
    if (m_state == State::Running && at == now)
    {
        RequestRoundUp();
        return;
    }
    RequestWakeUp(at);
}

void
Ns3EventLoop::Run()
{
    m_stopped = false;
    m_state = State::Running;
    WakeForNext();
    ns3::Simulator::Run();
    m_state = State::Idle;
    if (m_failure)
    {
        std::rethrow_exception(std::exchange(m_failure, nullptr));
    }
}

void
Ns3EventLoop::Stop()
{
    m_stopped = true;
    ns3::Simulator::Stop();
}

uint64_t
Ns3EventLoop::EventCount() const
{
    return ns3::Simulator::GetEventCount();
}

bool
Ns3EventLoop::IsLater(const Entry& a, const Entry& b)
{
    return std::tie(a.at, a.round, a.order) > std::tie(b.at, b.round, b.order);
}

void
Ns3EventLoop::RequestRoundUp()
{
    if (!m_roundUpPending)
    {
        m_roundUpPending = true;
        ScheduleAgain(m_roundUpEvent, SimTime());
    }
}

void
Ns3EventLoop::RequestWakeUp(SimTime at)
{
    if (m_wakeUps.empty() || at < m_wakeUps.back())
    {
        m_wakeUps.push_back(at);
        ScheduleAgain(m_wakeUpEvent, at - Now());
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
Ns3EventLoop::OnRoundUp()
{
    m_roundUpPending = false;
    m_state = State::InRounds;
    try
    {
        RunRounds(Now());
    }
    catch (...)
    {
        // ns-3 is not written for exceptions: Run() throws it again once ns-3 has returned.
        m_failure = std::current_exception();
        Stop();
    }
    m_state = State::Running;
    if (m_stopped)
    {
        // Again: a stop from a signal may have come just before ns-3's Run() cleared its own flag.
        ns3::Simulator::Stop();
    }
    WakeForNext();
}

void
Ns3EventLoop::RunRounds(SimTime now)
{
    while (!m_stopped && !m_agenda.empty() && m_agenda.front().at == now)
    {
        std::pop_heap(m_agenda.begin(), m_agenda.end(), IsLater);
        const Entry entry = m_agenda.back();
        m_agenda.pop_back();
        m_round = entry.round;
        entry.handler->OnEvent(entry.token);
    }
}

void
Ns3EventLoop::WakeForNext()
{
    if (!m_agenda.empty())
    {
        RequestWakeUp(m_agenda.front().at);
    }
}

} // namespace nadi
