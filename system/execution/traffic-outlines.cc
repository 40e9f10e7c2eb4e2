// SPDX-License-Identifier: GPL-2.0-only
#include "system/execution/traffic-outlines.h"

#include <algorithm>
#include <set>
#include <utility>

namespace nadi
{

namespace
{

/// What is longer seldom comes again.
constexpr size_t MOST_MESSAGES = size_t{1} << 16;

/// To look at each pair of members costs about as much as to look at each of so many messages.
constexpr size_t LEAST_MESSAGES_OF_A_PAIR = 4;

/// What an outline takes without its pairs, as a number of pairs.
constexpr size_t PAIRS_OF_AN_OUTLINE = 10;

/// Looks at the steps of a collective.
class OutlineMaker
{
  public:
    explicit OutlineMaker(uint32_t members)
        : m_waits(members)
    {
    }

    /// \return Whether to look on.
    bool Add(const PhaseTask& task)
    {
        const CollectivePlan& plan = *task.plan;
        m_isFit = m_isFit && !plan.HasWaits();
        for (uint32_t stage = 0; m_isFit && stage < plan.StageCount(); ++stage)
        {
            for (uint32_t lane = 0; lane < plan.LaneCount(task.self, stage); ++lane)
            {
                AddLane(task, stage, lane);
            }
            // The limits are checked after each stage, so that a collective of very many messages
            // is given up early.
            m_isFit = m_messages <= MOST_MESSAGES &&
                      m_ends.size() <= MOST_MESSAGES / LEAST_MESSAGES_OF_A_PAIR;
        }
        return m_isFit;
    }

    TrafficOutlines::Ends Take() const
    {
        // A member without messages would end as it begins, and no part may end in
        // ClosedTraffic::Begin.
        const bool doAllWait =
            std::all_of(m_waits.begin(), m_waits.end(), [](bool b) { return b; });
        const bool areMany = m_messages >= m_ends.size() * LEAST_MESSAGES_OF_A_PAIR;
        return m_isFit && doAllWait && areMany ? TrafficOutlines::Ends(m_ends.begin(), m_ends.end())
                                               : TrafficOutlines::Ends();
    }

  private:
    void AddLane(const PhaseTask& task, uint32_t stage, uint32_t lane)
    {
        const uint32_t steps = task.plan->StepCount(task.self, stage, lane);
        for (uint32_t index = 0; index < steps; ++index)
        {
            const PlanStep step = task.plan->StepAt(task.self, stage, lane, index);
            // A member waits for what it receives, and for the delivery of what it sends.
            if (step.receive || step.send)
            {
                m_waits[task.member] = true;
            }
            if (step.send)
            {
                ++m_messages;
                m_ends.insert({.source = task.member,
                               .destination = task.lineBase + step.send->peer * task.lineStride});
            }
        }
    }

    std::set<ClosedTraffic::Ends> m_ends;
    std::vector<bool> m_waits; // by member: for some delivery
    size_t m_messages = 0;
    bool m_isFit = true;
};

} // namespace

const TrafficOutlines::Ends&
TrafficOutlines::Find(uint64_t number, CollectiveRun& run)
{
    const auto found = m_outlines.find(number);
    if (found != m_outlines.end())
    {
        return found->second;
    }
    OutlineMaker maker(run.Layout().Size());
    run.VisitTasks([&](const PhaseTask& task) { return maker.Add(task); });
    Ends ends = maker.Take();
    // An empty outline is kept too, so that an unfit program is looked at only once.
    const size_t pairs = ends.size() + PAIRS_OF_AN_OUTLINE;
    if (m_pairs + pairs > m_mostPairs)
    {
        m_outlines.clear();
        m_pairs = 0;
    }
    m_pairs += pairs;
    return m_outlines.emplace(number, std::move(ends)).first->second;
}

} // namespace nadi
