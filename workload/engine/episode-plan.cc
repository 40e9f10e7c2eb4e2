// SPDX-License-Identifier: GPL-2.0-only
#include "workload/engine/episode-plan.h"

#include "common/check.h"

#include <utility>

namespace nadi
{

EpisodePlan::EpisodePlan(EpisodeNumber number, Episode episode)
    : m_number(number)
    , m_episode(std::move(episode))
{
    m_plans.reserve(m_episode.graphs.size());
    for (const ExecutionGraph& graph : m_episode.graphs)
    {
        m_plans.emplace_back(graph);
        // RankExecutor counts only collectives on from episode to episode, so the numbers of group
        // accesses would be wrong.
        NADI_CHECK(m_plans.back().GroupAccesses().empty());
    }
}

RankScript
EpisodePlan::ScriptOf(const Episode::Member& member)
{
    const RankNames& names = *m_episode.names;
    const std::vector<CommunicatorId>& groups = names.communicatorOfGroup.at(member.rank.value);
    const ExecutionGraph& graph = m_episode.graphs.at(member.graph);
    const IssuePlan& plan = m_plans[member.graph];
    return {m_number,
            &graph,
            &plan,
            &m_numbers.Find(member.graph, graph, plan, groups),
            &groups,
            names.rankOfPeer.empty() ? nullptr : &names.rankOfPeer.at(member.rank.value)};
}

} // namespace nadi
