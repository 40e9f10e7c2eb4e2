// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/helper-phases.h"

#include "common/check.h"

#include <algorithm>

namespace nadi
{

void
HelperPhases::Join(const PhaseTask& task, const std::function<PlanCache::Entry&()>& acquirePlan)
{
    const Place place(task.chunk, task.phase, task.lineBase);
    const auto [found, isNew] = m_places.try_emplace(place);
    if (isNew)
    {
        found->second = m_lines.Make(
            {.place = place, .plan = &acquirePlan(), .ranks = task.trees->RankCount(), .running{}});
        Start(found->second, task);
    }
    // The line stays known until its last rank has begun the phase, even if the switches end
    // earlier. Else that rank would make the switches begin the phase again.
    const uint32_t line = found->second;
    NADI_CHECK(m_lines[line].ranks > 0);
    --m_lines[line].ranks;
    FreeIfDone(line);
}

void
HelperPhases::Start(uint32_t line, const PhaseTask& task)
{
    // The rank that begins first gives the names of the phase and of its line. Who runs the task,
    // who hears of its end, and its protocol are the switches' own.
    PhaseTask helper = task;
    helper.owner = this;
    helper.member = line;
    helper.plan = m_lines[line].plan->value.get();
    helper.protocol = &m_protocol;
    // The bytes of switches are counted apart: the planned traffic, which measures progress, is
    // that of ranks alone.
    helper.sentBytes = &m_sentBytes;
    for (uint32_t index = 0; index < task.trees->HelperCount(); ++index)
    {
        helper.self = task.trees->RankCount() + index;
        if (const std::optional<PhaseTicket> ticket = m_executor.Start(helper))
        {
            m_lines[line].running.push_back(
                {.at = task.trees->HelperVertex(helper.self), .ticket = *ticket});
        }
    }
}

/// Start put the line in the place of the member, so the line is what comes back.
void
HelperPhases::OnPhaseCompleted(uint32_t line, PhaseTicket ticket)
{
    std::vector<Running>& running = m_lines[line].running;
    const auto ended = std::find_if(running.begin(),
                                    running.end(),
                                    [&](const Running& phase) { return phase.ticket == ticket; });
    NADI_CHECK(ended != running.end());
    running.erase(ended);
    FreeIfDone(line);
}

void
HelperPhases::FreeIfDone(uint32_t line)
{
    Line& record = m_lines[line];
    if (record.ranks > 0 || !record.running.empty())
    {
        return;
    }
    m_plans.Release(*record.plan);
    m_places.erase(record.place);
    m_lines.Free(line);
}

std::vector<HelperPhases::Active>
HelperPhases::FindActive() const
{
    std::vector<Active> actives;
    for (const auto& [place, line] : m_places)
    {
        for (const Running& phase : m_lines[line].running)
        {
            actives.push_back({.at = phase.at,
                               .chunk = std::get<0>(place),
                               .phase = std::get<1>(place),
                               .ticket = phase.ticket});
        }
    }
    return actives;
}

} // namespace nadi
