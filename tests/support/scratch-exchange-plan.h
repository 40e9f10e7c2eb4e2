// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi::test
{

/// An all-reduce as kernels with several threads do it: each rank copies its buffer into its part
/// of a scratch buffer, sends that part to all others, and reduces what has come in the others'
/// parts.
///
/// Lanes of rank r among p, with n elements: lane 0 copies the buffer to scratch part r; lane k of
/// 1..p-1 sends part r to rank r + k after that; lane p - 1 + k receives the part of rank r - k;
/// the last lane waits for the copy, and then for each receive before it reduces what came with it.
class ScratchExchangePlan : public CollectivePlan
{
  public:
    ScratchExchangePlan(uint32_t ranks, uint64_t elements)
        : m_ranks(ranks)
        , m_elements(elements)
    {
    }

    bool HasWaits() const override
    {
        return true;
    }

    uint64_t ScratchElements() const override
    {
        return m_elements * m_ranks;
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return m_ranks == 1 ? 0 : 2 * m_ranks;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t lane) const override
    {
        return lane == LastLane() ? m_ranks : 1;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        constexpr LaneStep copied{.lane = 0, .step = 0};
        if (lane == 0)
        {
            return {.local = LocalWork{.from = {0, m_elements}, .into = PartOfRank(rank)}};
        }
        if (lane < m_ranks)
        {
            return {.send = MakeTransfer(rank, (rank + lane) % m_ranks, lane), .after = copied};
        }
        if (lane < LastLane())
        {
            const uint32_t distance = lane - (m_ranks - 1);
            const uint32_t from = SourceAt(rank, distance);
            return {.receive = MakeTransfer(from, from, distance)};
        }
        if (step == 0)
        {
            return {.after = copied};
        }
        return {.after = LaneStep{.lane = m_ranks - 1 + step, .step = 0},
                .local =
                    LocalWork{.from = PartOfRank(SourceAt(rank, step)), .into = {0, m_elements}},
                .action = PlanStep::Action::Reduce};
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {PartOf({0, m_elements}, rank, m_ranks)};
    }

  private:
    uint32_t LastLane() const
    {
        return 2 * m_ranks - 1;
    }

    uint32_t SourceAt(uint32_t rank, uint32_t distance) const
    {
        return (rank + m_ranks - distance) % m_ranks;
    }

    Interval PartOfRank(uint32_t rank) const
    {
        return {m_elements * (rank + 1), m_elements * (rank + 2)};
    }

    /// Its two ends lie in lanes of different indices, so the channel says how far it goes.
    Transfer MakeTransfer(uint32_t part, uint32_t peer, uint32_t distance) const
    {
        return {.peer = peer, .channel = distance, .range = PartOfRank(part)};
    }

    uint32_t m_ranks;
    uint64_t m_elements;
};

/// Makes such plans, for all-reduce.
class ScratchExchange : public CollectiveAlgorithm
{
  public:
    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::AllReduce;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override
    {
        return std::make_unique<ScratchExchangePlan>(request.ranks, request.elements);
    }

    uint32_t LinksDriven(uint32_t links) const override
    {
        return links;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks > 1 ? 1 : 0;
    }

    /// Everyone sends its whole buffer to everyone, where 2 (p-1)/p of it would do.
    double TimesSent(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks / 2.0;
    }
};

} // namespace nadi::test
