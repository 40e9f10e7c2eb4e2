// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/rail-exchange.h"

#include "common/check.h"
#include "system/library/nccl/exchange-plan.h"

#include <utility>

namespace nadi::nccl
{

namespace
{

/// The lanes of a member: one for each other member to which it sends its own part, in the rounds
/// of NodeExchange; one for each part that it passes on; one for each other member whose part it
/// receives. A message is named by the members from whose row and for whom it is.
///
/// Receives need no order among each other. Each has a lane of its own, so that no part waits
/// behind another.
class RailExchangePlan : public ExchangePlan
{
  public:
    /// Both must outlive the plan.
    RailExchangePlan(const Placement& placement,
                     const RailRoutes& routes,
                     const PlanRequest& request)
        : ExchangePlan(placement, request)
        , m_routes(routes)
    {
    }

    uint32_t LaneCount(uint32_t rank, uint32_t /*stage*/) const override
    {
        return 2 * (Members() - 1) + m_routes.PassedOn(rank);
    }

    uint32_t StepCount(uint32_t rank, uint32_t /*stage*/, uint32_t lane) const override
    {
        const bool passesOn =
            lane >= Members() - 1 && lane < Members() - 1 + m_routes.PassedOn(rank);
        return passesOn ? 2 : 1;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        if (lane < Members() - 1)
        {
            const uint32_t to = PeerAhead(rank, lane + 1);
            return {.send = TransferOf(rank, to, m_routes.NextHop(rank, to))};
        }
        lane -= Members() - 1;
        if (lane < m_routes.PassedOn(rank))
        {
            const auto [from, to] = m_routes.PartPassedOn(rank, lane);
            return step == 0 ? PlanStep{.receive = TransferOf(from, to, from)}
                             : PlanStep{.send = TransferOf(from, to, to)};
        }
        lane -= m_routes.PassedOn(rank);
        const uint32_t from = PeerBehind(rank, lane + 1);
        return {.receive = TransferOf(from, rank, m_routes.LastHop(from, rank))};
    }

  private:
    /// The part from the row of `from` that is for `to`, seen from an end whose peer is `peer`.
    Transfer TransferOf(uint32_t from, uint32_t to, uint32_t peer) const
    {
        // The two ends of a message are in lanes of different numbers. So both ends name channel 0,
        // and the tag tells the messages apart.
        return {.origin = from,
                .peer = peer,
                .tag = from * Members() + to,
                .channel = 0,
                .range = ShardOf(to)};
    }

    const RailRoutes& m_routes;
};

} // namespace

RailExchange::RailExchange(Placement placement, uint32_t npusPerNic)
    : m_placement(std::move(placement))
    , m_routes(m_placement, npusPerNic)
{
}

std::unique_ptr<CollectivePlan>
RailExchange::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type));
    return std::make_unique<RailExchangePlan>(m_placement, m_routes, request);
}

/// Each member sends n - 1 parts, and what it passes on besides.
double
RailExchange::TimesSent(CollectiveType /*type*/, uint32_t ranks) const
{
    const double parts = double(ranks) * (ranks - 1);
    return ranks > 1 ? 1 + static_cast<double>(m_routes.AllPassedOn()) / parts : 1;
}

} // namespace nadi::nccl
