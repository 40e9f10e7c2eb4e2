// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/rail-exchange.h"

#include "common/check.h"

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
class RailExchangePlan : public CollectivePlan
{
  public:
    RailExchangePlan(const Placement& placement, const PlanRequest& request)
        : m_placement(placement)
        , m_members(placement.Size())
        , m_local(static_cast<uint32_t>(placement.MembersOf(0).size()))
        , m_elements(request.elements)
    {
        NADI_CHECK(placement.IsRegular() && request.ranks == m_members);
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return 2 * (m_members - 1) + PassedOn();
    }

    uint32_t StepCount(uint32_t /*rank*/, uint32_t /*stage*/, uint32_t lane) const override
    {
        const bool passesOn = lane >= m_members - 1 && lane < m_members - 1 + PassedOn();
        return passesOn ? 2 : 1;
    }

    PlanStep StepAt(uint32_t rank, uint32_t /*stage*/, uint32_t lane, uint32_t step) const override
    {
        if (lane < m_members - 1)
        {
            const uint32_t to = (rank + 1 + lane) % m_members;
            return {.send = TransferOf(rank, to, NextHop(rank, to))};
        }
        lane -= m_members - 1;
        if (lane < PassedOn())
        {
            return PassOn(rank, lane, step);
        }
        lane -= PassedOn();
        const uint32_t from = (rank + m_members - 1 - lane) % m_members;
        return {.receive = TransferOf(from, rank, LastHop(from, rank))};
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {PartOf({0, m_elements}, rank, m_members)};
    }

  private:
    /// Parts from the other members of the node for those on the own rail of other nodes.
    uint32_t PassedOn() const
    {
        return (m_local - 1) * (m_placement.NodeCount() - 1);
    }

    bool IsDirect(uint32_t from, uint32_t to) const
    {
        return m_placement.NodeOf(from) == m_placement.NodeOf(to) ||
               m_placement.IndexInNode(from) == m_placement.IndexInNode(to);
    }

    /// To whom `from` sends what is for `to`.
    uint32_t NextHop(uint32_t from, uint32_t to) const
    {
        const auto& own = m_placement.MembersOf(m_placement.NodeOf(from));
        return IsDirect(from, to) ? to : own[m_placement.IndexInNode(to)];
    }

    /// From whom `to` receives what is from `from`.
    uint32_t LastHop(uint32_t from, uint32_t to) const
    {
        return IsDirect(from, to) ? from : NextHop(from, to);
    }

    PlanStep PassOn(uint32_t rank, uint32_t index, uint32_t step) const
    {
        const uint32_t node = m_placement.NodeOf(rank);
        const uint32_t place = m_placement.IndexInNode(rank);
        const uint32_t otherNodes = m_placement.NodeCount() - 1;
        // The first lanes pass on the parts of one member of the node, one lane for each other
        // node. Then come the lanes of the next member.
        const uint32_t from =
            m_placement.MembersOf(node)[(place + 1 + index / otherNodes) % m_local];
        const uint32_t toNode = (node + 1 + index % otherNodes) % m_placement.NodeCount();
        const uint32_t to = m_placement.MembersOf(toNode)[place];
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
                .tag = from * m_members + to,
                .channel = 0,
                .range = PartOf({0, m_elements}, to, m_members)};
    }

    const Placement& m_placement;
    uint32_t m_members;
    uint32_t m_local;
    uint64_t m_elements;
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
