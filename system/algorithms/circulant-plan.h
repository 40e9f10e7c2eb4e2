// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nadi
{

/// Reduce-scatter, all-gather, all-reduce and barrier in ceil(log2 p) rounds (an all-reduce: twice
/// that) for any p, in which every rank sends and receives exactly p - 1 shards (all-reduce: twice
/// that). The reduce-scatter is that of J. L. Träff, "Optimal, non-pipelined reduce-scatter and
/// allreduce algorithms" (2024); the all-gather is the same backwards, as J. Bruck et al.,
/// "Efficient algorithms for all-to-all communications in multiport message-passing systems"
/// (1997), gather.
///
/// At first rank r answers for the p shards r, r + 1, ... (modulo p). In a round in which it
/// answers for the m shards from r on, it keeps the first h = ceil(m / 2), and sends what it holds
/// of the others to rank r + h, which answers for exactly these; rank r - h sends to it likewise.
/// After the last round it answers for its own shard alone.
///
/// Shards that go on at the first one after the last are two messages. No rank sends two and
/// receives two in a round.
///
/// Example with p = 3: h is 2, then 1. Rank 1 answers for shards 1, 2 and 0. It sends shard 0 to
/// rank 0, and gets shard 1 from rank 2. Then it sends shard 2 to rank 2, and gets shard 1 from
/// rank 0: what that and rank 2 hold of shard 1 is now with rank 1.
class CirculantPlan : public CollectivePlan
{
  public:
    explicit CirculantPlan(const PlanRequest& request);

    uint32_t LaneCount(uint32_t rank, uint32_t stage) const override;
    uint32_t StepCount(uint32_t rank, uint32_t stage, uint32_t lane) const override;
    PlanStep StepAt(uint32_t rank, uint32_t stage, uint32_t lane, uint32_t step) const override;
    std::vector<Interval> OwnedRanges(uint32_t rank) const override;

  private:
    /// Shards [first, first + count), modulo p.
    struct Shards
    {
        uint32_t first = 0;
        uint32_t count = 0;
    };

    /// What one rank does in one round. Both ends of a message count the same round.
    struct Round
    {
        PlanStep::Action action;
        uint32_t tag;
        uint32_t destination;
        uint32_t source;
        Shards sent;
        Shards received;
    };

    uint32_t RoundCount() const;
    Round RoundAt(uint32_t rank, uint32_t index) const;
    Round ReducingRound(uint32_t rank, uint32_t level) const;
    Round GatheringRound(uint32_t rank, uint32_t level) const;
    uint32_t StepsOf(const Round& round) const;
    PlanStep StepOf(const Round& round, uint32_t step) const;
    uint32_t MessagesOf(const Shards& shards) const;
    std::optional<Transfer>
    MessageOf(const Round& round, const Shards& shards, uint32_t peer, uint32_t message) const;

    CollectiveType m_type;
    uint32_t m_ranks;
    uint32_t m_levels;
    uint64_t m_elements;
};

/// Links that the messages of all rounds of a reduce-scatter, or of an all-gather, cross together,
/// of each round the farthest: a message over h places may go p - h places back.
uint64_t CirculantHops(uint32_t ranks, const Shape& shape);

} // namespace nadi
