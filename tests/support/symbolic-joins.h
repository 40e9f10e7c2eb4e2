// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nadi::symbolic
{

/// Which steps of which lanes are complete in the stages that ranks are in, and who waits for whom
/// among lanes of one rank. `Past` is what a complete step knows.
template <class Past>
class LaneJoins
{
  public:
    /// A lane of a rank.
    using Place = std::pair<uint32_t, uint32_t>;

    void Complete(const Place& lane, const Past& past)
    {
        m_complete[lane].push_back(past);
    }

    /// None: not complete.
    const Past* Find(uint32_t rank, const LaneStep& step) const
    {
        const auto found = m_complete.find({rank, step.lane});
        const bool isThere = found != m_complete.end() && step.step < found->second.size();
        return isThere ? &found->second[step.step] : nullptr;
    }

    /// `lane`, in its `step`, waits for another of its rank; until its rank's next Release.
    void Block(const Place& lane, uint32_t step, const LaneStep& after)
    {
        m_blocked[lane] = {step, after};
    }

    /// Forgets who waits on that rank.
    void Release(uint32_t rank)
    {
        m_blocked.erase(m_blocked.lower_bound({rank, 0}), m_blocked.lower_bound({rank + 1, 0}));
    }

    /// The rank begins another stage.
    void Forget(uint32_t rank)
    {
        m_complete.erase(m_complete.lower_bound({rank, 0}), m_complete.lower_bound({rank + 1, 0}));
    }

    /// What is wrong with the lanes that still wait, when nothing moves any more: "rank 0 waits in
    /// a circle: lane 1 (step 0) -> lane 2 (step 1) -> lane 1". None: nobody waits, or each waits,
    /// in the end, for a lane that waits for a message.
    std::optional<std::string>
    FindProblem(const CollectivePlan& plan, uint32_t rank, uint32_t stage) const
    {
        for (auto at = m_blocked.lower_bound({rank, 0});
             at != m_blocked.end() && at->first.first == rank;
             ++at)
        {
            if (auto problem = FindProblemFrom(at->first, plan, stage))
            {
                return problem;
            }
        }
        return std::nullopt;
    }

  private:
    struct Wait
    {
        uint32_t step = 0;
        LaneStep after;
    };

    static bool Exists(const CollectivePlan& plan, uint32_t rank, uint32_t stage, LaneStep step)
    {
        return step.lane < plan.LaneCount(rank, stage) &&
               step.step < plan.StepCount(rank, stage, step.lane);
    }

    std::optional<std::string>
    FindProblemFrom(Place lane, const CollectivePlan& plan, uint32_t stage) const
    {
        const std::string rank = "rank " + std::to_string(lane.first);
        std::string way;
        std::map<Place, size_t> wayBefore; // its length before it came to a lane
        for (auto at = m_blocked.find(lane); at != m_blocked.end(); at = m_blocked.find(lane))
        {
            const auto& [step, after] = at->second;
            const auto [before, isNew] = wayBefore.try_emplace(lane, way.size());
            const std::string name = "lane " + std::to_string(lane.second);
            if (!isNew)
            {
                return rank + " waits in a circle: " + way.substr(before->second) + name;
            }
            if (!Exists(plan, lane.first, stage, after))
            {
                return rank + ", " + name + " waits for step " + std::to_string(after.step) +
                       " of lane " + std::to_string(after.lane) + ", which does not exist";
            }
            way += name + " (step " + std::to_string(step) + ") -> ";
            lane.second = after.lane;
        }
        return std::nullopt;
    }

    std::map<Place, std::vector<Past>> m_complete;
    std::map<Place, Wait> m_blocked;
};

} // namespace nadi::symbolic
