// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/collective-plan.h"
#include "system/library/nccl/ring-orders.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace nadi::nccl
{

/// Broadcast and reduce: along several rings side by side, from the root (or to it) in pieces that
/// follow one another.
class ChainKernel : public CollectiveAlgorithm
{
  public:
    /// In place of a number of pieces: each member passes on at once what it passed on in an
    /// earlier call, as in the midst of many calls in a row.
    static constexpr uint32_t IN_A_ROW = 0;

    ChainKernel(std::vector<RingWay> rings, uint32_t pieces);

    bool Supports(CollectiveType type) const override
    {
        return type == CollectiveType::Broadcast || type == CollectiveType::Reduce;
    }

    std::unique_ptr<CollectivePlan> MakePlan(const PlanRequest& request) const override;

    uint32_t LinksDriven(uint32_t /*links*/) const override
    {
        return 1;
    }

    uint32_t LatencySteps(CollectiveType /*type*/, uint32_t ranks) const override
    {
        return ranks - 1;
    }

  private:
    std::vector<RingWay> m_rings;
    uint32_t m_pieces;
};

} // namespace nadi::nccl
