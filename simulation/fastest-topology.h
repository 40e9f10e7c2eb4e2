// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include "network/link-fault.h"
#include "network/topology.h"

#include <optional>
#include <vector>

namespace nadi
{

/// The topology with each link at the highest bandwidth that it ever has: that of its own or of a
/// fault, which may raise it. What no run can beat there, none can beat at any moment. For bounds
/// alone: it may have no dimensions, and no costs of routes.
class FastestTopology
{
  public:
    /// Requires: `topology` outlives it.
    FastestTopology(const Topology& topology, const std::vector<LinkFault>& faults);

    const Topology& Get() const
    {
        return m_raised ? *m_raised : m_topology;
    }

  private:
    const Topology& m_topology;
    std::optional<Topology> m_raised; // none: no fault raises a bandwidth
};

} // namespace nadi
