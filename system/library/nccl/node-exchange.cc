// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/node-exchange.h"

#include "common/check.h"
#include "system/library/nccl/exchange-plan.h"

#include <utility>

namespace nadi::nccl
{

namespace
{

/// A lane for each round but that of the member with itself.
class NodeExchangePlan : public ExchangePlan
{
  public:
    using ExchangePlan::ExchangePlan;

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return Members() - 1;
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t /*lane*/) const override
    {
        return 1;
    }

    PlanStep
    StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t /*step*/) const override
    {
        const uint32_t to = PeerAhead(rank, lane + 1);
        const uint32_t from = PeerBehind(rank, lane + 1);
        return {.send = Transfer{.origin = rank, .peer = to, .range = ShardOf(to)},
                .receive = Transfer{.origin = from, .peer = from, .range = ShardOf(rank)}};
    }
};

} // namespace

NodeExchange::NodeExchange(Placement placement)
    : m_placement(std::move(placement))
{
}

std::unique_ptr<CollectivePlan>
NodeExchange::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type));
    return std::make_unique<NodeExchangePlan>(m_placement, request);
}

} // namespace nadi::nccl
