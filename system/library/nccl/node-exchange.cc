// SPDX-License-Identifier: GPL-2.0-only
#include "system/library/nccl/node-exchange.h"

#include "common/check.h"

#include <utility>

namespace nadi::nccl
{

namespace
{

/// A lane for each round but that of the member with itself.
class NodeExchangePlan : public CollectivePlan
{
  public:
    NodeExchangePlan(const Placement& placement, const PlanRequest& request)
        : m_placement(placement)
        , m_members(placement.Size())
        , m_local(static_cast<uint32_t>(placement.MembersOf(0).size()))
        , m_elements(request.elements)
    {
        NADI_CHECK(placement.IsRegular() && request.ranks == m_members);
    }

    uint32_t LaneCount(uint32_t /*rank*/, uint32_t /*stage*/) const override
    {
        return m_members - 1;
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

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {ShardOf(rank)};
    }

  private:
    /// The member so many nodes and places after `rank`. A round says both: its number is
    /// nodes * members of a node + places.
    uint32_t PeerAhead(uint32_t rank, uint32_t round) const
    {
        const uint32_t node = m_placement.NodeOf(rank) + round / m_local;
        const uint32_t place = m_placement.IndexInNode(rank) + round % m_local;
        return MemberAt(node, place);
    }

    /// So many before it.
    uint32_t PeerBehind(uint32_t rank, uint32_t round) const
    {
        const uint32_t nodes = m_placement.NodeCount();
        const uint32_t node = m_placement.NodeOf(rank) + nodes - round / m_local;
        const uint32_t place = m_placement.IndexInNode(rank) + m_local - round % m_local;
        return MemberAt(node, place);
    }

    uint32_t MemberAt(uint32_t node, uint32_t place) const
    {
        return m_placement.MembersOf(node % m_placement.NodeCount())[place % m_local];
    }

    Interval ShardOf(uint32_t rank) const
    {
        return PartOf({0, m_elements}, rank, m_members);
    }

    const Placement& m_placement;
    uint32_t m_members;
    uint32_t m_local;
    uint64_t m_elements;
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
