// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/episode.h"
#include "workload/models/forward-pass.h"
#include "workload/serving/expert-group.h"
#include "workload/serving/sequence.h"
#include "workload/serving/serving-instance.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace nadi
{

/// The batches of the replicas that step together, on their way through the stages of an instance:
/// one episode after the other.
///
/// A stage is an episode. Where only some layers of a stage are simulated in full, it is two: these
/// layers, the last ones of the stage; then the time that the other layers take if they take as
/// long in the mean, and all that comes besides layers. Another episode brings the activations to
/// the next stage, while the stage itself is free again.
class Iteration
{
  public:
    /// What the iterations of an instance have in common; outlives them.
    struct Surroundings
    {
        const ServingInstance& instance;
        std::optional<uint64_t> layers; ///< of a stage, simulated in full; none: all
        std::shared_ptr<const RankNames> names;
        const ExpertRouter* router = nullptr; ///< of experts on several ranks; null: there are none
        ExpertCounts* counts = nullptr;       ///< of what these compute; with `router`
        bool tellsLayers = false; ///< whether milestones with their numbers tell the ends of layers
    };

    /// `batches`: of each replica of the group, which may be empty. `number`: of the instance's
    /// iterations, from 0.
    Iteration(const Surroundings& surroundings,
              uint64_t number,
              uint32_t group,
              std::vector<std::vector<BatchPart>> batches);

    /// Whether all of it has run.
    bool HasEnded() const
    {
        return m_stage == m_surroundings.instance.Model().pipeline;
    }

    /// The stage that the next episode begins; none where it begins none.
    std::optional<uint32_t> StageToBegin() const
    {
        return m_phase == Phase::Layers && !HasEnded() ? std::optional(m_stage) : std::nullopt;
    }

    /// The stage that is free again now that the episode before has ended, if any.
    std::optional<uint32_t> StageLeft() const
    {
        return m_left;
    }

    /// What is to run now, after the episode before has ended. Requires: !HasEnded().
    Episode Next(SimTime now);

    /// The episode that Next gave has ended. Order: after each Next.
    void EndEpisode();

    uint32_t Group() const
    {
        return m_group;
    }

    /// By replica of the group.
    const std::vector<std::vector<BatchPart>>& Batches() const
    {
        return m_batches;
    }

    uint64_t Tokens() const;

  private:
    enum class Phase : uint8_t
    {
        Layers,
        Rest,
        Handover,
    };

    Episode MakeStage() const;
    Episode MakeRest(SimTime now) const;
    Episode MakeHandover() const;
    void AddReplica(Episode& episode, uint32_t index, const PassTask& task) const;
    void AddWithExperts(Episode& episode, const PassTask& layers) const;
    bool IsWhole() const;
    PassTask TaskFor(uint32_t index) const;
    uint64_t LayersInFull() const;
    bool IsLastStage() const;

    uint32_t ReplicaOf(uint32_t index) const
    {
        return m_group * m_surroundings.instance.ReplicasOfGroup() + index;
    }

    const Surroundings& m_surroundings;
    uint64_t m_number;
    uint32_t m_group;
    std::vector<std::vector<BatchPart>> m_batches;
    std::vector<PassBatch> m_sums; // by replica of the group
    uint32_t m_stage = 0;
    Phase m_phase = Phase::Layers;
    std::optional<uint32_t> m_left;
    SimTime m_begun; // of the stage's layers
};

} // namespace nadi
