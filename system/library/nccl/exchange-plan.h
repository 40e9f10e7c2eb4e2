// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "common/check.h"
#include "system/collective-plan.h"
#include "system/library/nccl/placement.h"

#include <cstdint>
#include <vector>

namespace nadi::nccl
{

/// An all-to-all over the members of a regular placement: who stands where, and what each owns at
/// the end. Which messages carry it is for its classes.
class ExchangePlan : public CollectivePlan
{
  public:
    /// The placement must outlive the plan.
    ExchangePlan(const Placement& placement, const PlanRequest& request)
        : m_placement(placement)
        , m_elements(request.elements)
    {
        NADI_CHECK(placement.IsRegular() && request.ranks == Members());
    }

    std::vector<Interval> OwnedRanges(uint32_t rank) const override
    {
        return {ShardOf(rank)};
    }

  protected:
    uint32_t Members() const
    {
        return m_placement.Size();
    }

    uint32_t Nodes() const
    {
        return m_placement.NodeCount();
    }

    /// Members of each node.
    uint32_t Local() const
    {
        return static_cast<uint32_t>(m_placement.MembersOf(0).size());
    }

    uint32_t NodeOf(uint32_t rank) const
    {
        return m_placement.NodeOf(rank);
    }

    uint32_t PlaceOf(uint32_t rank) const
    {
        return m_placement.IndexInNode(rank);
    }

    /// Behind the last node, and the last place, comes the first again.
    uint32_t MemberAt(uint32_t node, uint32_t place) const
    {
        return m_placement.MembersOf(node % Nodes())[place % Local()];
    }

    /// The member so many nodes and places after `rank`. A round says both: its number is
    /// nodes * members of a node + places.
    uint32_t PeerAhead(uint32_t rank, uint32_t round) const
    {
        return MemberAt(NodeOf(rank) + round / Local(), PlaceOf(rank) + round % Local());
    }

    /// So many before it.
    uint32_t PeerBehind(uint32_t rank, uint32_t round) const
    {
        return MemberAt(NodeOf(rank) + Nodes() - round / Local(),
                        PlaceOf(rank) + Local() - round % Local());
    }

    /// What every member sends to `rank`, out of its own elements.
    Interval ShardOf(uint32_t rank) const
    {
        return PartOf({0, m_elements}, rank, Members());
    }

  private:
    const Placement& m_placement;
    uint64_t m_elements;
};

} // namespace nadi::nccl
