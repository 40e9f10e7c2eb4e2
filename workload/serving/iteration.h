// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/units.h"
#include "workload/episode.h"
#include "workload/models/forward-pass.h"
#include "workload/serving/expert-group.h"
#include "workload/serving/pass-counts.h"
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
/// layers, the last ones of the stage; then the time that the other layers add, and all that comes
/// besides layers. Another episode brings the activations to the next stage, while the stage itself
/// is free again.
///
/// A layer that is left out adds the mean time of those simulated. Where attention and experts lie
/// apart it adds what the last one of them added: there one micro-batch begins a layer, or what
/// comes after the layers, while another is still in the one before. So the first layer takes
/// longer than each further one adds, and what comes besides layers is in their episode.
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
        bool sendsLayers = false; ///< whether keys and values leave at the ends of layers
    };

    /// `batches`: of each replica of the group, which may be empty. `number`: of the group's
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

    /// A rank has passed the layer of the episode that Next gave. Order: as these times go.
    void EndLayer(uint64_t layer, SimTime now);

    /// Whether keys and values leave at the ends of its layers.
    bool SendsLayers() const
    {
        return m_surroundings.sendsLayers;
    }

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

    /// When layers were begun that stand for others too, and communicate; none: the present episode
    /// has no such layers.
    std::optional<SimTime> StandingInSince() const;

    /// Other traffic was under way meanwhile.
    void MarkDisturbed()
    {
        m_isDisturbed = true;
    }

    /// What is to be counted of it. Requires: HasEnded().
    PassCounts Counts() const;

  private:
    enum class Phase : uint8_t
    {
        Layers,
        Rest,
        Handover,
    };

    Episode MakeStage();
    Episode MakeRest(SimTime now) const;
    Episode MakeHandover() const;
    void AddReplica(Episode& episode, uint32_t index, const PassTask& task) const;
    void AddWithExperts(Episode& episode, const PassTask& layers);
    bool IsWhole() const;
    bool HasAllBesidesLayers() const;
    bool TellsLayers() const;
    double PsOfLayerLeftOut(SimTime now) const;
    PassTask TaskFor(uint32_t index) const;
    uint64_t LayersInFull() const;
    bool IsLastStage() const;
    bool Communicates() const;
    bool HasUncutPrompts() const;

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
    SimTime m_begun;         // of the stage's layers
    SimTime m_lastButOneEnd; // of the last layer but one, on all ranks; if their ends are told
    SimTime m_lastEnd;       // likewise, of the last one
    bool m_standsIn = false; // with layers that communicate, for others
    bool m_isDisturbed = false;
    bool m_isDrawn = false; // tokens went other ways than a file says
};

} // namespace nadi
