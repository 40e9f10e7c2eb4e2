// SPDX-License-Identifier: GPL-2.0-only
#include "system/message-programs/program-order.h"

#include <algorithm>

namespace nadi
{

// All searches go back in time from `second`. What comes before a step was visited before it. So a
// step that was visited before `first` cannot lead back to `first`, and the search ends there. Of a
// lane only the latest step matters that is known to come before `second`, since all steps before
// it do so too. So a search keeps one number for each lane, and looks at no step twice.

ProgramOrder::ProgramOrder(const MessageProgram& program, const ProgramChannels& channels)
    : m_program(program)
    , m_channels(channels)
    , m_visits(program.StepCount())
{
}

void
ProgramOrder::Add(const ProgramStepId& id)
{
    const uint32_t number = m_program.LaneAt(id.rank, id.lane).firstStep + id.step;
    m_visits[m_program.StepNumber(id.rank, number)] = m_nextVisit++;
}

bool
ProgramOrder::IsForced(const ProgramStepId& first, const ProgramStepId& second) const
{
    // The questions are in order of their cost. The first two answer for most pairs.
    return first.lane == second.lane || IsWaitedFor(first, second) ||
           IsFoundInRank(second, first) || IsFoundFrom(second, first);
}

/// By `second` itself, or by the steps of nothing right before it.
bool
ProgramOrder::IsWaitedFor(const ProgramStepId& first, const ProgramStepId& second) const
{
    const auto steps = m_program.StepsOf(second.rank, second.lane);
    for (uint32_t step = second.step;; --step)
    {
        if (steps[step].after != ProgramStep::NONE)
        {
            const ProgramStepId after = m_program.StepNumbered(second.rank, steps[step].after);
            if (after.lane == first.lane && after.step >= first.step)
            {
                return true;
            }
        }
        if (step == 0 || steps[step - 1].action != ProgramStep::Action::Nothing)
        {
            return false;
        }
    }
}

bool
ProgramOrder::IsFoundInRank(const ProgramStepId& second, const ProgramStepId& first) const
{
    const uint32_t earliest = VisitOf(first);
    // An access is compared with several earlier ones in a row, so the last search often has the
    // answer: it does if it began at `second` and went back at least to `first`.
    if (m_search.from != second || earliest < m_search.earliest)
    {
        SearchRank(second, earliest);
    }
    return m_search.known[first.lane] > first.step;
}

/// Goes back from `second` along lanes and waits, to what was visited at `earliest`.
void
ProgramOrder::SearchRank(const ProgramStepId& second, uint32_t earliest) const
{
    // Only the lanes that the last search touched are cleared.
    for (const uint32_t lane : m_search.lanes)
    {
        m_search.known[lane] = 0;
    }
    m_search.lanes.clear();
    m_search.from = second;
    m_search.earliest = earliest;
    m_search.known.resize(std::max<size_t>(m_search.known.size(), m_program.LaneCount(second.rank)),
                          0);
    std::vector<ProgramStepId> open{second};
    while (!open.empty())
    {
        const ProgramStepId from = open.back();
        open.pop_back();
        uint32_t& done = m_search.known[from.lane];
        for (uint32_t step = from.step + 1; step > done; --step)
        {
            ++m_searched;
            const ProgramStepId id{from.rank, from.lane, step - 1};
            if (VisitOf(id) < earliest)
            {
                break;
            }
            if (const ProgramStep& of = StepAt(id); of.after != ProgramStep::NONE)
            {
                open.push_back(m_program.StepNumbered(id.rank, of.after));
            }
        }
        if (done == 0)
        {
            m_search.lanes.push_back(from.lane);
        }
        done = std::max(done, from.step + 1);
    }
}

/// Goes back from `second` along lanes, waits and messages, and never to what was visited before
/// `first`.
bool
ProgramOrder::IsFoundFrom(const ProgramStepId& second, const ProgramStepId& first) const
{
    const uint32_t earliest = VisitOf(first);
    // Of each lane, how many of its steps are known to come before `second`.
    std::map<LaneKey, uint32_t> known;
    std::vector<ProgramStepId> open{second};
    while (!open.empty())
    {
        const ProgramStepId from = open.back();
        open.pop_back();
        if (from.rank == first.rank && from.lane == first.lane && from.step >= first.step)
        {
            return true;
        }
        uint32_t& done = known[{from.rank, from.lane}];
        const uint32_t end = from.step + 1;
        for (uint32_t step = end; step > done; --step)
        {
            ++m_searched;
            const ProgramStepId id{from.rank, from.lane, step - 1};
            if (VisitOf(id) < earliest)
            {
                break;
            }
            const ProgramStep& of = StepAt(id);
            if (of.after != ProgramStep::NONE)
            {
                open.push_back(m_program.StepNumbered(id.rank, of.after));
            }
            if (of.Receives())
            {
                const ProgramLaneId sender = m_channels.SenderFor(id.rank, id.lane);
                open.push_back({sender.rank, sender.lane, m_channels.SendOf(sender, of.operand)});
            }
        }
        done = std::max(done, end);
    }
    return false;
}

uint32_t
ProgramOrder::VisitOf(const ProgramStepId& id) const
{
    const uint32_t number = m_program.LaneAt(id.rank, id.lane).firstStep + id.step;
    return m_visits[m_program.StepNumber(id.rank, number)];
}

const ProgramStep&
ProgramOrder::StepAt(const ProgramStepId& id) const
{
    return m_program.StepsOf(id.rank, id.lane)[id.step];
}

} // namespace nadi
