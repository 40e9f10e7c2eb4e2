// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/link-fault.h"
#include "network/topology.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace nadi
{

/// What links could carry until an end, with the bandwidths and outages of their faults: the whole
/// that the utilization of a link is a share of.
class LinkCapacities
{
  public:
    /// Requires: both outlive it.
    LinkCapacities(const Topology& topology, const std::vector<LinkFault>& faults);

    /// `carried` over what the link could carry from 0 s to `end`; 0 where that is nothing.
    double ComputeUtilization(LinkId link, Bytes carried, SimTime end) const;

  private:
    double CountBits(LinkId link, SimTime end) const;

    const Topology& m_topology;
    std::unordered_map<uint32_t, std::vector<const LinkFault*>>
        m_faults; // by link, where it has any
};

} // namespace nadi
