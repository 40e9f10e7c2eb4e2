// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-walk.h"

#include "common/check.h"

#include <fmt/format.h>

#include <algorithm>

namespace nadi
{

// A lane runs as far as it can, and is then listed with the lane whose step it misses, which wakes
// it once the step is made. So no step is visited twice, and lanes that are left in the end wait in
// a circle, or for lanes that do. All lists are filled in an order of the program alone, so the
// walk is the same in each run.

ProgramWalk::ProgramWalk(const MessageProgram& program, const ProgramChannels& channels)
    : m_program(program)
    , m_channels(channels)
    , m_next(program.AllLanes())
    , m_waiters(program.AllLanes())
{
}

std::optional<ProgramFault>
ProgramWalk::Run(Visitor& visitor)
{
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            m_ready.push_back({rank, lane});
        }
    }
    // The last entry goes on first, so rank 0 is put there.
    std::reverse(m_ready.begin(), m_ready.end());
    while (!m_ready.empty())
    {
        const ProgramLaneId lane = m_ready.back();
        m_ready.pop_back();
        if (auto fault = RunLane(lane, visitor))
        {
            return fault;
        }
    }
    return FindCircle();
}

std::optional<ProgramFault>
ProgramWalk::RunLane(ProgramLaneId lane, Visitor& visitor)
{
    const auto steps = m_program.StepsOf(lane.rank, lane.lane);
    uint32_t& next = m_next[NumberOf(lane)];
    while (next < steps.size())
    {
        // A lane is listed for one missing step at a time. When it is woken, it looks for the next.
        if (const auto missing = FindMissing(lane, steps[next]))
        {
            m_waiters[NumberOf({missing->rank, missing->lane})].push_back(
                {.lane = lane, .step = missing->step});
            return std::nullopt;
        }
        const ProgramStepId id{lane.rank, lane.lane, next};
        if (auto what = visitor.OnStep(id, steps[next]))
        {
            return ProgramFault{.where = id, .what = std::move(*what)};
        }
        ++next;
        // Woken lanes only become ready; they run once this one has stopped.
        WakeWaiters(lane);
    }
    return std::nullopt;
}

std::optional<ProgramStepId>
ProgramWalk::FindMissing(ProgramLaneId lane, const ProgramStep& step) const
{
    const auto isMissing = [&](const ProgramStepId& id) {
        return m_next[NumberOf({id.rank, id.lane})] <= id.step;
    };
    if (step.after != ProgramStep::NONE)
    {
        const ProgramStepId after = m_program.StepNumbered(lane.rank, step.after);
        if (isMissing(after))
        {
            return after;
        }
    }
    if (step.Receives())
    {
        const ProgramLaneId sender = m_channels.SenderFor(lane.rank, lane.lane);
        const ProgramStepId send{sender.rank, sender.lane, m_channels.SendOf(sender, step.operand)};
        if (isMissing(send))
        {
            return send;
        }
    }
    return std::nullopt;
}

void
ProgramWalk::WakeWaiters(ProgramLaneId lane)
{
    std::vector<Waiter>& waiters = m_waiters[NumberOf(lane)];
    const uint32_t next = m_next[NumberOf(lane)];
    // Lanes that wait for a later step of this lane stay in the list.
    std::erase_if(waiters,
                  [&](const Waiter& waiter)
                  {
                      const bool isWoken = waiter.step < next;
                      if (isWoken)
                      {
                          m_ready.push_back(waiter.lane);
                      }
                      return isWoken;
                  });
}

/// Whoever still waits, waits for someone who does: to follow that leads into a circle.
std::optional<ProgramFault>
ProgramWalk::FindCircle() const
{
    for (uint32_t rank = 0; rank < m_program.Buffers().ranks; ++rank)
    {
        for (uint32_t lane = 0; lane < m_program.LaneCount(rank); ++lane)
        {
            if (m_next[NumberOf({rank, lane})] == m_program.StepsOf(rank, lane).size())
            {
                continue;
            }
            // The chain may lead into the circle from outside, so only the steps from the first one
            // that is met again are named.
            std::vector<ProgramStepId> chain;
            ProgramStepId waiting = NextOf({rank, lane});
            while (std::find(chain.begin(), chain.end(), waiting) == chain.end())
            {
                chain.push_back(waiting);
                const ProgramStepId missing = MissingAt(waiting);
                waiting = NextOf({missing.rank, missing.lane});
            }
            std::string circle;
            for (auto step = std::find(chain.begin(), chain.end(), waiting); step != chain.end();
                 ++step)
            {
                circle += fmt::format(
                    "rank {} lane {} step {} waits for ", step->rank, step->lane, step->step);
            }
            return ProgramFault{.where = waiting,
                                .what = fmt::format("it waits for itself: {}it", circle)};
        }
    }
    return std::nullopt;
}

ProgramStepId
ProgramWalk::NextOf(ProgramLaneId lane) const
{
    return {lane.rank, lane.lane, m_next[NumberOf(lane)]};
}

ProgramStepId
ProgramWalk::MissingAt(const ProgramStepId& id) const
{
    const auto missing =
        FindMissing({id.rank, id.lane}, m_program.StepsOf(id.rank, id.lane)[id.step]);
    // A lane that has stopped before its end misses something, or RunLane would have gone on.
    NADI_CHECK(missing);
    return *missing;
}

} // namespace nadi
