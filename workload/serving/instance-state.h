// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "workload/serving/batcher.h"
#include "workload/serving/iteration.h"
#include "workload/serving/serving-instance.h"
#include "workload/serving/serving-results.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// What an instance is doing: the batchers of its replicas, and the iterations under way.
class InstanceState
{
  public:
    /// All of it outlives the state.
    InstanceState(const ServingInstance& instance,
                  const ServeOptions& options,
                  std::shared_ptr<const RankNames> names,
                  uint64_t seed);

    InstanceState(const InstanceState&) = delete;
    InstanceState& operator=(const InstanceState&) = delete;

    const ServingInstance& Instance() const
    {
        return m_surroundings.instance;
    }

    Batcher& BatcherOf(uint32_t replica)
    {
        return m_batchers[replica];
    }

    Batcher& ReplicaOfGroup(uint32_t group, size_t index)
    {
        return m_batchers[group * Instance().ReplicasOfGroup() + index];
    }

    /// The next batches of the group's replicas; null: none of them has anything to do.
    std::unique_ptr<Iteration> MakeIteration(uint32_t group);

    /// Whether a sequence was preempted for the last of these, though there may have been none.
    bool HasPreempted(uint32_t group);

    /// Whether the group may begin one more: its first stage is free, and it has no more than one
    /// for each stage.
    bool CanBegin(uint32_t group) const
    {
        return m_underWay[group] < Instance().Model().pipeline && IsFree(group, 0);
    }

    bool IsFree(uint32_t group, uint32_t stage) const
    {
        return !m_isBusy[group * Instance().Model().pipeline + stage];
    }

    /// The stage of the group is busy from now on, until Leave; false: it was before.
    bool TryEnter(uint32_t group, uint32_t stage);

    void Leave(uint32_t group, uint32_t stage)
    {
        m_isBusy[group * Instance().Model().pipeline + stage] = false;
    }

    void BeginIteration(uint32_t group, SimTime now);
    void EndIteration(const Iteration& iteration, SimTime now);

    InstanceTotals Totals(SimTime now) const;

    /// Tokens that its replicas did not compute, because their prefix caches had them.
    uint64_t CachedTokens() const;

    const PassCounts& Counts() const
    {
        return m_counts;
    }

    const ExpertCounts& Experts() const
    {
        return m_experts;
    }

  private:
    Iteration::Surroundings m_surroundings;
    std::optional<ExpertRouter> m_router; // of experts on several ranks
    ExpertCounts m_experts;
    std::vector<uint64_t> m_made;     // iterations, by group
    std::deque<Batcher> m_batchers;   // by replica
    std::vector<uint32_t> m_underWay; // by group
    std::vector<bool> m_isBusy;       // by group and stage
    uint32_t m_iterations = 0;        // under way in all
    SimTime m_busySince;
    InstanceTotals m_totals;
    PassCounts m_counts;
};

} // namespace nadi
