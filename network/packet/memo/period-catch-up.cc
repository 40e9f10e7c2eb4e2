// SPDX-License-Identifier: GPL-2.0-only
// What a period was answered so far is simulated after all.
#include "common/check.h"
#include "network/event-loop/ns3/private-agenda.h"
#include "network/packet/memo/period-memo.h"

#include <ns3/fabric-private-time.h>

#include <algorithm>
#include <limits>

namespace nadi
{

namespace
{

/// The clocks of the fabric and of the event loop, both turned back. They go on together.
class PrivateClocks
{
  public:
    PrivateClocks(ns3::Fabric& fabric, Ns3EventLoop& loop, int64_t begin)
        : m_fabric(fabric, begin)
        , m_loop(loop, SimTime::FromPs(begin))
    {
    }

    /// Whatever is due before `time`, in the fabric and above it, and arrivals at `time`.
    void RunTo(int64_t time)
    {
        RunWhileBefore(time);
        MoveTo(time);
    }

    /// Likewise, and what is due above the fabric at `time`.
    void RunThrough(int64_t time)
    {
        RunWhileBefore(time + 1);
        MoveTo(time);
    }

  private:
    void RunWhileBefore(int64_t end)
    {
        while (true)
        {
            // At equal times the fabric comes first, as in the run itself: MoveTo executes the
            // events of the fabric, and the rounds of the loop follow.
            const int64_t next = std::min(m_fabric.PeekNextTime(), m_loop.NextAt().Ps());
            if (next >= end)
            {
                return;
            }
            MoveTo(next);
            m_loop.RunRounds();
        }
    }

    void MoveTo(int64_t time)
    {
        m_loop.StandAt(SimTime::FromPs(time));
        m_fabric.RunUntil(time);
    }

    ns3::FabricPrivateTime m_fabric;
    PrivateAgenda m_loop;
};

} // namespace

/// Simulates what entered so far, in private time, and the period is live. What enters now does so
/// after that.
void
PeriodMemo::CatchUp(uint32_t index, bool isRecorded)
{
    Period& period = m_periods[index];
    if (period.state == Period::State::Answered)
    {
        m_recorder.LeaveNode(index);
        CountMiss(period);
    }
    period.state = Period::State::Live;
    period.generation = ++m_stamps;
    period.isRecorded = isRecorded;
    if (isRecorded)
    {
        m_parts.KeepCounters(period);
    }
    if (!period.inputs.IsEmpty())
    {
        Simulate(index);
        period.isRecorded = period.isRecorded && !m_hasDrawn;
    }
    if (!period.isRecorded)
    {
        StopRecording(index);
    }
}

/// All that entered enters again, at the times at which it did.
void
PeriodMemo::Simulate(uint32_t index)
{
    const int64_t now = Now();
    m_catchingUp = index;
    m_hasDrawn = false;
    {
        PrivateClocks clocks(*m_built.fabric, m_loop, m_periods[index].begin);
        uint32_t next = 0;
        for (const Period::Instant& instant : m_periods[index].instants)
        {
            // Inputs enter at the end of their instant, so all that is due at the instant comes
            // before them.
            clocks.RunThrough(instant.at);
            for (; next < instant.end; ++next)
            {
                PostAgain(index, next);
            }
        }
        // What is due above the fabric now happens in the loop's own rounds.
        clocks.RunTo(now);
    }
    m_catchingUp = NONE;
    m_parts.CloseAgain(m_periods[index]);
    ReleaseThrough();
}

void
PeriodMemo::PostAgain(uint32_t index, uint32_t input)
{
    const PeriodInput posted = m_periods[index].inputs[input];
    const bool isGiven = posted.delivered != PeriodInput::NOT_GIVEN;
    // A message that was delivered already gets a cookie that says so. Any other message is posted
    // with its own place, since the fabric still has to deliver it.
    if (posted.IsMessage() && isGiven)
    {
        m_parts.Post(m_periods[index], index, posted.message, PartSimulator::GIVEN | input);
        return;
    }
    Post(index, posted);
}

} // namespace nadi
