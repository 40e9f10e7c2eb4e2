// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/ids.h"
#include "workload/models/forward-model.h"
#include "workload/serving/serve-options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nadi
{

/// An instance of a cluster: which ranks serve the model together, and what they hold. Immutable.
///
/// Its ranks are neighbours: rank = first + (stage x replicas + replica) x tp + tensor rank.
/// Replicas that share experts step together; all others step alone.
///
/// An attention instance has all but the experts that tokens are routed to; these lie on the ranks
/// of an instance of role Ffn, which has no requests of its own.
class ServingInstance
{
  public:
    /// Throws ConfigError at the instance when the model does not fit its ranks. `seed`: of the
    /// run, which says which experts are hot, and so where their replicas lie.
    ServingInstance(const ServeOptions& options,
                    const InstanceOptions& instance,
                    uint32_t number,
                    uint32_t firstRank,
                    uint64_t seed);

    uint32_t Number() const
    {
        return m_number;
    }

    /// "prefill0": the role, and the number among all instances.
    std::string Name() const;

    ServingRole Role() const
    {
        return m_role;
    }

    /// Whether its experts lie on another instance, and on which.
    bool IsAttention() const
    {
        return m_isAttention;
    }

    const ServingInstance* Experts() const
    {
        return m_experts;
    }

    /// Of role Ffn: whose experts it has.
    const ServingInstance* Attention() const
    {
        return m_attention;
    }

    /// Requires: IsAttention(); `experts` is of role Ffn, and both stay where they are.
    void SetExperts(ServingInstance& experts)
    {
        m_experts = &experts;
        experts.m_attention = this;
    }

    /// Whether its tokens find their ways to experts on several of its ranks.
    bool HasRouter() const
    {
        return m_model.expert > 1 && m_role != ServingRole::Ffn;
    }

    uint32_t MicroBatches() const
    {
        return m_microBatches;
    }

    const ForwardModel& Model() const
    {
        return m_model;
    }

    uint32_t Replicas() const
    {
        return m_replicas;
    }

    uint32_t RankCount() const
    {
        return m_model.tensor * m_model.pipeline * m_replicas;
    }

    RankId RankAt(uint32_t stage, uint32_t replica, uint32_t tensorRank) const
    {
        return RankId{m_firstRank + (stage * m_replicas + replica) * m_model.tensor + tensorRank};
    }

    /// How many replicas step together, and how many such groups there are.
    uint32_t ReplicasOfGroup() const
    {
        return m_isAttention ? m_replicas : std::max(1U, m_model.expert / m_model.tensor);
    }

    uint32_t Groups() const
    {
        return m_replicas / ReplicasOfGroup();
    }

    /// The ranks that share the experts of a stage with this replica, ascending.
    std::vector<RankId> ExpertGroup(uint32_t stage, uint32_t replica) const;

    /// What a rank of a tensor group holds of each layer.
    const TransformerShape& PartOf(uint32_t tensorRank) const
    {
        return m_parts[m_partOfTensorRank[tensorRank]];
    }

    const TransformerShape& Part(uint32_t number) const
    {
        return m_parts[number];
    }

    /// Ranks with equal numbers hold equal parts.
    uint32_t PartNumberOf(uint32_t tensorRank) const
    {
        return m_partOfTensorRank[tensorRank];
    }

    uint32_t PartCount() const
    {
        return static_cast<uint32_t>(m_parts.size());
    }

    /// Bytes of the weights that a rank has; of experts apart, of these alone. Ranks of one place
    /// in their tensor groups may have different numbers of expert replicas: of that with the most.
    uint64_t WeightBytes(uint32_t stage, uint32_t tensorRank) const;

    /// What all blocks of its replica take of a rank.
    uint64_t KvRoomBytes(uint32_t stage, uint32_t tensorRank) const
    {
        return m_role == ServingRole::Ffn ? 0 : m_blocks * BytesOfBlock(stage, tensorRank);
    }

    /// What the blocks of a sequence of `tokens` take of a rank.
    uint64_t KvBytesOf(uint32_t stage, uint32_t tensorRank, uint64_t tokens) const
    {
        return (tokens + m_tokensOfBlock - 1) / m_tokensOfBlock * BytesOfBlock(stage, tensorRank);
    }

    /// The memory of a rank.
    Bytes Memory() const
    {
        return m_memory;
    }

    /// In the configuration, for errors.
    const std::string& Where() const
    {
        return m_where;
    }

    /// KV blocks of a replica: as many as the rank with the least room has.
    uint64_t Blocks() const
    {
        return m_blocks;
    }

    /// Bytes of a block on all ranks of a replica together.
    uint64_t BytesOfBlock() const
    {
        return m_bytesOfBlock;
    }

  private:
    uint64_t BytesOfBlock(uint32_t stage, uint32_t tensorRank) const;
    void CountReplicas(const ExpertRouter& router);
    uint64_t ReplicasOfExperts(uint32_t stage, uint32_t tensorRank) const;
    void FindBlocks(const std::optional<Bytes>& kvMemory);

    uint32_t m_number;
    ServingRole m_role;
    bool m_isAttention;
    uint32_t m_microBatches;
    const ServingInstance* m_experts = nullptr;
    const ServingInstance* m_attention = nullptr;
    Bytes m_memory;
    std::string m_where;
    uint64_t m_tokensOfBlock;
    ForwardModel m_model;
    uint32_t m_replicas;
    uint32_t m_firstRank;
    std::vector<TransformerShape> m_parts;
    std::vector<uint32_t> m_partOfTensorRank;
    /// By stage, then by tensor rank: replicas of experts on the fullest rank, over all layers of
    /// the stage. Empty where no expert has any.
    std::vector<uint64_t> m_expertReplicas;
    uint64_t m_blocks = 0;
    uint64_t m_bytesOfBlock = 0;
};

/// Whether some experts lie on several ranks.
bool HasExpertReplicas(const ExpertRoutingOptions& experts);

/// Who says which experts the tokens of an instance go to. Throws ConfigError at the options for
/// what the experts and ranks do not allow.
ExpertRouter
MakeExpertRouter(const ServeOptions& options, const ServingInstance& instance, uint64_t seed);

} // namespace nadi
