// SPDX-License-Identifier: GPL-2.0-only
#include "workload/serving/pass-runner.h"

#include <utility>

namespace nadi
{

void
PassRunner::Begin(InstanceState& instance, std::unique_ptr<Iteration> iteration, SimTime now)
{
    instance.BeginIteration(iteration->Group(), now);
    RunNext({&instance, std::move(iteration), now}, now);
}

// A pass is in m_passes while an episode of it runs, else in m_beforeStage.
std::optional<Pass>
PassRunner::GoOn(EpisodeNumber episode, SimTime now)
{
    Pass pass = std::move(m_passes.extract(episode).mapped());
    pass.iteration->EndEpisode();
    if (const std::optional<uint32_t> stage = pass.iteration->StageLeft())
    {
        // Whoever waits for the stage goes on before this pass does.
        Leave(*pass.instance, pass.iteration->Group(), *stage, now);
    }
    if (pass.iteration->HasEnded())
    {
        pass.instance->EndIteration(*pass.iteration, now);
        return pass;
    }
    RunNext(std::move(pass), now);
    return std::nullopt;
}

void
PassRunner::RunNext(Pass pass, SimTime now)
{
    Iteration& iteration = *pass.iteration;
    // None: the pass is in its stage already, or on its way to the next one.
    const std::optional<uint32_t> stage = iteration.StageToBegin();
    if (stage && !pass.instance->TryEnter(iteration.Group(), *stage))
    {
        const StageName name{pass.instance->Instance().Number(), iteration.Group(), *stage};
        m_beforeStage[name].push_back(std::move(pass));
        return;
    }
    // Next is asked only now, since it notes when the stage was entered.
    const EpisodeNumber episode = m_jobs.Submit(iteration.Next(now), &m_listener);
    m_passes.emplace(episode, std::move(pass));
}

/// The stage is free; of those who wait for it the first one goes on.
void
PassRunner::Leave(InstanceState& instance, uint32_t group, uint32_t stage, SimTime now)
{
    instance.Leave(group, stage);
    const auto waiting = m_beforeStage.find({instance.Instance().Number(), group, stage});
    if (waiting == m_beforeStage.end())
    {
        return;
    }
    Pass next = std::move(waiting->second.front());
    waiting->second.pop_front();
    if (waiting->second.empty())
    {
        m_beforeStage.erase(waiting);
    }
    RunNext(std::move(next), now);
}

} // namespace nadi
