// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/job-engine.h"
#include "workload/serving/instance-state.h"
#include "workload/serving/iteration.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace nadi
{

/// A forward pass of an instance.
struct Pass
{
    InstanceState* instance = nullptr;
    std::unique_ptr<Iteration> iteration;
    SimTime begun;
};

/// Takes passes through the stages of their instances: submits episode after episode, and lets a
/// pass wait while the stage that it comes to is busy with the one before.
class PassRunner
{
  public:
    /// All of it outlives the runner. `listener` is told the ends of episodes, and passes them on.
    PassRunner(JobEngine& jobs, EpisodeListener& listener)
        : m_jobs(jobs)
        , m_listener(listener)
    {
    }

    /// Requires: the first stage of the group is free; called where JobEngine::Submit may be.
    void Begin(InstanceState& instance, std::unique_ptr<Iteration> iteration, SimTime now);

    /// Whether the episode is of a pass.
    bool Owns(EpisodeNumber episode) const
    {
        return m_passes.contains(episode);
    }

    /// The pass whose episode it is. Requires: Owns(episode).
    const Pass& At(EpisodeNumber episode) const
    {
        return m_passes.at(episode);
    }

    /// Other traffic was under way during the layers of the pass. Requires: Owns(episode).
    void MarkDisturbed(EpisodeNumber episode)
    {
        m_passes.at(episode).iteration->MarkDisturbed();
    }

    /// A rank has passed a layer of the pass whose episode it is.
    void EndLayer(const MilestoneReached& layer, SimTime now)
    {
        m_passes.at(layer.episode).iteration->EndLayer(layer.number, now);
    }

    /// The episode has ended: the pass goes on, or has ended. Requires: Owns(episode).
    std::optional<Pass> GoOn(EpisodeNumber episode, SimTime now);

  private:
    /// Instance, group, stage.
    using StageName = std::tuple<uint32_t, uint32_t, uint32_t>;

    void RunNext(Pass pass, SimTime now);
    void Leave(InstanceState& instance, uint32_t group, uint32_t stage, SimTime now);

    JobEngine& m_jobs;
    EpisodeListener& m_listener;
    std::map<EpisodeNumber, Pass> m_passes; // under way, by their present episode
    std::map<StageName, std::deque<Pass>> m_beforeStage;
};

} // namespace nadi
