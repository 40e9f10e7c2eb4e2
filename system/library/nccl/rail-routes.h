// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "system/library/nccl/placement.h"

#include <cstdint>
#include <vector>

namespace nadi::nccl
{

/// Who passes on what in an all-to-all on rails (PXN). Members whose NPUs share a NIC are on one
/// rail, and so are those of equal NICs of other nodes.
///
/// What goes to another rail of another node passes by a member of the own node on that rail; where
/// several stand there, they share it. Where none does, it goes directly, over the spines.
class RailRoutes
{
  public:
    /// `npusPerNic` neighbouring NPUs share a NIC.
    RailRoutes(const Placement& placement, uint32_t npusPerNic);

    /// To whom `from` sends what is for `to`.
    uint32_t NextHop(uint32_t from, uint32_t to) const;

    /// From whom `to` receives what is from `from`.
    uint32_t LastHop(uint32_t from, uint32_t to) const
    {
        const uint32_t next = NextHop(from, to);
        return next == to ? from : next;
    }

    /// A part of the row of `from` that is for `to`.
    struct Part
    {
        uint32_t from = 0;
        uint32_t to = 0;
    };

    /// How many parts a member passes on.
    uint32_t PassedOn(uint32_t member) const
    {
        return static_cast<uint32_t>(m_sources[member].size() * m_targets[member].size());
    }

    /// One of them. The first ones are all of the next member of the node, in the order of the
    /// nodes that follow; then come those of the member after it.
    Part PartPassedOn(uint32_t member, uint32_t index) const
    {
        const auto targets = static_cast<uint32_t>(m_targets[member].size());
        return {.from = m_sources[member][index / targets],
                .to = m_targets[member][index % targets]};
    }

    /// By all members.
    uint64_t AllPassedOn() const;

  private:
    const std::vector<uint32_t>& OnRail(uint32_t node, uint32_t rail) const
    {
        return m_onRail[node * m_rails + rail];
    }

    uint32_t RelayTo(uint32_t node, uint32_t to) const;
    void ListSources(const Placement& placement);
    void ListTargets(const Placement& placement);

    uint32_t m_rails = 0;
    std::vector<uint32_t> m_nodeOf;               // by member
    std::vector<uint32_t> m_railOf;               // by member
    std::vector<uint32_t> m_indexOnRail;          // by member, in OnRail
    std::vector<std::vector<uint32_t>> m_onRail;  // by node and rail: members
    std::vector<std::vector<uint32_t>> m_sources; // by member: whose parts it passes on
    std::vector<std::vector<uint32_t>> m_targets; // by member: for whom
};

} // namespace nadi::nccl
