// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/rail-exchange.h"

#include "common/check.h"
#include "system/library/nccl/exchange-plan.h"

#include <utility>

namespace nadi::nccl
{

namespace
{

/// The lanes of a member: one for each other member to which it sends its own part; one for each
/// part that it passes on; one for each other member whose part it receives. A message is named by
/// the members from whose row and for whom it is.
/// Receives need no order among each other. Each has a lane of its own, so that no part waits
/// behind another.
class RailExchangePlan : public ExchangePlan
{
  public:
    using ExchangePlan::ExchangePlan;

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 2 * (Members() - 1) + PassedOn();
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t lane) const override
    {
        const bool passesOn = lane >= Members() - 1 && lane < Members() - 1 + PassedOn();
        return passesOn ? 2 : 1;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        if (lane < Members() - 1)
        {
            const uint32_t to = (rank + 1 + lane) % Members();
            return {.send = TransferOf(rank, to, NextHop(rank, to))};
        }
        lane -= Members() - 1;
        if (lane < PassedOn())
        {
            return PassOn(rank, lane, step);
        }
        lane -= PassedOn();
        const uint32_t from = (rank + Members() - 1 - lane) % Members();
        return {.receive = TransferOf(from, rank, LastHop(from, rank))};
    }

  private:
    /// Parts from the other members of the node for those on the own rail of other nodes.
    uint32_t PassedOn() const
    {
        return (Local() - 1) * (Nodes() - 1);
    }

    bool IsDirect(uint32_t from, uint32_t to) const
    {
        return NodeOf(from) == NodeOf(to) || PlaceOf(from) == PlaceOf(to);
    }

    /// To whom `from` sends what is for `to`.
    uint32_t NextHop(uint32_t from, uint32_t to) const
    {
        return IsDirect(from, to) ? to : MemberAt(NodeOf(from), PlaceOf(to));
    }

    /// From whom `to` receives what is from `from`.
    uint32_t LastHop(uint32_t from, uint32_t to) const
    {
        return IsDirect(from, to) ? from : NextHop(from, to);
    }

    PlanStep PassOn(uint32_t rank, uint32_t index, uint32_t step) const
    {
        const uint32_t node = NodeOf(rank);
        const uint32_t place = PlaceOf(rank);
        const uint32_t otherNodes = Nodes() - 1;
        // The first lanes pass on the parts of one member of the node, one lane for each other
        // node. Then come the lanes of the next member.
        const uint32_t from = MemberAt(node, place + 1 + index / otherNodes);
        const uint32_t to = MemberAt(node + 1 + index % otherNodes, place);
        if (step == 0)
        {
            return {.receive = TransferOf(from, to, from)};
        }
        return {.send = TransferOf(from, to, to)};
    }

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
};

} // namespace

RailExchange::RailExchange(Placement placement)
    : m_placement(std::move(placement))
{
}

std::unique_ptr<CollectivePlan>
RailExchange::MakePlan(const PlanRequest& request) const
{
    NADI_CHECK(Supports(request.type));
    return std::make_unique<RailExchangePlan>(m_placement, request);
}

/// Of n - 1 parts of a member, (L - 1)(N - 1) are sent twice.
double
RailExchange::TimesSent(CollectiveType /*type*/, uint32_t ranks) const
{
    const double local = static_cast<double>(m_placement.MembersOf(0).size());
    const double passed = (local - 1) * (m_placement.NodeCount() - 1);
    return ranks > 1 ? 1 + passed / (ranks - 1) : 1;
}

} // namespace nadi::nccl
