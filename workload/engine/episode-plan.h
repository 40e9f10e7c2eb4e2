// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/engine/call-numbers.h"
#include "workload/engine/issue-plan.h"
#include "workload/engine/rank-script.h"
#include "workload/episode.h"

#include <cstdint>
#include <vector>

namespace nadi
{

/// The static part of the execution of a submitted episode, as JobPlan is that of the workload.
class EpisodePlan
{
  public:
    EpisodePlan(EpisodeNumber number, Episode episode);

    EpisodePlan(const EpisodePlan&) = delete;
    EpisodePlan& operator=(const EpisodePlan&) = delete;

    const std::vector<Episode::Member>& Members() const
    {
        return m_episode.members;
    }

    /// Valid as long as this.
    RankScript ScriptOf(const Episode::Member& member);

  private:
    EpisodeNumber m_number;
    Episode m_episode;
    std::vector<IssuePlan> m_plans; // by graph
    CallNumbers m_numbers;
};

} // namespace nadi
